//! What is told of an end: by what is set, by whether it was asked for, by how it ended, and by whether the turn that
//! started it still runs.

use gatehouse_domain::{
    DeliveryState, EpochMs, Exit, ItemKind, ProcessId, ProcessNotices, ProcessState, Producer, SessionId, TurnId,
    UnitId, Wants,
};
use gatehouse_process::EndReport;
use gatehouse_provider::scripted::{End, Script, Scripted, say};
use gatehouse_store::{NewProcess, NewUnit, News, Report, UnitRow};
use serde_json::Value;

use super::{plain, record_end, wake};
use crate::testing::{configure, open, owed, report, until};
use crate::{Gateway, SendMode};

const ENDS: [Exit; 3] = [Exit::Code(0), Exit::Code(1), Exit::Unknown];

/// Of each setting: whether its person wants to read of an end with 0, with 1, and of one that nobody knows.
const WANTED: [(ProcessNotices, [bool; 3]); 5] = [
    (ProcessNotices::Concise, [true, true, true]),
    (ProcessNotices::All, [true, true, true]),
    (ProcessNotices::Result, [true, true, true]),
    (ProcessNotices::Error, [false, true, true]),
    (ProcessNotices::Off, [false, false, false]),
];

const fn words(exit: Exit) -> &'static str {
    match exit {
        Exit::Code(0) => "exited with code 0",
        Exit::Code(_) => "exited with code 1",
        Exit::Signal(_) | Exit::Unknown => "ended, and how is unknown",
    }
}

const fn state(exit: Exit) -> ProcessState {
    if matches!(exit, Exit::Unknown) { ProcessState::Lost } else { ProcessState::Exited }
}

/// One process that ends.
#[derive(Debug, Clone, Copy)]
struct Case {
    exit: Exit,
    /// The agent asked to be told.
    notify: bool,
    /// The turn that started it still runs.
    busy: bool,
    /// Its person wants to read of it.
    wanted: bool,
    session: SessionId,
    turn: Option<TurnId>,
}

impl Case {
    /// How many notes and lines there are while the turn runs, and how many after it.
    const fn expected(self) -> [(usize, usize); 2] {
        let line = if self.wanted { 1 } else { 0 };
        match (self.notify, self.busy) {
            // The note waits for the turn, and its person is told at once.
            (true, true) => [(0, line), (1, line)],
            (true, false) => [(1, 0), (1, 0)],
            // The turn may look at it itself.
            (false, true) => [(0, 0), (0, line)],
            (false, false) => [(0, line), (0, line)],
        }
    }

    async fn begin(gateway: &Gateway, exit: Exit, notify: bool, busy: bool, wanted: bool) -> Self {
        let session = gateway.create_session(None, None).await.unwrap();
        let turn = if busy {
            gateway.send(session, "work".into(), None, SendMode::Queue, false).await.unwrap().turn
        } else {
            None
        };
        assert_eq!(turn.is_some(), busy);
        Self { exit, notify, busy, wanted, session, turn }
    }

    async fn start(self, gateway: &Gateway) -> ProcessId {
        let core = gateway.core();
        let (id, at) = (ProcessId::from_uuid(core.ids.fresh()), core.now());
        let process = NewProcess {
            id,
            session: self.session,
            turn: self.turn,
            card: None,
            command: "make".into(),
            cwd: "/".into(),
            notify: self.notify,
            persist: false,
            pty: None,
            stdin: false,
            max_runtime_ms: None,
            restart_of: None,
            at,
        };
        let owed = NewUnit {
            id: UnitId::from_uuid(core.ids.fresh()),
            producer: Producer::Process,
            identity: format!("process:{id}"),
            session: self.session,
            process: Some(id),
            turn: self.turn,
            command: "make".into(),
            wants: if self.notify { Wants::Turn } else { Wants::Notice },
            at,
        };
        let started = core.store.write(move |tx| {
            tx.processes_mut().insert(&process)?;
            tx.units_mut().owe(&owed)
        });
        started.await.unwrap();
        id
    }

    async fn end(self, gateway: &Gateway, id: ProcessId) {
        let core = gateway.core();
        let report = EndReport {
            exit: self.exit,
            ended_at: core.now(),
            output_total: 0,
            stop_requested: false,
            limit_reached: false,
            descendants: 0,
            survivors: Vec::new(),
            lost: state(self.exit) == ProcessState::Lost,
            escape_possible: false,
        };
        record_end(core, id, &report).await.unwrap();
    }

    /// How many notes there are, and how many lines; every line says how it ended, and a receipt when the agent is told.
    fn told(self, gateway: &Gateway) -> (usize, usize) {
        let items = gateway.core().store.read(|s| s.items().transcript(self.session)).unwrap();
        let of = |kind: ItemKind| items.iter().filter(move |item| item.row.kind == kind);
        for line in of(ItemKind::Notice) {
            assert!(line.row.text.contains(words(self.exit)), "{self:?}: {}", line.row.text);
            assert_eq!(line.row.text.contains("after this turn"), self.notify, "{self:?}: {}", line.row.text);
        }
        (of(ItemKind::MachineNote).count(), of(ItemKind::Notice).count())
    }
}

async fn at_rest(gateway: &Gateway, session: SessionId) {
    let rests = |s: &gatehouse_store::Snapshot<'_>| {
        let units = s.units().due(session, EpochMs(0))?;
        Ok(units.is_empty() && s.turns().running(session)?.is_none() && s.admissions().queued(session)?.is_empty())
    };
    until(gateway, "a conversation to rest", rests).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_setting_wish_end_and_turn_have_their_notes_and_lines() {
    for (setting, wanted) in WANTED {
        let home = tempfile::tempdir().unwrap();
        let lab = Scripted::start(Script::responder(|body: &Value| {
            let last = body["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
            let answer = say("I see.");
            if last["content"] == "work" { answer.ending(End::Hang) } else { answer }
        }));
        let lab = lab.await.unwrap();
        configure(home.path(), &lab, &format!("[display]\nbackground_process_notifications = \"{setting}\"\n"));
        let gateway = open(home.path()).await;
        let mut cases = Vec::new();
        for (exit, wanted) in ENDS.into_iter().zip(wanted) {
            for (notify, busy) in [(false, false), (false, true), (true, false), (true, true)] {
                cases.push(Case::begin(&gateway, exit, notify, busy, wanted).await);
            }
        }
        lab.wait_for_request(cases.iter().filter(|case| case.busy).count()).await;
        for case in &cases {
            let id = case.start(&gateway).await;
            case.end(&gateway, id).await;
            if !case.busy {
                at_rest(&gateway, case.session).await;
            }
        }
        let told = |case: &Case| (case.told(&gateway), *case);
        for (told, case) in cases.iter().map(told) {
            assert_eq!(told, case.expected()[0], "{setting}, as long as the turn runs: {case:?}");
        }
        lab.release();
        for case in &cases {
            at_rest(&gateway, case.session).await;
        }
        for (told, case) in cases.iter().map(told) {
            assert_eq!(told, case.expected()[1], "{setting}, after the turn: {case:?}");
        }
        gateway.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_of_life_that_nobody_was_told_makes_room_for_the_end() {
    let home = tempfile::tempdir().unwrap();
    let lab = Scripted::start([say("Busy.").ending(End::Hang), say("I see.")]).await.unwrap();
    configure(home.path(), &lab, "");
    let gateway = open(home.path()).await;
    let case = Case::begin(&gateway, Exit::Code(0), true, true, true).await;
    lab.wait_for_request(1).await;
    let process = case.start(&gateway).await;
    let core = gateway.core();
    let at = core.now();
    let beat = NewUnit {
        id: UnitId::from_uuid(core.ids.fresh()),
        producer: Producer::Heartbeat,
        identity: format!("heartbeat:{process}:1"),
        session: case.session,
        process: Some(process),
        turn: case.turn,
        command: "make".into(),
        wants: Wants::Turn,
        at,
    };
    let alive = Report { state: Some(ProcessState::Running), exit: None, ..report(Exit::Code(0), at) };
    core.store.write(move |tx| tx.units_mut().tell(&beat, &News::default(), &alive)).await.unwrap();
    wake(core, case.session).await;
    until(&gateway, "the sign of life to wait in the queue", |s| Ok(s.admissions().queued(case.session)?.len() == 1))
        .await;
    case.end(&gateway, process).await;
    lab.release();
    at_rest(&gateway, case.session).await;
    let items = core.store.read(|s| s.items().transcript(case.session)).unwrap();
    let notes: Vec<_> = items.iter().filter(|item| item.row.kind == ItemKind::MachineNote).collect();
    let told: Vec<_> = notes.iter().flat_map(|note| &note.units).map(|unit| unit.producer).collect();
    assert_eq!((notes.len(), told), (1, vec![Producer::Process]));
    assert_eq!(lab.requests().len(), 2, "one turn for both");
    gateway.shutdown().await;
}

/// A report of such an end, with as much output.
async fn report_of(gateway: &Gateway, exit: Exit, output: &str) -> UnitRow {
    let session = gateway.create_session(None, None).await.unwrap();
    let (id, at) = (UnitId::from_uuid(gateway.core().ids.fresh()), gateway.core().now());
    let report = Report {
        state: Some(state(exit)),
        duration_ms: 61_000,
        output_tail: output.into(),
        output_bytes: output.len() as u64,
        ..report(exit, at)
    };
    let written = gateway.core().store.write(move |tx| {
        tx.units_mut().owe(&owed(id, session, Wants::Notice, at))?;
        tx.units_mut().finish(id, &report)?;
        tx.units().get(id)
    });
    let unit = written.await.unwrap().unwrap();
    assert_eq!(unit.delivery, DeliveryState::Pending);
    unit
}

#[tokio::test]
async fn a_line_shows_as_much_of_the_end_of_the_output_as_is_set() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    let output = "x".repeat(1_998) + "yz\n";
    for (setting, shown) in [
        (ProcessNotices::Concise, [Some(0), Some(300), Some(300)]),
        (ProcessNotices::All, [Some(1_000); 3]),
        (ProcessNotices::Result, [Some(1_000); 3]),
        (ProcessNotices::Error, [None, Some(1_000), Some(1_000)]),
        (ProcessNotices::Off, [None; 3]),
    ] {
        for (exit, shown) in ENDS.into_iter().zip(shown) {
            let header = format!("make {} after 1 m 1 s.", words(exit));
            let expected = shown.map(|chars: usize| match chars {
                0 => header.clone(),
                chars => format!("{header}\n{}yz", "x".repeat(chars - 2)),
            });
            let unit = report_of(&gateway, exit, &output).await;
            assert_eq!(plain::line(&unit, setting), expected, "{setting} {exit:?}");
            let silent = report_of(&gateway, exit, " \n").await;
            assert_eq!(plain::line(&silent, setting), shown.map(|_| header), "{setting} {exit:?}: it wrote nothing");
        }
    }
    gateway.shutdown().await;
}
