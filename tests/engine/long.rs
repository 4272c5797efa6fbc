//! A conversation that is longer than the model's context.

use std::fs;

use gatehouse_tests::Result;

use crate::place::Place;
use crate::talk::Talk;

/// The engine takes as much context as the memory has room for: here that is the least of all, and read soon.
const BYTES: u64 = 335_000_000;

#[tokio::test]
async fn the_talk_goes_on_when_it_is_longer_than_the_context() -> Result {
    let place =
        Place::with_script(|engine| format!("#!/bin/sh\nexec /usr/bin/prlimit --as={BYTES} '{}'\n", engine.display()))?;
    let mut talk = Talk::begin(&place).await?;
    // Each fits by itself, and leaves no room for the other one.
    talk.say(&long(40)).await?;
    talk.speaks().await?;
    talk.stop().await?;
    talk.answer(&long(52)).await?;
    let log = fs::read_to_string(place.house.stderr())?;
    let told = log.lines().find(|line| line.contains("longer than the model's context"));
    println!("{}", told.unwrap_or("nothing was left out"));
    assert!(told.is_some_and(|line| line.trim_end().ends_with('2')), "{log}");
    talk.say("Say hello again.").await?;
    talk.speaks().await?;
    talk.stop().await
}

/// About fifteen tokens a line.
fn long(lines: usize) -> String {
    let line = format!("In the harbour of town number {lines} lay many old boats. ");
    format!("{} Say hello.", line.repeat(lines))
}
