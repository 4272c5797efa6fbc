use std::path::Path;

use gatehouse_domain::*;
use gatehouse_store::*;
use rusqlite::Connection;

use crate::support::*;

/// Damages the index and nothing else.
fn damage(dir: &Path, sql: &str) {
    let conn = Connection::open(dir.join("gatehouse.db")).unwrap();
    assert!(conn.execute(sql, []).unwrap() > 0, "{sql}: nothing was damaged");
}

/// What a search needs before it can find anything.
const STRUCTURE: &str = "DELETE FROM item_fts_data WHERE id = 10";

fn search(store: &Store, words: &str) -> Result<Vec<u64>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    Ok(runtime.block_on(store.search(words, None, 20))?.iter().map(|hit| hit.seq).collect())
}

fn open_incidents(store: &Store) -> Vec<String> {
    store.read(|s| s.incidents().open()).unwrap().into_iter().map(|row| row.cause).collect()
}

#[test]
fn a_damaged_index_is_built_anew_and_the_write_goes_on() {
    for sql in [
        STRUCTURE,
        "UPDATE item_fts_data SET block = x'00' WHERE id = 10",
        "UPDATE item_fts_data SET block = x'ffffffffffffffff' WHERE id > 10",
        "DELETE FROM item_fts_docsize",
    ] {
        let house = house();
        let session = house.session();
        house.said(session, "before the flood");
        let streaming = NewItem { streaming: true, ..message(house.item_id(), session, "half a flood") };
        let half = streaming.id;
        house.write(move |tx| tx.items_mut().insert(&streaming));
        damage(house.dir.path(), sql);
        house.said(session, "after the flood");
        house.write(move |tx| tx.items_mut().set_text(half, "the whole river", false));
        assert_eq!(search(&house.store, "flood").unwrap(), [3, 1], "{sql}");
        assert_eq!(search(&house.store, "river").unwrap(), [2], "{sql}");
        assert_eq!(search(&house.store, "half").unwrap(), Vec::<u64>::new(), "{sql}");
        assert!(open_incidents(&house.store).is_empty(), "{sql}");
    }
}

#[test]
fn a_search_mends_what_it_cannot_read() {
    let house = house();
    let session = house.session();
    house.said(session, "before the flood");
    damage(house.dir.path(), STRUCTURE);
    assert_eq!(search(&house.store, "flood").unwrap(), [1]);
}

#[test]
fn a_word_that_is_taken_back_is_mended_too() {
    let house = house();
    let session = house.session();
    let id = house.said(session, "before the flood");
    damage(house.dir.path(), STRUCTURE);
    house.write(move |tx| tx.items_mut().set_text(id, "after the rain", false));
    assert_eq!(search(&house.store, "flood").unwrap(), Vec::<u64>::new());
    assert_eq!(search(&house.store, "rain").unwrap(), [1]);
}

#[test]
fn an_index_that_breaks_twice_is_told_and_the_rest_goes_on() {
    let house = house();
    let session = house.session();
    house.said(session, "before the flood");
    damage(house.dir.path(), STRUCTURE);
    house.said(session, "during the flood");
    damage(house.dir.path(), STRUCTURE);
    house.said(session, "after the flood");
    house.said(session, "long after the flood");
    let error = search(&house.store, "flood").unwrap_err();
    assert_eq!(error.cause(), StorageCause::SearchIndex);
    assert!(error.to_string().contains("every message is intact"), "{error}");
    assert_eq!(open_incidents(&house.store), ["storage_index_corrupt"]);
    assert_eq!(house.store.read(|s| s.items().transcript(session)).unwrap().len(), 4);
    assert_eq!(house.store.trouble(), None, "nothing else is wrong");
    house.store.close();
    let again = open(house.dir.path(), &house.ids);
    // The first thing that the writer does is to build it; whoever writes comes after that.
    again.write_blocking(|_| Ok(())).unwrap();
    assert_eq!(search(&again, "flood").unwrap(), [4, 3, 2, 1]);
    assert!(open_incidents(&again).is_empty());
}

#[test]
fn a_closure_that_fails_takes_the_mending_back_with_it() {
    let house = house();
    let session = house.session();
    house.said(session, "before the flood");
    damage(house.dir.path(), STRUCTURE);
    let lost = message(house.item_id(), session, "lost");
    let failed: Result<()> = house.store.write_blocking(move |tx| {
        tx.items_mut().insert(&lost)?;
        tx.sessions_mut().set_title(SessionId::from_uuid(uuid::Uuid::nil()), "nobody")
    });
    assert!(failed.is_err());
    house.said(session, "after the flood");
    assert_eq!(search(&house.store, "flood").unwrap(), [2, 1]);
    assert!(open_incidents(&house.store).is_empty());
}
