//! Conversations that are longer than the context.

use gatehouse_engine_wire::{Reason, RefusalCode, Role, Words};

use crate::support::{Engine, user};

const CONTEXT: u32 = 1024;
/// What an answer may have here.
const ANSWER: u32 = 24;

fn says(role: Role, content: impl Into<String>) -> Words {
    Words { role, content: content.into() }
}

/// About a hundred tokens that no other question begins with.
fn question(number: usize) -> String {
    format!("{number}. {} What did I see?", format!("I saw {number} boats in the old harbour today. ").repeat(8))
}

#[test]
#[ignore = "wants the starter model"]
fn the_oldest_messages_are_left_out_and_most_turns_read_only_what_is_new() {
    let mut engine = Engine::start();
    assert_eq!(engine.load(CONTEXT).context, CONTEXT);
    let mut messages = vec![says(Role::System, "You answer in one short sentence.")];
    let (mut cuts, mut before, mut last_prompt) = (0, 0, 0);
    for number in 0..24 {
        messages.push(says(Role::User, question(number)));
        let answer = engine.ask_shortened(messages.clone(), ANSWER).unwrap();
        assert!(!answer.text.trim().is_empty(), "{answer:?}");
        assert!(answer.timings.prompt_tokens + ANSWER <= CONTEXT, "{answer:?}");
        if answer.left_out == before {
            assert!(number == 0 || answer.timings.reused + 2 >= last_prompt, "read again: {answer:?}");
        } else {
            assert!(answer.left_out > before, "something came back: {answer:?}");
            assert!(answer.timings.prompt_tokens <= CONTEXT / 2 + 64, "too little was left out: {answer:?}");
            assert!(answer.timings.reused >= 8, "the instructions are gone, or were read again: {answer:?}");
            cuts += 1;
        }
        (before, last_prompt) = (answer.left_out, answer.timings.prompt_tokens);
        messages.push(says(Role::Assistant, answer.text));
    }
    assert!((2..=8).contains(&cuts), "{cuts} cuts in 24 turns");
}

#[test]
#[ignore = "wants the starter model"]
fn a_last_message_that_is_too_long_by_itself_is_refused_and_the_next_one_is_answered() {
    let mut engine = Engine::start();
    engine.load(CONTEXT);
    let mut messages = vec![says(Role::User, "Hello."), says(Role::Assistant, "Hello!")];
    messages.push(says(Role::User, "many words ".repeat(2_000)));
    let (code, words) = engine.ask_shortened(messages.clone(), ANSWER).unwrap_err();
    assert_eq!(code, RefusalCode::TooLong);
    assert!(words.starts_with("This message has") && words.contains("reads 1024 at most"), "{words}");
    // It stays in the conversation, and does not stand in its way.
    messages.push(says(Role::Assistant, "I could not read that."));
    messages.push(says(Role::User, "Say hello."));
    let answer = engine.ask_shortened(messages, ANSWER).unwrap();
    assert_eq!((answer.left_out, answer.reason == Reason::Cancelled), (4, false));
    assert_eq!(engine.ask_shortened(user("Say hello."), ANSWER).unwrap().left_out, 0);
}
