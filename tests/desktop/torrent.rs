//! A command that writes without end, while somebody looks at what it writes.

use std::fs;

use gatehouse_tests::Result;
use serde_json::json;

use crate::app::{App, Setup};

/// So long it is looked at, in milliseconds.
const LOOKED_MS: u32 = 10_000;
/// Gives the milliseconds from each frame to the next.
const FRAMES: &str = "const [length, done] = arguments;
    requestAnimationFrame((began) => {
        const gaps = [];
        let last = began;
        const frame = (now) => {
            gaps.push(now - last);
            last = now;
            if (now - began < length) requestAnimationFrame(frame);
            else done(gaps);
        };
        requestAnimationFrame(frame);
    })";
/// Starts a process as the page does, and gives its id.
const START: &str = "const [sessionId, command, pty, done] = arguments;
    const { invoke } = window.__TAURI_INTERNALS__;
    invoke('start_process', { params: { sessionId, command, pty } }).then(({ processId }) => done(processId), () => done(null))";

/// Looks at what a torrent writes for a while, in the view that `seen` is of, and then goes on using the window.
async fn look(app: &App, session: &str, pty: bool, seen: &str) -> Result {
    let id = app.client.execute_async(START, vec![json!(session), json!("yes"), json!(pty)]).await?;
    let id = id.as_str().ok_or("it was not started")?.to_owned();
    let row = format!("[data-process-id='{id}']");
    app.seen(&format!("{row} .process-row")).await?.click().await?;
    app.says(seen, "y\ny\n").await?;
    let before = app.run("return document.querySelector('.output-amount').innerText", &[]).await?;
    let gaps = app.client.execute_async(FRAMES, vec![json!(LOOKED_MS)]).await?;
    let load = fs::read_to_string("/proc/loadavg")?;
    println!("{seen}: {}; load {load}", figures(serde_json::from_value(gaps)?));
    app.picture(if pty { "terminal" } else { "lines" }).await?;
    let went_on = "return document.querySelector('.output-amount').innerText !== arguments[0]";
    app.until("output that goes on", went_on, &[before]).await?;
    // Whoever has enough of it is heard.
    app.seen("[data-testid=composer]").await?.send_keys("enough").await?;
    let typed = "return document.querySelector('[data-testid=composer]').value === 'enough'";
    app.until("what was typed", typed, &[]).await?;
    app.seen("[data-testid=composer]").await?.clear().await?;
    app.seen(&format!("{row} > .process-stop")).await?.click().await?;
    app.seen(&format!("{row}[data-state=killed]")).await?;
    Ok(())
}

fn figures(mut gaps: Vec<f64>) -> String {
    gaps.sort_by(f64::total_cmp);
    let at = |percent: usize| gaps.get(gaps.len() * percent / 100).or(gaps.last()).copied().unwrap_or_default();
    format!("{} frames, p50 {:.1} ms, p95 {:.1} ms, longest {:.1} ms", gaps.len(), at(50), at(95), at(100))
}

#[tokio::test]
async fn a_torrent_that_is_looked_at_leaves_the_window_usable() -> Result {
    let app = Setup::bare("torrent")?.open().await?;
    let session = app.new_session().await?;
    let still = app.client.execute_async(FRAMES, vec![json!(2000)]).await?;
    println!("still: {}", figures(serde_json::from_value(still)?));
    look(&app, &session, false, ".output").await?;
    look(&app, &session, true, ".output-frame[data-ready=true] .xterm-rows").await?;
    app.close().await
}
