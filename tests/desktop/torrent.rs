//! A command that writes without end, while somebody looks at what it writes.

use gatehouse_tests::Result;
use serde_json::json;

use crate::app::{App, Setup};

/// Starts a process as the page does, and gives its id.
const START: &str = "const [sessionId, command, pty, done] = arguments;
    const { invoke } = window.__TAURI_INTERNALS__;
    invoke('start_process', { params: { sessionId, command, pty } }).then(({ processId }) => done(processId), () => done(null))";
/// Writes until it is asked to end, and then says so behind everything else.
const TORRENT: &str = "trap 'kill $!; wait; echo; echo the true end; exit' TERM; yes & wait";

/// Looks at a torrent in the view that `seen` is of, goes on using the window, and stops it.
async fn look(app: &App, session: &str, pty: bool, seen: &str) -> Result {
    let id = app.client.execute_async(START, vec![json!(session), json!(TORRENT), json!(pty)]).await?;
    let id = id.as_str().ok_or("it was not started")?.to_owned();
    let row = format!("[data-process-id='{id}']");
    app.seen(&format!("{row} .process-row")).await?.click().await?;
    app.says(seen, "y\ny\n").await?;
    // Whoever has enough of it is heard, while it goes on.
    let composer = app.seen("[data-testid=composer]").await?;
    composer.send_keys("enough").await?;
    let typed = "return document.querySelector('[data-testid=composer]').value === 'enough'";
    app.until("what was typed", typed, &[]).await?;
    composer.clear().await?;
    let before = app.run("return document.querySelector('.output-amount').innerText", &[]).await?;
    let went_on = "return document.querySelector('.output-amount').innerText !== arguments[0]";
    app.until("output that goes on", went_on, &[before]).await?;
    app.picture(if pty { "terminal" } else { "lines" }).await?;
    app.seen(&format!("{row} > .process-stop")).await?.click().await?;
    app.seen(&format!("{row}[data-state=killed]")).await?;
    app.says(seen, "the true end").await.map(drop)
}

#[tokio::test]
async fn a_torrent_that_is_looked_at_leaves_the_window_usable_and_shows_its_true_end() -> Result {
    let app = Setup::bare("torrent")?.open().await?;
    let session = app.new_session().await?;
    look(&app, &session, false, ".output").await?;
    look(&app, &session, true, ".output-frame[data-ready=true] .xterm-rows").await?;
    app.close().await
}
