//! A computer without enough memory for the model.

use gatehouse_tests::Result;
use gatehouse_tests::desk::app::Setup;

use crate::place::Place;
use crate::talk::Talk;

/// What the engine may take: enough to start, too little for the model.
fn limited(kind: &'static str, bytes: u64) -> Result<Place> {
    Place::with_script(|engine| format!("#!/bin/sh\nexec /usr/bin/prlimit --{kind}={bytes} '{}'\n", engine.display()))
}

#[tokio::test]
async fn a_window_says_what_is_missing_and_commands_go_on() -> Result {
    let place = limited("as", 256_000_000)?;
    let setup = Setup::bare_in("engine-memory", place.house.clone())?.programs(place.programs.clone()).set_up();
    let app = setup.env("GATEHOUSE_ENGINE_THREADS", "1").open().await?;
    app.start_with_what_is_offered().await?;
    app.send("Hello").await?;
    let words = app.says("[data-kind=failed_turn]", "of memory").await?;
    println!("address space: {words}");
    assert!(words.as_str().is_some_and(|words| words.contains("smaller model")), "{words}");
    app.picture("refused").await?;
    app.send("!echo still here").await?;
    app.says("[data-process-id][data-state=exited]", "exited 0").await?;
    app.says("[data-author=machine]", "Machine note").await?;
    app.close().await
}

#[tokio::test]
async fn an_engine_that_cannot_foresee_it_is_told_of_as_well() -> Result {
    // The engine asks for its address space only; this limit is met in the middle of loading.
    let place = limited("data", 60_000_000)?;
    let mut talk = Talk::begin(&place).await?;
    let words = talk.failure("Hello").await?;
    println!("data: {words}");
    assert!(words.contains("There is not enough memory"), "{words}");
    talk.echoes().await
}
