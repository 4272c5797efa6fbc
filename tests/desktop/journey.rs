//! The main journey: a message, a command that is allowed, its end as a note, and the agent's answer to that.

use std::time::Duration;

use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_tests::{Gate, Result, strict};
use serde_json::json;

use crate::app::Setup;

/// The dead time of a question that has only just appeared.
const DEAD: f64 = 500.0;

#[tokio::test]
async fn a_command_is_allowed_and_its_end_is_answered() -> Result {
    let first = "I build the shop in the background and tell you how it went; meanwhile you can go on with the menu.";
    let pace = Duration::from_millis(150);
    let gates = tempfile::tempdir()?;
    let gate = Gate::new(gates.path(), "gate")?;
    let command = format!("echo building; {}; echo 214 modules", gate.wait());
    let asks = json!({"command": command, "background": true, "notify": true});
    let lab = Scripted::start([
        say(first).and_calls([("call_build", "terminal", asks)]).paced(pace),
        say("The build runs."),
        say("The build is done: **214 modules**.").paced(pace),
    ]);
    let lab = lab.await?;
    let app = Setup::with("journey", &lab)?.open().await?;
    app.seen(".transcript-state button.primary").await?;
    app.picture("empty").await?;
    app.new_session().await?;
    app.picture("new-session").await?;

    app.watch().await?;
    app.run(ARMED, &[]).await?;
    app.send("Build the shop, please tell me when it is done").await?;
    app.seen("[data-author=model][data-streaming=true]").await?;
    app.picture("streaming").await?;
    assert_eq!(app.answer(1).await?, first);
    let seen = app.watched().await?;
    assert!(seen.len() > 5, "the answer did not grow before the eyes: {seen:?}");
    assert!(seen.iter().all(|words| first.starts_with(words.trim())), "{seen:?}");

    app.seen("[data-card-id=call_build][data-status=pending]").await?;
    app.seen(".approval[data-armed=true]").await?;
    app.picture("question").await?;
    let armed = app.run("return window.armedAt - window.askedAt", &[]).await?;
    assert!(armed.as_f64().is_some_and(|after| after >= DEAD - 20.0), "it listened after {armed} ms");
    let focus = app.run("return document.activeElement.dataset.testid ?? document.activeElement.tagName", &[]).await?;
    assert_eq!(focus, "composer", "the question took the focus");
    app.press_until_gone("[data-kind=approval] [data-choice=once]").await?;

    app.seen("[data-process-id][data-state=running]").await?;
    app.seen("[data-card-id=call_build]").await?;
    assert_eq!(app.answer(2).await?, "The build runs.");
    app.picture("running").await?;
    let live = "return document.querySelectorAll('[data-process-id][data-state=running]').length";
    assert_eq!(app.run(live, &[]).await?, 1);

    gate.open(1)?;
    app.says("[data-author=machine]", "Machine note").await?;
    app.seen("[data-process-id][data-state=exited]").await?;
    assert_eq!(app.answer(3).await?, "The build is done: 214 modules.");
    app.picture("answered").await?;
    let card = app.seen("[data-card-id=call_build] .task-row").await?;
    card.click().await?;
    app.seen("[data-author=machine] .note-head").await?.click().await?;
    app.seen("[data-process-id] .process-row").await?.click().await?;
    app.says(".output", "214 modules").await?;
    let pill = "return document.querySelector('.jump-latest') === null";
    app.until("a transcript that is at its end", pill, &[]).await?;
    app.picture("opened").await?;

    let shape = app.shape().await?;
    let notes = shape.iter().filter(|row| row.starts_with("machine ")).count();
    assert_eq!(notes, 1, "{shape:?}");
    assert_eq!(lab.requests().len(), 3);
    strict::check_all(&lab)?;
    app.close().await
}

/// Writes down when the question appeared and when it began to listen.
const ARMED: &str = "new MutationObserver(() => {
    const card = document.querySelector('.approval');
    if (card === null) return;
    window.askedAt ??= performance.now();
    if (card.dataset.armed === 'true') window.armedAt ??= performance.now();
}).observe(document.body, { subtree: true, childList: true, attributes: true });";
