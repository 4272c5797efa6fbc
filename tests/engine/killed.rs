//! An engine that dies in the middle of an answer.

use gatehouse_tests::Result;
use gatehouse_tests::os::{self, Signal};

use crate::place::Place;
use crate::talk::Talk;

const STORY: &str = "Tell me a very long story about a boat. Use at least a thousand words.";

#[tokio::test]
async fn its_turn_fails_in_words_and_the_next_one_is_answered_by_another() -> Result {
    let place = Place::new()?;
    let mut talk = Talk::begin(&place).await?;
    talk.say(STORY).await?;
    talk.speaks().await?;
    let first = talk.engine(&place)?;
    assert!(os::signal(first, Signal::KILL)?);
    let words = talk.failed().await?;
    println!("killed: {words}");
    assert!(words.contains("the engine is gone") && words.contains("memory ran out"), "{words}");
    os::ended(first).await?;

    talk.answer("Say hello.").await?;
    let second = talk.engine(&place)?;
    assert_ne!(first, second);
    talk.echoes().await?;
    // It goes with its gateway.
    talk.server.term().await?;
    os::ended(second).await
}

#[tokio::test]
async fn a_gateway_that_is_killed_leaves_no_engine_behind() -> Result {
    let place = Place::new()?;
    let mut talk = Talk::begin(&place).await?;
    talk.say(STORY).await?;
    talk.speaks().await?;
    let engine = talk.engine(&place)?;
    talk.server.kill9()?;
    os::ended(engine).await
}
