//! Rounds, cards and the ways a turn ends by itself.

use std::sync::Arc;

use gatehouse_agent::{Limits, Outcome};
use gatehouse_domain::{CardStatus, Exit, FailureCode, StoppedBy};
use gatehouse_provider::{Message, ModelEvent};

use crate::house::{Fact, House, call, done, fails, program, says, terminal, text};

#[tokio::test(start_paused = true)]
async fn words_alone_end_the_turn() {
    let thought = Ok(ModelEvent::Reasoning("hm".to_owned()));
    let house = Arc::new(House::new(vec![vec![thought, text("Hel"), text(""), text("lo"), done(Vec::new())]], &[]));
    let Outcome::Done { text_item, text, reasoning } = house.run().await else { panic!("not done") };
    assert_eq!((text.as_str(), reasoning.as_str()), ("Hello", "hm"));
    let item = text_item.expect("words have an item");
    let facts = house.facts();
    let deltas = [Fact::Delta("Hel".to_owned()), Fact::Delta("lo".to_owned())];
    assert_eq!(facts[..2], [Fact::Requested, Fact::TextBegun(item)]);
    assert_eq!(facts[2..4], deltas);
    assert!(!house.scope.finish(), "the scope is finished with the turn");
}

#[tokio::test(start_paused = true)]
async fn three_calls_of_one_tool_keep_their_own_cards() {
    let calls = vec![
        terminal("call_0", "sleep 0.9; echo first"),
        terminal("call_1", "sleep 0.1; echo second; exit 9"),
        terminal("call_2", "sleep 0.5; echo first"),
    ];
    let house = House::new(
        vec![vec![done(calls)], says("ok")],
        &[
            ("sleep 0.9; echo first", program(900, 0, "first\n")),
            ("sleep 0.1; echo second; exit 9", program(100, 9, "second\n")),
            ("sleep 0.5; echo first", program(500, 0, "first\n")),
        ],
    );
    let house = Arc::new(house);
    assert!(matches!(house.run().await, Outcome::Done { .. }));

    let Some(Fact::Answered(answer, cards)) = house.facts().into_iter().find(|fact| matches!(fact, Fact::Answered(..)))
    else {
        panic!("no answer")
    };
    assert_eq!((answer.text_item, answer.text.as_str()), (None, ""));
    for (fact, title) in answer.calls.iter().zip(["sleep 0.9", "sleep 0.1", "sleep 0.5"]) {
        assert!(fact.title.contains(title), "{fact:?}");
    }
    let ends = house.ends();
    assert_eq!(ends.iter().map(|(card, _)| *card).collect::<Vec<_>>(), [cards[1], cards[2], cards[0]]);
    let told: Vec<_> = ends.iter().map(|(_, end)| (end.status, end.exit, end.output.trim())).collect();
    assert_eq!(
        told,
        [
            (CardStatus::Error, Some(Exit::Code(9)), "second"),
            (CardStatus::Complete, Some(Exit::Code(0)), "first"),
            (CardStatus::Complete, Some(Exit::Code(0)), "first"),
        ]
    );
    // What the model reads next is in its own order, whatever ended first.
    let requests = house.requests.lock().expect("no panic").clone();
    assert_eq!(requests.len(), 2);
    let results = requests[1].messages.iter().filter_map(|message| match message {
        Message::ToolResult { call_id, .. } => Some(call_id.0.as_str()),
        _ => None,
    });
    assert_eq!(results.collect::<Vec<_>>(), ["call_0", "call_1", "call_2"]);
    assert_eq!(requests[0].tools, requests[1].tools);
    assert_eq!(requests[1].messages[..requests[0].messages.len()], requests[0].messages);
    let requested = house.facts().iter().filter(|fact| **fact == Fact::Requested).count();
    assert_eq!(requested, 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_says_meanwhile_is_read_with_the_results() {
    let scripts = vec![vec![done(vec![terminal("a", "make")])], says("ok")];
    let house = Arc::new(House::new(scripts, &[("make", program(10, 0, "made\n"))]));
    *house.said.lock().expect("no panic") = vec!["and test it".to_owned(), "twice".to_owned()];
    assert!(matches!(house.run().await, Outcome::Done { .. }));
    let requests = house.requests.lock().expect("no panic");
    assert!(matches!(requests[0].messages.last(), Some(Message::User(words)) if !words.contains("twice")));
    let [.., Message::ToolResult { .. }, Message::User(words)] = &requests[1].messages[..] else {
        panic!("not read: {:?}", requests[1].messages)
    };
    assert_eq!(words, "and test it\n\ntwice");
}

#[tokio::test(start_paused = true)]
async fn half_an_answer_runs_nothing() {
    let begun = || Ok(ModelEvent::CallBegun { id: terminal("c", "x").id, name: "terminal".to_owned() });
    for script in [vec![text("I will"), begun(), fails(FailureCode::CutOff)], vec![text("I will"), begun()]] {
        let house = Arc::new(House::new(vec![script], &[]));
        let Outcome::Failed { code, partial, retryable, text_item, .. } = house.run().await else {
            panic!("not failed")
        };
        assert_eq!((code, partial.as_str(), retryable), (FailureCode::CutOff, "I will", true));
        assert!(text_item.is_some());
        assert!(house.cards().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_an_effect_is_not_run_again() {
    let house =
        Arc::new(House::new(vec![vec![done(vec![terminal("a", "ls")])], vec![fails(FailureCode::RateLimited)]], &[]));
    let Outcome::Failed { code, message, retryable, partial, .. } = house.run().await else { panic!("not failed") };
    assert_eq!(
        (code, message.as_str(), retryable, partial.as_str()),
        (FailureCode::RateLimited, "Fake broke off.", false, "")
    );
}

#[tokio::test(start_paused = true)]
async fn rounds_have_an_end() {
    let scripts = (0..3).map(|round| vec![done(vec![terminal(&format!("c{round}"), "ls")])]).collect();
    let mut house = House::new(scripts, &[]);
    house.limits = Limits { rounds: 2, ..Limits::default() };
    let house = Arc::new(house);
    let Outcome::Failed { code, .. } = house.run().await else { panic!("not failed") };
    assert_eq!(code, FailureCode::TooManySteps);
    assert_eq!(house.ends().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_fact_that_cannot_be_kept_ends_the_turn_in_its_words() {
    for what in ["requested", "text_begun", "answered", "ask", "begin", "ended"] {
        let calls = vec![terminal("a", "make"), terminal("b", "make all")];
        let mut house = House::new(vec![vec![text("on it"), done(calls)], says("ok")], &[]);
        house.approvals = gatehouse_domain::ApprovalMode::Ask;
        *house.broken.lock().expect("no panic") = Some(what);
        let house = Arc::new(house);
        let Outcome::Failed { code, message, .. } = house.run().await else { panic!("not failed: {what}") };
        assert_eq!((code, message.as_str()), (FailureCode::Internal, "The folder /data is full."), "{what}");
        let begun = house.facts().iter().filter(|fact| matches!(fact, Fact::Started(_))).count();
        assert!(begun == 0 || what == "ended", "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_turn_leaves_no_command_behind() {
    let calls = vec![terminal("a", "quick"), terminal("b", "slow")];
    let programs = [("quick", program(10, 0, "")), ("slow", program(99_000, 0, ""))];
    let house = Arc::new(House::new(vec![vec![done(calls)]], &programs));
    *house.broken.lock().expect("no panic") = Some("ended");
    assert!(matches!(house.run().await, Outcome::Failed { retryable: false, .. }));
    assert_eq!(house.ends().len(), 2, "each end was tried once");
    let stopped = house.facts().into_iter().filter(|fact| matches!(fact, Fact::Stopped(_, StoppedBy::TurnStop)));
    assert_eq!(stopped.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_the_turn_and_nothing_else() {
    let calls = vec![terminal("a", "panic"), call("b", "process", serde_json::json!({ "action": "list" }))];
    let house = Arc::new(House::new(vec![vec![done(calls)]], &[]));
    let Outcome::Failed { code, retryable, .. } = house.run().await else { panic!("not failed") };
    assert_eq!((code, retryable), (FailureCode::Internal, false));
}
