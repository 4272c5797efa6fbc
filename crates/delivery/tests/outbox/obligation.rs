use gatehouse_channel::{SendOutcome, Unsent};
use gatehouse_delivery::outbox::{GiveUp, MAX_ATTEMPTS, Moment, Next, Obligation, Speech, is_owed};
use gatehouse_domain::{
    ChatType, Fence, Marker, Origin, OutboxState, Platform, ProfileName, RouteKey, SegmentKind, Sharing,
};

use crate::{START, ambiguous, at, delivered, flood, refused, sent, settled, text};

const DAY: u64 = 24 * 60 * 60;

#[test]
fn what_was_never_claimed_is_sent_plainly_and_once() {
    // Found at a start as it was: nobody had begun to send it.
    let claimed = sent(text().found(at(5)), at(5));
    assert_eq!((claimed.says(), claimed.attempts, claimed.fence), (None, 0, Fence(1)));
    assert_eq!(claimed.next(at(6), true), Next::Nothing);
    let done = settled(claimed, &delivered(), at(6));
    assert_eq!(done.state, OutboxState::Delivered);
    assert_eq!(done.next(at(7), true), Next::Nothing);
    assert_eq!(settled(claimed, &SendOutcome::NothingToSend, at(6)).state, OutboxState::Delivered);
}

#[test]
fn what_was_on_its_way_at_an_end_says_so() {
    let again = sent(sent(text(), at(0)).found(at(60)), at(60));
    assert_eq!((again.says(), again.attempts), (Some(Marker::Restart), 1));
}

#[test]
fn a_flood_of_185_seconds_is_waited_out() {
    let waiting = settled(sent(text(), at(0)), &flood(185), at(0));
    for second in [0, 30, 120, 184, 186] {
        assert_eq!(waiting.next(at(second), true), Next::Wait(at(187)), "{second}");
        assert_eq!(waiting.found(at(second)).linked(at(second)).next(at(second), true), Next::Wait(at(187)));
    }
    assert_eq!((waiting.attempts, waiting.fence), (0, Fence(1)));
    let again = sent(waiting, at(187));
    assert_eq!((again.says(), again.attempts, again.fence), (Some(Marker::RateLimit), 1, Fence(2)));
}

#[test]
fn a_flood_without_a_time_and_one_without_an_end_are_bounded() {
    let claimed = sent(text(), at(0));
    let untold = settled(claimed, &refused(Unsent::Flood { retry_after: None }), at(0));
    assert_eq!(untold.next(at(0), true), Next::Wait(at(62)));
    for seconds in [901, 100_000, u64::MAX] {
        assert_eq!(settled(claimed, &flood(seconds), at(0)).next(at(0), true), Next::Wait(at(902)));
    }
}

#[test]
fn the_last_attempt_is_left_for_a_new_connection() {
    let first = settled(sent(text(), at(0)), &refused(Unsent::Other), at(0));
    assert_eq!(first.next(at(29), true), Next::Wait(at(30)));
    let second = settled(sent(first, at(30)), &refused(Unsent::Other), at(30));
    assert_eq!(second.next(at(149), true), Next::Wait(at(150)));
    let third = settled(sent(second, at(150)), &refused(Unsent::Other), at(150));
    assert_eq!(third.attempts, 2);
    assert_eq!(third.next(at(10_000), true), Next::Wait(at(DAY)));

    let last = sent(third.linked(at(20_000)), at(20_000));
    assert_eq!((last.attempts, last.says()), (MAX_ATTEMPTS, Some(Marker::Reconnect)));
    let spent = settled(last, &refused(Unsent::Other), at(20_001)).linked(at(20_002));
    let Next::GiveUp(abandoned, GiveUp::Spent) = spent.next(at(20_002), true) else { panic!("{spent:?}") };
    assert_eq!((abandoned.state, abandoned.attempts), (OutboxState::Abandoned, 3));
}

#[test]
fn what_never_left_costs_nothing_and_goes_with_the_next_connection() {
    let mut owed = text();
    for round in 0..10 {
        let claimed = sent(owed.linked(at(round)), at(round));
        owed = settled(claimed, &refused(Unsent::Degraded), at(round));
        assert_eq!(owed.attempts, 0);
        assert_eq!(owed.next(at(round + 1), true), Next::Wait(at(DAY)), "not before the connection is a new one");
    }
    assert_eq!(sent(owed.linked(at(99)), at(99)).says(), Some(Marker::Reconnect));
}

#[test]
fn a_connection_made_while_a_send_failed_is_not_missed() {
    let claimed = sent(text(), at(0));
    let moment = Moment { now: at(3), relinked: true };
    let failed = claimed.settled(claimed.fence, &refused(Unsent::Degraded), moment).unwrap();
    assert_eq!(sent(failed, at(3)).attempts, 1);

    let twice = Obligation { attempts: 2, ..claimed };
    let failed = twice.settled(twice.fence, &refused(Unsent::Other), moment).unwrap();
    assert_eq!(sent(failed, at(3)).attempts, 3);
}

#[test]
fn four_starts_without_a_connection_spend_nothing() {
    let mut owed = settled(sent(text(), at(0)), &refused(Unsent::Other), at(1));
    for boot in 1..=4 {
        owed = owed.found(at(boot * 3_600));
        assert_eq!(owed.next(at(boot * 3_600), false), Next::Wait(at(DAY)));
    }
    assert_eq!((owed.attempts, owed.fence), (0, Fence(1)));
    assert_eq!(owed.next(at(DAY - 1), false), Next::Wait(at(DAY)));
    assert!(matches!(owed.next(at(DAY), false), Next::GiveUp(_, GiveUp::TooOld)));
    assert!(matches!(text().next(at(DAY), true), Next::GiveUp(_, GiveUp::TooOld)));
}

#[test]
fn a_declined_place_and_a_dead_chat_are_never_tried_again() {
    let claimed = sent(text(), at(0));
    let declined = settled(claimed, &SendOutcome::Declined { why: "not approved".into() }, at(1));
    let gone = settled(claimed, &refused(Unsent::ChatGone), at(1));
    assert_eq!((declined.state, gone.state), (OutboxState::Declined, OutboxState::Abandoned));
    for ended in [declined, gone] {
        assert_eq!(ended.found(at(2)).linked(at(2)).next(at(DAY * 2), true), Next::Nothing);
    }
}

#[test]
fn an_old_claim_changes_nothing() {
    let first = sent(text(), at(0));
    let second = sent(settled(first, &ambiguous(), at(10)), at(40));
    let late = Moment { now: at(41), relinked: false };
    assert_eq!(second.settled(first.fence, &delivered(), late), None);
    let done = settled(second, &delivered(), at(41));
    assert_eq!(done.settled(second.fence, &refused(Unsent::Other), late), None, "it is over");
    assert_eq!(first.found(at(5)).settled(first.fence, &delivered(), late), None, "a start took it over");
}

#[test]
fn an_edit_that_does_not_work_becomes_a_message() {
    let edit = sent(Obligation::recorded(SegmentKind::Edit, START), at(0));
    let message = sent(settled(edit, &refused(Unsent::Other), at(1)), at(1));
    assert_eq!((message.kind, message.says()), (SegmentKind::Text, None), "nobody has seen the words");
    let message = sent(settled(edit, &ambiguous(), at(1)), at(1));
    assert_eq!((message.kind, message.says()), (SegmentKind::Text, Some(Marker::Reconnect)));

    let again = sent(edit.found(at(1)), at(1));
    assert_eq!((again.kind, again.says()), (SegmentKind::Edit, None), "the same words in the same place");
    let message = sent(settled(again, &refused(Unsent::Other), at(2)), at(2));
    assert_eq!((message.kind, message.says()), (SegmentKind::Text, Some(Marker::Restart)));
}

#[test]
fn a_clock_that_was_put_back_does_not_hold_words_for_as_long() {
    let owed = Obligation::recorded(SegmentKind::Text, at(DAY));
    let waiting = settled(sent(owed, at(DAY)), &flood(60), at(DAY));
    assert!(matches!(waiting.next(at(60), true), Next::Send(_)));
}

#[test]
fn only_the_answer_of_a_conversation_is_owed() {
    let origin = Origin::at(ProfileName::new("p").unwrap(), Platform::new("slack").unwrap(), ChatType::Dm);
    let route = RouteKey::of(&origin, Sharing::default());
    for (speech, route, words, owed) in [
        (Speech::Answer, Some(&route), "done", true),
        (Speech::Answer, None, "done", false),
        (Speech::Answer, Some(&route), " \n", false),
        (Speech::CommandReply, Some(&route), "done", false),
        (Speech::Ephemeral, Some(&route), "done", false),
    ] {
        assert_eq!(is_owed(speech, route, words), owed, "{speech:?} {words:?}");
    }
}

#[test]
fn a_wait_never_outlasts_the_words() {
    let waiting = settled(sent(text(), at(DAY - 10)), &flood(600), at(DAY - 10));
    assert_eq!(waiting.next(at(DAY - 9), true), Next::Wait(at(DAY)));
}
