//! Answers, taking them back, and what is read again.

use gatehouse_engine_wire::{Event, Reason, Role, Words};

use crate::support::{Engine, user};

/// Some hundred tokens.
pub fn long_question() -> String {
    let line = "The harbour was quiet, and the old boats moved a little with every wave that came in. ";
    format!("{}\nWhat moved?", line.repeat(30))
}

#[test]
#[ignore = "wants the starter model"]
fn a_question_is_answered_to_its_end() {
    let mut engine = Engine::start();
    let facts = engine.load(2048);
    assert_eq!((facts.architecture.as_str(), facts.context, facts.threads), ("llama", 2048, 1));
    let answer = engine.ask(user("What is the capital of France? Answer with one word."), 64).unwrap();
    assert!(answer.text.contains("Paris"), "{answer:?}");
    assert!(!answer.text.contains("<|"), "{answer:?}");
    assert_eq!(answer.reason, Reason::Stop);
    assert!(answer.timings.prompt_tokens > 10 && answer.timings.answer_tokens > 0, "{answer:?}");
}

#[test]
#[ignore = "wants the starter model"]
fn the_length_limit_ends_an_answer() {
    let mut engine = Engine::start();
    engine.load(1024);
    let answer = engine.ask(user("Tell a long story."), 5).unwrap();
    assert_eq!((answer.reason, answer.timings.answer_tokens), (Reason::Length, 5));
}

#[test]
#[ignore = "wants the starter model"]
fn the_next_turn_reads_only_what_is_new() {
    let mut engine = Engine::start();
    engine.load(4096);
    let mut messages = user(&long_question());
    let first = engine.ask(messages.clone(), 24).unwrap();
    assert_eq!(first.timings.reused, 0);
    messages.push(Words { role: Role::Assistant, content: first.text });
    messages.extend(user("And who saw it?"));
    let second = engine.ask(messages.clone(), 24).unwrap();
    assert!(second.timings.reused >= first.timings.prompt_tokens - 2, "{second:?}");
    // The same words from the same state and from a fresh one: what is kept changes no answer.
    let mut fresh = Engine::start();
    fresh.load(4096);
    let alone = fresh.ask(messages, 24).unwrap();
    assert_eq!((alone.timings.reused, alone.text), (0, second.text));
}

#[test]
#[ignore = "wants the starter model"]
fn a_question_is_taken_back_while_it_is_read_and_while_it_is_answered() {
    let mut engine = Engine::start();
    engine.load(4096);
    let id = engine.begin(user(&long_question()), 64);
    let (_, answer) = engine.cancel(id);
    assert_eq!((answer.reason, answer.timings.answer_tokens), (Reason::Cancelled, 0));

    let id = engine.begin(user("Tell a long story."), 1000);
    while !matches!(engine.hear().1, Event::Delta { .. }) {}
    let (_, answer) = engine.cancel(id);
    assert_eq!(answer.reason, Reason::Cancelled);
    assert_eq!(engine.ask(user("Say hello."), 4).unwrap().reason, Reason::Length);
}

#[test]
#[ignore = "wants the starter model"]
fn the_engine_ends_with_its_client_also_in_the_middle_of_an_answer() {
    let mut engine = Engine::start();
    engine.load(4096);
    engine.begin(user(&long_question()), 1000);
    let (status, time) = engine.leave();
    assert!(status.success(), "{status}");
    assert!(time.as_secs() < 5, "{time:?}");
}
