//! The first words of an answer are shown while the agent still works, and the whole answer takes their place.

use gatehouse_channel::{Capabilities, Parcel, SendOutcome, Unsent};
use gatehouse_domain::{OutboxState, Platform, SegmentKind, TurnId};
use gatehouse_provider::scripted::{Answer, End, say};
use serde_json::json;

use crate::Result;
use crate::fake::{FakeChannel, Reply};
use crate::house::{House, channel, message, plugged, until, words};

/// Says this, and works on.
fn at_work(text: &str) -> Answer {
    say(text).and_calls([("c1", "terminal", json!({ "command": "true" }))])
}

fn refused(unsent: Unsent) -> Reply {
    Reply::Say(SendOutcome::Refused { unsent, why: "not now".into() })
}

fn fine() -> Reply {
    Reply::Say(SendOutcome::Delivered { ids: Vec::new() })
}

fn stands_there(channel: &FakeChannel) -> Vec<String> {
    channel.chat().iter().map(words).collect()
}

fn kinds(house: &House, turn: TurnId) -> Result<Vec<(SegmentKind, OutboxState)>> {
    Ok(house.owed(turn)?.iter().map(|row| (row.kind, row.state)).collect())
}

#[test]
fn the_whole_answer_takes_the_place_of_its_first_words() -> Result {
    let slack = channel("slack")?;
    let house = House::open([at_work("Let me look."), say("It is fine.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Is it?")?;
    let row = house.stands(turn, OutboxState::Delivered)?;
    assert_eq!((row.kind, row.live_message.as_deref(), row.attempts), (SegmentKind::Edit, Some("0"), 0));
    let asked = slack.asked();
    assert_eq!(words(&asked[0]), "Let me look.");
    assert!(!asked[0].notify && asked[1].notify, "the end rings the bell");
    assert!(matches!(asked[1].parcel, Parcel::Edit { .. }), "{asked:?}");
    assert_eq!((asked.len(), stands_there(&slack)), (2, vec!["It is fine.".to_owned()]));
    Ok(())
}

#[test]
fn a_declined_edit_is_the_end_and_no_file_goes() -> Result {
    let slack = channel("slack")?;
    slack.will([fine(), Reply::Say(SendOutcome::Declined { why: "not approved".into() })]);
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("plan.pdf"), "x")?;
    let names_it = format!("Here it is.\nMEDIA:{}", folder.path().join("plan.pdf").display());
    let house = House::open([at_work("Let me look."), say(&names_it)], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "The plan?")?;
    house.stands(turn, OutboxState::Declined)?;
    let declined = OutboxState::Declined;
    assert_eq!(kinds(&house, turn)?, [(SegmentKind::Edit, declined), (SegmentKind::Media, declined)]);
    // One more message shows that nothing else was to come.
    let next = house.answered(&message("D1", "2")?, "Still there?")?;
    until("the next answer's end", || kinds(&house, next).ok()?.first()?.1.is_final().then_some(()))?;
    assert_eq!(slack.asked().len(), 3);
    Ok(())
}

#[test]
fn an_edit_that_cannot_be_made_becomes_one_message_of_its_own() -> Result {
    let slack = channel("slack")?;
    slack.will([fine(), refused(Unsent::Other)]);
    let house = House::open([at_work("Let me look."), say("It is fine.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Is it?")?;
    let row = house.stands(turn, OutboxState::Delivered)?;
    assert_eq!(row.kind, SegmentKind::Text);
    assert_eq!(stands_there(&slack), ["Let me look.", "It is fine."], "said once, and without a marker");
    Ok(())
}

#[test]
fn first_words_of_a_turn_that_is_cut_off_become_what_became_of_it() -> Result {
    let slack = channel("slack")?;
    let answers = [at_work("Let me look."), say("It is").ending(End::Hang)];
    let mut house = House::open(answers, [plugged(&slack)], "")?;
    let received = house.receive(&message("D1", "1")?, "Is it?")?;
    house.asked(&slack, 1)?;
    let noted = || house.rows("SELECT live FROM incoming WHERE live IS NOT NULL").ok();
    until("where they stand", || (noted()? == ["0"]).then_some(()))?;
    house.own.block_on(house.lab.wait_for_request(2));
    house.restart()?;
    let row = house.stands(received.turn.ok_or("no turn")?, OutboxState::Delivered)?;
    assert_eq!(row.kind, SegmentKind::Edit);
    let said = stands_there(&slack);
    assert!(said.len() == 1 && !said[0].contains("Let me look"), "{said:?}");
    assert!(
        house.rows("SELECT live FROM incoming WHERE live IS NOT NULL")?.is_empty(),
        "nothing is written into it again"
    );
    Ok(())
}

#[test]
fn nothing_is_shown_that_could_not_be_changed_or_would_overtake_what_is_owed() -> Result {
    let plain = Capabilities { document: true, ..Capabilities::default() };
    let slack = FakeChannel::able(Platform::new("slack")?, plain);
    let house = House::open([at_work("Let me look."), say("It is fine.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Is it?")?;
    house.stands(turn, OutboxState::Delivered)?;
    assert_eq!(stands_there(&slack), ["It is fine."]);

    let matrix = channel("slack")?;
    matrix.will([refused(Unsent::Flood { retry_after: None })]);
    let answers = [say("First."), at_work("Let me look."), say("It is fine.")];
    let house = House::open(answers, [plugged(&matrix)], "")?;
    let first = house.answered(&message("D1", "1")?, "Hello")?;
    house.stands(first, OutboxState::Failed)?;
    let turn = house.answered(&message("D1", "2")?, "Is it?")?;
    assert_eq!(kinds(&house, turn)?, [(SegmentKind::Text, OutboxState::Pending)]);
    assert_eq!(matrix.asked().len(), 1);
    Ok(())
}
