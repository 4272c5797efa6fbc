//! What a window draws while somebody looks at a command that writes without end.

use serde_json::json;

use crate::error::Result;
use crate::figure::Findings;
use crate::house::{Home, tell};
use crate::rpc::text;
use crate::screen::Screen;
use crate::{driven::Driven, window};

/// So long each view is looked at, in milliseconds.
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
    });";
/// Writes the time, in milliseconds, over and over.
const CLOCK: &str =
    "exec python3 -c 'import sys, time\nwhile True: sys.stdout.write(\"%d\\n\" % (time.time() * 1000))'";
/// Gives how old the last line is that is shown, in each frame.
const AGES: &str = "const [length, shown, done] = arguments;
    const began = performance.now();
    const ages = [];
    const frame = () => {
        const stamps = (document.querySelector(shown)?.innerText ?? '').match(/\\d{13}/g);
        if (stamps !== null) ages.push(Date.now() - Number(stamps.at(-1)));
        if (performance.now() - began < length) requestAnimationFrame(frame);
        else done(ages);
    };
    requestAnimationFrame(frame);";

/// A way to look at an output.
struct View {
    pty: bool,
    /// What is there once it is drawn.
    ready: &'static str,
    /// What holds the last line.
    last: &'static str,
    frames: &'static str,
    age: &'static str,
}

const VIEWS: [View; 2] = [
    View {
        pty: false,
        ready: ".output [data-line]",
        last: ".output-block:last-of-type",
        frames: "lines_p95_ms",
        age: "lines_age_p95_ms",
    },
    View {
        pty: true,
        ready: ".output-frame[data-ready=true] .xterm-rows",
        last: ".xterm-rows",
        frames: "terminal_p95_ms",
        age: "terminal_age_p95_ms",
    },
];

pub(crate) async fn run(builds: bool) -> Result<Findings> {
    let mut found = Findings::of("torrent");
    if builds {
        window::build()?;
    }
    let (screen, home) = (Screen::start()?, Home::set_up()?);
    let app = Driven::open(&screen, &home).await?;
    app.seen(".pane-rail").await?;
    let session = text(&app.call("create_session", &json!({})).await?, "sessionId")?;
    let still: Vec<f64> = app.script(FRAMES, json!([LOOKED_MS / 5])).await?;
    found.add_percentile("still_p95_ms", &still, 95.0);
    for view in VIEWS {
        let gaps: Vec<f64> = look(&app, &session, &view, "yes", FRAMES, json!([LOOKED_MS])).await?;
        found.add_percentile(view.frames, &gaps, 95.0);
        let ages: Vec<f64> = look(&app, &session, &view, CLOCK, AGES, json!([LOOKED_MS / 2, view.last])).await?;
        found.add_percentile(view.age, &ages, 95.0);
    }
    app.close().await?;
    tell(&format!("load {}", std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim()));
    Ok(found)
}

/// What a script sees while a command is looked at.
async fn look(
    app: &Driven,
    session: &str,
    view: &View,
    command: &str,
    script: &str,
    arguments: serde_json::Value,
) -> Result<Vec<f64>> {
    let params = json!({ "sessionId": session, "command": command, "pty": view.pty });
    let process = text(&app.call("start_process", &params).await?, "processId")?;
    app.click(&format!("[data-process-id='{process}'] .process-row")).await?;
    app.seen(view.ready).await?;
    let seen = app.script(script, arguments).await;
    app.call("stop_process", &json!({ "processId": process, "force": true })).await?;
    seen
}
