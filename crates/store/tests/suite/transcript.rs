use gatehouse_domain::*;
use gatehouse_store::*;
use proptest::prelude::*;

use crate::support::*;

fn seqs(page: &[ItemFull]) -> Vec<u64> {
    page.iter().map(|full| full.row.seq).collect()
}

#[test]
fn pages_from_both_ends() {
    let house = house();
    let session = house.session();
    let new: Vec<_> = (0..10).map(|n| message(house.item_id(), session, &n.to_string())).collect();
    house.write(move |tx| new.iter().try_for_each(|new| tx.items_mut().insert(new).map(|_| ())));
    let page =
        |after, before, limit| seqs(&house.store.read(|s| s.items().page(session, after, before, limit)).unwrap());
    assert_eq!(page(None, None, 3), [8, 9, 10]);
    assert_eq!(page(None, Some(8), 3), [5, 6, 7]);
    assert_eq!(page(None, Some(2), 3), [1]);
    assert_eq!(page(Some(0), None, 2), [1, 2]);
    assert_eq!(page(Some(8), None, 9), [9, 10]);
    assert_eq!(page(Some(3), Some(6), 9), [4, 5]);
    assert_eq!(page(Some(10), None, 9), [0; 0]);
}

#[test]
fn a_clock_that_goes_back_changes_no_order() {
    let house = house();
    let session = house.session();
    let at = |n: i64| NewItem { at: EpochMs(9_000 - n * 1_000), ..message(house.item_id(), session, &n.to_string()) };
    let new: Vec<_> = (0..5).map(at).collect();
    house.write(move |tx| new.iter().try_for_each(|new| tx.items_mut().insert(new).map(|_| ())));
    let told = house.store.read(|s| s.items().transcript(session)).unwrap();
    let texts: Vec<_> = told.iter().map(|full| full.row.text.as_str()).collect();
    assert_eq!(texts, ["0", "1", "2", "3", "4"], "as they were written, whatever the wall said");
}

#[test]
fn an_entry_comes_with_what_is_inside_it() {
    let house = house();
    let session = house.session();
    let (item, note, unit_id, admission_id) = (house.item_id(), house.item_id(), house.unit_id(), house.admission_id());
    let process_id = house.process_id();
    house.write(move |tx| {
        tx.items_mut().insert(&message(item, session, ""))?;
        tx.cards_mut().insert(&card(item, session, None))?;
        tx.cards_mut().attach(item, process_id, true)?;
        let close = CardClose {
            status: CardStatus::Error,
            annotation: Some(CardAnnotation::Cancelled),
            output: "out".into(),
            output_bytes: 3,
            exit: Some(Exit::Signal(15)),
            at: EpochMs(5),
        };
        tx.cards_mut().close(item, &close)?;
        tx.units_mut().owe(&unit(unit_id, session, "u"))?;
        tx.units_mut().finish(unit_id, &report(9))?;
        tx.admissions_mut().insert(&admission(admission_id, session, "k"))?;
        tx.units_mut().deliver(&[unit_id], admission_id)?;
        let told = NewItem {
            author: Author::Machine,
            kind: ItemKind::MachineNote,
            admission: Some(admission_id),
            ..message(note, session, "done")
        };
        tx.items_mut().insert(&told).map(drop)
    });
    let rows = house.store.read(|s| s.items().transcript(session)).unwrap();
    let shown = rows[0].card.as_ref().unwrap();
    assert_eq!((shown.exit, shown.background, shown.ended_at), (Some(Exit::Signal(15)), true, Some(EpochMs(5))));
    assert_eq!((shown.status, shown.annotation), (CardStatus::Error, Some(CardAnnotation::Cancelled)));
    assert!(rows[0].units.is_empty() && rows[0].approval.is_none() && rows[1].card.is_none());
    assert_eq!(rows[1].units.iter().map(|unit| unit.id).collect::<Vec<_>>(), [unit_id]);
    let by_process = house.store.read(|s| s.cards().by_process(process_id)).unwrap();
    assert_eq!(by_process.as_ref(), Some(shown));
    house.write(move |tx| tx.items_mut().remove(item));
    assert!(house.store.read(|s| s.cards().get(item)).unwrap().is_none(), "a card goes with its entry");
    let next = house.said(session, "next");
    assert_eq!(house.store.read(|s| s.items().get(next)).unwrap().unwrap().seq, 3, "no number comes back");
}

#[test]
fn messages_are_taken_back_with_everything_since_and_machines_are_not_counted() {
    let house = house();
    let (session, other) = (house.session(), house.session());
    let said = |text: &str| message(house.item_id(), session, text);
    let asked = |text: &str| NewItem { author: Author::Human, ..said(text) };
    let note = NewItem { author: Author::Machine, kind: ItemKind::MachineNote, ..said("") };
    let call = NewItem { author: Author::Tool, kind: ItemKind::ToolCall, ..said("") };
    let handed_on = NewItem { author: Author::Machine, kind: ItemKind::Delegation, ..said("handed on") };
    let line = NewItem { author: Author::System, kind: ItemKind::Notice, ..said("it still runs") };
    let (call_id, line_id, runs) = (call.id, line.id, house.process_id());
    let entries = [
        asked("first"),
        said("One."),
        asked("second"),
        call,
        said("Two."),
        note.clone(),
        said("Noted."),
        asked("third"),
        handed_on,
        line,
        NewItem { id: house.item_id(), ..note },
    ];
    house.write(move |tx| {
        entries.iter().try_for_each(|entry| tx.items_mut().insert(entry).map(drop))?;
        tx.cards_mut().insert(&card(call_id, session, None))?;
        tx.processes_mut().insert(&process(runs, session, None))?;
        tx.processes_mut().set_line(runs, line_id)
    });
    house.said(other, "elsewhere");
    let undone = house.write(move |tx| tx.items_mut().undo(session, 2, EpochMs(9)));
    assert_eq!(undone, ["second", "third"]);
    let left = |session| -> Vec<String> {
        let items = house.store.read(|s| s.items().transcript(session)).unwrap();
        items.into_iter().map(|item| item.row.text).collect()
    };
    assert_eq!(
        (left(session), left(other)),
        (vec!["first".into(), "One.".into(), "handed on".into()], vec!["elsewhere".into()])
    );
    assert!(house.store.read(|s| s.items().search("second", None, 9)).unwrap().is_empty());
    assert_eq!(house.store.read(|s| s.processes().get(runs)).unwrap().unwrap().line, None);
    // What was taken back is gone for whoever follows, and kept in the file.
    let Changes::Since { keys, .. } = house.store.changes_after(Rev(0), 1_000) else { panic!("too old") };
    assert!(keys.contains(&ChangeKey::Removed { kind: RowKind::Item, id: call_id.to_string() }));
    let file = rusqlite::Connection::open(house.store.file()).unwrap();
    let kept = |sql: &str| file.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(kept("SELECT count(*) FROM undone"), 8);
    assert_eq!(kept("SELECT count(*) FROM undone WHERE kind = 'tool_call' AND text LIKE '%{}%' AND undone_at = 9"), 1);

    assert_eq!(house.write(move |tx| tx.items_mut().undo(session, 9, AT)), ["first"], "no more than there are");
    assert_eq!(house.write(move |tx| tx.items_mut().undo(session, 1, AT)), [""; 0]);
    let anew = asked("anew");
    let next = house.write(move |tx| tx.items_mut().insert(&anew));
    assert_eq!(next, 12, "a place is never used again");
}

#[test]
fn an_overview_counts_what_waits() {
    let house = house();
    let session = house.session();
    let (turn_id, process_id, queued) = (house.turn_id(), house.process_id(), house.admission_id());
    let mine = NewItem { author: Author::Human, ..message(house.item_id(), session, "mine") };
    let hidden = NewItem { kind: ItemKind::Hidden, ..message(house.item_id(), session, "hidden") };
    house.said(session, "read");
    house.said(session, "unread");
    house.write(move |tx| {
        tx.items_mut().insert(&mine)?;
        tx.items_mut().insert(&hidden)?;
        tx.turns_mut().insert(&turn(turn_id, session))?;
        tx.processes_mut().insert(&process(process_id, session, Some(turn_id)))?;
        tx.admissions_mut().insert(&admission(queued, session, "k"))?;
        tx.sessions_mut().mark_read(session, 1)
    });
    let look = || house.store.read(|s| s.sessions().overview(session)).unwrap().unwrap();
    let seen = look();
    assert_eq!((seen.running_turn, seen.running_processes, seen.unread), (Some(turn_id), 1, 1));
    assert_eq!(seen.queued.iter().map(|row| row.id).collect::<Vec<_>>(), [queued]);
    assert_eq!(house.store.read(|s| s.sessions().overviews()).unwrap(), [seen]);
    let row = house.store.read(|s| s.processes().get(process_id)).unwrap().unwrap();
    assert_eq!(row.turn_number, Some(1));
    // It ended, but left two behind: it still runs for whoever looks.
    let left = ProcessEnd { descendants: 2, ..process_end(ProcessState::Exited) };
    house.write(move |tx| {
        tx.processes_mut().ended(process_id, &left)?;
        tx.sessions_mut().mark_read(session, 99)
    });
    assert_eq!((look().running_processes, look().unread), (1, 0));
    let listed = |all| house.store.read(|s| s.processes().list(Some(session), all)).unwrap().len();
    assert_eq!((listed(false), house.store.read(|s| s.processes().count_live(None)).unwrap()), (1, 0));
    house.write(move |tx| tx.processes_mut().set_descendants(process_id, 0));
    assert_eq!((look().running_processes, listed(false), listed(true)), (0, 0, 1));
}

#[test]
fn search_finds_what_is_finished_and_there() {
    let house = house();
    let session = house.session();
    let id = house.said(session, "the quick brown fox jumps");
    let streaming = NewItem { streaming: true, ..message(house.item_id(), session, "a brown bear is") };
    let bear = streaming.id;
    house.write(move |tx| tx.items_mut().insert(&streaming));
    let found = |query: &str| {
        let hits = house.store.read(|s| s.items().search(query, None, 10)).unwrap();
        hits.into_iter().map(|hit| hit.seq).collect::<Vec<_>>()
    };
    assert_eq!(found("brown"), [1]);
    assert_eq!(found("fox QUICK"), [1]);
    assert_eq!(found("jum"), [1]);
    assert_eq!(found("fox bear"), [0; 0]);
    house.write(move |tx| tx.items_mut().set_text(bear, "a brown bear is here", false));
    assert_eq!(found("bear here"), [2]);
    house.write(move |tx| tx.items_mut().set_text(bear, "a white bear", false));
    assert_eq!(found("brown"), [1]);
    house.write(move |tx| tx.items_mut().remove(id));
    assert_eq!(found("brown"), [0; 0]);
    let hits = house.store.read(|s| s.items().search("white", None, 10)).unwrap();
    assert_eq!((hits[0].session, hits[0].snippet.as_str()), (session, "a white bear"));
    let other = house.session();
    house.said(other, "white too");
    let of = |session| house.store.read(|s| s.items().search("white", Some(session), 10)).unwrap().len();
    assert_eq!((of(session), of(other)), (1, 1));
    assert_eq!(house.store.read(|s| s.items().search("white", None, 10)).unwrap().len(), 2);
}

#[test]
fn a_query_is_words_whatever_it_looks_like() {
    let house = house();
    let session = house.session();
    house.said(session, "say \"hello\" AND NEAR text:col* (x) OR y");
    for query in
        ["\"", "hello\"", "AND", "NEAR(", "text:", "text:col", "(x)", "OR", "* ^ - +", "", "\0", "a\0b", "'; --"]
    {
        let hits = house.store.read(|s| s.items().search(query, None, 5));
        assert!(hits.is_ok(), "{query:?}: {hits:?}");
    }
    let hits = house.store.read(|s| s.items().search("\"hello\" NEAR OR", None, 5)).unwrap();
    assert_eq!(hits.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_query_is_an_error(query in "\\PC{0,24}|[\"*^():+{}a\\x00 -]{0,12}") {
        thread_local! { static HOUSE: House = house(); }
        HOUSE.with(|house| house.store.read(|s| s.items().search(&query, None, 5))).unwrap();
    }
}
