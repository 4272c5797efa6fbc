//! A table of sessions, lanes and what comes of them.

use std::collections::HashMap;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;

#[derive(Default, Clone)]
struct House {
    sessions: HashMap<SessionId, Standing>,
    lanes: HashMap<String, SessionId>,
    unreadable: bool,
}

impl Lineage for House {
    type Error = ();

    fn standing(&self, session: SessionId) -> Result<Option<Standing>, ()> {
        if self.unreadable { Err(()) } else { Ok(self.sessions.get(&session).cloned()) }
    }

    fn current(&self, route: &str) -> Result<Option<SessionId>, ()> {
        if self.unreadable { Err(()) } else { Ok(self.lanes.get(route).copied()) }
    }
}

fn id(n: u128) -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(n))
}

impl House {
    fn with(mut self, n: u128, end: Option<EndReason>, tip: u128) -> Self {
        let standing = Standing { end, tip: id(tip), route: "lane".into(), delegated_from: None };
        self.sessions.insert(id(n), standing);
        self
    }

    fn handed(mut self, n: u128, from: u128, end: Option<EndReason>) -> Self {
        let standing = Standing { end, tip: id(n), route: format!("work {n}"), delegated_from: Some(id(from)) };
        self.sessions.insert(id(n), standing);
        self
    }

    fn leads_to(mut self, n: u128) -> Self {
        self.lanes.insert("lane".into(), id(n));
        self
    }

    fn told(&self, pin: u128) -> Verdict {
        classify(self, id(pin)).unwrap()
    }
}

#[test]
fn a_live_session_is_told_and_a_new_one_on_its_lane_is_not() {
    let house = House::default().with(1, None, 1).leads_to(1);
    assert_eq!(house.told(1), Verdict::Deliver(id(1)));
    let house = House::default().with(1, Some(EndReason::NewSession), 1).with(2, None, 2).leads_to(2);
    assert_eq!(house.told(1), Verdict::Nobody);
    assert_eq!(house.told(3), Verdict::Nobody, "nobody knows this session");
}

#[test]
fn who_ended_because_time_passed_is_followed_by_the_lane() {
    for reason in [EndReason::Idle, EndReason::Daily] {
        let house = House::default().with(1, Some(reason), 1).with(2, None, 2);
        assert_eq!(house.clone().leads_to(2).told(1), Verdict::Deliver(id(2)));
        assert_eq!(house.clone().leads_to(1).told(1), Verdict::Deliver(id(1)), "nobody has written there since");
        assert_eq!(house.told(1), Verdict::Later, "the lane cannot be read");
        let closed = house.with(2, Some(EndReason::Closed), 2).leads_to(2);
        assert_eq!(closed.told(1), Verdict::Note(id(2)));
    }
}

#[test]
fn a_closed_conversation_gets_a_note() {
    let house = House::default().with(1, Some(EndReason::Closed), 1).leads_to(1);
    assert_eq!(house.told(1), Verdict::Note(id(1)));
    let compacted = House::default().with(1, Some(EndReason::Compaction), 2).with(2, Some(EndReason::Closed), 2);
    assert_eq!(compacted.leads_to(2).told(1), Verdict::Note(id(2)));
}

#[test]
fn a_compacted_session_goes_on_at_its_tip() {
    use EndReason::{Compaction, NewSession};
    let twice = House::default().with(1, Some(Compaction), 3).with(2, Some(Compaction), 3).with(3, None, 3);
    assert_eq!(twice.clone().leads_to(3).told(1), Verdict::Deliver(id(3)), "carried on twice while the work ran");
    assert_eq!(twice.clone().leads_to(1).told(1), Verdict::Deliver(id(3)), "the lane was not moved yet");
    assert_eq!(twice.clone().leads_to(2).told(1), Verdict::Deliver(id(3)));
    assert_eq!(twice.clone().told(1), Verdict::Deliver(id(3)));
    let elsewhere = twice.clone().with(9, None, 9).leads_to(9);
    assert_eq!(elsewhere.told(1), Verdict::Nobody, "the lane leads to somebody else");
    let reset = twice.with(3, Some(NewSession), 3).with(9, None, 9).leads_to(9);
    assert_eq!(reset.told(1), Verdict::Nobody);
    let begun = House::default().with(1, Some(Compaction), 1).leads_to(1);
    assert_eq!(begun.told(1), Verdict::Later, "its successor is not there yet");
    assert_eq!(House::default().with(1, Some(Compaction), 2).told(1), Verdict::Later);
}

/// Everything that a session can have become, times everything that its lane can lead to.
#[test]
fn each_end_and_each_lane_have_their_verdict() {
    use EndReason::{Closed, Compaction, Daily, Idle, NewSession};
    use Verdict::{Deliver, Later, Nobody, Note};
    // The lane leads nowhere, to the session itself, to one that lives, and to one that ended in each way.
    let lanes = [None, Some((1, None)), Some((2, None))];
    let ended = [Idle, Daily, Closed, Compaction, NewSession].map(|reason| Some((2, Some(reason))));
    let (own, next) = (Deliver(id(1)), Deliver(id(2)));
    for (end, verdicts) in [
        (None, [own; 8]),
        (Some(Idle), [Later, own, next, next, next, Note(id(2)), Later, Nobody]),
        (Some(Daily), [Later, own, next, next, next, Note(id(2)), Later, Nobody]),
        (Some(Closed), [Note(id(1)); 8]),
        // Nobody carries it on yet.
        (Some(Compaction), [Later; 8]),
        (Some(NewSession), [Nobody; 8]),
    ] {
        for (lane, verdict) in lanes.iter().chain(&ended).zip(verdicts) {
            let mut house = House::default();
            if let Some((leads_to, reason)) = *lane {
                house = house.with(leads_to, reason, leads_to).leads_to(leads_to);
            }
            assert_eq!(house.with(1, end, 1).told(1), verdict, "{end:?}, and the lane leads to {lane:?}");
        }
    }
}

/// Everything that the tip of a compacted session can have become, times everything that its lane can lead to.
#[test]
fn each_end_of_a_tip_and_each_lane_have_their_verdict() {
    use EndReason::{Closed, Compaction, Daily, Idle, NewSession};
    use Verdict::{Deliver, Later, Nobody, Note};
    let tip = Deliver(id(3));
    // The lane leads nowhere, to the first, to the one between, to the tip, and to a stranger.
    for (end, verdicts) in [
        (None, [tip, tip, tip, tip, Nobody]),
        (Some(Idle), [Later, Later, Later, tip, Deliver(id(9))]),
        (Some(Daily), [Later, Later, Later, tip, Deliver(id(9))]),
        (Some(Closed), [Note(id(3)); 5]),
        (Some(Compaction), [Later; 5]),
        (Some(NewSession), [Nobody; 5]),
    ] {
        for (lane, verdict) in [None, Some(1), Some(2), Some(3), Some(9)].into_iter().zip(verdicts) {
            let house = House::default().with(1, Some(Compaction), 3).with(2, Some(Compaction), 3);
            let house = house.with(3, end, 3).with(9, None, 9);
            let house = lane.into_iter().fold(house, House::leads_to);
            assert_eq!(house.told(1), verdict, "{end:?}, and the lane leads to {lane:?}");
        }
    }
}

#[test]
fn work_that_was_handed_on_is_told_to_the_person_s_session() {
    let house = House::default().with(1, None, 1).leads_to(1);
    assert_eq!(house.clone().handed(2, 1, None).handed(3, 2, None).told(3), Verdict::Deliver(id(1)));
    assert_eq!(house.clone().handed(2, 1, Some(EndReason::NewSession)).told(2), Verdict::Nobody);
    assert_eq!(house.clone().handed(2, 7, None).told(2), Verdict::Nobody, "whose it is cannot be shown");
    assert_eq!(house.clone().handed(2, 3, None).handed(3, 2, None).told(3), Verdict::Nobody, "a circle");
    let long = |hops: u128| (2..2 + hops).fold(house.clone(), |house, n| house.handed(n, n - 1, None)).told(1 + hops);
    assert_eq!(long(16), Verdict::Deliver(id(1)));
    assert_eq!(long(17), Verdict::Nobody);
}

#[test]
fn what_cannot_be_read_is_no_verdict() {
    let mut house = House::default().with(1, None, 1).leads_to(1);
    house.unreadable = true;
    assert_eq!(classify(&house, id(1)), Err(()));
}

fn any_end() -> impl Strategy<Value = Option<EndReason>> {
    prop::option::of(prop::sample::select(EndReason::ALL))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn nobody_is_told_behind_a_person_s_line(
        ends in prop::collection::vec(any_end(), 4), tips in prop::collection::vec(0_u128..4, 4),
        from in prop::collection::vec(prop::option::of(0_u128..4), 4), lane in prop::option::of(0_u128..4), pin in 0_u128..4
    ) {
        let mut house = House::default();
        for n in 0..4_u128 {
            let at = usize::try_from(n).unwrap();
            let standing = Standing {
                end: ends[at], tip: id(tips[at]), route: "lane".into(), delegated_from: from[at].map(id),
            };
            house.sessions.insert(id(n), standing);
        }
        if let Some(lane) = lane { house.lanes.insert("lane".into(), id(lane)); }
        let verdict = classify(&house, id(pin)).unwrap();
        if let Verdict::Deliver(to) | Verdict::Note(to) = verdict {
            let end = house.sessions[&to].end;
            prop_assert!(end.is_none_or(|reason| !reason.is_boundary()));
            prop_assert_eq!(end == Some(EndReason::Closed), matches!(verdict, Verdict::Note(_)));
        }
        if house.sessions[&id(pin)].end.is_some_and(EndReason::is_boundary) {
            prop_assert_eq!(verdict, Verdict::Nobody);
        }
    }
}
