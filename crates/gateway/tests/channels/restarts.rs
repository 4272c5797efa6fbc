//! Chats that take words of the house are told of a planned restart: once, when they can be, and only where it is wanted.

use gatehouse_channel::{SendOutcome, Unsent};
use gatehouse_provider::scripted::{Answer, say};

use crate::Result;
use crate::fake::{FakeChannel, Reply};
use crate::house::{House, channel, house_says, message, plugged, until};

const BACK: &str = "The gateway is back.";
/// Longer than a notice is news.
const TWO_DAYS_AND_MORE: u64 = 49 * 3_600;

pub fn home(platform: &str, chat: &str) -> String {
    format!("[channel.{platform}]\nhome_channel = {{ chat = \"{chat}\", thread = \"\" }}\n")
}

impl House {
    /// Somebody asks for a restart, and the shell starts the gateway again.
    fn planned_restart(&mut self) -> Result {
        let first = self.does(self.gateway()?.restart(None, false))??;
        assert!(first, "nobody had asked before");
        self.shut_down()?.join().map_err(|_| "the end broke off")?;
        self.start()
    }

    /// One more letter goes out over this channel: what was to come before it has come.
    pub fn passes(&self, slack: &FakeChannel, id: &str) -> Result {
        self.answered(&message("D9", id)?, "Still there?")?;
        until("the answer", || house_said_after(slack, id).then_some(()))
    }
}

fn house_said_after(slack: &FakeChannel, id: &str) -> bool {
    slack.chat().iter().any(|letter| letter.anchor.as_ref().is_some_and(|anchor| anchor.as_str() == id))
}

fn told(channel: &FakeChannel, chat: &str) -> Vec<String> {
    house_says(channel, chat).into_iter().filter(|words| words == BACK).collect()
}

fn always() -> Vec<Answer> {
    (0..8).map(|_| say("Yes.")).collect()
}

#[test]
fn a_chat_is_told_at_once_or_when_it_connects_and_only_where_it_is_wanted() -> Result {
    let [slack, telegram, matrix] = [channel("slack")?, channel("telegram")?, channel("matrix")?];
    let settings =
        home("slack", "C1") + &home("telegram", "C2") + &home("matrix", "C3") + "restart_notification = false\n";
    telegram.disconnect();
    let mut house = House::open(always(), [plugged(&slack), plugged(&telegram), plugged(&matrix)], &settings)?;
    house.planned_restart()?;
    house.asked(&slack, 1)?;
    // The program ends once more before the second one connects, and nobody planned that.
    house.restart()?;
    assert_eq!(telegram.asked(), []);
    telegram.connect();
    house.asked(&telegram, 1)?;
    house.restart()?;
    house.passes(&slack, "1.0")?;
    assert_eq!(told(&slack, "C1"), [BACK], "not twice for one restart");
    assert_eq!(told(&telegram, "C2"), [BACK]);
    assert_eq!(matrix.asked(), []);
    Ok(())
}

#[test]
fn what_is_refused_stays_owed_and_what_nobody_knows_is_not_said_again() -> Result {
    let [slack, telegram] = [channel("slack")?, channel("telegram")?];
    let settings = home("slack", "C1") + &home("telegram", "C2");
    let mut house = House::open(always(), [plugged(&slack), plugged(&telegram)], &settings)?;
    slack.will([Reply::Say(SendOutcome::Refused { unsent: Unsent::Other, why: "not now".into() })]);
    telegram.will([Reply::TakeAndSay(SendOutcome::Ambiguous { why: "no answer".into() })]);
    house.planned_restart()?;
    house.asked(&slack, 1)?;
    house.asked(&telegram, 1)?;
    assert_eq!(told(&slack, "C1"), [] as [&str; 0]);
    house.restart()?;
    house.asked(&slack, 2)?;
    house.passes(&slack, "1.0")?;
    assert_eq!(told(&slack, "C1"), [BACK]);
    assert_eq!(telegram.asked().len(), 1);
    Ok(())
}

#[test]
fn an_end_while_a_channel_answers_tells_nobody_twice() -> Result {
    let slack = channel("slack")?;
    let mut house = House::open(always(), [plugged(&slack)], &home("slack", "C1"))?;
    slack.will([Reply::TakeAndHang]);
    house.planned_restart()?;
    house.asked(&slack, 1)?;
    house.restart()?;
    house.passes(&slack, "1.0")?;
    assert_eq!(told(&slack, "C1"), [BACK]);
    Ok(())
}

#[test]
fn old_news_is_not_told() -> Result {
    let slack = channel("slack")?;
    slack.disconnect();
    let mut house = House::open(always(), [plugged(&slack)], &home("slack", "C1"))?;
    house.planned_restart()?;
    house.wait(TWO_DAYS_AND_MORE);
    house.restart()?;
    slack.connect();
    house.passes(&slack, "1.0")?;
    assert_eq!(told(&slack, "C1"), [] as [&str; 0]);
    Ok(())
}

#[test]
fn two_restarts_before_a_chat_connects_are_one_line() -> Result {
    let slack = channel("slack")?;
    slack.disconnect();
    let mut house = House::open(always(), [plugged(&slack)], &home("slack", "C1"))?;
    house.planned_restart()?;
    house.planned_restart()?;
    slack.connect();
    house.passes(&slack, "1.0")?;
    until("the line", || (!told(&slack, "C1").is_empty()).then_some(()))?;
    assert_eq!(told(&slack, "C1"), [BACK]);
    Ok(())
}

#[test]
fn who_asks_over_a_channel_is_told_there_once_and_a_repeated_word_does_nothing() -> Result {
    let slack = channel("slack")?;
    // The chat in which it is asked is also the one for words of the house.
    let mut house = House::open(always(), [plugged(&slack)], &home("slack", "D1"))?;
    let asks = message("D1", "1.0")?;
    house.receive(&asks, "/restart")?;
    house.does(house.gateway()?.restart_asked())?;
    house.shut_down()?.join().map_err(|_| "the end broke off")?;
    house.start()?;
    until("the line", || (!told(&slack, "D1").is_empty()).then_some(()))?;
    let again = house.receive(&asks, "/restart")?;
    assert!(again.again, "the same message came in before");
    house.passes(&slack, "2.0")?;
    assert_eq!(told(&slack, "D1"), [BACK]);
    Ok(())
}
