use std::fs;

use gatehouse_domain::*;
use gatehouse_store::*;

use crate::support::*;

const WHEN: EpochMs = EpochMs(1_772_357_401_000);

fn back_up(store: &Store) -> Backup {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.back_up(EpochMs(5_000))).unwrap()
}

#[test]
fn a_restored_file_is_a_new_history_and_the_old_one_is_kept() {
    let house = house();
    let session = house.session();
    let kept = house.said(session, "in the backup");
    let backup = back_up(&house.store);
    let newer = house.said(session, "after the backup");
    let epoch = house.store.epoch();
    house.store.clone().close();
    let restored = Store::restore(house.dir.path(), &backup.path, WHEN, &*house.ids).unwrap();
    let aside = house.dir.path().join("damaged-2026-03-01T09-30-01Z");
    assert_eq!((restored.aside.clone(), restored.held), (Some(aside.clone()), 0));
    assert_ne!(restored.epoch, epoch);
    let again = open(house.dir.path(), &house.ids);
    assert_eq!(again.epoch(), restored.epoch);
    let there =
        |store: &Store| store.read(|s| Ok((s.items().get(kept)?.is_some(), s.items().get(newer)?.is_some()))).unwrap();
    assert_eq!(there(&again), (true, false));
    assert_eq!(again.changes_after(Rev(999), 10), Changes::Future);
    assert_eq!(there(&open(&aside, &house.ids)), (true, true), "what was there is whole in its new place");
    assert!(backup.path.exists());
}

#[test]
fn what_a_backup_owes_is_held() {
    let house = house();
    let session = house.session();
    let ids = [house.unit_id(), house.unit_id(), house.unit_id()];
    let [due, running, queued] = ids;
    let (input, words) = (house.admission_id(), house.admission_id());
    let turn_id = house.turn_id();
    house.write(move |tx| {
        for id in ids {
            tx.units_mut().owe(&unit(id, session, &id.to_string()))?;
        }
        tx.units_mut().finish(due, &report(5))?;
        tx.units_mut().finish(queued, &report(6))?;
        tx.admissions_mut()
            .insert(&NewAdmission { cause: TurnCause::Completion, ..admission(input, session, "note") })?;
        tx.units_mut().deliver(&[queued], input)?;
        tx.admissions_mut().insert(&admission(words, session, "words"))?;
        tx.turns_mut().insert(&turn(turn_id, session))
    });
    let conn = rusqlite::Connection::open(house.dir.path().join("gatehouse.db")).unwrap();
    let owed = "INSERT INTO outbox (id, route, platform, origin, session, segment, kind, payload, ledger, state,
            created_at, updated_at)
        SELECT ?1, 'r', 'p', 'o', session.id, ?2, 'text', 'words', 'l', ?3, 1, 1 FROM session";
    for (n, state) in ["pending", "sending", "failed", "delivered"].into_iter().enumerate() {
        conn.execute(owed, rusqlite::params![[u8::try_from(n).unwrap(); 16], n as i64, state]).unwrap();
    }
    drop(conn);
    let backup = back_up(&house.store);
    house.store.clone().close();
    let restored = Store::restore(house.dir.path(), &backup.path, WHEN, &*house.ids).unwrap();
    assert_eq!(restored.held, 6, "three reports, and what is not settled of four words to a channel");
    let again = open(house.dir.path(), &house.ids);
    again
        .read(|s| {
            for id in [due, running, queued] {
                let row = s.units().get(id)?.unwrap();
                assert!(row.held && row.delivery == DeliveryState::Pending && row.admission.is_none(), "{row:?}");
            }
            assert!(s.units().due(session, EpochMs(100_000_000))?.is_empty(), "nothing goes by itself");
            assert!(s.admissions().get(input)?.is_none(), "its key is free");
            assert_eq!(s.admissions().get(words)?.unwrap().status, AdmissionStatus::Queued);
            assert!(s.sessions().get(session)?.unwrap().queue_paused);
            assert_eq!(s.turns().get(turn_id)?.unwrap().progress, TurnProgress::Effected);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_damaged_backup_is_not_put_in_place() {
    let house = house();
    let session = house.session();
    let kept = house.said(session, "kept");
    let backup = back_up(&house.store);
    house.store.clone().close();
    let whole = fs::read(&backup.path).unwrap();
    fs::write(&backup.path, &whole[..whole.len() / 2]).unwrap();
    let error = Store::restore(house.dir.path(), &backup.path, WHEN, &*house.ids).unwrap_err();
    assert!(matches!(&error, OpenError::Corrupt { path, .. } if *path == backup.path), "{error:?}");
    let again = open(house.dir.path(), &house.ids);
    assert!(again.read(|s| s.items().get(kept)).unwrap().is_some());
}

#[test]
fn nothing_is_restored_under_an_open_store() {
    let house = house();
    house.session();
    let backup = back_up(&house.store);
    let error = Store::restore(house.dir.path(), &backup.path, WHEN, &*house.ids).unwrap_err();
    let holder = Some(std::process::id());
    assert!(matches!(error, OpenError::Locked { holder: h, .. } if h == holder), "{error:?}");
    house.session();
}

#[test]
fn a_restore_that_was_cut_off_is_done_again() {
    let house = house();
    let session = house.session();
    let kept = house.said(session, "kept");
    let backup = back_up(&house.store);
    house.store.clone().close();
    // The file was moved aside, and then the power went.
    fs::remove_file(house.dir.path().join("gatehouse.db")).unwrap();
    fs::write(house.dir.path().join("restored.part"), "half").unwrap();
    let restored = Store::restore(house.dir.path(), &backup.path, WHEN, &*house.ids).unwrap();
    assert_eq!(restored.aside, None);
    let again = open(house.dir.path(), &house.ids);
    assert!(again.read(|s| s.items().get(kept)).unwrap().is_some());
}
