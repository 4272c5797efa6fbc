use gatehouse_channel::{SendOutcome, Unsent};
use gatehouse_delivery::outbox::{GiveUp, Obligation, Queued, Step, falls_with, step};
use gatehouse_domain::{ChatId, ChatType, Fence, Marker, OutboxState, Platform, SegmentKind, Target, TurnId};
use uuid::Uuid;

use crate::{START, at, delivered, flood, refused, sent, settled, text};

fn chat(id: &str) -> Target {
    Target {
        platform: Platform::new("telegram").unwrap(),
        chat_type: ChatType::Group,
        chat: ChatId::new(id).unwrap(),
        thread: None,
        participant: None,
        scope: None,
    }
}

fn turn(number: u128) -> Option<TurnId> {
    Some(TurnId::from_uuid(Uuid::from_u128(number)))
}

fn of(kind: SegmentKind) -> Obligation {
    Obligation::recorded(kind, START)
}

/// Which row is sent.
fn sends(rows: &[Queued<'_>], second: u64) -> Option<usize> {
    match step(rows, at(second), true) {
        Step::Send(at, _) => Some(at),
        Step::GiveUp(..) | Step::Rest(_) => None,
    }
}

#[test]
fn a_lane_goes_in_order() {
    let (a, b) = (chat("A"), chat("B"));
    let mut rows = [
        Queued { target: &a, turn: turn(1), owed: text() },
        Queued { target: &a, turn: turn(2), owed: text() },
        Queued { target: &b, turn: turn(3), owed: text() },
    ];
    assert_eq!(sends(&rows, 0), Some(0));
    rows[0].owed = sent(rows[0].owed, at(0));
    assert_eq!(sends(&rows, 0), Some(2), "the first chat hears one thing after the other, the other one need not wait");
    rows[2].owed = sent(rows[2].owed, at(0));
    assert_eq!(step(&rows, at(0), true), Step::Rest(None));
    rows[0].owed = settled(rows[0].owed, &SendOutcome::NothingToSend, at(1));
    assert_eq!(sends(&rows, 1), Some(1));
}

#[test]
fn a_flood_holds_every_chat_of_its_platform_and_a_refusal_holds_none() {
    let (a, b) = (chat("A"), chat("B"));
    let flooded = settled(sent(text(), at(0)), &flood(60), at(0));
    let failed = settled(sent(text(), at(0)), &refused(Unsent::Other), at(0));
    let later = |owed| {
        [
            Queued { target: &a, turn: turn(1), owed },
            Queued { target: &a, turn: turn(2), owed: text() },
            Queued { target: &b, turn: turn(3), owed: text() },
        ]
    };
    assert_eq!(step(&later(flooded), at(10), true), Step::Rest(Some(at(62))));
    let elsewhere = Target { platform: Platform::new("matrix").unwrap(), ..b.clone() };
    let mut rows = later(flooded);
    rows[2].target = &elsewhere;
    assert_eq!(sends(&rows, 10), Some(2), "a relay's other platform did not ask for a pause");
    rows[2].target = &b;
    rows.swap(0, 2);
    assert_eq!(sends(&rows, 10), None, "nor does what was owed before it go");
    assert_eq!(sends(&later(flooded), 62), Some(0), "and then it goes first");
    let alone = sent(flooded, at(62));
    assert_eq!(step(&later(alone), at(62), true), Step::Rest(None), "and alone");
    let taken = settled(alone, &SendOutcome::Delivered { ids: Vec::new() }, at(63));
    assert_eq!(sends(&later(taken), 63), Some(1));

    // The next turn answers with the same words and succeeds: the first is still owed, and comes later.
    let mut rows = later(failed);
    assert_eq!(sends(&rows, 10), Some(1));
    rows[1].owed = settled(sent(rows[1].owed, at(10)), &SendOutcome::Delivered { ids: Vec::new() }, at(11));
    let Step::Send(0, again) = step(&rows, at(30), true) else { panic!("{rows:?}") };
    assert_eq!((again.says(), again.fence), (Some(Marker::Reconnect), Fence(2)));
}

#[test]
fn files_wait_for_their_words_and_fall_with_them() {
    let a = chat("A");
    let failed = settled(sent(text(), at(0)), &refused(Unsent::Other), at(0));
    let rows = [
        Queued { target: &a, turn: turn(1), owed: failed },
        Queued { target: &a, turn: turn(1), owed: of(SegmentKind::Media) },
        Queued { target: &a, turn: turn(2), owed: of(SegmentKind::Media) },
        Queued { target: &a, turn: turn(1), owed: of(SegmentKind::Media) },
        Queued { target: &a, turn: None, owed: of(SegmentKind::Notice) },
    ];
    assert_eq!(sends(&rows, 1), Some(2));
    let of_turn = [
        failed,
        of(SegmentKind::Media),
        settled(sent(of(SegmentKind::Media), at(0)), &delivered(), at(0)),
        of(SegmentKind::Media),
    ];
    assert_eq!(falls_with(&of_turn, 0), [1, 3], "what was delivered stays so");
    assert_eq!(falls_with(&of_turn, 1), [0; 0], "one file that does not go stops no other");
    assert_eq!(falls_with(&of_turn, 9), [0; 0]);
    assert_eq!(sends(&rows[..2], 30), Some(0));
}

#[test]
fn a_file_that_failed_holds_no_other() {
    let a = chat("A");
    let failed = settled(sent(of(SegmentKind::Media), at(0)), &refused(Unsent::Other), at(0));
    let rows = [
        Queued { target: &a, turn: turn(1), owed: failed },
        Queued { target: &a, turn: turn(1), owed: of(SegmentKind::Media) },
    ];
    assert_eq!(sends(&rows, 1), Some(1));
}

#[test]
fn what_a_channel_is_spared_ends_at_once_whatever_holds_the_others() {
    let a = chat("A");
    let flooded = settled(sent(text(), at(0)), &flood(60), at(0));
    let muted = Obligation { muted: true, ..text() };
    let rows = [Queued { target: &a, turn: turn(1), owed: flooded }, Queued { target: &a, turn: turn(2), owed: muted }];
    let Step::GiveUp(1, after, GiveUp::Muted) = step(&rows, at(10), false) else { panic!("it is still owed") };
    assert_eq!((after.state, after.attempts), (OutboxState::Suppressed, 0));
}

#[test]
fn a_lane_without_a_connection_rests_until_its_words_are_too_old() {
    let (a, day) = (chat("A"), 24 * 60 * 60);
    let younger = Obligation::recorded(SegmentKind::Text, at(10));
    let rows =
        [Queued { target: &a, turn: turn(1), owed: younger }, Queued { target: &a, turn: turn(2), owed: text() }];
    assert_eq!(step(&rows, at(20), false), Step::Rest(Some(at(day))));
    assert!(matches!(step(&rows, at(day), false), Step::GiveUp(1, _, GiveUp::TooOld)));
    assert_eq!(step(&[], at(0), true), Step::Rest(None));
}
