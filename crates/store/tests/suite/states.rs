//! Every sequence of asks, tried against a model: a row moves only from a state that allows it, and says whether it did.

use gatehouse_domain::*;
use gatehouse_store::*;
use proptest::prelude::*;

use crate::support::*;

thread_local! {
    static HOUSE: House = house();
}

/// Runs every ask in one transaction on a new row and compares answer and state after each.
fn check<Id, Ask, State>(
    asks: &[Ask],
    start: State,
    make: impl FnOnce(&House, SessionId) -> (Id, Box<dyn FnOnce(&Tx<'_>) -> Result<()> + Send>),
    run: fn(&Tx<'_>, Id, Ask) -> Result<bool>,
    look: fn(&Tx<'_>, Id) -> Result<State>,
    model: fn(&State, Ask) -> Option<State>,
) where
    Id: Copy + Send + 'static,
    Ask: Copy + Send + std::fmt::Debug + 'static,
    State: Clone + PartialEq + Send + std::fmt::Debug + 'static,
{
    let asked = asks.to_vec();
    let seen = HOUSE.with(|house| {
        let session = house.session();
        let (id, insert) = make(house, session);
        house.write(move |tx| {
            insert(tx)?;
            asked.into_iter().map(|ask| Ok((run(tx, id, ask)?, look(tx, id)?))).collect::<Result<Vec<_>>>()
        })
    });
    let mut state = start;
    for (ask, (moved, now)) in asks.iter().zip(seen) {
        let expected = model(&state, *ask);
        assert_eq!(moved, expected.is_some(), "{ask:?} in {state:?}");
        state = expected.unwrap_or(state);
        assert_eq!(now, state, "after {ask:?}");
    }
}

#[derive(Debug, Clone, Copy)]
enum ProcessAsk {
    Launch,
    Stop(StoppedBy),
    End(ProcessState),
}

fn process_ask() -> impl Strategy<Value = ProcessAsk> {
    prop_oneof![
        Just(ProcessAsk::Launch),
        prop::sample::select(StoppedBy::ALL).prop_map(ProcessAsk::Stop),
        prop::sample::select(vec![
            ProcessState::Exited,
            ProcessState::Killed,
            ProcessState::Lost,
            ProcessState::FailedStart
        ])
        .prop_map(ProcessAsk::End),
    ]
}

type ProcessModel = (ProcessState, Option<StoppedBy>, bool);

fn process_model(state: &ProcessModel, ask: ProcessAsk) -> Option<ProcessModel> {
    let (at, by, has_pid) = *state;
    match (ask, at) {
        (ProcessAsk::Launch, ProcessState::Starting) => Some((ProcessState::Running, by, true)),
        // Somebody asked to stop it while it began.
        (ProcessAsk::Launch, ProcessState::Stopping) if !has_pid => Some((ProcessState::Stopping, by, true)),
        (ProcessAsk::Stop(by), ProcessState::Starting | ProcessState::Running) => {
            Some((ProcessState::Stopping, Some(by), has_pid))
        }
        (ProcessAsk::End(end), live) if !live.is_final() => {
            Some((end, by.filter(|_| end == ProcessState::Killed), has_pid))
        }
        _ => None,
    }
}

#[derive(Debug, Clone, Copy)]
enum UnitAsk {
    Finish,
    Deliver,
    Consume(ConsumedBy),
    Drop(DropReason),
}

fn unit_ask() -> impl Strategy<Value = UnitAsk> {
    prop_oneof![
        Just(UnitAsk::Finish),
        Just(UnitAsk::Deliver),
        prop::sample::select(ConsumedBy::ALL).prop_map(UnitAsk::Consume),
        prop::sample::select(DropReason::ALL).prop_map(UnitAsk::Drop),
    ]
}

type UnitModel = (WorkState, DeliveryState);

fn unit_model(state: &UnitModel, ask: UnitAsk) -> Option<UnitModel> {
    let (work, delivery) = *state;
    match (ask, work, delivery) {
        (UnitAsk::Finish, WorkState::Running, _) => Some((WorkState::Finished, delivery)),
        (UnitAsk::Deliver, WorkState::Finished, DeliveryState::Pending) => Some((work, DeliveryState::Delivered)),
        (UnitAsk::Consume(_), _, DeliveryState::Pending) => Some((work, DeliveryState::Consumed)),
        (UnitAsk::Drop(_), _, DeliveryState::Pending) => Some((work, DeliveryState::Dropped)),
        _ => None,
    }
}

fn run_unit(tx: &Tx<'_>, id: UnitId, ask: UnitAsk) -> Result<bool> {
    let before = tx.incidents().open_count()?;
    let moved = match ask {
        UnitAsk::Finish => tx.units_mut().finish(id, &report(9)),
        UnitAsk::Deliver => tx.units_mut().deliver(&[id], AdmissionId::from_uuid(id.uuid())).map(|n| n == 1),
        UnitAsk::Consume(by) => tx.units_mut().consume(id, by),
        UnitAsk::Drop(reason) => tx.units_mut().drop_(id, reason),
    }?;
    let opened = tx.incidents().open_count()? - before;
    assert_eq!(opened, u32::from(moved && matches!(ask, UnitAsk::Drop(_))), "only a drop is an incident");
    Ok(moved)
}

#[derive(Debug, Clone, Copy)]
enum AdmissionAsk {
    Start,
    Done,
    Cancel,
}

fn admission_model(state: &AdmissionStatus, ask: AdmissionAsk) -> Option<AdmissionStatus> {
    match (ask, state) {
        (AdmissionAsk::Start, AdmissionStatus::Queued) => Some(AdmissionStatus::Started),
        (AdmissionAsk::Done, AdmissionStatus::Started) => Some(AdmissionStatus::Done),
        (AdmissionAsk::Cancel, AdmissionStatus::Queued) => Some(AdmissionStatus::Cancelled),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy)]
enum TurnAsk {
    Advance(TurnProgress),
    Finish(TurnState),
}

fn turn_ask() -> impl Strategy<Value = TurnAsk> {
    prop_oneof![
        3 => prop::sample::select(TurnProgress::ALL).prop_map(TurnAsk::Advance),
        1 => prop::sample::select(vec![TurnState::Done, TurnState::Failed, TurnState::Stopped, TurnState::Interrupted])
            .prop_map(TurnAsk::Finish),
    ]
}

fn turn_model(state: &(TurnState, TurnProgress), ask: TurnAsk) -> Option<(TurnState, TurnProgress)> {
    match (ask, state.0) {
        (TurnAsk::Advance(to), TurnState::Running) if to > state.1 => Some((TurnState::Running, to)),
        (TurnAsk::Finish(to), TurnState::Running) => Some((to, state.1)),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy)]
enum CardAsk {
    Begin,
    Close(CardStatus),
}

fn card_ask() -> impl Strategy<Value = CardAsk> {
    let ends = vec![CardStatus::Complete, CardStatus::Error];
    prop_oneof![Just(CardAsk::Begin), prop::sample::select(ends).prop_map(CardAsk::Close)]
}

fn card_model(state: &CardStatus, ask: CardAsk) -> Option<CardStatus> {
    match (ask, state) {
        (CardAsk::Begin, CardStatus::Pending) => Some(CardStatus::InProgress),
        (CardAsk::Close(to), CardStatus::Pending | CardStatus::InProgress) => Some(to),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_process_never_comes_back(asks in prop::collection::vec(process_ask(), 1..10)) {
        check(
            &asks,
            (ProcessState::Starting, None, false),
            |house, session| {
                let new = process(house.process_id(), session, None);
                (new.id, Box::new(move |tx| tx.processes_mut().insert(&new)))
            },
            |tx, id, ask| match ask {
                ProcessAsk::Launch => tx.processes_mut().launched(id, 7, 8, "boot", "/tmp"),
                ProcessAsk::Stop(by) => tx.processes_mut().stopping(id, by),
                ProcessAsk::End(state) => tx.processes_mut().ended(id, &process_end(state)),
            },
            |tx, id| tx.processes().get(id).map(|row| row.map(|row| (row.state, row.stopped_by, row.pid.is_some())).unwrap()),
            process_model,
        );
    }

    #[test]
    fn a_report_has_one_fate(asks in prop::collection::vec(unit_ask(), 1..10)) {
        check(
            &asks,
            (WorkState::Running, DeliveryState::Pending),
            |house, session| {
                let id = house.unit_id();
                let new = unit(id, session, &id.to_string());
                (id, Box::new(move |tx| tx.units_mut().owe(&new)))
            },
            run_unit,
            |tx, id| tx.units().get(id).map(|row| row.map(|row| (row.work, row.delivery)).unwrap()),
            unit_model,
        );
    }

    #[test]
    fn an_input_is_answered_once(
        asks in prop::collection::vec(
            prop::sample::select(vec![AdmissionAsk::Start, AdmissionAsk::Done, AdmissionAsk::Cancel]), 1..8)
    ) {
        check(
            &asks,
            AdmissionStatus::Queued,
            |house, session| {
                let new = admission(house.admission_id(), session, "k");
                (new.id, Box::new(move |tx| tx.admissions_mut().insert(&new)))
            },
            |tx, id, ask| match ask {
                AdmissionAsk::Start => tx.admissions_mut().start(id, TurnId::from_uuid(id.uuid())),
                AdmissionAsk::Done => tx.admissions_mut().done(id),
                AdmissionAsk::Cancel => tx.admissions_mut().cancel(id),
            },
            |tx, id| tx.admissions().get(id).map(|row| row.map(|row| row.status).unwrap()),
            admission_model,
        );
    }

    #[test]
    fn a_turn_only_goes_forward(asks in prop::collection::vec(turn_ask(), 1..10)) {
        check(
            &asks,
            (TurnState::Running, TurnProgress::Created),
            |house, session| {
                let new = turn(house.turn_id(), session);
                (new.id, Box::new(move |tx| tx.turns_mut().insert(&new).map(|number| assert_eq!(number, 1))))
            },
            |tx, id, ask| match ask {
                TurnAsk::Advance(to) => tx.turns_mut().advance(id, to),
                TurnAsk::Finish(to) => tx.turns_mut().finish(id, to, AT),
            },
            |tx, id| tx.turns().get(id).map(|row| row.map(|row| (row.state, row.progress)).unwrap()),
            turn_model,
        );
    }

    #[test]
    fn an_ended_card_stays_ended(asks in prop::collection::vec(card_ask(), 1..6)) {
        check(
            &asks,
            CardStatus::Pending,
            |house, session| {
                let id = house.item_id();
                (id, Box::new(move |tx| {
                    tx.items_mut().insert(&message(id, session, ""))?;
                    tx.cards_mut().insert(&card(id, session, None))
                }))
            },
            |tx, id, ask| match ask {
                CardAsk::Begin => tx.cards_mut().begin(id, AT),
                CardAsk::Close(status) => {
                    let (output, exit) = (String::new(), Some(Exit::Unknown));
                    tx.cards_mut().close(id, &CardClose { status, annotation: None, output, output_bytes: 0, exit, at: AT })
                }
            },
            |tx, id| tx.cards().get(id).map(|row| row.map(|row| row.status).unwrap()),
            card_model,
        );
    }
}

#[test]
fn a_session_runs_one_turn_at_a_time() {
    let house = house();
    let session = house.session();
    let (one, two) = (house.turn_id(), house.turn_id());
    house.write(move |tx| tx.turns_mut().insert(&turn(one, session)));
    let second = house.store.write_blocking(move |tx| tx.turns_mut().insert(&turn(two, session)));
    assert!(matches!(second, Err(Error::Query(_))), "{second:?}");
    house.write(move |tx| tx.turns_mut().finish(one, TurnState::Done, AT));
    assert_eq!(house.write(move |tx| tx.turns_mut().insert(&turn(two, session))), 2);
    assert_eq!(house.write(move |tx| tx.turns_mut().again(two)), 2);
    assert_eq!(house.store.read(|s| s.turns().running(session)).unwrap().unwrap().id, two);
}

#[test]
fn the_first_answer_to_a_question_counts() {
    let house = house();
    let session = house.session();
    let (item, id) = (house.said(session, ""), house.approval_id());
    let turn = house.turn_id();
    house.write(move |tx| tx.approvals_mut().insert(&question(id, item, session, turn)));
    assert_eq!(house.store.read(|s| s.sessions().overview(session)).unwrap().unwrap().pending_approvals, 1);
    assert!(house.write(move |tx| tx.approvals_mut().close(id, ApprovalState::Denied, AT)));
    assert!(!house.write(move |tx| tx.approvals_mut().close(id, ApprovalState::Allowed, AT)));
    assert_eq!(house.store.read(|s| s.approvals().get(id)).unwrap().unwrap().state, ApprovalState::Denied);
    assert!(house.store.read(|s| s.approvals().all_pending()).unwrap().is_empty());
}

#[test]
fn an_answer_is_kept_with_its_question() {
    let house = house();
    let session = house.session();
    let (item, id, turn) = (house.said(session, ""), house.approval_id(), house.turn_id());
    let asked = question(id, item, session, turn);
    house.write(move |tx| tx.approvals_mut().insert(&asked));
    let no = Answer {
        choice: ApprovalChoice::Deny,
        by: AnsweredBy::Person,
        pattern: None,
        reason: Some("use the other folder".into()),
        rule: None,
    };
    let yes = Answer { choice: ApprovalChoice::Always, reason: None, ..no.clone() };
    assert!(house.write(move |tx| tx.approvals_mut().answer(id, &no, AT)));
    assert!(!house.write(move |tx| tx.approvals_mut().answer(id, &yes, AT)), "the first answer counts");
    let row = house.store.read(|s| s.approvals().get(id)).unwrap().unwrap();
    assert_eq!((row.state, row.choice), (ApprovalState::Denied, Some(ApprovalChoice::Deny)));
    assert_eq!(row.reason.as_deref(), Some("use the other folder"));
    assert_eq!((row.exact.as_str(), row.dangers.as_str()), ("rm", "Deletes files."));
}

#[test]
fn a_rule_covers_what_it_says_and_nothing_else() {
    let house = house();
    let (here, there) = (house.session(), house.session());
    let rule = |kind, session| NewRule {
        id: RuleId::from_uuid(house.ids.fresh()),
        kind,
        text: "make".into(),
        exact: "make".into(),
        cwd: Some("/a".into()),
        session,
        at: AT,
    };
    let found = |session, command: &str, cwd: &str| {
        house.store.read(|s| s.rules().for_command(session, command, cwd)).unwrap().map(|rule| rule.kind)
    };
    let (in_session, again) = (rule(RuleKind::Session, Some(here)), rule(RuleKind::Session, Some(here)));
    let first = house.write(move |tx| tx.rules_mut().insert(&in_session));
    assert_eq!(house.write(move |tx| tx.rules_mut().insert(&again)), first, "the same rule is one rule");
    assert_eq!(found(here, "make", "/a"), Some(RuleKind::Session));
    for (session, command, cwd) in
        [(there, "make", "/a"), (here, "make", "/b"), (here, "make ", "/a"), (here, "mak", "/a"), (here, "Make", "/a")]
    {
        assert_eq!(found(session, command, cwd), None, "{command} {cwd}");
    }
    let everywhere = rule(RuleKind::Exact, None);
    let exact = house.write(move |tx| tx.rules_mut().insert(&everywhere));
    assert_eq!(found(there, "make", "/a"), Some(RuleKind::Exact));
    assert_eq!(found(there, "make", "/b"), None);
    assert!(house.write(move |tx| tx.rules_mut().used(exact, EpochMs(7))));
    let row = house.store.read(|s| s.rules().get(exact)).unwrap().unwrap();
    assert_eq!((row.uses, row.last_used_at), (1, Some(EpochMs(7))));
    assert!(house.write(move |tx| tx.rules_mut().remove(exact)));
    assert!(!house.write(move |tx| tx.rules_mut().used(exact, AT)));
    assert_eq!(found(there, "make", "/a"), None);
    assert_eq!(house.store.read(|s| s.rules().list()).unwrap().len(), 1);
}

#[test]
fn a_waiting_queue_can_be_sorted_and_a_started_one_cannot() {
    let house = house();
    let session = house.session();
    let ids: Vec<AdmissionId> = (0..4).map(|_| house.admission_id()).collect();
    for (id, key) in ids.iter().copied().zip(["a", "b", "c", "d"]) {
        let cause = if key == "b" { TurnCause::Completion } else { TurnCause::Human };
        let new = NewAdmission { cause, text: key.into(), digest: String::new(), ..admission(id, session, key) };
        house.write(move |tx| tx.admissions_mut().insert(&new));
    }
    let order = || -> Vec<String> {
        house.store.read(|s| s.admissions().queued(session)).unwrap().into_iter().map(|a| a.text).collect()
    };
    let (a, b, c, d) = (ids[0], ids[1], ids[2], ids[3]);
    assert!(house.write(move |tx| tx.admissions_mut().reorder(d, Some(a))));
    assert_eq!(order(), ["d", "b", "a", "c"], "a machine's input stays where it is");
    assert!(house.write(move |tx| tx.admissions_mut().reorder(d, None)));
    assert_eq!(order(), ["a", "b", "c", "d"]);
    assert!(!house.write(move |tx| tx.admissions_mut().reorder(b, None)), "nobody sorts a machine's input");
    assert!(house.write(move |tx| tx.admissions_mut().put_first(c)));
    assert_eq!(order(), ["c", "a", "b", "d"]);
    assert!(house.write(move |tx| tx.admissions_mut().edit(a, "A")));
    assert_eq!(order(), ["c", "A", "b", "d"]);
    assert_eq!(house.store.read(|s| s.admissions().get(a)).unwrap().unwrap().digest, "a", "what was handed in stays");
    let turn = house.turn_id();
    assert!(house.write(move |tx| tx.admissions_mut().start(c, turn)));
    assert!(!house.write(move |tx| tx.admissions_mut().edit(c, "too late")));
    assert!(!house.write(move |tx| tx.admissions_mut().put_first(c)));
    assert!(!house.write(move |tx| tx.admissions_mut().reorder(a, Some(c))));
    let late = house.admission_id();
    let new = NewAdmission { cause: TurnCause::Human, text: "e".into(), ..admission(late, session, "e") };
    house.write(move |tx| tx.admissions_mut().insert(&new));
    assert_eq!(order(), ["A", "b", "d", "e"], "a new one is last");
}

fn question(id: ApprovalId, item: ItemId, session: SessionId, turn: TurnId) -> NewApproval {
    NewApproval {
        id,
        item,
        session,
        turn,
        card: item,
        command: "rm".into(),
        exact: "rm".into(),
        cwd: "/".into(),
        purpose: None,
        dangers: "Deletes files.".into(),
        suggested: None,
        takes_pattern: false,
        created_at: AT,
        expires_at: AT,
    }
}

#[test]
fn the_same_thing_is_never_owed_or_accepted_twice() {
    let house = house();
    let session = house.session();
    for expected in [true, false] {
        let (unit_id, admission_id) = (house.unit_id(), house.admission_id());
        let owed = house.store.write_blocking(move |tx| tx.units_mut().owe(&unit(unit_id, session, "process:1")));
        let taken =
            house.store.write_blocking(move |tx| tx.admissions_mut().insert(&admission(admission_id, session, "k")));
        assert_eq!((owed.is_ok(), taken.is_ok()), (expected, expected));
    }
    let kept = house.store.read(|s| s.admissions().by_key(session, Principal::Person, "k")).unwrap();
    assert_eq!(kept.map(|row| row.status), Some(AdmissionStatus::Queued));
}
