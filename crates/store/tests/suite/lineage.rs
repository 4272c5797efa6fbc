//! How sessions end and carry each other on, where lanes lead, and what is held or put off.

use std::time::Duration;

use gatehouse_domain::*;
use gatehouse_store::*;
use proptest::prelude::*;

use crate::support::*;

fn on_lane(id: SessionId, lane: &str) -> NewSession {
    NewSession { route: lane.into(), ..session(id) }
}

#[test]
fn a_person_s_line_takes_the_place_of_what_ended_by_itself_and_of_nothing_else() {
    use EndReason::{Closed, Compaction, Daily, Idle, NewSession as Anew};
    for (first, second, last) in [
        (Idle, Anew, Anew),
        (Daily, Anew, Anew),
        (Closed, Anew, Anew),
        (Anew, Idle, Anew),
        (Anew, Closed, Anew),
        (Compaction, Anew, Compaction),
        (Idle, Daily, Idle),
    ] {
        let house = house();
        let id = house.session();
        let (begun, promoted) = house.write(move |tx| {
            Ok((tx.sessions_mut().end(id, first, AT)?, tx.sessions_mut().end(id, second, EpochMs(9))?))
        });
        let row = house.store.read(|s| s.sessions().get(id)).unwrap().unwrap();
        assert_eq!((begun, promoted, row.end_reason), (true, last == second, Some(last)), "{first} then {second}");
        assert_eq!(row.ended_at, Some(if promoted { EpochMs(9) } else { AT }));
    }
}

#[test]
fn only_a_closed_one_is_opened_again() {
    let house = house();
    for reason in EndReason::ALL {
        let id = house.session();
        let opened = house.write(move |tx| {
            tx.sessions_mut().end(id, *reason, AT)?;
            tx.sessions_mut().reopen(id)
        });
        assert_eq!(opened, *reason == EndReason::Closed, "{reason}");
    }
}

#[test]
fn a_lane_leads_to_the_newest_and_a_person_s_line_beats_what_carries_on() {
    let house = house();
    let (old, anew, late) = (house.session_id(), house.session_id(), house.session_id());
    house.write(move |tx| tx.sessions_mut().insert(&on_lane(old, "lane")));
    assert_eq!(house.store.read(|s| s.routes().current("lane")).unwrap(), Some(old));
    house.write(move |tx| {
        tx.sessions_mut().end(old, EndReason::NewSession, AT)?;
        tx.sessions_mut().insert(&on_lane(anew, "lane"))
    });
    let carried = house.write(move |tx| tx.sessions_mut().compact(old, &on_lane(late, "lane")));
    assert!(!carried, "the lane was moved by its person");
    assert_eq!(house.store.read(|s| s.routes().current("lane")).unwrap(), Some(anew));
    assert!(house.store.read(|s| s.sessions().get(late)).unwrap().is_none());
}

#[test]
fn a_lineage_knows_its_root_and_its_tip() {
    let house = house();
    let ids: Vec<SessionId> = (0..3).map(|_| house.session_id()).collect();
    let (first, second, third) = (ids[0], ids[1], ids[2]);
    house.write(move |tx| {
        tx.sessions_mut().insert(&on_lane(first, "lane"))?;
        assert!(tx.sessions_mut().compact(first, &on_lane(second, "lane"))?);
        assert!(tx.sessions_mut().compact(second, &on_lane(third, "lane"))?);
        Ok(())
    });
    let row = |id| house.store.read(|s| s.sessions().get(id)).unwrap().unwrap();
    for id in ids {
        assert_eq!((row(id).root, row(id).tip), (first, Some(third)), "{id}");
    }
    assert_eq!((row(third).parent, row(third).end_reason), (Some(second), None));
    assert_eq!(house.store.read(|s| s.routes().current("lane")).unwrap(), Some(third));
}

#[test]
fn what_is_owed_belongs_to_the_lineage_and_the_lane_of_its_session() {
    let house = house();
    let (first, second, id) = (house.session_id(), house.session_id(), house.unit_id());
    house.write(move |tx| {
        tx.sessions_mut().insert(&on_lane(first, "slack:C1"))?;
        tx.sessions_mut().compact(first, &on_lane(second, "slack:C1"))?;
        tx.units_mut().owe(&unit(id, second, "u"))
    });
    let row = house.store.read(|s| s.units().get(id)).unwrap().unwrap();
    assert_eq!((row.session, row.root, row.route.as_str()), (second, first, "slack:C1"));
    let nobody = house.session_id();
    let refused = house.store.write_blocking(move |tx| tx.units_mut().owe(&unit(id, nobody, "v")));
    assert!(matches!(refused, Err(Error::NoSuchRow { table: "session", .. })), "{refused:?}");
}

#[test]
fn who_works_for_another_takes_no_lane() {
    let house = house();
    let (person, helper) = (house.session_id(), house.session_id());
    house.write(move |tx| {
        tx.sessions_mut().insert(&on_lane(person, "lane"))?;
        tx.sessions_mut().insert(&NewSession { delegated_from: Some(person), ..on_lane(helper, "lane") })
    });
    assert_eq!(house.store.read(|s| s.routes().current("lane")).unwrap(), Some(person));
}

#[test]
fn what_was_put_off_waits_and_a_clock_that_was_set_back_makes_nobody_wait() {
    let house = house();
    let (session, id) = (house.session(), house.unit_id());
    let later = AT.after(Duration::from_secs(40));
    house.write(move |tx| {
        tx.units_mut().owe(&unit(id, session, "u"))?;
        tx.units_mut().finish(id, &report(1_000))?;
        tx.units_mut().refused(id, later, true)
    });
    let due = |now: EpochMs| house.store.read(|s| s.units().due(session, now)).unwrap().len();
    let next = |now: EpochMs| house.store.read(|s| s.units().next_due(session, now)).unwrap();
    assert_eq!((due(AT), next(AT)), (0, Some(later)));
    assert_eq!((due(later), next(later)), (1, None));
    let set_back = EpochMs(AT.0 - 3_600_000);
    assert_eq!((due(set_back), next(set_back)), (1, None));
    let row = house.store.read(|s| s.units().get(id)).unwrap().unwrap();
    assert_eq!((row.refusals, row.attempts), (1, 1));
}

thread_local! {
    static HOUSE: (House, SessionId, UnitId) = {
        let house = house();
        let (session, id) = (house.session(), house.unit_id());
        house.write(move |tx| {
            tx.units_mut().owe(&unit(id, session, "u"))?;
            tx.units_mut().finish(id, &report(1_000)).map(drop)
        });
        (house, session, id)
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A sleep of the computer is a jump of the wall clock as well.
    #[test]
    fn however_the_clock_is_set_a_report_is_due_or_will_be_within_the_longest_pause(
        put_off_at in -80_000_000_i64..80_000_000, pause in 0_u64..=60, jump in -80_000_000_i64..80_000_000
    ) {
        let until = EpochMs(put_off_at).after(Duration::from_secs(pause));
        let now = EpochMs(put_off_at + jump);
        let (due, next) = HOUSE.with(|(house, session, id)| {
            let (session, id) = (*session, *id);
            house.write(move |tx| tx.units_mut().refused(id, until, false).map(drop));
            house.store.read(|s| Ok((s.units().due(session, now)?.len(), s.units().next_due(session, now)?))).unwrap()
        });
        let waits = due == 0 && next.is_some_and(|at| at > now && at <= now.after(LONGEST_WAIT));
        prop_assert!(waits || (due, next) == (1, None), "{} due, next {:?} at {:?}", due, next, now);
    }
}

#[test]
fn what_is_dropped_waits_for_a_person_and_is_told_where_they_say() {
    let house = house();
    let (session, other, id) = (house.session(), house.session(), house.unit_id());
    house.write(move |tx| {
        tx.units_mut().owe(&unit(id, session, "u"))?;
        tx.units_mut().finish(id, &report(1_000))?;
        assert!(!tx.units_mut().release(id, other, AT)?, "nobody has given it up");
        tx.units_mut().drop_(id, DropReason::Expired)
    });
    assert_eq!(house.store.read(|s| s.incidents().open()).unwrap()[0].cause, "report_dropped_expired");
    let (first, second) = house.write(move |tx| {
        let first = tx.units_mut().release(id, other, EpochMs(5_000))?;
        Ok((first, tx.units_mut().release(id, other, AT)?))
    });
    assert_eq!((first, second), (true, false));
    let due = house.store.read(|s| s.units().due(other, AT)).unwrap();
    assert_eq!((due.len(), due[0].id, due[0].root, due[0].known_at), (1, id, other, EpochMs(5_000)));
    assert_eq!(house.store.read(|s| s.incidents().open_count()).unwrap(), 0);
    let overdue = |since| house.store.read(|s| s.units().sessions_overdue(since)).unwrap();
    assert_eq!(
        (overdue(EpochMs(5_000)), overdue(EpochMs(5_001))),
        (vec![], vec![other]),
        "it is as old as the person's word"
    );
}

#[test]
fn what_a_session_could_not_be_told_is_given_up_as_one_and_goes_on_as_one() {
    let house = house();
    let (session, other) = (house.session(), house.session());
    let owed: Vec<(UnitId, i64)> = [1_000, 1_001, 1_002, 9_000].map(|at| (house.unit_id(), at)).to_vec();
    let (waits, elsewhere) = (house.unit_id(), house.unit_id());
    let all = owed.clone();
    house.write(move |tx| {
        for (id, at) in all {
            tx.units_mut().owe(&unit(id, session, &id.to_string()))?;
            tx.units_mut().finish(id, &report(at))?;
        }
        tx.units_mut().owe(&unit(waits, session, "it goes on"))?;
        tx.units_mut().owe(&unit(elsewhere, other, "elsewhere"))?;
        tx.units_mut().finish(elsewhere, &report(1_003)).map(drop)
    });
    let due = |now: EpochMs| house.store.read(|s| s.units().due(session, now)).unwrap().len();
    let young = EpochMs(1_001).after(OVERDUE);
    assert_eq!((due(EpochMs(9_000)), due(young), due(young.after(OVERDUE))), (4, 3, 0), "what is overdue is not due");
    assert_eq!(house.write(move |tx| tx.units_mut().give_up(session, EpochMs(2_000))), 3);
    assert_eq!(house.write(move |tx| tx.units_mut().give_up(session, EpochMs(2_000))), 0, "once");
    let open = house.store.read(|s| s.incidents().open()).unwrap();
    let told: Vec<_> = open.iter().map(|row| (row.cause.as_str(), row.subject.clone(), row.at)).collect();
    assert_eq!(told, [("report_dropped_expired", owed[2].0.to_string(), EpochMs(1_002))], "the newest stands for all");
    assert_eq!(house.store.read(|s| s.units().count_of(open[0].id)).unwrap(), 3);
    let delivery = |id: UnitId| house.store.read(|s| s.units().get(id)).unwrap().unwrap().delivery;
    let became: Vec<_> = owed.iter().map(|(id, _)| delivery(*id)).collect();
    let dropped = DeliveryState::Dropped;
    assert_eq!(became, [dropped, dropped, dropped, DeliveryState::Pending], "the young one is still owed");
    assert_eq!((delivery(waits), delivery(elsewhere)), (DeliveryState::Pending, DeliveryState::Pending));

    let (first, newest) = (owed[0].0, owed[2].0);
    assert!(house.write(move |tx| tx.units_mut().release(newest, other, EpochMs(9_500))));
    assert!(!house.write(move |tx| tx.units_mut().release(first, other, EpochMs(9_500))), "it went with the newest");
    assert_eq!(house.store.read(|s| s.units().due(other, EpochMs(9_500))).unwrap().len(), 4);
    assert_eq!(house.store.read(|s| s.incidents().open_count()).unwrap(), 0);
}

#[test]
fn people_s_words_move_along_in_their_order() {
    let house = house();
    let (from, to) = (house.session(), house.session());
    let ids = [house.admission_id(), house.admission_id(), house.admission_id()];
    let moved = house.write(move |tx| {
        for (n, id) in ids.iter().enumerate() {
            tx.admissions_mut().insert(&admission(*id, from, &n.to_string()))?;
        }
        tx.admissions_mut().reorder(ids[2], Some(ids[0]))?;
        tx.admissions_mut().move_people(from, to)
    });
    let waiting = house.store.read(|s| s.admissions().queued(to)).unwrap();
    assert_eq!(moved, 3);
    assert_eq!(waiting.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[2], ids[0], ids[1]]);
    assert!(waiting.iter().all(|row| row.root == to));
    assert!(house.store.read(|s| s.admissions().queued(from)).unwrap().is_empty());
}
