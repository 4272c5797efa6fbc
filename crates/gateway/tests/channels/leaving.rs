use gatehouse_channel::{Channel as _, SendOutcome, Unsent};
use gatehouse_domain::{ChatId, ChatType, Marker, Origin, OutboxState, ParticipantId, Platform, ScopeId, SegmentKind};
use gatehouse_provider::scripted::{End, response, say};
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::Result;
use crate::fake::Reply;
use crate::house::{House, channel, house_says, incidents, message, plugged, read, until, words};
use crate::relay::FakeRelay;

fn refused(unsent: Unsent) -> Reply {
    Reply::Say(SendOutcome::Refused { unsent, why: "not now".into() })
}

/// A file, and an answer that hands it over.
fn plan() -> Result<(TempDir, String)> {
    let folder = tempfile::tempdir()?;
    let plan = folder.path().join("plan.pdf");
    std::fs::write(&plan, "x")?;
    Ok((folder, format!("Here it is.\nMEDIA:{}", plan.display())))
}

#[test]
fn an_answer_leaves_once_and_quotes_what_it_answers() -> Result {
    let slack = channel("slack")?;
    let mut house = House::open([say("Good evening.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "17.5")?, "Hello")?;
    let row = house.stands(turn, OutboxState::Delivered)?;
    assert_eq!((row.ledger.as_str(), row.anchor.as_deref(), row.attempts), ("17.5", Some("17.5"), 0));
    house.restart()?;
    // Something else that leaves shows that nothing of the first is left.
    house.answered(&message("D2", "18.0")?, "And you?")?;
    let asked = house.asked(&slack, 2)?;
    assert_eq!(asked.iter().map(|letter| letter.target.chat.as_str()).collect::<Vec<_>>(), ["D1", "D2"]);
    assert_eq!(asked[0].anchor.as_ref().map(|anchor| anchor.as_str()), Some("17.5"));
    assert_eq!(read(&slack, "D1"), ["Good evening."]);
    assert_eq!(slack.primed().len(), 2);
    Ok(())
}

#[test]
fn two_messages_of_one_topic_with_one_answer_are_owed_apart() -> Result {
    let slack = channel("slack")?;
    let house = House::open([say("Done."), say("Done.")], [plugged(&slack)], "")?;
    let mut owed = Vec::new();
    for id in ["41", "42"] {
        let mut arrival = message("C1", id)?;
        arrival.origin.chat_type = ChatType::Group;
        arrival.origin.thread = "7".parse().ok();
        arrival.anchor = None;
        let turn = house.answered(&arrival, "Do it")?;
        let row = house.stands(turn, OutboxState::Delivered)?;
        owed.push((row.ledger, row.anchor));
    }
    assert_eq!(owed, [("41".into(), None), ("42".into(), None)]);
    assert_eq!(read(&slack, "C1"), ["Done.", "Done."]);
    Ok(())
}

#[test]
fn a_platform_that_wants_a_pause_gets_one_in_every_chat_and_then_the_words_in_order() -> Result {
    let slack = channel("slack")?;
    slack.will([refused(Unsent::Flood { retry_after: Some(std::time::Duration::from_secs(1000)) })]);
    let house = House::open([say("First."), say("Other."), say("Third.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Hello")?;
    let row = house.stands(turn, OutboxState::Failed)?;
    assert_eq!((row.marker, row.attempts), (Some(Marker::RateLimit), 0));

    house.wait(900);
    let other = house.answered(&message("D2", "2")?, "Hello")?;
    house.stands(other, OutboxState::Pending)?;
    let row = house.stands(turn, OutboxState::Failed)?;
    assert_eq!((row.attempts, slack.asked().len()), (0, 1), "nothing is sent and nothing is spent");

    house.wait(101);
    house.answered(&message("D2", "3")?, "Hello")?;
    let row = house.stands(turn, OutboxState::Delivered)?;
    assert_eq!(row.attempts, 1);
    let asked = house.asked(&slack, 4)?;
    let chats: Vec<_> = asked.iter().map(|letter| letter.target.chat.as_str()).collect();
    assert_eq!(chats, ["D1", "D1", "D2", "D2"], "no chat was told while the platform wanted none to be");
    let said = read(&slack, "D1");
    assert!(said.len() == 1 && said[0].starts_with("(Sent late") && said[0].ends_with("\n\nFirst."), "{said:?}");
    Ok(())
}

#[test]
fn a_refused_answer_is_not_the_next_one_with_the_same_words() -> Result {
    let slack = channel("slack")?;
    slack.will([refused(Unsent::Other)]);
    let house = House::open([say("Done."), say("Done."), say("Else.")], [plugged(&slack)], "")?;
    let first = house.answered(&message("D1", "1")?, "Do it")?;
    house.stands(first, OutboxState::Failed)?;
    let second = house.answered(&message("D1", "2")?, "Do it again")?;
    house.stands(second, OutboxState::Delivered)?;
    assert_eq!(house.stands(first, OutboxState::Failed)?.attempts, 0);

    house.wait(31);
    house.answered(&message("D2", "3")?, "Something else")?;
    house.stands(first, OutboxState::Delivered)?;
    let said = read(&slack, "D1");
    assert_eq!(said[0], "Done.");
    assert!(said[1].starts_with("(Sent again: the channel") && said[1].ends_with("\n\nDone."), "{said:?}");
    Ok(())
}

#[test]
fn what_a_crash_leaves_on_its_way_is_sent_once_more_with_a_word_about_it() -> Result {
    let slack = channel("slack")?;
    slack.will([Reply::TakeAndHang]);
    let mut house = House::open([say("It is done.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Do it")?;
    house.asked(&slack, 1)?;
    house.restart()?;
    let row = house.stands(turn, OutboxState::Delivered)?;
    assert_eq!((row.marker, row.attempts), (Some(Marker::Restart), 1));
    house.restart()?;
    house.stands(turn, OutboxState::Delivered)?;
    let said = read(&slack, "D1");
    assert_eq!(said.len(), 2);
    assert!(said[1].starts_with("(Sent again: Gatehouse was restarted"), "{said:?}");
    assert_eq!(house.lab.requests().len(), 1, "the model was asked once");
    Ok(())
}

#[test]
fn nothing_is_spent_on_a_channel_that_is_down_and_the_words_come_plain() -> Result {
    let slack = channel("slack")?;
    slack.disconnect();
    let mut house = House::open([say("It is done.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Do it")?;
    for _ in 0..4 {
        house.restart()?;
        let row = house.stands(turn, OutboxState::Pending)?;
        assert_eq!((row.attempts, row.fence.0), (0, 0));
        house.wait(5 * 60 * 60);
    }
    assert!(slack.asked().is_empty());
    slack.connect();
    house.stands(turn, OutboxState::Delivered)?;
    assert_eq!(read(&slack, "D1"), ["It is done."]);
    Ok(())
}

#[test]
fn what_a_dead_connection_kept_goes_with_the_next_one() -> Result {
    let slack = channel("slack")?;
    slack.will([refused(Unsent::Degraded)]);
    let house = House::open([say("It is done.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Do it")?;
    let row = house.stands(turn, OutboxState::Failed)?;
    assert_eq!((row.attempts, row.not_before), (0, None));
    slack.connect();
    assert_eq!(house.stands(turn, OutboxState::Delivered)?.attempts, 1);
    assert_eq!(read(&slack, "D1").len(), 1);
    Ok(())
}

#[test]
fn words_older_than_a_day_are_given_up_where_a_person_sees_it() -> Result {
    let slack = channel("slack")?;
    slack.disconnect();
    let mut house = House::open([say("It is done.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Do it")?;
    house.wait(24 * 60 * 60);
    house.restart()?;
    let row = house.stands(turn, OutboxState::Abandoned)?;
    assert_eq!((row.attempts, row.last_error.as_str()), (0, "not sent for a day"));
    assert_eq!(incidents(&house)?, ["outbox_abandoned"]);
    Ok(())
}

#[test]
fn nothing_else_goes_to_a_place_that_was_declined() -> Result {
    let slack = channel("slack")?;
    slack.will([Reply::Say(SendOutcome::Declined { why: "not approved".into() })]);
    let (_folder, names_it) = plan()?;
    let house = House::open([say(&names_it)], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "The plan, please")?;
    house.stands(turn, OutboxState::Declined)?;
    let owed = house.owed(turn)?;
    let stand: Vec<_> = owed.iter().map(|row| (row.kind, row.state)).collect();
    assert_eq!(stand, [(SegmentKind::Text, OutboxState::Declined), (SegmentKind::Media, OutboxState::Declined)]);
    assert_eq!((incidents(&house)?, slack.asked().len()), (vec!["outbox_declined".to_owned()], 1));
    Ok(())
}

#[test]
fn a_file_that_is_another_one_by_now_does_not_go_and_its_words_do() -> Result {
    let slack = channel("slack")?;
    slack.disconnect();
    let (folder, names_it) = plan()?;
    let house = House::open([say(&names_it)], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "The plan, please")?;
    std::fs::remove_file(folder.path().join("plan.pdf"))?;
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("plan.pdf"))?;
    slack.connect();
    house.stands(turn, OutboxState::Delivered)?;
    let file = until("the file's end", || house.owed(turn).ok()?.pop().filter(|row| row.state.is_final()))?;
    assert_eq!((file.kind, file.state), (SegmentKind::Media, OutboxState::Declined));
    assert!(file.last_error.contains("part of the system"), "{}", file.last_error);
    assert_eq!((read(&slack, "D1"), incidents(&house)?), (vec!["Here it is.".into()], vec!["outbox_declined".into()]));
    Ok(())
}

#[test]
fn a_file_goes_after_its_words_and_again_when_it_is_named_again() -> Result {
    let slack = channel("slack")?;
    let (_folder, names_it) = plan()?;
    let house = House::open([say(&names_it), say(&names_it)], [plugged(&slack)], "")?;
    for id in ["1", "2"] {
        house.answered(&message("D1", id)?, "The plan, please")?;
    }
    let asked = house.asked(&slack, 4)?;
    let said: Vec<_> = asked.iter().map(words).collect();
    assert_eq!((said[0].as_str(), said[2].as_str()), ("Here it is.", "Here it is."));
    assert!(said[1].starts_with("Document(") && said[1] == said[3], "{said:?}");
    Ok(())
}

#[test]
fn a_shutdown_waits_for_a_letter_on_its_way() -> Result {
    let slack = channel("slack")?;
    let (answer, word) = oneshot::channel();
    slack.will([Reply::Wait(word)]);
    let mut house = House::open([say("It is done.")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Do it")?;
    house.asked(&slack, 1)?;
    let gateway = house.gateway()?.clone();
    let session = house.receive(&message("D1", "1")?, "Do it")?.session;
    let down = house.shut_down()?;
    // It goes down: nothing begins any more.
    until("a shutdown", || house.own.block_on(gateway.resume_queue(session)).is_err().then_some(()))?;
    drop(gateway);
    assert!(!down.is_finished(), "it waits");
    answer.send(SendOutcome::Delivered { ids: Vec::new() }).map_err(|_| "nobody waits for the channel")?;
    down.join().map_err(|_| "the shutdown failed")?;
    house.start()?;
    let row = house.stands(turn, OutboxState::Delivered)?;
    assert_eq!((row.marker, row.attempts), (None, 0));
    assert_eq!(read(&slack, "D1"), ["It is done."]);
    Ok(())
}

#[test]
fn what_a_relay_brought_is_answered_through_it_and_declined_where_it_knows_nobody() -> Result {
    let native = channel("slack")?;
    let relay = FakeRelay::new(Platform::new("relay")?, [Platform::new("slack")?, Platform::new("discord")?]);
    let house = House::open([say("One."), say("Two."), say("Three.")], [plugged(&native), plugged(&relay)], "")?;
    let mut group = message("C1", "1")?;
    group.via_relay = true;
    group.origin = Origin {
        chat_type: ChatType::Group,
        participant: ParticipantId::new("U1").ok(),
        scope: ScopeId::new("T1").ok(),
        ..group.origin
    };
    let turn = house.answered(&group, "Hello")?;
    house.stands(turn, OutboxState::Delivered)?;
    assert_eq!((relay.line().chat().len(), native.asked().len()), (1, 0));

    let mut unknown = group.clone();
    unknown.origin.scope = None;
    unknown.origin.chat = ChatId::new("C2").ok();
    unknown.inbound = "2".parse().ok();
    let turn = house.answered(&unknown, "Hello")?;
    house.stands(turn, OutboxState::Declined)?;

    let turn = house.answered(&message("D1", "3")?, "Hello")?;
    house.stands(turn, OutboxState::Delivered)?;
    assert_eq!((relay.line().chat().len(), read(&native, "D1")), (1, vec!["Three.".to_owned()]));
    assert!(relay.fronts(&Platform::new("discord")?));
    Ok(())
}

#[test]
fn a_turn_without_an_answer_says_so_to_who_asked() -> Result {
    let slack = channel("slack")?;
    let house = House::open([response(401, "application/json", "{}")], [plugged(&slack)], "")?;
    let turn = house.answered(&message("D1", "1")?, "Hello")?;
    house.stands(turn, OutboxState::Delivered)?;
    let said = read(&slack, "D1");
    assert!(said.len() == 1 && said[0].contains("key"), "{said:?}");
    Ok(())
}

#[test]
fn only_a_turn_that_nobody_asked_for_may_be_silent() -> Result {
    let slack = channel("slack")?;
    let answers = [say("NO_REPLY"), say("NO_REPLY"), say("The job is done.")];
    let house = House::open(answers, [plugged(&slack)], "")?;
    let received = house.receive(&message("D1", "1")?, "Nothing new?")?;
    let said = until("words for a person", || read(&slack, "D1").pop())?;
    assert!(said.contains("nothing to say"), "{said}");
    for _ in 0..2 {
        let before = house.lab.requests().len();
        house.job(received.session, "true")?;
        house.own.block_on(house.lab.wait_for_request(before + 1));
        house.at_rest(received.session)?;
    }
    let asked = house.asked(&slack, 2)?;
    assert_eq!((words(&asked[1]).as_str(), asked[1].anchor.clone()), ("The job is done.", None));
    assert_eq!(asked.len(), 2, "the silent one left nothing");
    Ok(())
}

#[test]
fn a_report_cuts_no_turn_short_and_nobody_is_told_that_it_waits() -> Result {
    let slack = channel("slack")?;
    let answers = [say("Thinking about it.").ending(End::Hang), say("The job is done.")];
    // A message of a person would end the turn.
    let house = House::open(answers, [plugged(&slack)], "[session]\nbusy = \"interrupt\"\n")?;
    let session = house.receive(&message("D1", "1")?, "Think")?.session;
    house.own.block_on(house.lab.wait_for_request(1));
    house.job(session, "true")?;
    let jobs = || house.gateway().ok()?.processes(Some(session), true).ok();
    until("the job's end", || jobs()?.first().filter(|row| row.state.is_final()).map(|_| ()))?;
    house.lab.release();
    until("both answers", || (read(&slack, "D1") == ["Thinking about it.", "The job is done."]).then_some(()))?;
    assert_eq!((house_says(&slack, "D1"), house.lab.requests().len()), (Vec::<String>::new(), 2));
    Ok(())
}

#[test]
fn a_message_that_waits_is_told_so_and_what_is_cut_short_says_nothing() -> Result {
    let slack = channel("slack")?;
    let answers = [say("Thinking about it").ending(End::Hang), say("The second.")];
    let house = House::open(answers, [plugged(&slack)], "")?;
    let first = house.receive(&message("D1", "1")?, "First")?;
    house.own.block_on(house.lab.wait_for_request(1));
    let second = house.receive(&message("D1", "2")?, "Second")?;
    assert_eq!((second.session, second.turn), (first.session, None));
    house.asked(&slack, 2)?;
    until("the answer", || (read(&slack, "D1") == ["The second."]).then_some(()))?;
    let told = house_says(&slack, "D1");
    assert!(told.len() == 1 && told[0].starts_with("The turn is cut short"), "{told:?}");
    let cut = first.turn.ok_or("no turn")?;
    assert!(house.owed(cut)?.is_empty());
    Ok(())
}
