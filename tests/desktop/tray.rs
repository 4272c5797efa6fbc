//! The tray of a program with several profiles: one line and one way out for all of them.

use std::path::Path;

use gatehouse_tests::desk::Trays;
use gatehouse_tests::{Gate, LIMIT, Result, os};
use rusqlite::{Connection, OpenFlags};
use tokio::time::{Instant, sleep};

use crate::app::{App, LOOK, Setup};
use crate::profiles::{make, ready};

const CALM: [&str; 4] = ["Open Gatehouse", "New session", "Restart the gateway", "Quit"];

#[tokio::test]
async fn it_counts_what_runs_in_every_profile_and_a_quit_asks_about_all_of_it() -> Result {
    let (app, trays, gate) = with_jobs_in_two("tray").await?;
    trays.says(&["Open Gatehouse", "2 processes running", "New session", "Restart the gateway", "Quit"]).await?;
    trays.press("Quit").await?;
    app.says("[data-testid=quit]", "2 processes are running").await?;
    app.picture("asked").await?;
    app.seen("[data-testid=quit-cancel]").await?.click().await?;
    // It does not matter in which of them one ends.
    gate.open(1)?;
    trays.says(&["Open Gatehouse", "1 process running", "New session", "Restart the gateway", "Quit"]).await?;
    gate.open(1)?;
    trays.says(&CALM).await?;
    app.close().await
}

#[tokio::test]
async fn a_restart_from_it_is_planned_in_every_profile_and_every_job_lives_through_it() -> Result {
    let (mut app, trays, gate) = with_jobs_in_two("tray-restart").await?;
    trays.press("Restart the gateway").await?;
    assert_eq!(app.ended(LIMIT).await?, 0);
    for profile in ["default", "work"] {
        begun_again(&app.house.profile_of(profile).join("gatehouse.db")).await?;
    }
    trays.says(&["Open Gatehouse", "2 processes running", "New session", "Restart the gateway", "Quit"]).await?;
    gate.open(2)?;
    trays.says(&CALM).await?;
    // Nothing runs any more, so nobody is asked.
    let pid = app.pid()?;
    trays.press("Quit").await?;
    os::ended(pid).await
}

/// A window whose two profiles each have a job that waits for a word.
async fn with_jobs_in_two(journey: &'static str) -> Result<(App, Trays, Gate)> {
    let setup = Setup::bare(journey)?;
    let trays = Trays::on(setup.bus()).await?;
    let app = setup.open().await?;
    let gate = Gate::new(app.house.root(), "jobs")?;
    trays.says(&CALM).await?;
    app.new_session().await?;
    app.send(&format!("!{}", gate.wait())).await?;
    app.seen("[data-process-id][data-state=running]").await?;
    make(&app, "work").await?;
    ready(&app).await?;
    app.send(&format!("!{}", gate.wait())).await?;
    app.seen("[data-process-id][data-state=running]").await?;
    Ok((app, trays, gate))
}

/// Waits until a profile has begun a second time, after an end that was planned.
async fn begun_again(database: &Path) -> Result {
    let begun = || -> Result<bool> {
        let file = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        Ok(file.query_row("SELECT count(*) = 2 AND count(planned) = 1 FROM boot", [], |row| row.get(0))?)
    };
    let deadline = Instant::now() + LIMIT;
    while !begun().unwrap_or(false) {
        assert!(Instant::now() < deadline, "{} has not begun again as planned", database.display());
        sleep(LOOK).await;
    }
    Ok(())
}
