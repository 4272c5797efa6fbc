use super::*;
use crate::health::trouble::Trouble;

fn sqlite(code: i32, words: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(words.to_owned()))
}

#[test]
fn errors_are_sorted_by_type_then_code_then_words() {
    use StorageCause as C;
    let path = std::path::PathBuf::from("/p");
    let table: Vec<(Box<dyn StdError>, C)> = vec![
        // By type.
        (Box::new(Error::BadRow { detail: "disk is full".into() }), C::OtherVersion),
        (Box::new(Error::Storage(Trouble::new(C::Replaced, "disk is full"))), C::Replaced),
        (Box::new(OpenError::Locked { path: path.clone(), holder: None }), C::Locked),
        (Box::new(OpenError::Newer { found: 9, known: 4 }), C::OtherVersion),
        (Box::new(OpenError::Io { path, detail: "No space left on device (os error 28)".into() }), C::DiskFull),
        (Box::new(io::Error::from_raw_os_error(28)), C::DiskFull),
        (Box::new(io::Error::from_raw_os_error(30)), C::Unwritable),
        (Box::new(io::Error::from_raw_os_error(13)), C::Unwritable),
        // By code, which outranks words.
        (Box::new(sqlite(ffi::SQLITE_CORRUPT, "database disk image is malformed")), C::Corrupt),
        (Box::new(sqlite(ffi::SQLITE_CORRUPT, "fts5: corruption in table \"item_fts\"")), C::Corrupt),
        (Box::new(sqlite(ffi::SQLITE_CORRUPT_VTAB, "database disk image is malformed")), C::SearchIndex),
        (Box::new(sqlite(ffi::SQLITE_NOTADB, "file is not a database")), C::Corrupt),
        (Box::new(sqlite(ffi::SQLITE_BUSY, "database is locked")), C::Locked),
        (Box::new(sqlite(ffi::SQLITE_BUSY_SNAPSHOT, "disk is full")), C::Locked),
        (Box::new(sqlite(ffi::SQLITE_FULL, "database or disk is full")), C::DiskFull),
        (Box::new(sqlite(ffi::SQLITE_READONLY, "attempt to write a readonly database")), C::Unwritable),
        (Box::new(sqlite(ffi::SQLITE_READONLY_DBMOVED, "attempt to write a readonly database")), C::Replaced),
        (Box::new(sqlite(ffi::SQLITE_IOERR_FSYNC, "disk I/O error")), C::Unwritable),
        (Box::new(sqlite(ffi::SQLITE_CANTOPEN, "unable to open database file")), C::Unwritable),
        (Box::new(sqlite(ffi::SQLITE_CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed")), C::SessionMissing),
        // By words, where the code tells nothing.
        (
            Box::new(sqlite(ffi::SQLITE_ERROR, "fts5: missing row 7 from content table 'main'.'item_fts'")),
            C::SearchIndex,
        ),
        (Box::new(sqlite(ffi::SQLITE_ERROR, "no such table: outbox")), C::OtherVersion),
        (Box::new(Error::Query(sqlite(ffi::SQLITE_ERROR, "table item has no column named mood"))), C::OtherVersion),
        (Box::new(io::Error::other("what nobody has seen")), C::Unknown),
    ];
    for (error, cause) in table {
        assert_eq!(C::of(&*error), cause, "{error}");
    }
}

#[test]
fn words_alone_are_sorted_with_damage_before_the_disk() {
    use StorageCause as C;
    for (words, cause) in [
        ("database disk image is malformed", C::Corrupt),
        ("malformed inverted index for FTS5 table main.item_fts", C::SearchIndex),
        ("fts5: corruption found reading blob 10 from table \"item_fts\"", C::SearchIndex),
        ("fts5: syntax error near \"\"", C::Unknown),
        ("file is not a database", C::Corrupt),
        ("database is locked", C::Locked),
        ("Resource temporarily unavailable", C::Locked),
        ("database or disk is full", C::DiskFull),
        ("No space left on device", C::DiskFull),
        ("Disk quota exceeded (os error 122)", C::DiskFull),
        ("attempt to write a readonly database", C::Unwritable),
        ("Read-only file system", C::Unwritable),
        ("Permission denied", C::Unwritable),
        ("disk I/O error", C::Unwritable),
        ("no such column: held", C::OtherVersion),
        ("", C::Unknown),
    ] {
        assert_eq!(C::of_words(words), cause, "{words}");
    }
}

#[test]
fn every_cause_has_a_code_and_words_of_its_own() {
    let mut told: Vec<_> = StorageCause::ALL.iter().map(|cause| cause.told()).collect();
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), StorageCause::ALL.len());
    for cause in StorageCause::ALL {
        assert!(cause.remedy().ends_with('.') && !cause.told().ends_with('.'), "{cause:?}");
        assert!(cause.code().starts_with("storage_") || cause.code() == "disk_full", "{cause:?}");
        assert!(!(cause.stops_writing() && cause.is_passing()), "{cause:?}");
    }
}
