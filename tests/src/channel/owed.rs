use std::sync::Arc;

use futures_util::FutureExt as _;
use gatehouse_channel::{Attachment, Channel, Letter, Parcel, SendOutcome, Unsent};
use gatehouse_delivery::outbox::{FirstResponse, Moment, Move, Next, Obligation, marked};
use gatehouse_domain::{ChatId, ChatType, EpochMs, MessageId, OutboxState, Platform, SegmentKind, Target};

use super::{FakeChannel, Reply};

const NOW: EpochMs = EpochMs(1_700_000_000_000);
const MOMENT: Moment = Moment { now: NOW, relinked: false };

fn channel() -> Arc<FakeChannel> {
    FakeChannel::new(Platform::new("slack").unwrap())
}

fn letter(parcel: Parcel) -> Letter {
    let target = Target {
        platform: Platform::new("slack").unwrap(),
        chat_type: ChatType::Dm,
        chat: ChatId::new("D1").unwrap(),
        thread: None,
        participant: None,
        scope: None,
    };
    Letter { target, anchor: None, notify: true, parcel }
}

/// What a row's words become.
fn words(owed: Obligation) -> Letter {
    letter(Parcel::Text(marked("It is done.", owed.says()).into_owned()))
}

fn claimed(owed: Obligation) -> Obligation {
    match owed.next(NOW, true) {
        Next::Send(claimed) => claimed,
        other => panic!("not sent: {other:?}"),
    }
}

/// What people read, one line for each message.
fn read(channel: &FakeChannel) -> Vec<String> {
    let text = |letter: Letter| match letter.parcel {
        Parcel::Text(text) | Parcel::Edit { text, .. } => text,
        other => format!("{other:?}"),
    };
    channel.chat().into_iter().map(text).collect()
}

#[tokio::test]
async fn an_end_before_the_claim_is_not_seen() {
    let channel = channel();
    let row = Obligation::recorded(SegmentKind::Text, NOW).found(NOW);
    let sent = claimed(row);
    let done = sent.settled(sent.fence, &channel.send(&words(sent)).await, MOMENT);
    assert_eq!(done.map(|row| row.state), Some(OutboxState::Delivered));
    assert_eq!(read(&channel), ["It is done."]);
}

#[tokio::test]
async fn an_end_while_the_channel_answers_is_told_to_who_reads() {
    for (reply, seen_before) in [(Reply::TakeAndHang, 1), (Reply::Hang, 0)] {
        let channel = channel();
        channel.will([reply]);
        let row = claimed(Obligation::recorded(SegmentKind::Text, NOW));
        // Nobody waits for the answer any more: this is where the gateway ends.
        assert_eq!(channel.send(&words(row)).now_or_never(), None);
        assert_eq!(read(&channel).len(), seen_before);

        let again = claimed(row.found(NOW));
        let done = again.settled(again.fence, &channel.send(&words(again)).await, MOMENT);
        assert_eq!(done.map(|row| row.state), Some(OutboxState::Delivered));
        let said = read(&channel);
        assert_eq!(said.len(), seen_before + 1);
        assert!(said[seen_before].starts_with("(Sent again: Gatehouse was restarted"), "{said:?}");
    }
}

#[tokio::test]
async fn words_that_a_dead_connection_kept_are_sent_once() {
    let channel = channel();
    channel.disconnect();
    let row = claimed(Obligation::recorded(SegmentKind::Text, NOW));
    let failed = row.settled(row.fence, &channel.send(&words(row)).await, MOMENT).unwrap();
    assert_eq!((failed.state, failed.attempts), (OutboxState::Failed, 0));
    assert!(matches!(failed.next(NOW, false), Next::Wait(_)));

    channel.connect();
    let again = claimed(failed.linked(NOW));
    let done = again.settled(again.fence, &channel.send(&words(again)).await, MOMENT);
    assert_eq!(done.map(|row| row.state), Some(OutboxState::Delivered));
    assert_eq!(read(&channel).len(), 1);
}

/// Plays an answer that ends while another message waits, and tells how many edits, sends and uploads that took and
/// whether it is handled.
async fn play(response: &FirstResponse, channel: &FakeChannel) -> ([usize; 3], bool) {
    let mut next = response.open();
    let mut done = [0; 3];
    loop {
        next = match next {
            Move::Edit(message) => {
                done[0] += 1;
                response.after_edit(&channel.send(&letter(Parcel::Edit { message, text: "all".into() })).await)
            }
            Move::Send => {
                done[1] += 1;
                response.after_send(&channel.send(&letter(Parcel::Text("all".into()))).await)
            }
            Move::Media => {
                done[2] += 1;
                channel.send(&letter(Parcel::Document(Attachment::from("a.pdf")))).await;
                Move::Handled
            }
            Move::Handled => return (done, true),
            Move::StillOwed => return (done, false),
        };
    }
}

#[tokio::test]
async fn each_row_of_a_first_response_sends_what_it_should() {
    let why = String::new;
    let fine = || SendOutcome::Delivered { ids: Vec::new() };
    let declined = || SendOutcome::Declined { why: why() };
    let refused = || SendOutcome::Refused { unsent: Unsent::Other, why: why() };
    for (streamed, live, has_media, script, done, handled) in [
        (true, true, true, vec![], [0, 0, 1], true),
        (true, false, false, vec![], [0, 0, 0], true),
        (false, true, true, vec![fine()], [1, 0, 1], true),
        (false, true, true, vec![declined()], [1, 0, 0], true),
        (false, true, true, vec![refused(), fine()], [1, 1, 1], true),
        (false, true, true, vec![refused(), refused()], [1, 1, 0], false),
        (false, true, false, vec![refused(), fine()], [1, 1, 0], true),
        (false, false, true, vec![fine()], [0, 1, 1], true),
        (false, false, true, vec![declined()], [0, 1, 0], true),
        (false, false, true, vec![refused()], [0, 1, 0], false),
    ] {
        let channel = channel();
        channel.will(script.into_iter().map(Reply::Say));
        let live = if live { MessageId::new("7").ok() } else { None };
        let response = FirstResponse { streamed, live, has_text: true, has_media };
        assert_eq!(play(&response, &channel).await, (done, handled), "{response:?}");
        assert_eq!(channel.asked().len(), done.iter().sum::<usize>());
    }
}
