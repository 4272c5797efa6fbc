//! A person's own commands, where no model was ever set up.

use gatehouse_tests::{LIMIT, Result, os};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::app::{App, LOOK, Setup};

/// Keeps what is said of processes: that one is stopping may be over before anybody looks.
const LISTEN: &str = "window.told = []; new MutationObserver(() => {
    for (const row of document.querySelectorAll('[data-process-id]')) window.told.push([row.dataset.state, row.innerText]);
}).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });";

/// A process was told to be stopping, since the page listens.
async fn was_stopping(app: &App) -> Result {
    let told = "return window.told.some(([state, words]) => state === 'stopping' && words.includes('stopping'))";
    assert_eq!(app.run(told, &[]).await?, json!(true), "nobody said that it is stopping");
    Ok(())
}

#[tokio::test]
async fn a_command_runs_writes_and_is_stopped_without_a_model() -> Result {
    let app = Setup::bare("commands")?.open().await?;
    app.new_session().await?;
    app.send("!echo hello there").await?;
    app.says("[data-author=machine]", "Machine note").await?;
    app.says("[data-process-id][data-state=exited]", "exited 0").await?;
    app.picture("ended").await?;

    let stubborn = "trap '' TERM HUP INT; while :; do n=$((n+1)); echo tick $n; sleep 0.2; done";
    app.send(&format!("!{stubborn}")).await?;
    let row = app.seen("[data-process-id][data-state=running] .process-row").await?;
    row.click().await?;
    app.says(".output", "tick 3").await?;
    app.says(".output", "tick 5").await?;
    app.picture("live").await?;
    app.run(LISTEN, &[]).await?;
    app.seen("[data-process-id][data-state=running] > .process-stop").await?.click().await?;
    app.picture("stopping").await?;
    app.says("[data-process-id][data-state=killed]", "stopped by you").await?;
    was_stopping(&app).await?;
    app.picture("stopped").await?;

    let alive = "return document.querySelectorAll('.process-live').length";
    assert_eq!(app.run(alive, &[]).await?, json!(0));
    let failed = "return document.querySelectorAll('[data-kind=failed_turn]').length";
    assert_eq!(app.run(failed, &[]).await?, json!(0), "a command does not need a model");
    app.close().await
}

#[tokio::test]
async fn a_tree_that_ignores_signals_is_gone_after_a_stop() -> Result {
    let app = Setup::bare("stubborn-tree")?.open().await?;
    app.new_session().await?;
    let stubborn = "trap '' TERM HUP INT; while :; do sleep 0.2; done";
    app.send(&format!("!({stubborn}) & (setsid sh -c \"{stubborn}\") & {stubborn}")).await?;
    let row = app.seen("[data-process-id][data-state=running]").await?;
    let person = app.house.person();
    let tree = || -> Result<usize> { Ok(os::below(&person)?.len()) };
    app.says("[data-process-id][data-state=running]", "in tree").await?;
    let deadline = Instant::now() + LIMIT;
    while tree()? < 3 {
        assert!(Instant::now() < deadline, "the tree does not grow: {:?}", os::below(&person)?);
        sleep(LOOK).await;
    }
    app.run(LISTEN, &[]).await?;
    row.find(fantoccini::Locator::Css(".process-stop")).await?.click().await?;
    app.says("[data-process-id][data-state=killed]", "stopped by you").await?;
    was_stopping(&app).await?;
    app.picture("stopped").await?;
    assert_eq!(tree()?, 0, "{:?}", os::below(&person)?);
    app.close().await
}
