use crate::support::*;
use gatehouse_domain::*;
use gatehouse_store::*;

/// A delegation of so many tasks, and the sessions that work on them.
fn hand_on(house: &House, owner: SessionId, tasks: u32) -> (ItemId, UnitId, Vec<SessionId>) {
    let (entry, report) = (house.item_id(), house.unit_id());
    let workers: Vec<_> = (0..tasks).map(|_| house.session_id()).collect();
    let entry_row = NewItem { kind: ItemKind::Delegation, author: Author::Machine, ..message(entry, owner, "") };
    let handed = workers.clone();
    house.write(move |tx| {
        tx.items_mut().insert(&entry_row)?;
        let owed = NewUnit { producer: Producer::Delegation, ..unit(report, owner, &format!("delegation:{entry}")) };
        tx.units_mut().owe_delegation(&owed, entry, None)?;
        for (number, worker) in (1..).zip(&handed) {
            let route = format!("delegated:{worker}");
            tx.sessions_mut().insert(&NewSession { route, delegated_from: Some(owner), ..session(*worker) })?;
            let title = format!("task {number}");
            tx.tasks_mut().insert(&NewTask { session: *worker, delegation: entry, number, title, at: AT })?;
        }
        Ok(())
    });
    (entry, report, workers)
}

fn handed(at: i64) -> Handed {
    Handed {
        outcome: TaskState::Completed,
        text: "three".into(),
        duration_ms: 5,
        category: Category::Result,
        at: EpochMs(at),
    }
}

fn deliver(house: &House, units: &[UnitId], key: &str) -> usize {
    let (id, units, key) = (house.admission_id(), units.to_vec(), key.to_owned());
    house.write(move |tx| {
        let session = tx.units().get(units[0])?.unwrap().session;
        tx.admissions_mut().insert(&NewAdmission { cause: TurnCause::Completion, ..admission(id, session, &key) })?;
        tx.units_mut().deliver(&units, id)
    })
}

#[test]
fn a_task_ends_once_and_its_delegation_is_on_the_feed() {
    let house = house();
    let owner = house.session();
    let (entry, _, workers) = hand_on(&house, owner, 2);
    let running = house.store.read(|s| s.tasks().running_of(owner)).unwrap();
    assert_eq!(running.iter().map(|task| task.session).collect::<Vec<_>>(), workers);
    assert_eq!(house.store.read(|s| s.sessions().overview(owner)).unwrap().unwrap().running_tasks, 2);
    let (first, before) = (workers[0], house.store.rev());
    let end = |state, said: &'static str| house.write(move |tx| tx.tasks_mut().end(first, state, said, EpochMs(4_000)));
    assert_eq!(end(TaskState::Completed, "three"), Some(entry));
    assert_eq!(end(TaskState::Unknown, "nothing"), None, "what has ended is not ended again");
    let full = house.store.read(|s| s.items().full(entry)).unwrap().unwrap();
    assert!(full.row.rev > before);
    let told: Vec<_> = full.tasks.iter().map(|task| (task.number, task.state, task.said.as_str())).collect();
    assert_eq!(told, [(1, TaskState::Completed, "three"), (2, TaskState::Running, "")]);
    assert_eq!(full.tasks[0].took(EpochMs(9_000)), 3_000);
    assert_eq!(house.store.read(|s| s.tasks().running_of(owner)).unwrap().len(), 1);
}

#[test]
fn a_failure_in_between_is_not_the_report_of_the_delegation() {
    let house = house();
    let owner = house.session();
    let (entry, report, _) = hand_on(&house, owner, 2);
    let early = house.unit_id();
    house.write(move |tx| {
        let failed = NewUnit { producer: Producer::TaskFailure, ..unit(early, owner, "task_failure:1") };
        tx.units_mut().owe_delegation(&failed, entry, Some(1))?;
        tx.units_mut().finish_delegation(early, &Handed { outcome: TaskState::Error, ..handed(2_000) })
    });
    assert_eq!(deliver(&house, &[early], "early"), 1);
    let whole = house.store.read(|s| s.units().by_delegation(entry)).unwrap().unwrap();
    assert_eq!((whole.id, whole.work, whole.delivery), (report, WorkState::Running, DeliveryState::Pending));
    assert!(house.write(move |tx| tx.units_mut().finish_delegation(report, &handed(3_000))));
    assert!(!house.write(move |tx| tx.units_mut().finish_delegation(report, &handed(4_000))));
    let due = house.store.read(|s| s.units().due(owner, EpochMs(5_000))).unwrap();
    assert_eq!(
        due.iter().map(|unit| (unit.id, unit.outcome)).collect::<Vec<_>>(),
        [(report, Some(TaskState::Completed))]
    );
}

#[test]
fn a_report_that_was_told_does_not_hold_back_the_one_beside_it() {
    let house = house();
    let owner = house.session();
    let reports: Vec<_> = (0..2).map(|_| hand_on(&house, owner, 1).1).collect();
    let both = reports.clone();
    house.write(move |tx| {
        both.iter().try_for_each(|id| tx.units_mut().finish_delegation(*id, &handed(2_000)).map(drop))
    });
    assert_eq!(deliver(&house, &reports[..1], "first"), 1);
    assert_eq!(deliver(&house, &reports, "both"), 1, "only what was still owed goes");
}

#[test]
fn however_many_results_wait_none_is_forgotten_before_its_time() {
    let house = house();
    let owner = house.session();
    for _ in 0..60 {
        let (_, report, _) = hand_on(&house, owner, 1);
        house.write(move |tx| tx.units_mut().finish_delegation(report, &handed(2_000)));
    }
    let due = |now| house.store.read(|s| s.units().due(owner, EpochMs(now))).unwrap().len();
    assert_eq!(due(3_000), 60);
    assert_eq!(house.write(move |tx| tx.units_mut().give_up(owner, EpochMs(2_000))), 0, "not one too early");
    assert_eq!(house.write(move |tx| tx.units_mut().give_up(owner, EpochMs(2_001))), 60);
    let open = house.store.read(|s| s.incidents().open()).unwrap();
    assert_eq!(open.iter().map(|row| row.cause.as_str()).collect::<Vec<_>>(), ["report_dropped_expired"]);
}
