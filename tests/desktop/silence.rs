//! A desktop that shows no notifications, in each way in which it can fail to.

use std::time::Duration;

use gatehouse_provider::scripted::{Script, Scripted, say};
use gatehouse_tests::desk::{Manner, Toaster};
use gatehouse_tests::{Gate, Result};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::app::{App, Setup};
use crate::page::ESCAPE;

/// So much longer a turn may take at most.
const DELAY: Duration = Duration::from_millis(1500);
/// So many jobs run.
const RUNNING: &str =
    "return document.querySelectorAll('[data-process-id][data-state=running]').length === arguments[0]";
const HINT: &str = "[data-testid=notices-problem]";

async fn silent() -> Result<Scripted> {
    Ok(Scripted::start(Script::responder(|_: &Value| say("Good."))).await?)
}

/// Jobs that end in a session which nobody looks at.
struct Jobs {
    gate: Gate,
    here: String,
    running: usize,
}

impl Jobs {
    /// Starts some, and looks elsewhere.
    async fn start(app: &App, many: usize) -> Result<Self> {
        let gate = Gate::new(&app.house.person(), "gate")?;
        for n in 1..=many {
            // A session for each: what ends in one session within seconds is told together.
            app.new_session().await?;
            app.send(&format!("!read -r _ < gate; echo job {n}")).await?;
            app.until("one more job", RUNNING, &[json!(n)]).await?;
        }
        let here = app.new_session().await?;
        Ok(Self { gate, here, running: many })
    }

    /// Lets one end, and waits until the window has heard of it.
    async fn end_one(&mut self, app: &App) -> Result {
        self.running -= 1;
        self.gate.open(1)?;
        app.until("an end", RUNNING, &[json!(self.running)]).await.map(drop)
    }
}

/// The list says once why the system shows nothing, and has so many notices.
async fn hinted(app: &App, reason: &str, notices: usize) -> Result {
    app.bell().await?;
    app.says(HINT, reason).await?;
    app.picture("hint").await?;
    assert_eq!(app.run("return document.querySelectorAll(arguments[0]).length", &[json!(HINT)]).await?, json!(1));
    has(app, notices).await?;
    put_away(app).await
}

async fn put_away(app: &App) -> Result {
    app.client.active_element().await?.send_keys(ESCAPE).await?;
    app.until("a closed list", "return document.querySelector('[data-testid=notices]') === null", &[]).await.map(drop)
}

async fn has(app: &App, notices: usize) -> Result {
    let open = "document.querySelectorAll('[data-testid=notices] [data-notice][aria-expanded=false]').forEach((row) => row.click());
        return document.querySelectorAll('[data-notice-id]').length === arguments[0]";
    app.until(&format!("{notices} notices"), open, &[json!(notices)]).await.map(drop)
}

#[tokio::test]
async fn without_a_service_there_is_one_hint_and_every_notice() -> Result {
    let lab = silent().await?;
    let app = Setup::with("no-service", &lab)?.open().await?;
    let mut jobs = Jobs::start(&app, 3).await?;
    jobs.end_one(&app).await?;
    jobs.end_one(&app).await?;
    hinted(&app, "no notification service is running", 2).await?;

    // One that comes later gets the next, and the hint is gone.
    let toaster = Toaster::on(&app.bus, Manner::Plain).await?;
    jobs.end_one(&app).await?;
    assert!(toaster.nth(1).await?.title.ends_with("exited 0"));
    assert_eq!(toaster.toasts().len(), 1, "what was not shown then is not shown now");
    gone(&app).await?;
    app.close().await
}

#[tokio::test]
async fn without_a_bus_the_window_works() -> Result {
    let lab = silent().await?;
    let setup = Setup::with("no-bus", &lab)?.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    let app = setup.open().await?;
    let mut jobs = Jobs::start(&app, 1).await?;
    jobs.end_one(&app).await?;
    app.send("Are you there?").await?;
    assert_eq!(app.answer(1).await?, "Good.");
    hinted(&app, "there is no session bus", 1).await?;
    app.close().await
}

#[tokio::test]
async fn a_service_that_hangs_delays_no_turn() -> Result {
    let lab = silent().await?;
    let setup = Setup::with("hangs", &lab)?;
    let toaster = Toaster::on(setup.bus(), Manner::Plain).await?;
    let app = setup.open().await?;
    let mut jobs = Jobs::start(&app, 10).await?;
    let good = turns(&app, &mut jobs, 0).await?;
    toaster.nth(5).await?;
    toaster.behave(Manner::Silent);
    let hanging = turns(&app, &mut jobs, 5).await?;
    println!("turns beside a good service: {good:?}, beside one that hangs: {hanging:?}");
    // The best of each: what else the machine does makes some of them slower.
    assert!(hanging[0] < good[0] + DELAY, "{good:?} {hanging:?}");
    hinted(&app, "does not answer", 10).await?;
    app.close().await
}

#[tokio::test]
async fn a_service_that_died_is_replaced_by_the_next() -> Result {
    let lab = silent().await?;
    let setup = Setup::with("dies", &lab)?;
    let first = Toaster::on(setup.bus(), Manner::Plain).await?;
    let app = setup.open().await?;
    let mut jobs = Jobs::start(&app, 3).await?;
    jobs.end_one(&app).await?;
    first.nth(1).await?;
    first.leave().await?;
    jobs.end_one(&app).await?;
    hinted(&app, "no notification service is running", 2).await?;
    let second = Toaster::on(&app.bus, Manner::Plain).await?;
    jobs.end_one(&app).await?;
    assert_eq!(second.nth(1).await?.replaces, 0, "the numbers of another service mean nothing");
    gone(&app).await?;
    app.send("Are you there?").await?;
    assert_eq!(app.answer(1).await?, "Good.");
    app.close().await
}

/// How long five turns take, each beside the end of a job, the shortest first.
async fn turns(app: &App, jobs: &mut Jobs, before: usize) -> Result<Vec<Duration>> {
    let mut took = Vec::new();
    app.open_session(&jobs.here.clone()).await?;
    for n in 1..=5 {
        jobs.end_one(app).await?;
        let began = Instant::now();
        app.send("Go on").await?;
        app.answer(before + n).await?;
        took.push(began.elapsed());
    }
    took.sort_unstable();
    Ok(took)
}

/// The system shows notifications again, and nothing says otherwise.
async fn gone(app: &App) -> Result {
    app.bell().await?;
    let gone = "return document.querySelector(arguments[0]) === null";
    app.until("a hint that is gone", gone, &[json!(HINT)]).await.map(drop)?;
    app.picture("shown-again").await?;
    put_away(app).await
}
