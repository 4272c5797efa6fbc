//! Several profiles in one program.

use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_tests::desk::{Manner, Screen, Toaster, Trays};
use gatehouse_tests::{Gate, LIMIT, Result, os, program};
use serde_json::json;

use crate::app::{App, Setup};
use crate::windows::two;

/// Which profile the window names.
const NAMED: &str = "return document.querySelector('[data-testid=profile]')?.innerText.trim() === arguments[0]";
/// The ids of all sessions that the window lists.
const LISTED: &str = "return [...document.querySelectorAll('[data-session-id]')].map((row) => row.dataset.sessionId)";

#[tokio::test]
async fn a_new_profile_is_empty_and_ready_and_the_next_start_shows_it_again() -> Result {
    let lab = Scripted::start(say("Good.")).await?;
    let mut app = Setup::with("profiles", &lab)?.open().await?;
    let session = app.new_session().await?;
    app.send("!echo in the first").await?;
    app.says("[data-process-id][data-state=exited]", "in the first").await?;
    let composer = app.seen("[data-testid=composer]").await?;
    composer.send_keys("not sent yet").await?;

    make(&app, "work").await?;
    app.seen("[data-testid=first-run]").await?;
    app.picture("new").await?;
    let other = ready(&app).await?;
    app.send("!echo in the second").await?;
    app.says("[data-process-id][data-state=exited]", "in the second").await?;
    assert_eq!(app.run(LISTED, &[]).await?, json!([other]));
    let page = app.run("return document.body.innerText", &[]).await?;
    assert!(!page.as_str().unwrap_or_default().contains("in the first"), "{page}");

    go(&app, "default").await?;
    app.seen(&format!("[data-session-id='{session}'][aria-current=true]")).await?;
    app.says("[data-process-id][data-state=exited]", "in the first").await?;
    assert_eq!(app.run(LISTED, &[]).await?, json!([session]));
    let draft = "return document.querySelector('[data-testid=composer]').value === 'not sent yet'";
    app.until("what was not sent yet", draft, &[]).await?;
    app.picture("back").await?;

    go(&app, "work").await?;
    app.seen(&format!("[data-session-id='{other}'][aria-current=true]")).await?;
    // The window may go while it is being pressed.
    let _gone = app.palette("quit").await;
    assert_eq!(app.ended(LIMIT).await?, 0);
    let app = Setup::bare("profiles-again")?.at(&app).open_beside(&app).await?;
    app.until("the profile that was shown last", NAMED, &[json!("work")]).await?;
    app.seen(&format!("[data-session-id='{other}']")).await?;
    app.close().await
}

#[tokio::test]
async fn a_toast_says_whose_it_is_and_leads_there() -> Result {
    let lab = Scripted::start(say("Good.")).await?;
    let setup = Setup::with("profile-toast", &lab)?;
    let (toaster, _trays) = (Toaster::on(setup.bus(), Manner::Plain).await?, Trays::on(setup.bus()).await?);
    let app = setup.open().await?;
    make(&app, "work").await?;
    let session = ready(&app).await?;
    let gate = Gate::new(app.house.root(), "job")?;
    app.send(&format!("!{}; echo built", gate.wait())).await?;
    app.seen("[data-process-id][data-state=running]").await?;
    let title = app.title(&session).await?;
    go(&app, "default").await?;
    gate.open(1)?;

    let toast = toaster.nth(1).await?;
    assert_eq!(toast.body, format!("built. work: {title}"));
    app.until("still the first profile", NAMED, &[json!("default")]).await?;
    toaster.press(toast.id, "default").await?;
    app.until("the profile of the toast", NAMED, &[json!("work")]).await?;
    app.page_is_there().await?;
    app.seen(&format!("[data-session-id='{session}'][aria-current=true]")).await?;
    app.says("[data-author=machine][data-kind=machine_note]", "built").await?;
    app.picture("led-there").await?;
    assert_eq!(toaster.toasts().len(), 1, "{:?}", toaster.toasts());
    app.close().await
}

#[tokio::test]
async fn a_link_finds_the_profile_that_has_the_session() -> Result {
    let lab = Scripted::start(say("Good.")).await?;
    let app = Setup::with("profile-link", &lab)?.open().await?;
    make(&app, "work").await?;
    let session = ready(&app).await?;
    go(&app, "default").await?;
    let link = format!("gatehouse://session/{session}");
    let mut again = Setup::bare("profile-link-again")?.at(&app).spawn(program("gatehouse")?, &[link])?;
    os::ended(again.id()).await?;
    assert!(again.wait()?.success());
    arrive(&app, "work").await?;
    app.seen(&format!("[data-session-id='{session}'][aria-current=true]")).await?;
    app.close().await
}

#[tokio::test]
async fn two_windows_show_two_profiles_and_a_quit_asks_about_the_jobs_of_both() -> Result {
    let lab = Scripted::start(say("Good.")).await?;
    let app = Setup::with("profile-windows", &lab)?.open().await?;
    let screen = Screen::open()?;
    let session = app.new_session().await?;
    let gate = Gate::new(app.house.root(), "jobs")?;
    app.send(&format!("!{}", gate.wait())).await?;
    app.seen("[data-process-id][data-state=running]").await?;
    app.palette("new-window").await?;
    let (first, second) = two(&app, &screen).await?;

    app.client.switch_to_window(second).await?;
    app.page_is_there().await?;
    app.seen(&format!("[data-session-id='{session}']")).await?;
    make(&app, "work").await?;
    let other = ready(&app).await?;
    app.send(&format!("!{}", gate.wait())).await?;
    app.seen("[data-process-id][data-state=running]").await?;
    assert_eq!(app.run(LISTED, &[]).await?, json!([other]));

    app.client.switch_to_window(first).await?;
    assert_eq!(app.run(LISTED, &[]).await?, json!([session]));
    app.seen("[data-testid=profile]").await?.click().await?;
    app.says("[data-profile=work]", "1 process").await?;
    app.picture("what-the-other-does").await?;
    go_to(&app, "default").await?;
    app.palette("quit").await?;
    app.says("[data-testid=quit]", "2 processes are running").await?;
    app.picture("quit").await?;
    app.seen("[data-testid=quit-cancel]").await?.click().await?;
    gate.open(2)?;
    app.seen("[data-process-id][data-state=exited]").await?;
    app.close().await
}

/// Makes a profile and waits until the window shows it.
pub(super) async fn make(app: &App, name: &str) -> Result {
    // Until the profiles are known, lines still come into the palette.
    app.seen("[data-testid=profile]").await?;
    app.palette("new-profile").await?;
    app.fill("profile-name", name).await?;
    app.seen("[data-testid=profile-create]").await?.click().await?;
    arrive(app, name).await
}

/// Leaves the choice of a model for later, and gives the session that is open then.
pub(super) async fn ready(app: &App) -> Result<String> {
    app.until("a choice", "return document.querySelector('.first-card[data-chosen=true]') !== null", &[]).await?;
    app.seen("[data-testid=first-run-skip]").await?.click().await?;
    app.seen("[data-testid=first-run-skip]:checked").await?;
    app.seen("[data-testid=first-run-start]").await?.click().await?;
    app.seen("[data-testid=composer]").await?;
    let open = "return document.querySelector('[data-session-id][aria-current=true]')?.dataset.sessionId ?? null";
    let id = app.until("an open session", open, &[]).await?;
    Ok(id.as_str().unwrap_or_default().to_owned())
}

/// Goes to another profile.
pub(super) async fn go(app: &App, name: &str) -> Result {
    app.seen("[data-testid=profile]").await?.click().await?;
    go_to(app, name).await
}

/// The same, once the list is open.
async fn go_to(app: &App, name: &str) -> Result {
    app.seen(&format!("[data-profile='{name}']")).await?.click().await?;
    arrive(app, name).await
}

async fn arrive(app: &App, name: &str) -> Result {
    app.until(&format!("the profile {name}"), NAMED, &[json!(name)]).await?;
    app.page_is_there().await
}
