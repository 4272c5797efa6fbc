//! Reports that their conversation cannot take, by a clock that goes on only when the test says so.

use gatehouse_delivery::Refusal;
use gatehouse_domain::{
    AdmissionId, Category, DeliveryState, DropReason, EpochMs, Exit, IdSource as _, ItemId, ItemKind, Principal,
    ProcessNotices, Producer, SessionId, TurnCause, TurnId, UnitId, Wants, WatchNews,
};
use gatehouse_store::{NewSession, NewUnit, News, Tx, UnitRow};
use tokio_util::sync::CancellationToken;

use super::house::House;
use crate::session::input::{Fresh, Input};
use crate::session::reports::{Delivered, Handover};
use crate::testing::{owed, report};

/// So many inputs wait in a queue that takes no more.
const FULL: usize = 32;

type Look = fn(&Handover, &Tx<'_>, &[UnitRow]) -> gatehouse_store::Result<Delivered>;

/// A conversation that is owed one report, and could be told it.
struct Scene {
    house: House,
    session: SessionId,
    unit: UnitId,
    now: EpochMs,
    draining: CancellationToken,
    wanted: ProcessNotices,
}

/// What stands in the transcript: notes, and the words of lines.
#[derive(Debug, PartialEq)]
struct Told {
    notes: usize,
    lines: Vec<String>,
}

impl Scene {
    fn owed_by(producer: Producer) -> Self {
        let (house, now) = (House::new(), EpochMs(1_000_000));
        let (session, unit) = (SessionId::from_uuid(house.ids.fresh()), UnitId::from_uuid(house.ids.fresh()));
        let (draining, wanted) = (CancellationToken::new(), ProcessNotices::Concise);
        let scene = Self { house, session, unit, now, draining, wanted };
        scene.write(move |tx| {
            let title = String::new();
            let route = "lane".to_owned();
            tx.sessions_mut().insert(&NewSession {
                id: session,
                title,
                client_key: None,
                route,
                delegated_from: None,
                at: now,
            })?;
            let new = NewUnit { producer, ..owed(unit, session, Wants::Turn, now) };
            let news = News { news: Some(WatchNews::Hit), ..News::default() };
            tx.units_mut().tell(&new, &news, &report(Exit::Code(7), now)).map(drop)
        });
        scene
    }

    fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Tx<'_>) -> gatehouse_store::Result<T> + Send + 'static,
    ) -> T {
        self.house.store.write_blocking(change).unwrap()
    }

    fn fresh(&self) -> Fresh {
        let ids = &self.house.ids;
        Fresh {
            session: self.session,
            admission: AdmissionId::from_uuid(ids.fresh()),
            turn: TurnId::from_uuid(ids.fresh()),
            item: ItemId::from_uuid(ids.fresh()),
            at: self.now,
        }
    }

    /// The session's actor looks, and does this with what is due; whether something was.
    fn look(&self, take: Look) -> bool {
        let (session, now) = (self.session, self.now);
        let handover = Handover {
            session,
            fresh: self.fresh(),
            lines: vec![ItemId::from_uuid(self.house.ids.fresh())],
            idle: true,
            wanted: self.wanted,
            draining: self.draining.clone(),
        };
        self.write(move |tx| {
            let due = tx.units().due(session, now)?;
            if !due.is_empty() {
                take(&handover, tx, &due)?;
            }
            Ok(!due.is_empty())
        })
    }

    fn offer(&self) -> bool {
        self.look(Handover::carry_out)
    }

    const fn wait(&mut self, seconds: i64) {
        self.now = EpochMs(self.now.0 + seconds * 1_000);
    }

    /// The queue takes no more.
    fn fill(&self) {
        let waiting: Vec<Fresh> = (0..FULL).map(|_| self.fresh()).collect();
        self.write(move |tx| {
            waiting.iter().try_for_each(|fresh| {
                let (cause, key) = (TurnCause::Human, fresh.admission.to_string());
                let input = Input { cause, key, text: "words".into(), retry_of: None, category: Category::Result };
                tx.admissions_mut().insert(&fresh.admission(Principal::Person, &input))
            })
        });
    }

    /// Everything that waits is taken back.
    fn empty(&self) {
        let session = self.session;
        self.write(move |tx| {
            let waiting = tx.admissions().queued(session)?;
            waiting.iter().try_for_each(|input| tx.admissions_mut().cancel(input.id).map(drop))
        });
    }

    fn row(&self) -> UnitRow {
        self.house.store.read(|s| s.units().get(self.unit)).unwrap().unwrap()
    }

    fn told(&self) -> Told {
        let items = self.house.store.read(|s| s.items().transcript(self.session)).unwrap();
        let notes = items.iter().filter(|item| item.row.kind == ItemKind::MachineNote);
        assert!(notes.clone().all(|note| note.units.len() == 1), "each note tells it");
        let lines = items.iter().filter(|item| item.row.kind == ItemKind::Notice);
        Told { notes: notes.count(), lines: lines.map(|line| line.row.text.clone()).collect() }
    }

    fn incidents(&self) -> Vec<String> {
        let open = self.house.store.read(|s| s.incidents().open()).unwrap();
        assert!(open.iter().all(|incident| incident.subject == self.unit.to_string()));
        open.into_iter().map(|incident| incident.cause).collect()
    }
}

const NOTHING: Told = Told { notes: 0, lines: Vec::new() };

fn once() -> Told {
    Told { notes: 1, ..NOTHING }
}

#[test]
fn an_end_that_was_refused_three_times_is_told_once_seventy_seconds_after_the_first_try() {
    let mut scene = Scene::owed_by(Producer::Process);
    scene.fill();
    for pause in [10, 20, 40] {
        assert!(scene.offer());
        scene.wait(pause - 1);
        assert!(!scene.offer(), "it rests for {pause} s");
        scene.wait(1);
        assert_eq!(scene.told(), NOTHING);
    }
    scene.empty();
    assert!(scene.offer());
    assert_eq!((scene.told(), scene.row().delivery), (once(), DeliveryState::Delivered));
    scene.wait(3_600);
    assert!(!scene.offer());
}

#[test]
fn an_end_that_is_always_refused_becomes_a_line_with_the_eighth_try() {
    let mut scene = Scene::owed_by(Producer::Process);
    scene.fill();
    for pause in [10, 20, 40, 60, 60, 60, 60] {
        assert!(scene.offer());
        assert_eq!(scene.told(), NOTHING);
        scene.wait(pause);
    }
    assert!(scene.offer());
    let told = scene.told();
    let [line] = told.lines.as_slice() else { panic!("{told:?}") };
    assert!(line.contains("exited with code 7") && line.contains("The agent was not told"), "{line}");
    assert_eq!((told.notes, scene.incidents()), (0, Vec::new()), "its person was told");
    scene.empty();
    scene.wait(3_600);
    assert!(!scene.offer());
}

#[test]
fn what_speaks_while_it_runs_waits_for_room_as_long_as_it_takes() {
    for producer in [Producer::Watch, Producer::Heartbeat] {
        let mut scene = Scene::owed_by(producer);
        scene.fill();
        for round in 0..100 {
            assert!(scene.offer(), "{producer}: round {round}");
            scene.wait(60);
        }
        let row = scene.row();
        assert_eq!((row.delivery, row.refusals, row.attempts), (DeliveryState::Pending, 100, 0), "{producer}");
        scene.empty();
        assert!(scene.offer());
        assert_eq!((scene.told(), scene.row().attempts), (once(), 1), "{producer}");
    }
}

#[test]
fn what_speaks_while_it_runs_is_told_to_nobody_where_it_is_switched_off() {
    for (producer, delivery) in [
        (Producer::Watch, DeliveryState::Consumed),
        (Producer::Heartbeat, DeliveryState::Consumed),
        (Producer::Process, DeliveryState::Delivered),
    ] {
        let mut scene = Scene::owed_by(producer);
        scene.wanted = ProcessNotices::Off;
        assert!(scene.offer());
        let notes = usize::from(producer == Producer::Process);
        assert_eq!((scene.row().delivery, scene.told().notes), (delivery, notes), "{producer}");
        assert_eq!((scene.incidents(), scene.offer()), (Vec::new(), false), "{producer}: it is no loss");
    }
}

#[test]
fn eight_refusals_for_good_end_a_report_where_a_person_sees_it_however_often_the_program_ends_between_them() {
    let mut scene = Scene::owed_by(Producer::Watch);
    for attempt in 1..=8 {
        assert_eq!((scene.row().delivery, scene.incidents()), (DeliveryState::Pending, Vec::new()));
        assert!(scene.look(|handover, tx, due| handover.refuse(tx, due, Refusal::ForGood)));
        assert_eq!(scene.row().attempts, attempt.min(7), "the last one ends it");
        scene.wait(60);
        if attempt % 2 == 0 && attempt < 8 {
            scene.house.crash();
        }
    }
    let row = scene.row();
    assert_eq!((row.delivery, row.dropped), (DeliveryState::Dropped, Some(DropReason::Refused)));
    assert_eq!((scene.incidents(), scene.told()), (vec!["report_dropped_refused".to_owned()], NOTHING));
    scene.wait(3_600);
    assert!(!scene.offer());
}

#[test]
fn a_gateway_that_goes_down_refuses_nothing_and_spends_nothing() {
    for producer in [Producer::Process, Producer::Watch] {
        let mut scene = Scene::owed_by(producer);
        let before = scene.row();
        scene.draining.cancel();
        for _ in 0..50 {
            assert!(scene.offer(), "it stays due");
        }
        assert_eq!((scene.row(), scene.told()), (before, NOTHING), "{producer}");
        scene.house.crash();
        scene.draining = CancellationToken::new();
        assert!(scene.offer());
        assert_eq!((scene.told(), scene.row().attempts), (once(), 1), "{producer}");
    }
}
