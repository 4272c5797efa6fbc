use gatehouse_channel::{SendOutcome, Unsent};
use gatehouse_delivery::outbox::{GiveUp, Obligation, Queued, Step, falls_with, step};
use gatehouse_domain::{ChatId, ChatType, Fence, Marker, Platform, SegmentKind, Target, TurnId};
use uuid::Uuid;

use crate::{START, at, flood, refused, sent, settled, text};

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
fn a_flood_holds_its_chat_and_a_refusal_does_not() {
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
    assert_eq!(sends(&later(flooded), 10), Some(2));
    assert_eq!(step(&later(flooded)[..2], at(10), true), Step::Rest(Some(at(62))));
    assert_eq!(sends(&later(flooded), 62), Some(0), "and then it goes first");

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
    assert_eq!(falls_with(&rows, 0), [1, 3]);
    assert_eq!(falls_with(&rows, 1), [0; 0], "one file that does not go stops no other");
    assert_eq!(falls_with(&rows, 4), [0; 0]);
    assert_eq!(falls_with(&rows, 9), [0; 0]);
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
fn a_lane_without_a_connection_rests_until_its_words_are_too_old() {
    let (a, day) = (chat("A"), 24 * 60 * 60);
    let younger = Obligation::recorded(SegmentKind::Text, at(10));
    let rows =
        [Queued { target: &a, turn: turn(1), owed: younger }, Queued { target: &a, turn: turn(2), owed: text() }];
    assert_eq!(step(&rows, at(20), false), Step::Rest(Some(at(day))));
    assert!(matches!(step(&rows, at(day), false), Step::GiveUp(1, _, GiveUp::TooOld)));
    assert_eq!(step(&[], at(0), true), Step::Rest(None));
}
