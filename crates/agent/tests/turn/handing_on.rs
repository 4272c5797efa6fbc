//! Tasks that are handed on.

use std::sync::Arc;

use gatehouse_agent::{Outcome, Task};
use gatehouse_domain::CardStatus;
use gatehouse_provider::Message;
use serde_json::{Value, json};

use crate::house::{Fact, House, call, done, says};

async fn handing_on(hands_on: Option<Result<(), &'static str>>, tasks: Value) -> Arc<House> {
    let called = done(vec![call("c", "delegate", json!({ "tasks": tasks }))]);
    let mut house = House::new(vec![vec![called], says("ok")], &[]);
    house.hands_on = hands_on;
    house.secrets = vec!["swordfish-9"];
    let house = Arc::new(house);
    assert!(matches!(house.run().await, Outcome::Done { .. }));
    house
}

fn handed_on(house: &House) -> Vec<Task> {
    let tasks = |fact| match fact {
        Fact::Delegated(tasks) => Some(tasks),
        _ => None,
    };
    house.facts().into_iter().find_map(tasks).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn tasks_are_handed_on_and_the_call_ends_at_once() {
    let goal = "read swordfish-9\nand sum up";
    let house = handing_on(Some(Ok(())), json!([{ "goal": goal, "context": "in /srv" }, { "goal": "count" }])).await;
    let handed = handed_on(&house);
    assert!(!handed[0].title.contains("swordfish-9") && handed[0].title.ends_with("and sum up"), "{handed:?}");
    assert_eq!(handed[0].text, format!("{goal}\n\nWhat you need to know:\nin /srv"));
    assert_eq!(handed[1], Task { title: "count".to_owned(), text: "count".to_owned() });
    let (result, (_, end)) = (house.result(), house.ends().remove(0));
    assert_eq!((&result["status"], &result["tasks"]), (&json!("delegated"), &json!(2)));
    assert!(result["delegation_id"].as_str().is_some_and(|id| !id.is_empty()));
    assert_eq!((end.status, end.keep_open), (CardStatus::Complete, false));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_says_why_nothing_was_handed_on() {
    let house = handing_on(Some(Err("Four are at work.")), json!([{ "goal": "count" }])).await;
    assert_eq!(house.result()["error"], "Nothing was handed on. Four are at work.");
    assert_eq!(house.ends()[0].1.status, CardStatus::Error);
}

#[tokio::test(start_paused = true)]
async fn a_sub_agent_hands_nothing_on_and_is_told_what_it_is() {
    for (hands_on, tools, told) in [
        (Some(Ok(())), ["terminal", "process", "delegate"].as_slice(), "You are the agent"),
        (None, &["terminal", "process"], "You are a sub-agent"),
    ] {
        let house = handing_on(hands_on, json!([{ "goal": "count" }])).await;
        assert_eq!(handed_on(&house).len(), usize::from(hands_on.is_some()));
        let requests = house.requests.lock().expect("no panic");
        let names: Vec<_> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, tools);
        assert!(matches!(&requests[0].messages[0], Message::System(words) if words.starts_with(told)), "{hands_on:?}");
    }
}
