//! Two windows on one gateway.

use fantoccini::wd::WindowHandle;
use gatehouse_provider::scripted::{Script, Scripted, calls, say};
use gatehouse_tests::desk::Screen;
use gatehouse_tests::{LIMIT, Result, strict};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::app::{App, LOOK, Setup};

/// Holds back what the gateway tells this page, until it is let go.
const HOLD: &str = "const fetched = window.fetch; let open; const gate = new Promise((resolve) => { open = resolve });
    window.letGo = () => { window.fetch = fetched; open() };
    window.held = 0;
    window.fetch = async (...asked) => {
        const reply = await fetched(...asked);
        if (String(asked[0]?.url ?? asked[0]).includes('next_feed')) { window.held += 1; await gate }
        return reply };";

#[tokio::test]
async fn a_question_is_answered_in_one_window_and_told_in_the_other() -> Result {
    let respond = |body: &Value| {
        let messages = strict::messages(body);
        let last = messages.last().cloned().unwrap_or_default();
        let id = format!("call_{}", messages.len());
        match (last["role"].as_str(), last["content"].as_str()) {
            (Some("user"), Some(words)) => calls([(id.as_str(), "terminal", json!({ "command": words }))]),
            _ => say("Well."),
        }
    };
    let lab = Scripted::start(Script::responder(respond)).await?;
    let app = Setup::with("windows", &lab)?.open().await?;
    let screen = Screen::open()?;
    let session = app.new_session().await?;
    app.send("touch one").await?;
    app.seen(".approval[data-armed=true]").await?;
    app.palette("new-window").await?;
    let (first, second) = two(&app, &screen).await?;

    app.client.switch_to_window(second.clone()).await?;
    app.page_is_there().await?;
    app.open_session(&session).await?;
    app.seen(".approval[data-armed=true]").await?;
    app.says(".approval", "touch one").await?;
    app.picture("both-ask").await?;
    app.press_until_gone("[data-kind=approval] [data-choice=once]").await?;
    assert_eq!(app.answer(1).await?, "Well.");
    app.client.switch_to_window(first.clone()).await?;
    let told = app.says("[data-item-id]", "Allowed once by you").await?;
    assert!(told.as_str().is_some_and(|told| told.contains("touch one")), "{told}");
    assert_eq!(app.answer(1).await?, "Well.");
    app.picture("told").await?;
    assert!(app.house.person().join("one").exists());

    // A window that has not heard yet answers too late.
    app.send("touch two").await?;
    app.seen(".approval[data-armed=true]").await?;
    app.client.switch_to_window(second.clone()).await?;
    app.seen(".approval[data-armed=true]").await?;
    app.run(HOLD, &[]).await?;
    // The answer to the page's last question is on its way already, so something else must use it up.
    app.client.switch_to_window(first.clone()).await?;
    let other = app.new_session().await?;
    app.client.switch_to_window(second.clone()).await?;
    app.seen(&format!("[data-session-id='{other}']")).await?;
    app.client.switch_to_window(first).await?;
    app.open_session(&session).await?;
    app.seen(".approval[data-armed=true]").await?;
    app.press_until_gone("[data-kind=approval] [data-choice=deny]").await?;
    app.says("[data-item-id]", "Denied by you").await?;
    app.client.switch_to_window(second).await?;
    app.until("news that are held back", "return window.held > 0", &[]).await?;
    let late = app.seen(".approval [data-choice=once]").await?;
    late.click().await?;
    app.says(".approval-trouble", "Too late").await?;
    app.picture("too-late").await?;
    app.run("window.letGo()", &[]).await?;
    app.says("[data-item-id]", "Your answer came too late.").await?;
    app.picture("late-told").await?;
    assert!(!app.house.person().join("two").exists(), "the late answer did something");
    assert_eq!(app.answer(2).await?, "Well.");
    strict::check_all(&lab)?;
    app.close().await
}

/// Both windows, the one that is driven now first.
pub async fn two(app: &App, screen: &Screen) -> Result<(WindowHandle, WindowHandle)> {
    let deadline = Instant::now() + LIMIT;
    let first = app.client.window().await?;
    loop {
        let (all, places) = (app.client.windows().await?, app.places(screen)?);
        if let Some(second) = all.iter().find(|window| **window != first)
            && places.len() == 2
        {
            return Ok((first, second.clone()));
        }
        if Instant::now() > deadline {
            return Err(format!("the driver sees {all:?}, the display has {places:?}").into());
        }
        sleep(LOOK).await;
    }
}
