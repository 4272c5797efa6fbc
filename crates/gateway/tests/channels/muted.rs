//! A channel may be spared what nobody asked about: then that stays in the house, where it can be read.

use gatehouse_channel::Parcel;
use gatehouse_domain::{OutboxState, ParticipantId};
use gatehouse_provider::scripted::{End, say};

use crate::Result;
use crate::house::{House, channel, house_says, incidents, message, plugged, read, until};

const MUTED: &str = "[channel.slack]\nmute_diagnostics = true\n";
const OWED: &str = "SELECT kind || ' ' || category || ' ' || state FROM outbox ORDER BY seq";

#[test]
fn the_answer_to_a_failure_is_not_sent_where_it_is_muted_also_after_a_kill() -> Result {
    let slack = channel("slack")?;
    let answers =
        [say("Yes."), say("It f").ending(End::Hang), say("It failed."), say("It is done."), say("Still here.")];
    let mut house = House::open(answers, [plugged(&slack)], MUTED)?;
    let received = house.receive(&message("D1", "1")?, "Hello")?;
    house.at_rest(received.session)?;
    house.job(received.session, "false")?;
    house.own.block_on(house.lab.wait_for_request(2));
    // What it is about is known by the input, not by this run.
    house.restart()?;
    house.own.block_on(house.lab.wait_for_request(3));
    house.at_rest(received.session)?;
    let expected = ["text result delivered", "text diagnostic suppressed"];
    until("the answer's end", || (house.rows(OWED).ok()? == expected).then_some(()))?;

    house.job(received.session, "true")?;
    house.own.block_on(house.lab.wait_for_request(4));
    house.at_rest(received.session)?;
    let turn = house.answered(&message("D1", "2")?, "Still there?")?;
    house.stands(turn, OutboxState::Delivered)?;
    assert_eq!(read(&slack, "D1"), ["Yes.", "It is done.", "Still here."]);
    assert_eq!(incidents(&house)?, [] as [&str; 0], "somebody wanted it so");
    let words = house.rows("SELECT last_error FROM outbox WHERE state = 'suppressed'")?;
    assert_eq!(words, ["this channel is spared such words"]);
    Ok(())
}

#[test]
fn lines_about_processes_go_to_their_chat_and_failures_stay_out_where_they_are_muted() -> Result {
    for (settings, told, last) in [
        ("", 2, "notice diagnostic delivered"),
        (MUTED, 1, "notice diagnostic suppressed"),
        ("[channel.slack]\nignored_channels = [\"D1\"]\n", 0, "notice diagnostic suppressed"),
    ] {
        let slack = channel("slack")?;
        let house = House::open([say("Yes.")], [plugged(&slack)], settings)?;
        let received = house.receive(&message("D1", "1")?, "Hello")?;
        house.at_rest(received.session)?;
        for (command, rows) in [("true", 2), ("false", 3)] {
            house.quiet_job(received.session, command)?;
            until("its line", || (house.rows(OWED).ok()?.len() == rows).then_some(()))?;
        }
        until("the last one's end", || (house.rows(OWED).ok()?.pop()? == last).then_some(()))?;
        let lines = house_says(&slack, "D1");
        assert_eq!((lines.len(), read(&slack, "D1").len()), (told, 1), "{settings:?}: {lines:?}");
        assert!(lines.first().is_none_or(|line| line.starts_with("true exited with code 0")), "{lines:?}");
        let shown = house.rows("SELECT text FROM item WHERE kind = 'notice' ORDER BY n")?;
        assert_eq!(shown.len(), 2, "the window shows both: {shown:?}");
    }
    Ok(())
}

#[test]
fn a_line_for_one_person_is_seen_by_that_one_where_it_is_set_so() -> Result {
    let slack = channel("slack")?;
    let house = House::open([say("Yes.")], [plugged(&slack)], "[channel.slack]\nnotice_delivery = \"private\"\n")?;
    let mut arrival = message("D1", "1")?;
    arrival.origin.participant = ParticipantId::new("U1").ok();
    let received = house.receive(&arrival, "Hello")?;
    house.at_rest(received.session)?;
    house.quiet_job(received.session, "true")?;
    let asked = house.asked(&slack, 2)?;
    let Parcel::PrivateNotice { to, text } = &asked[1].parcel else { panic!("{:?}", asked[1]) };
    assert_eq!(to.as_str(), "U1");
    assert!(text.starts_with("true exited"), "{text}");
    Ok(())
}
