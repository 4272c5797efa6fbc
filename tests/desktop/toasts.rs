//! What the system tells while somebody looks elsewhere, and the way back from there.

use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;

use gatehouse_provider::scripted::{Script, Scripted, calls, say};
use gatehouse_tests::desk::{Manner, Screen, Toaster, Trays};
use gatehouse_tests::{Gate, LIMIT, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::app::{LOOK, Setup};

/// Ends of one session that come together are told together for so long.
const SPAN: Duration = Duration::from_secs(10);
const MANY: usize = 50;

/// The report of the newest end stands on the screen.
const REPORT: &str = "const notes = [...document.querySelectorAll('[data-author=machine][data-kind=machine_note]')];
    const view = document.querySelector('[role=region]').getBoundingClientRect();
    const seen = notes.find((note) => note.innerText.includes(arguments[0]));
    if (seen === undefined) return false;
    const { top, bottom } = seen.getBoundingClientRect();
    return top >= view.top - 1 && bottom <= view.bottom + 1 ? seen.dataset.target : false";

#[tokio::test]
async fn a_press_on_a_toast_brings_the_hidden_window_to_the_report() -> Result {
    let lab = Scripted::start(say("Good.")).await?;
    let setup = Setup::with("toast", &lab)?;
    let (toaster, trays) = (Toaster::on(setup.bus(), Manner::Plain).await?, Trays::on(setup.bus()).await?);
    let (app, screen) = (setup.open().await?, Screen::open()?);
    let gate = Gate::new(&app.house.person(), "gate")?;
    let session = app.new_session().await?;
    // So long a transcript that its end is not in sight by chance.
    app.send("!seq 1 80; read -r _ < gate; echo built").await?;
    app.seen("[data-process-id][data-state=running]").await?;
    let title = app.title(&session).await?;
    let elsewhere = app.new_session().await?;
    trays.has_one().await?;
    app.hide(&screen).await?;

    gate.open(1)?;
    let toast = toaster.nth(1).await?;
    assert_eq!(toast.title, "seq 1 80; read -r _ < gate; echo built exited 0");
    assert_eq!(toast.body, format!("built. {title}"));
    assert_eq!((toast.app.as_str(), toast.replaces, toast.lasts), ("Gatehouse", 0, -1));
    assert_eq!(toast.actions, ["default", "Open", "open", "Open", "run_again", "Run again"]);
    app.until("the other session", "return document.querySelector('[data-author=machine]') === null", &[]).await?;

    toaster.press(toast.id, "default").await?;
    app.until_seen(&screen, true).await?;
    app.seen(&format!("[data-session-id='{session}'][aria-current=true]")).await?;
    assert_ne!(session, elsewhere);
    let marked = app.until("the report", REPORT, &[json!("built")]).await?;
    app.picture("back").await?;
    assert_eq!(marked, "true", "the report is not marked");
    app.focus(&screen, true).await?;
    app.until("a bell without news", "return document.querySelector('[data-testid=bell]').innerText === ''", &[])
        .await?;
    assert_eq!(toaster.toasts().len(), 1, "{:?}", toaster.toasts());
    app.close().await
}

#[derive(Deserialize)]
struct Body {
    wrote: String,
    plain: String,
    markup: String,
}

#[tokio::test]
async fn bodies_are_the_bytes_that_the_job_wrote() -> Result {
    let bodies: Vec<Body> = serde_json::from_str(include_str!("../fixtures/toast_bodies.json"))?;
    let lab = Scripted::start(Script::responder(|_: &Value| say("Good."))).await?;
    let setup = Setup::with("bodies", &lab)?;
    let toaster = Toaster::on(setup.bus(), Manner::Plain).await?;
    let (app, screen) = (setup.open().await?, Screen::open()?);
    let mut jobs = Vec::new();
    // A session for each: what ends in one session within seconds is told together.
    for (n, body) in bodies.iter().enumerate() {
        for (manner, expected) in [(Manner::Plain, &body.plain), (Manner::Markup, &body.markup)] {
            let job = format!("job-{n}-{manner:?}");
            let gate = Gate::new(app.house.root(), &job)?;
            fs::write(app.house.person().join(format!("{job}.out")), &body.wrote)?;
            fs::write(app.house.person().join(&job), format!("{}\ncat {job}.out\n", gate.wait()))?;
            app.new_session().await?;
            app.send(&format!("!sh {job}")).await?;
            app.seen(&format!("[data-process-id][data-state=running] .process-name[title='sh {job}']")).await?;
            jobs.push((job, gate, manner, expected));
        }
    }
    app.focus(&screen, false).await?;
    for (n, (job, gate, manner, expected)) in jobs.iter().enumerate() {
        toaster.behave(*manner);
        gate.open(1)?;
        let toast = toaster.nth(n + 1).await?;
        assert_eq!(toast.title, format!("sh {job} exited 0"));
        assert_eq!(toast.body, format!("{expected}. sh {job}"), "{manner:?}");
    }
    app.close().await
}

#[tokio::test]
async fn fifty_ends_are_three_toasts_at_most() -> Result {
    let command = |n: usize| json!({"command": format!("read -r _ < gate; echo job {n}; exit {}", n % 2), "background": true, "notify": true});
    let ids: Vec<String> = (1..=MANY).map(|n| format!("call_{n}")).collect();
    let storm = calls(ids.iter().zip(1..).map(|(id, n)| (id.as_str(), "terminal", command(n))));
    let lab = Scripted::start([storm, say("All fifty run.")]).await?;
    let setup = Setup::with("storm", &lab)?
        .config("[agent]\napprovals = \"off\"\n[limits]\nprocesses = 60\nprocesses_per_session = 60\n")?;
    let toaster = Toaster::on(setup.bus(), Manner::Plain).await?;
    let (app, screen) = (setup.open().await?, Screen::open()?);
    let gate = Gate::new(&app.house.person(), "gate")?;
    app.new_session().await?;
    app.send("Run fifty jobs").await?;
    assert_eq!(app.answer(1).await?, "All fifty run.");
    let running =
        format!("return document.querySelectorAll('[data-process-id][data-state=running]').length === {MANY}");
    app.until("fifty jobs", &running, &[]).await?;
    app.focus(&screen, false).await?;
    gate.open(MANY)?;
    let first = toaster.nth(1).await?;
    assert!(first.title.contains("exited"), "{first:?}");
    toaster.titled("25 finished, 25 failed").await?;
    // Nothing is left to be told; what is told all the same comes within a span.
    sleep(SPAN).await;
    let toasts = toaster.toasts();
    assert!(toasts.len() <= 3, "{} toasts: {toasts:?}", toasts.len());
    assert_eq!(toasts.last().ok_or("none")?.title, "25 finished, 25 failed");
    assert!(toasts[1..].iter().all(|toast| toast.replaces == first.id), "one place for all: {toasts:?}");

    // The list has each of them, once.
    app.bell().await?;
    app.picture("list").await?;
    let open = "document.querySelectorAll('[data-testid=notices] [data-notice][aria-expanded=false]').forEach((row) => row.click());
        return document.querySelector('[data-testid=notices] [data-notice][aria-expanded=false]') === null";
    app.until("an unfolded list", open, &[]).await?;
    let told = "return [...document.querySelectorAll('[data-notice-id]')].map((row) => row.innerText.match(/job (\\d+)/)?.[1])";
    let mut told: Vec<Option<String>> = serde_json::from_value(app.run(told, &[]).await?)?;
    assert_eq!(told.len(), MANY, "{told:?}");
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), MANY, "one is told twice: {told:?}");
    app.picture("unfolded").await?;
    app.close().await
}

#[tokio::test]
async fn what_is_looked_at_is_not_told() -> Result {
    let lab = Scripted::start(Script::responder(|_: &Value| say("Good."))).await?;
    let setup = Setup::with("looked-at", &lab)?;
    let toaster = Toaster::on(setup.bus(), Manner::Plain).await?;
    let (app, screen) = (setup.open().await?, Screen::open()?);
    let gate = Gate::new(&app.house.person(), "gate")?;
    app.new_session().await?;
    app.focus(&screen, true).await?;
    for n in 1..=3 {
        app.send(&format!("!echo seen {n}")).await?;
        app.says("[data-author=machine]", &format!("seen {n}")).await?;
    }
    // An end that is told shows that whatever would have been told before it has been.
    app.send("!read -r _ < gate; echo unseen").await?;
    app.seen("[data-process-id][data-state=running]").await?;
    app.new_session().await?;
    gate.open(1)?;
    let toast = toaster.nth(1).await?;
    assert!(toast.body.starts_with("unseen. "), "{toast:?}");
    assert_eq!(toaster.toasts().len(), 1);
    app.close().await
}

#[tokio::test]
async fn a_real_notification_service_shows_it() -> Result {
    let lab = Scripted::start(say("Good.")).await?;
    let setup = Setup::with("dunst", &lab)?;
    let Some(dunst) = Dunst::start(&setup).await? else { return Ok(()) };
    let trays = Trays::on(setup.bus()).await?;
    let (app, screen) = (setup.open().await?, Screen::open()?);
    let gate = Gate::new(&app.house.person(), "gate")?;
    let session = app.new_session().await?;
    app.send("!read -r _ < gate; echo '<b>built</b> & well'").await?;
    app.seen("[data-process-id][data-state=running]").await?;
    app.new_session().await?;
    trays.has_one().await?;
    app.hide(&screen).await?;
    gate.open(1)?;
    let deadline = Instant::now() + LIMIT;
    while dunst.ctl(&["count", "displayed"])?.trim() != "1" {
        assert!(Instant::now() < deadline, "dunst shows nothing");
        sleep(LOOK).await;
    }
    dunst.ctl(&["action", "0"])?;
    app.until_seen(&screen, true).await?;
    app.seen(&format!("[data-session-id='{session}'][aria-current=true]")).await?;
    dunst.ctl(&["close-all"])?;
    let history: Value = serde_json::from_str(&dunst.ctl(&["history"])?)?;
    let told = &history["data"][0][0];
    assert!(told["summary"]["data"].as_str().is_some_and(|title| title.ends_with("exited 0")), "{told}");
    let body = told["body"]["data"].as_str().unwrap_or_default();
    assert!(
        body.starts_with("&lt;b&gt;built&lt;/b&gt; &amp; well. ") || body.starts_with("<b>built</b> & well. "),
        "{body}"
    );
    app.close().await
}

/// A real notification service, ended when it is dropped. Some machines have none.
struct Dunst {
    child: Child,
    bus: String,
}

impl Dunst {
    async fn start(setup: &Setup) -> Result<Option<Self>> {
        let child = match setup.spawn("dunst".into(), &["-config".into(), "/dev/null".into()]) {
            Ok(child) => child,
            Err(error) => {
                println!("not walked: dunst cannot be started ({error})");
                return Ok(None);
            }
        };
        let dunst = Self { child, bus: setup.bus().address().to_owned() };
        let deadline = Instant::now() + LIMIT;
        while dunst.ctl(&["is-paused"]).is_err() {
            if Instant::now() > deadline {
                return Err("dunst does not answer".into());
            }
            sleep(LOOK).await;
        }
        Ok(Some(dunst))
    }

    fn ctl(&self, args: &[&str]) -> Result<String> {
        #[expect(clippy::disallowed_methods, reason = "a person's way to talk to that service")]
        let mut command = std::process::Command::new("dunstctl");
        command.args(args).env("DBUS_SESSION_BUS_ADDRESS", &self.bus).stdin(Stdio::null());
        let done = command.output()?;
        match done.status.success() {
            true => Ok(String::from_utf8(done.stdout)?),
            false => Err(String::from_utf8_lossy(&done.stderr).into_owned().into()),
        }
    }
}

impl Drop for Dunst {
    fn drop(&mut self) {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        if !std::thread::panicking() {
            assert!(ended.is_ok(), "dunst did not end: {ended:?}");
        }
    }
}
