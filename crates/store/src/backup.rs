//! Whole copies of the data file, made while it is written to.
//!
//! A copy is taken from one moment's view of the file, which no writer waits for, and counts only when every page and row
//! of it was looked at. One in which something is wrong says that the file itself probably is: it is kept aside.

mod shelf; // the copies that there are

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use gatehouse_domain::EpochMs;
use rusqlite::Connection;
use rusqlite::backup::StepResult;

use crate::error::{Error, Result};
use crate::health::check::{self, Found};
use crate::health::index;
use crate::health::place::Place;
use crate::health::trouble::Trouble;
use crate::open;

pub use shelf::{BACKUPS_KEPT, Backup, backups, backups_dir};
pub(crate) use shelf::{DIR, name};

/// Pages (of 4 KiB) that are copied in one step: 1 MiB.
const STEP: i32 = 256;
/// Between two steps, so that others get at the disk.
const PAUSE: Duration = Duration::from_millis(5);

/// Makes a copy of the file at `place` on the calling thread; gives up when `closing` is set.
pub(crate) fn make(place: &Place, at: EpochMs, closing: &AtomicBool) -> Result<Backup> {
    // Its name knows seconds only, and it is the same backup when it is listed.
    let at = EpochMs(at.0 - at.0.rem_euclid(1000));
    let dir = backups_dir(place.file().parent().unwrap_or(Path::new("")));
    // Where the profile itself was taken away, nothing is made in its place.
    match DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(unwritten(&dir, &error)),
        Ok(()) | Err(_) => {}
    }
    let half = dir.join("copy.part");
    let made = copy(place, &half, closing).and_then(|found| match found {
        Found::Damaged(detail) => Err(set_aside(&half, &dir, at, detail)),
        Found::Whole | Found::Index | Found::Unfinished => keep(&half, &dir, at),
    });
    if made.is_err()
        && let Err(error) = fs::remove_file(&half)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "half a copy stays");
    }
    made
}

/// Copies and looks the copy through.
fn copy(place: &Place, to: &Path, closing: &AtomicBool) -> Result<Found> {
    place.look().map_err(Error::Storage)?;
    let source = open::reader(place.file())?;
    // One view for all steps. Without it every commit in between would make the copy begin anew.
    source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")?;
    let made = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(to);
    made.map_err(|error| unwritten(to, &error))?;
    let mut copy = Connection::open(to)?;
    copy.execute_batch("PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;")?; // it is synced once, at its end
    {
        let backup = rusqlite::backup::Backup::new(&source, &mut copy)?;
        while backup.step(STEP)? != StepResult::Done {
            if closing.load(Ordering::Relaxed) {
                return Err(Error::Closed);
            }
            thread::sleep(PAUSE);
        }
    }
    drop(source);
    // Complete in itself, without a log beside it.
    copy.execute_batch("PRAGMA journal_mode = DELETE")?;
    let found = check::whole(&copy)?;
    if found != Found::Index {
        return Ok(found);
    }
    // The index holds nothing that the rows do not.
    index::rebuild(&copy)?;
    Ok(check::whole(&copy)?)
}

fn keep(half: &Path, dir: &Path, at: EpochMs) -> Result<Backup> {
    let path = dir.join(name(at));
    let kept = File::open(half)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(half, &path))
        .and_then(|()| File::open(dir)?.sync_all())
        .and_then(|()| Ok(fs::metadata(&path)?.len()));
    let bytes = kept.map_err(|error| unwritten(&path, &error))?;
    shelf::keep_newest(dir, at);
    Ok(Backup { name: name(at), path, at, bytes })
}

fn set_aside(half: &Path, dir: &Path, at: EpochMs, detail: String) -> Error {
    let kept = dir.join(format!("damaged-{}", name(at)));
    if let Err(error) = fs::rename(half, &kept) {
        return unwritten(&kept, &error);
    }
    shelf::keep_newest(dir, at);
    Error::BadCopy { kept, detail }
}

fn unwritten(path: &Path, error: &std::io::Error) -> Error {
    let cause = crate::health::cause::StorageCause::of(error);
    Error::Storage(Trouble::new(cause, error).at(path))
}
