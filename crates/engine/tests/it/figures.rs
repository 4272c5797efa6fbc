//! How fast the engine is here, on one thread, as a person would notice it.

use std::time::Duration;

use gatehouse_engine_wire::{Event, Role, Words};

use crate::chat::long_question;
use crate::support::{Engine, now, starter, user};

#[test]
#[ignore = "wants the starter model, and measures"]
fn figures() {
    let begun = now();
    let mut engine = Engine::start();
    let started = now().duration_since(begun);
    let facts = engine.try_load(&starter(), 4096).unwrap();
    println!("start {started:?}, load {} ms, memory about {} MB", facts.load_ms, facts.memory / 1_000_000);

    let mut messages = user(&long_question());
    let first = engine.ask(messages.clone(), 64).unwrap();
    let prompt = f64::from(first.timings.prompt_tokens) * 1000.0 / ms(first.timings.prompt_ms);
    let speech = f64::from(first.timings.answer_tokens) * 1000.0 / ms(first.timings.answer_ms);
    println!(
        "{} tokens read at {prompt:.0}/s, {} said at {speech:.0}/s",
        first.timings.prompt_tokens, first.timings.answer_tokens
    );

    messages.push(Words { role: Role::Assistant, content: first.text });
    messages.extend(user("And who saw it?"));
    let second = engine.ask(messages, 8).unwrap();
    let ratio = ms(second.timings.prompt_ms) / ms(first.timings.prompt_ms);
    println!(
        "next turn: {} of {} tokens kept, {ratio:.3} of the first reading",
        second.timings.reused, second.timings.prompt_tokens
    );

    println!("taken back while read: {:?}", median((0..7).map(|round| reading(&mut engine, round)).collect()));
    println!("taken back while answered: {:?}", median((0..7).map(|round| answering(&mut engine, round)).collect()));
}

/// Questions that share nothing, so that each is read from its beginning.
fn reading(engine: &mut Engine, round: usize) -> Duration {
    let id = engine.begin(user(&format!("{round} {}", long_question().replace("old", &round.to_string()))), 9);
    // A moment into the reading: nothing is said that one could wait for.
    std::thread::sleep(Duration::from_millis(150));
    engine.cancel(id).0
}

fn answering(engine: &mut Engine, round: usize) -> Duration {
    let id = engine.begin(user(&format!("Tell a long story about {round} boats.")), 500);
    while !matches!(engine.hear().1, Event::Delta { .. }) {}
    engine.cancel(id).0
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ms(ms: u64) -> f64 {
    (ms as f64).max(1.0)
}
