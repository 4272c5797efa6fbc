use gatehouse_domain::{Arrival, ChatType, Origin, OutboxState, ParticipantId};
use gatehouse_gateway::Error;
use gatehouse_provider::scripted::{End, say};

use crate::Result;
use crate::house::{House, channel, house_says, incidents, message, plugged, read, until};

#[test]
fn a_message_that_comes_again_is_the_same_one_wherever_its_lane_leads() -> Result {
    let slack = channel("slack")?;
    let mut house = House::open([say("Once.")], [plugged(&slack)], "")?;
    let arrival = message("D1", "17.5")?;
    let first = house.receive(&arrival, "Hello")?;
    house.at_rest(first.session)?;
    let again = house.receive(&arrival, "Hello")?;
    assert_eq!((again.admission, again.session, again.again), (first.admission, first.session, true));

    let next = house.receive(&message("D1", "18.0")?, "/new")?;
    assert_ne!(next.session, first.session);
    house.restart()?;
    for (arrival, text) in [(arrival, "Hello"), (message("D1", "18.0")?, "/new")] {
        assert!(house.receive(&arrival, text)?.again, "{text}");
    }
    let later = house.receive(&message("D1", "19.0")?, "Still there?")?;
    assert_eq!(later.session, next.session, "the line was drawn once");
    house.own.block_on(house.lab.wait_for_request(2));
    assert_eq!(house.lab.requests().len(), 2);
    Ok(())
}

#[test]
fn two_people_without_a_chat_have_a_lane_each() -> Result {
    let slack = channel("slack")?;
    let house = House::open([say("To one."), say("To two."), say("To a/b:c.")], [plugged(&slack)], "")?;
    let mut sessions = Vec::new();
    for (person, id) in [("U1", "1"), ("U2", "2"), ("a/b:c", "3")] {
        let mut arrival = message("D1", id)?;
        arrival.origin = Origin { chat: None, participant: ParticipantId::new(person).ok(), ..arrival.origin };
        let received = house.receive(&arrival, "Hello")?;
        house.at_rest(received.session)?;
        house.stands(received.turn.ok_or("no turn")?, OutboxState::Delivered)?;
        sessions.push(received.session);
    }
    sessions.dedup();
    assert_eq!(sessions.len(), 3);
    let said = ["U1", "U2", "a/b:c"].map(|person| read(&slack, person));
    assert_eq!(said, [vec!["To one."], vec!["To two."], vec!["To a/b:c."]]);
    Ok(())
}

#[test]
fn people_of_a_thread_share_one_conversation() -> Result {
    let slack = channel("slack")?;
    let house = House::open([say("One."), say("Two.")], [plugged(&slack)], "")?;
    let mut sessions = Vec::new();
    for (person, id) in [("U1", "1"), ("U2", "2")] {
        let mut arrival = message("C1", id)?;
        arrival.origin.chat_type = ChatType::Thread;
        arrival.origin.thread = "7".parse().ok();
        arrival.origin.participant = ParticipantId::new(person).ok();
        let received = house.receive(&arrival, "Hello")?;
        house.at_rest(received.session)?;
        sessions.push(received.session);
    }
    assert_eq!(sessions[0], sessions[1]);
    Ok(())
}

#[test]
fn commands_are_carried_out_and_their_words_are_owed_to_nobody() -> Result {
    let slack = channel("slack")?;
    let house = House::open([say("Working").ending(End::Hang), say("Anew.")], [plugged(&slack)], "")?;
    let first = house.receive(&message("D1", "1")?, "Work")?;
    house.own.block_on(house.lab.wait_for_request(1));
    house.receive(&message("D1", "2")?, "/stop")?;
    house.at_rest(first.session)?;
    let next = house.receive(&message("D1", "3")?, "/new")?;
    assert_ne!(next.session, first.session);
    // A command of a person's own is one for who sits at this computer.
    house.receive(&message("D1", "4")?, "!touch made")?;
    until("the answer", || (read(&slack, "D1") == ["Anew."]).then_some(()))?;
    assert!(!house.home.path().join("made").exists());
    let mut told = until("both words", || Some(house_says(&slack, "D1")).filter(|told| told.len() == 2))?;
    told.sort();
    assert_eq!(told, ["A new session begins here.", "Stopped."]);
    Ok(())
}

#[test]
fn a_lane_begins_anew_after_a_pause_unless_something_runs_in_it() -> Result {
    let slack = channel("slack")?;
    let settings = "[session]\nreset = \"idle\"\nreset_idle_minutes = 60\n";
    let house = House::open([], [plugged(&slack)], settings)?;
    let say = |id: &str| -> Result<_> {
        let received = house.receive(&message("D1", id)?, "Hello")?;
        house.at_rest(received.session)?;
        Ok(received.session)
    };
    let first = say("1")?;
    house.wait(59 * 60);
    assert_eq!(say("2")?, first);
    house.wait(61 * 60);
    let second = say("3")?;
    assert_ne!(second, first);
    house.job(second, "exec sleep 600")?;
    house.wait(61 * 60);
    assert_eq!(say("4")?, second, "something runs in it");
    Ok(())
}

#[test]
fn what_could_not_be_answered_is_not_taken_and_a_person_sees_it_once() -> Result {
    let slack = channel("slack")?;
    let house = House::open([say("Yes.")], [plugged(&slack)], "")?;
    let mut nowhere = message("D1", "1")?;
    nowhere.origin.chat = None;
    let mut unknown = message("D1", "2")?;
    unknown.origin.platform = "matrix".parse()?;
    let mut by_relay = message("D1", "3")?;
    by_relay.via_relay = true;
    let take = |arrival: &Arrival| house.does(house.gateway()?.receive(arrival.clone(), "Hello".into()));
    for _ in 0..2 {
        for message in [&nowhere, &unknown, &by_relay] {
            let refused = take(message)?;
            assert!(matches!(refused, Err(Error::Invalid(_))), "{message:?}: {refused:?}");
        }
    }
    assert_eq!(incidents(&house)?, ["message_refused"; 3]);
    let told = house.rows("SELECT detail FROM incident ORDER BY at, id")?;
    assert!(told[0].starts_with("slack: An answer to this message would have no place"), "{told:?}");
    assert!(told[1].starts_with("matrix:D1: No channel of this profile answers there."), "{told:?}");
    assert!(told[2].starts_with("slack:D1: No channel"), "a relay's message is answered through a relay: {told:?}");
    assert!(house.gateway()?.sessions()?.is_empty() && house.lab.requests().is_empty() && slack.asked().is_empty());
    // The platform itself is answered as ever.
    house.answered(&message("D1", "3")?, "Hello")?;
    house.asked(&slack, 1)?;
    Ok(())
}

#[test]
fn another_profile_s_message_enters_no_store() -> Result {
    let slack = channel("slack")?;
    let house = House::open([say("Yes.")], [plugged(&slack)], "")?;
    let mine = house.receive(&message("D1", "1")?, "Hello")?;
    house.at_rest(mine.session)?;
    let mut foreign = message("D1", "2")?;
    foreign.origin.profile = "other".parse()?;
    let refused = house.does(house.gateway()?.receive(foreign, "/stop".into()))?;
    assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
    assert_eq!(incidents(&house)?, ["message_refused"]);
    assert_eq!(house.gateway()?.sessions()?.len(), 1, "nothing began");
    assert_eq!(house.rows("SELECT key FROM incoming")?, ["1"], "nothing of it was kept");
    assert!(!house.home.path().join("data/profiles/other").exists(), "no other store was opened");
    assert_eq!(house.asked(&slack, 1)?.len(), 1);
    Ok(())
}
