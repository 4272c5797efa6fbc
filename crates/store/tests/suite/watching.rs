//! What a process says while it runs, and when it is forgotten.

use gatehouse_domain::*;
use gatehouse_store::*;

use crate::support::*;

fn watch(process: ProcessId) -> WatchRow {
    WatchRow {
        process,
        patterns: "ready\nport \\d+".into(),
        heartbeat_ms: Some(60_000),
        read_to: 0,
        line_told: false,
        hits: 0,
        suppressed: 0,
        strikes: 0,
        struck: false,
        free_at: EpochMs(0),
        disabled: false,
        beats: 0,
        beat_total: 0,
    }
}

#[test]
fn what_a_watch_has_told_is_kept_and_what_it_looks_for_stays() {
    let house = house();
    let session = house.session();
    let id = house.process_id();
    let told = WatchRow { hits: 3, read_to: 99, line_told: true, disabled: true, beats: 2, ..watch(id) };
    let later = WatchRow { patterns: "another".into(), ..told.clone() };
    let kept = house.write(move |tx| {
        tx.processes_mut().insert(&process(id, session, None))?;
        assert_eq!(tx.watches().get(id)?, None);
        tx.watches_mut().put(&watch(id))?;
        tx.watches_mut().put(&later)?;
        tx.watches().get(id)
    });
    assert_eq!(kept, Some(told));
}

#[test]
fn the_same_news_is_told_once_and_a_newer_one_takes_its_place_until_it_is_delivered() {
    let house = house();
    let session = house.session();
    let (first, second, admitted) = (house.unit_id(), house.unit_id(), house.admission_id());
    let units = house.write(move |tx| {
        let beat = |id| NewUnit { producer: Producer::Heartbeat, ..unit(id, session, "heartbeat:1") };
        let news = |number| News { number, ..News::default() };
        assert!(tx.units_mut().tell(&beat(first), &news(1), &report(10))?);
        assert!(!tx.units_mut().tell(&beat(second), &news(1), &report(11))?);
        assert!(tx.units_mut().renew(first, &news(2), &report(12))?);
        let due = tx.units().due(session, AT)?;
        tx.admissions_mut().insert(&admission(admitted, session, "k"))?;
        tx.units_mut().deliver(&[first], admitted)?;
        assert!(!tx.units_mut().renew(first, &news(3), &report(13))?);
        Ok(due)
    });
    assert_eq!(units.len(), 1);
    assert_eq!((units[0].number, units[0].finished_at, units[0].news), (2, Some(EpochMs(12)), None));
}

#[test]
fn only_what_is_over_and_told_is_forgotten() {
    let house = house();
    let session = house.session();
    let (lives, owed, over) = (house.process_id(), house.process_id(), house.process_id());
    let report_of = house.unit_id();
    let gone = house.write(move |tx| {
        for id in [lives, owed, over] {
            tx.processes_mut().insert(&process(id, session, None))?;
            tx.watches_mut().put(&watch(id))?;
        }
        tx.units_mut().owe(&NewUnit { process: Some(owed), ..unit(report_of, session, "process:owed") })?;
        for id in [owed, over] {
            tx.processes_mut().ended(id, &process_end(ProcessState::Exited))?;
        }
        tx.units_mut().finish(report_of, &report(3))?;
        assert_eq!(tx.processes().first_over()?, Some(EpochMs(2_000)));
        assert!(tx.processes().over_before(EpochMs(2_000))?.is_empty());
        assert_eq!(tx.processes().over_before(EpochMs(2_001))?.len(), 2);
        let gone = [lives, owed, over].map(|id| tx.processes_mut().remove(id));
        assert_eq!(tx.watches().get(over)?, None);
        tx.units_mut().consume(report_of, ConsumedBy::Log)?;
        assert!(tx.processes_mut().remove(owed)?);
        gone.into_iter().collect::<Result<Vec<_>>>()
    });
    assert_eq!(gone, [false, false, true]);
    let Changes::Since { keys, .. } = house.store.changes_after(Rev(0), 1_000) else { panic!("too old") };
    let removed = |id: ProcessId| ChangeKey::Removed { kind: RowKind::Process, id: id.to_string() };
    assert!(keys.contains(&removed(over)) && keys.contains(&removed(owed)) && !keys.contains(&removed(lives)));
}

#[test]
fn attention_is_a_change_only_when_it_changes_and_ends_with_its_process() {
    let house = house();
    let session = house.session();
    let id = house.process_id();
    let moves = house.write(move |tx| {
        tx.processes_mut().insert(&process(id, session, None))?;
        let set = |attention, hidden| tx.processes_mut().set_attention(id, attention, hidden);
        let moves = [
            set(Some(Attention::NeedsInput), true)?,
            set(Some(Attention::NeedsInput), true)?,
            set(Some(Attention::NeedsInput), false)?,
            set(None, false)?,
            set(Some(Attention::Ready), false)?,
        ];
        tx.processes_mut().ended(id, &process_end(ProcessState::Exited))?;
        let row = tx.processes().get(id)?.map(|row| (row.attention, row.hidden_input));
        assert_eq!(row, Some((None, false)));
        assert!(!set(Some(Attention::Quiet), false)?);
        Ok(moves)
    });
    assert_eq!(moves, [true, false, true, true, true]);
}

#[test]
fn an_overview_counts_who_waits_for_somebody_to_type() {
    let house = house();
    let session = house.session();
    let (asks, stops) = (house.process_id(), house.process_id());
    house.write(move |tx| {
        for id in [asks, stops] {
            tx.processes_mut().insert(&process(id, session, None))?;
            tx.processes_mut().launched(id, 1, 2, "boot", "/")?;
            tx.processes_mut().set_attention(id, Some(Attention::NeedsInput), false)?;
        }
        Ok(())
    });
    let look = || house.store.read(|s| s.sessions().overview(session)).unwrap().unwrap();
    let before = look();
    assert_eq!(before.waiting_processes, 2);
    house.write(move |tx| tx.processes_mut().stopping(stops, StoppedBy::User).map(|_| ()));
    assert_eq!(look().waiting_processes, 1, "one that is being stopped waits for nobody");
    house.write(move |tx| tx.processes_mut().set_attention(asks, Some(Attention::Ready), false).map(|_| ()));
    assert_eq!(look().waiting_processes, 0);
    assert!(look().row.rev > before.row.rev, "whoever shows the session is told");
}
