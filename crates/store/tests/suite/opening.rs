use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use gatehouse_store::*;
use rusqlite::Connection;

use crate::support::*;

fn refused(dir: &Path) -> OpenError {
    Store::open(dir, Ids::new()).err().expect("it opened")
}

/// Name, bytes of everything in a directory but the lock.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name() != "lock")
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn only_one_house_has_the_key() {
    let house = house();
    let error = refused(house.dir.path());
    assert!(matches!(error, OpenError::Locked { .. }), "{error:?}");
    let words = format!("in use by another Gatehouse (pid {})", std::process::id());
    assert!(error.to_string().contains(&words), "{error}");
    let epoch = house.store.epoch();
    drop(house.store);
    assert_eq!(open(house.dir.path(), &house.ids).epoch(), epoch, "an epoch is the file's, not the program's");
}

#[test]
fn a_newer_file_is_left_alone() {
    let house = house();
    house.session();
    house.store.close();
    let file = house.dir.path().join("gatehouse.db");
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = contents(house.dir.path());
    let error = refused(house.dir.path());
    assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error:?}");
    assert!(error.to_string().contains("update Gatehouse"), "{error}");
    assert_eq!(contents(house.dir.path()), before);
}

#[test]
fn a_damaged_file_is_left_alone() {
    type Spoil = fn(Vec<u8>) -> Vec<u8>;
    let damage: [(&str, Spoil); 5] = [
        ("text", |_| {
            b"This is a shopping list, not a database, and it is longer than a header is. Milk, eggs, bread, tea, salt."
                .to_vec()
        }),
        ("a few bytes", |_| b"SQLite".to_vec()),
        ("half of it", |bytes| bytes[..bytes.len() / 2].to_vec()),
        ("a broken schema page", |mut bytes| {
            bytes[100..4096].fill(0xA5);
            bytes
        }),
        ("a broken magic", |mut bytes| {
            bytes[3] = 0;
            bytes
        }),
    ];
    for (what, spoil) in damage {
        let house = house();
        house.session();
        house.store.close();
        let file = house.dir.path().join("gatehouse.db");
        fs::write(&file, spoil(fs::read(&file).unwrap())).unwrap();
        let before = contents(house.dir.path());
        let error = refused(house.dir.path());
        assert!(matches!(error, OpenError::Corrupt { .. }), "{what}: {error:?}");
        assert!(error.to_string().contains("Nothing was changed"), "{error}");
        assert!(contents(house.dir.path()) == before, "{what}: the directory changed");
    }
}

#[test]
fn a_row_with_an_unknown_word_is_told_and_the_rest_lives() {
    let house = house();
    let session = house.session();
    let id = house.said(session, "words");
    let file = house.dir.path().join("gatehouse.db");
    Connection::open(&file).unwrap().execute("UPDATE item SET kind = 'riddle'", []).unwrap();
    let error = house.store.read(|s| s.items().get(id)).unwrap_err();
    assert!(matches!(&error, Error::BadRow { detail } if detail.contains("riddle")), "{error:?}");
    house.said(session, "more");
}

#[test]
fn nobody_else_may_look() {
    let house = house();
    house.session();
    for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] {
        let mode = fs::metadata(house.dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let made = house.dir.path().join("deep/er");
    drop(open(&made, &house.ids));
    assert_eq!(fs::metadata(&made).unwrap().permissions().mode() & 0o777, 0o700);
}
