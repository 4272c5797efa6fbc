//! A backup in the place of the data file, before anybody opens that.
//!
//! What the backup still owed may have been told since, and what ran then has ended since: reports are held until a person
//! lets them go, turns are not run again by themselves, and queues wait.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use gatehouse_domain::{Epoch, EpochMs, IdSource};
use rusqlite::Connection;

use crate::error::{Error, OpenError, Result};
use crate::health::check::{self, Found};
use crate::health::holders::beside;
use crate::open::{self, FILE, LOCK, failed, io};
use crate::sql::{args, change, value};

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The new history.
    pub epoch: Epoch,
    /// Where the file that was there before lies now.
    pub aside: Option<PathBuf>,
    /// How many reports, and words to channels, wait for a person's word.
    pub held: u64,
}

/// Puts `backup` in the place of the data file of the profile in `dir`, which nobody may have open. The file that is there
/// is moved aside and never deleted. Until the backup has proved to be whole, nothing is touched.
pub(crate) fn restore(dir: &Path, backup: &Path, at: EpochMs, ids: &dyn IdSource) -> Result<Restored, OpenError> {
    let lock = open::take_lock(&dir.join(LOCK))?;
    let file = dir.join(FILE);
    let fresh = dir.join("restored.part");
    let (epoch, held) = prepare(backup, &fresh, Epoch::from_uuid(ids.fresh()))?;
    let aside = move_aside(&file, &dir.join(format!("damaged-{}", at.utc())))?;
    let placed = fs::rename(&fresh, &file).and_then(|()| File::open(dir)?.sync_all());
    placed.map_err(|error| io(&file, error))?;
    drop(lock);
    Ok(Restored { epoch, aside, held })
}

/// A copy of the backup that can be opened as it is.
fn prepare(backup: &Path, fresh: &Path, epoch: Epoch) -> Result<(Epoch, u64), OpenError> {
    let steps = open::steps();
    open::look(backup, u32::try_from(steps.len()).unwrap_or(u32::MAX))?;
    let looked = open::lying(backup).and_then(|conn| check::whole(&conn));
    if let Found::Damaged(detail) = looked.map_err(|error| failed(backup, &error.into()))? {
        return Err(OpenError::Corrupt { path: backup.to_owned(), detail });
    }
    let mut source = File::open(backup).map_err(|error| io(backup, error))?;
    let copied =
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(fresh).and_then(|mut to| {
            std::io::copy(&mut source, &mut to)?;
            Ok(())
        });
    copied.map_err(|error| io(fresh, error))?;
    let broken = |error: Error| failed(fresh, &error);
    let mut conn = Connection::open(fresh).map_err(|error| broken(error.into()))?;
    open::upgrade(&mut conn, fresh, &steps)?;
    let held = begin_anew(&mut conn, epoch).map_err(broken)?;
    drop(conn);
    File::open(fresh).and_then(|file| file.sync_all()).map_err(|error| io(fresh, error))?;
    Ok((epoch, held))
}

fn begin_anew(conn: &mut Connection, epoch: Epoch) -> Result<u64> {
    conn.execute_batch("PRAGMA journal_mode = DELETE")?;
    let all = conn.transaction()?;
    change(&all, "UPDATE profile_meta SET epoch = ?1", args![epoch])?;
    let held = hold(&all)?;
    all.commit()?;
    Ok(held)
}

/// Nothing of what was owed then goes out by itself; how many reports and words to channels wait.
fn hold(conn: &Connection) -> Result<u64> {
    // Reports in an input that still waited were told to nobody: they are owed, and that input has nothing to say. It goes
    // with its key, under which they are handed in when a person lets them go.
    conn.execute_batch(
        "CREATE TEMP TABLE waiting AS SELECT id FROM admission WHERE status = 'queued'
            AND id IN (SELECT admission FROM unit WHERE delivery = 'delivered');
         UPDATE unit SET delivery = 'pending', admission = NULL WHERE admission IN (SELECT id FROM waiting);
         DELETE FROM admission WHERE id IN (SELECT id FROM waiting);
         DROP TABLE waiting;
         UPDATE unit SET held = 1 WHERE delivery = 'pending';
         UPDATE outbox SET held = 1 WHERE state IN ('pending', 'sending', 'failed');
         UPDATE session SET queue_paused = 1 WHERE id IN (SELECT session FROM admission WHERE status = 'queued');
         UPDATE turn SET progress = 'effected' WHERE state = 'running';",
    )?;
    let held = "SELECT (SELECT count(*) FROM unit WHERE held = 1) + (SELECT count(*) FROM outbox WHERE held = 1)";
    Ok(value(conn, held, [])?.unwrap_or(0))
}

/// The file and what SQLite keeps beside it; nothing where there is none.
fn move_aside(file: &Path, aside: &Path) -> Result<Option<PathBuf>, OpenError> {
    let there: Vec<PathBuf> = [file.to_owned(), beside(file, "-wal"), beside(file, "-shm"), beside(file, "-journal")]
        .into_iter()
        .filter(|path| path.exists())
        .collect();
    if there.is_empty() {
        return Ok(None);
    }
    DirBuilder::new().recursive(true).mode(0o700).create(aside).map_err(|error| io(aside, error))?;
    for path in there {
        let name = path.file_name().unwrap_or_default();
        fs::rename(&path, aside.join(name)).map_err(|error| io(&path, error))?;
    }
    Ok(Some(aside.to_owned()))
}
