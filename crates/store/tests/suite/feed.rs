use std::collections::HashSet;

use gatehouse_domain::*;
use gatehouse_store::*;

use crate::support::*;

/// Pulls in batches until there is no more, as a shell does.
fn pull(store: &Store, mut from: Rev, max: usize) -> (HashSet<ChangeKey>, Rev) {
    let mut all = HashSet::new();
    loop {
        match store.changes_after(from, max) {
            Changes::Since { keys, rev } => {
                assert!(rev >= from);
                if rev == from {
                    assert!(keys.is_empty());
                    return (all, rev);
                }
                let distinct: HashSet<_> = keys.iter().cloned().collect();
                assert_eq!(distinct.len(), keys.len(), "a key is named once");
                all.extend(keys);
                from = rev;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn memory_and_rows_tell_the_same() {
    let house = house();
    let start = house.store.rev();
    for n in 0..30 {
        let session = house.session();
        let (turn_id, process_id) = (house.turn_id(), house.process_id());
        let items: Vec<_> = (0..n % 5).map(|_| message(house.item_id(), session, "words")).collect();
        house.write(move |tx| {
            tx.turns_mut().insert(&turn(turn_id, session))?;
            for item in &items {
                tx.items_mut().insert(item)?;
            }
            if let Some(first) = items.first() {
                tx.items_mut().remove(first.id)?;
            }
            tx.processes_mut().insert(&process(process_id, session, Some(turn_id)))
        });
        if n % 3 == 0 {
            house.write(move |tx| tx.processes_mut().stopping(process_id, StoppedBy::User));
        }
    }
    let end = house.store.rev();
    let remembered: Vec<_> = [1, 7, 10_000].map(|max| pull(&house.store, start, max)).into();
    // A new start remembers nothing, so everything comes from the rows.
    house.store.close();
    let store = open(house.dir.path(), &house.ids);
    for (max, (keys, rev)) in [1, 7, 10_000].into_iter().zip(remembered) {
        assert_eq!(rev, end);
        let (from_rows, rev) = pull(&store, start, max);
        assert_eq!(rev, end);
        // An entry that was made and removed is told by memory as both, by the rows as removed only.
        let gone: HashSet<String> = from_rows
            .iter()
            .filter_map(|k| if let ChangeKey::Removed { id, .. } = k { Some(id.clone()) } else { None })
            .collect();
        let there = |key: &&ChangeKey| !matches!(key, ChangeKey::Item(id) if gone.contains(&id.to_string()));
        assert_eq!(keys.iter().filter(there).collect::<HashSet<_>>(), from_rows.iter().collect());
        assert_eq!(gone.len(), 24);
    }
    assert_eq!(store.changes_after(Rev(end.0 + 1), 5), Changes::Future);
}

#[test]
fn falling_out_of_memory_is_not_noticed() {
    let house = house();
    let session = house.session();
    let start = house.store.rev();
    let early = house.said(session, "early");
    let crowd: Vec<_> = (0..RING + 10).map(|_| message(house.item_id(), session, "")).collect();
    let expected = crowd.len() + 2;
    house.write(move |tx| crowd.iter().try_for_each(|new| tx.items_mut().insert(new).map(|_| ())));
    let (keys, rev) = pull(&house.store, start, 100);
    assert_eq!(rev, house.store.rev());
    assert_eq!(keys.len(), expected);
    assert!(keys.contains(&ChangeKey::Item(early)) && keys.contains(&ChangeKey::Session(session)));
}

#[test]
fn a_change_inside_a_session_shows_in_its_overview() {
    let house = house();
    let session = house.session();
    let (turn_id, process_id, admission_id) = (house.turn_id(), house.process_id(), house.admission_id());
    let item = house.said(session, "");
    house.write(move |tx| tx.cards_mut().insert(&card(item, session, None)));
    let (unit_id, turn_two) = (house.unit_id(), house.turn_id());
    type Write = Box<dyn FnOnce(&Tx<'_>) -> Result<()> + Send>;
    let writes: Vec<(Write, ChangeKey)> = vec![
        (Box::new(move |tx| tx.turns_mut().insert(&turn(turn_id, session)).map(drop)), ChangeKey::Turn(turn_id)),
        (
            Box::new(move |tx| tx.turns_mut().advance(turn_id, TurnProgress::Requested).map(drop)),
            ChangeKey::Turn(turn_id),
        ),
        (
            Box::new(move |tx| tx.processes_mut().insert(&process(process_id, session, None))),
            ChangeKey::Process(process_id),
        ),
        (Box::new(move |tx| tx.processes_mut().set_descendants(process_id, 2)), ChangeKey::Process(process_id)),
        (Box::new(move |tx| tx.cards_mut().begin(item, AT).map(drop)), ChangeKey::Item(item)),
        (Box::new(move |tx| tx.cards_mut().set_result(item, "r")), ChangeKey::Item(item)),
        (Box::new(move |tx| tx.items_mut().set_text(item, "t", false)), ChangeKey::Item(item)),
        (
            Box::new(move |tx| tx.admissions_mut().insert(&admission(admission_id, session, "k"))),
            ChangeKey::Session(session),
        ),
        (Box::new(move |tx| tx.admissions_mut().start(admission_id, turn_two).map(drop)), ChangeKey::Session(session)),
        (Box::new(move |tx| tx.units_mut().owe(&unit(unit_id, session, "u"))), ChangeKey::Session(session)),
    ];
    for (write, key) in writes {
        let before = house.store.rev();
        let mut watch = house.store.watch();
        house.write(write);
        assert!(watch.has_changed().unwrap());
        let now = *watch.borrow_and_update();
        assert_eq!(now, Rev(before.0 + 1));
        let Changes::Since { keys, rev } = house.store.changes_after(before, 10) else { panic!("not told") };
        assert_eq!(rev, now);
        assert!(keys.contains(&key) && keys.contains(&ChangeKey::Session(session)), "{key:?} in {keys:?}");
        assert_eq!(house.store.read(|s| s.sessions().get(session)).unwrap().unwrap().rev, now);
    }
    let unchanged = house.store.rev();
    assert!(!house.write(move |tx| tx.turns_mut().advance(turn_id, TurnProgress::Created)));
    assert_eq!(house.store.rev(), unchanged, "what changed nothing is no revision");
}
