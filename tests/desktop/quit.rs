//! Leaving with jobs that run, and coming back.

use std::fs;

use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_tests::desk::Screen;
use gatehouse_tests::{Gate, LIMIT, Result, os, strict};
use tokio::time::{Instant, sleep};

use crate::app::{App, LOOK, Setup};

#[tokio::test]
async fn a_job_left_running_is_there_again_with_its_true_end() -> Result {
    let lab = Scripted::start(say("It failed with 3.")).await?;
    let mut app = Setup::with("quit", &lab)?.open().await?;
    let screen = Screen::open()?;
    let session = app.new_session().await?;
    let gates = tempfile::tempdir()?;
    let gate = Gate::new(gates.path(), "gate")?;
    app.send(&format!("!echo $$ > number; {}; echo after all; exit 3", gate.wait())).await?;
    app.seen("[data-process-id][data-state=running]").await?;
    let job = number(&app).await?;

    // Nothing here shows trays, so closing the window is the end of the program, and it asks.
    app.press_close(&screen)?;
    app.says("[data-testid=quit]", "1 process is running").await?;
    app.picture("asked").await?;
    app.seen("[data-testid=quit-cancel]").await?.click().await?;
    app.until("a question that is gone", "return document.querySelector('[data-testid=quit]') === null", &[]).await?;
    app.send("!echo stayed").await?;
    app.says("[data-process-id][data-state=exited]", "stayed").await?;

    app.press_close(&screen)?;
    let leave = app.seen("[data-testid=quit-leave]").await?;
    // The window goes while it is being pressed.
    let _gone = leave.click().await;
    assert_eq!(app.ended(LIMIT).await?, 0);
    assert!(os::lives(job), "the job was to be left running");

    let app = Setup::bare("quit-back")?.at(&app).open_beside(&app).await?;
    app.open_session(&session).await?;
    app.seen("[data-process-id][data-state=running]").await?;
    app.picture("back").await?;
    gate.open(1)?;
    app.says("[data-process-id][data-state=exited]", "exited 3").await?;
    app.says("[data-author=machine]", "exited 3").await?;
    app.says("[data-author=machine]", "after all").await?;
    app.picture("ended").await?;
    let notes = app.shape().await?.iter().filter(|row| row.as_str() == "machine machine_note").count();
    assert_eq!(notes, 2, "one for each end: {:?}", app.shape().await?);
    strict::check_all(&lab)?;
    app.close().await
}

#[tokio::test]
async fn all_jobs_are_stopped_before_the_end() -> Result {
    let mut app = Setup::bare("quit-stop")?.open().await?;
    app.new_session().await?;
    app.send("!echo $$ > number; trap '' TERM; while :; do sleep 0.2; done").await?;
    app.seen("[data-process-id][data-state=running]").await?;
    let job = number(&app).await?;
    app.palette("quit").await?;
    let stop = app.seen("[data-testid=quit-stop]").await?;
    app.picture("asked").await?;
    let _gone = stop.click().await;
    assert_eq!(app.ended(LIMIT).await?, 0);
    assert!(!os::lives(job), "the job lives on");
    app.house.no_shims().await
}

/// The number that a job wrote about itself.
async fn number(app: &App) -> Result<u32> {
    let deadline = Instant::now() + LIMIT;
    let file = app.house.person().join("number");
    loop {
        let words = fs::read_to_string(&file).unwrap_or_default();
        if let Some(number) = words.strip_suffix('\n') {
            return Ok(number.parse()?);
        }
        if Instant::now() > deadline {
            return Err("the job did not begin".into());
        }
        sleep(LOOK).await;
    }
}
