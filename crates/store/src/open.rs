//! From a directory to a checked and migrated file, touching nothing that is not ours to touch.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use gatehouse_domain::{Epoch, IdSource, Rev};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rusqlite_migration::{M, Migrations};

use crate::error::{Error, OpenError};
use crate::health::cause::StorageCause;
use crate::health::check::{self, Found};
use crate::health::index;
use crate::health::place::Place;
use crate::table::{self, profile_meta};

mod lock; // one gateway at a time
mod network; // file systems on which locks cannot be trusted

pub(crate) use lock::take_lock;

pub(crate) const FILE: &str = "gatehouse.db";
pub(crate) const LOCK: &str = "lock";

/// How long SQLite waits for a lock of its own before it gives up.
const BUSY: Duration = Duration::from_secs(30);

/// After an end that was not clean the file is looked through for so long at most; the daily backup looks at the rest.
const CHECK: Duration = Duration::from_secs(3);

/// How many prepared statements a connection keeps: more than the house has.
const STATEMENTS: usize = 256;

pub(crate) struct Opened {
    pub(crate) conn: Connection,
    pub(crate) place: Place,
    pub(crate) lock: File,
    /// The search index needs to be built anew.
    pub(crate) index_is_broken: bool,
    pub(crate) epoch: Epoch,
    pub(crate) rev: Rev,
}

/// The steps from an empty file to the newest schema. Steps are only ever added.
pub(crate) fn steps() -> Vec<String> {
    vec![
        table::INITIAL.concat(),
        table::LASTING_ANSWERS.concat(),
        table::NOTICES.concat(),
        table::SPEAKING_UP.concat(),
        table::DELIVERY.concat(),
    ]
}

pub(crate) fn open(dir: &Path, ids: &dyn IdSource) -> Result<Opened, OpenError> {
    open_with(dir, ids, &steps())
}

fn open_with(dir: &Path, ids: &dyn IdSource, steps: &[String]) -> Result<Opened, OpenError> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(|e| io(dir, e))?;
    if network::is_remote(dir).map_err(|e| io(dir, e))? {
        return Err(OpenError::NetworkFileSystem { path: dir.to_owned() });
    }
    let lock = take_lock(&dir.join(LOCK))?;
    let file = dir.join(FILE);
    let known = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let clean = look(&file, known)?;
    let failed = |error: Error| failed(&file, &error);
    // SQLite would make it readable for everybody; the log takes its mode from it.
    OpenOptions::new().create(true).append(true).mode(0o600).open(&file).map_err(|e| io(&file, e))?;
    let mut conn = writer(&file).map_err(|e| failed(e.into()))?;
    // As long as it may be damaged, its log is neither taken in nor removed.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(|e| failed(e.into()))?;
    let found = if clean { Found::Whole } else { check::quick(&conn, CHECK).map_err(|e| failed(e.into()))? };
    if let Found::Damaged(detail) = found {
        return Err(OpenError::Corrupt { path: file, detail });
    }
    migrate(&mut conn, &file, steps)?;
    let epoch = match profile_meta::epoch(&conn).map_err(failed)? {
        Some(epoch) => epoch,
        None => {
            let epoch = Epoch::from_uuid(ids.fresh());
            profile_meta::begin(&conn, epoch).map_err(failed)?;
            epoch
        }
    };
    let rev = profile_meta::rev(&conn).map_err(failed)?;
    let index_is_broken = found == Found::Index || index::is_left_alone(&conn).map_err(failed)?;
    let place = Place::of(&file).map_err(|e| io(&file, e))?;
    Ok(Opened { conn, place, lock, index_is_broken, epoch, rev })
}

/// A connection that may write. `synchronous` belongs to the connection, not to the file.
pub(crate) fn writer(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(file, flags)?;
    conn.busy_timeout(BUSY)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -16000; -- KiB",
    )?;
    Ok(conn)
}

/// A connection that may not.
pub(crate) fn reader(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(file, flags)?;
    conn.busy_timeout(BUSY)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(conn)
}

/// Looks at the file without SQLite, which would leave a log beside it: is it ours, whole, and not newer than us? False
/// when the program that wrote it did not come to its end.
pub(crate) fn look(path: &Path, known: u32) -> Result<bool, OpenError> {
    let corrupt = |detail: &str| OpenError::Corrupt { path: path.to_owned(), detail: detail.to_owned() };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(io(path, error)),
    };
    let length = file.metadata().map_err(|e| io(path, e))?.len();
    if length == 0 {
        return Ok(true);
    }
    let mut header = [0; 100];
    file.read_exact(&mut header).map_err(|_| corrupt("it is shorter than a header"))?;
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(corrupt("it is no SQLite file"));
    }
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let found = number(60);
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    let page = match u64::from(u16::from_be_bytes([header[16], header[17]])) {
        1 => 65_536,
        size => size,
    };
    let logged = fs::metadata(path.with_extension("db-wal")).is_ok_and(|wal| wal.len() > 0);
    // The page count holds only if it was written by the last change; pages may still be in the log.
    if !logged && number(24) == number(92) && length < page * u64::from(number(28)) {
        return Err(corrupt("its end is missing"));
    }
    if !logged {
        look_inside(path)?;
    }
    Ok(!logged)
}

/// Reads the schema as it lies on the disk. The whole file is not checked: it may be large, and opening must be quick.
fn look_inside(path: &Path) -> Result<(), OpenError> {
    let looked = lying(path)
        .and_then(|conn| conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)));
    looked.map(|_| ()).map_err(|error| failed(path, &error.into()))
}

/// A file that nobody writes, read without a lock and without a log beside it.
pub(crate) fn lying(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri, flags)
}

fn migrate(conn: &mut Connection, file: &Path, steps: &[String]) -> Result<(), OpenError> {
    let failed = |error: rusqlite::Error| failed(file, &error.into());
    let known = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let found: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    if found == known {
        return Ok(());
    }
    if found > 0 {
        keep(conn, file, known)?;
    }
    upgrade(conn, file, steps)
}

/// Brings the schema up to the newest.
pub(crate) fn upgrade(conn: &mut Connection, file: &Path, steps: &[String]) -> Result<(), OpenError> {
    let migrations = Migrations::new(steps.iter().map(|sql| M::up(sql)).collect());
    migrations.to_latest(conn).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => failed(file, &err.into()),
        other => OpenError::Io { path: file.to_owned(), detail: other.to_string() },
    })
}

/// Keeps the file as it was before it gets the schema `next`, under a name that says so.
fn keep(conn: &Connection, file: &Path, next: u32) -> Result<(), OpenError> {
    let kept = file.with_extension(format!("db.before-{next}"));
    let half = file.with_extension(format!("db.before-{next}.part"));
    // What an interrupted attempt left is of no use, and VACUUM INTO writes to an empty file only.
    OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&half).map_err(|e| io(&half, e))?;
    conn.execute("VACUUM INTO ?1", [half.to_string_lossy()]).map_err(|e| failed(file, &e.into()))?;
    File::open(&half).and_then(|file| file.sync_all()).map_err(|e| io(&half, e))?;
    fs::rename(&half, &kept).map_err(|e| io(&kept, e))
}

pub(crate) fn io(path: &Path, error: impl std::fmt::Display) -> OpenError {
    OpenError::Io { path: path.to_owned(), detail: error.to_string() }
}

pub(crate) fn failed(path: &Path, error: &Error) -> OpenError {
    match error {
        Error::Storage(trouble) if trouble.cause == StorageCause::Corrupt => {
            OpenError::Corrupt { path: path.to_owned(), detail: trouble.detail.clone() }
        }
        Error::Storage(trouble) => io(path, &trouble.detail),
        Error::Query(rusqlite::Error::SqliteFailure(failure, _))
            if failure.code == ErrorCode::FileLockingProtocolFailed =>
        {
            OpenError::NetworkFileSystem { path: path.to_owned() }
        }
        other => io(path, other),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    struct Ids(AtomicU64);

    impl IdSource for Ids {
        fn fresh(&self) -> uuid::Uuid {
            uuid::Uuid::from_u128(self.0.fetch_add(1, Ordering::Relaxed).into())
        }
    }

    #[test]
    fn the_old_file_is_kept_before_a_new_schema() {
        let (dir, ids) = (tempfile::tempdir().unwrap(), Ids(AtomicU64::new(1)));
        let known = u32::try_from(steps().len()).unwrap();
        let old = open(dir.path(), &ids).unwrap();
        old.conn.execute_batch("UPDATE profile_meta SET rev = 41").unwrap();
        let epoch = old.epoch;
        drop(old);
        assert!(!dir.path().join("gatehouse.db.before-1").exists(), "nothing was there before the first");
        let mut more = steps();
        more.push("ALTER TABLE profile_meta ADD COLUMN mood TEXT NOT NULL DEFAULT 'fine';".to_owned());
        let new = open_with(dir.path(), &ids, &more).unwrap();
        assert_eq!((new.epoch, new.rev), (epoch, Rev(41)));
        new.conn.execute_batch("UPDATE profile_meta SET mood = 'better'").unwrap();
        let kept = Connection::open(dir.path().join(format!("gatehouse.db.before-{}", known + 1))).unwrap();
        assert_eq!(kept.pragma_query_value(None, "user_version", |r| r.get::<_, u32>(0)).unwrap(), known);
        assert_eq!(profile_meta::rev(&kept).unwrap(), Rev(41));
        drop(new);
        let error = open(dir.path(), &ids).err().unwrap();
        assert!(matches!(error, OpenError::Newer { found, known: k } if (found, k) == (known + 1, known)), "{error:?}");
    }

    #[test]
    fn what_waited_in_an_older_file_keeps_its_order() {
        let (dir, ids) = (tempfile::tempdir().unwrap(), Ids(AtomicU64::new(1)));
        let old = open_with(dir.path(), &ids, &steps()[..1]).unwrap();
        old.conn
            .execute_batch(
                "INSERT INTO session (id, root, route, created_at, last_at, rev) VALUES (x'01', x'01', 'r', 1, 1, 1);
                 INSERT INTO admission (id, session, root, principal, request_key, digest, cause, text, at)
                 VALUES (x'0a', x'01', x'01', 'person', 'a', '', 'human', 'first', 1),
                        (x'0b', x'01', x'01', 'person', 'b', '', 'human', 'second', 1);",
            )
            .unwrap();
        drop(old);
        let new = open(dir.path(), &ids).unwrap();
        let mut queue = new.conn.prepare("SELECT text FROM admission ORDER BY place").unwrap();
        let texts: Vec<String> = queue.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(texts, ["first", "second"]);
        let paused = new.conn.query_row("SELECT queue_paused FROM session", [], |row| row.get(0));
        assert_eq!(paused, Ok(false));
    }

    #[test]
    fn what_was_removed_in_an_older_file_stays_told() {
        let (dir, ids) = (tempfile::tempdir().unwrap(), Ids(AtomicU64::new(1)));
        let old = open_with(dir.path(), &ids, &steps()[..2]).unwrap();
        let removed = "INSERT INTO tombstone (kind, id, rev) VALUES ('item', x'01', 7)";
        old.conn.execute_batch(removed).unwrap();
        drop(old);
        let new = open(dir.path(), &ids).unwrap();
        let told = new.conn.query_row("SELECT kind, rev FROM tombstone", [], |r| Ok((r.get(0)?, r.get(1)?)));
        assert_eq!(told, Ok(("item".to_owned(), 7)));
        new.conn.execute_batch("INSERT INTO tombstone (kind, id, rev) VALUES ('notice', x'01', 8)").unwrap();
        assert!(new.conn.execute_batch("INSERT INTO tombstone (kind, id, rev) VALUES ('x', x'02', 9)").is_err());
    }

    #[test]
    fn a_failed_step_leaves_the_old_schema() {
        let (dir, ids) = (tempfile::tempdir().unwrap(), Ids(AtomicU64::new(1)));
        drop(open(dir.path(), &ids).unwrap());
        let mut more = steps();
        more.push("CREATE TABLE half (x TEXT) STRICT; CREATE TABLE session (y TEXT) STRICT;".to_owned());
        assert!(open_with(dir.path(), &ids, &more).is_err());
        let again = open(dir.path(), &ids).unwrap();
        let half = again.conn.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'half'", [], |r| r.get(0));
        assert_eq!(half, Ok(0));
    }
}
