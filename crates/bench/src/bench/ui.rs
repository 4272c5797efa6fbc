//! A transcript of a million entries beside an empty one, in headless Chromium, over the real server.

mod rows; // the million

use serde::Deserialize;

use crate::error::{Doing, Error, Result};
use crate::figure::Findings;
use crate::house::{Home, Plan, Server, tell};
use crate::program;

/// What only the real web view of the desktop, or hours, can tell.
const NOT_MEASURED_YET: &str = "webkit_*, chromium_key_paint_p95_ms, chromium_stream_p999_ms, chromium_frames_over_100_ms and \
     chromium_slope_mib_per_h are not measured yet";

/// What the page's script found; absent = it could not.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Seen {
    open_ms: Option<f64>,
    growth_mib: Option<f64>,
    scroll: Vec<f64>,
    blank_scroll: Vec<f64>,
    key_work: Vec<f64>,
    failed: Vec<String>,
}

pub(crate) async fn run(builds: bool) -> Result<Findings> {
    let mut found = Findings::of("ui");
    let checkout = program::checkout();
    if builds {
        program::run(
            program::command("npm")
                .args(["--prefix", "ui", "run", "build"])
                .current_dir(&checkout)
                .stdout(std::process::Stdio::null()),
        )?;
    }
    let home = Home::new()?;
    rows::write(home.path()).await?;
    let server = Server::start(&home, &Plan::default())?;
    let mut node = program::command("node");
    node.arg(checkout.join("crates/bench/assets/page.mjs")).current_dir(&checkout);
    node.args([server.page().as_str(), rows::LONG, rows::EMPTY, &rows::last_words()]);
    let output = node.stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|source| Error::MissingTool { tool: "node".into(), source })?;
    server.end()?;
    let seen: Seen = serde_json::from_slice(&output.stdout).doing("reading what the page's script found")?;
    for (metric, value) in
        [("chromium_open_million_ms", seen.open_ms), ("chromium_open_million_growth_mib", seen.growth_mib)]
    {
        if let Some(value) = value {
            found.add(metric, value, 1);
        }
    }
    for (metric, samples, percent) in [
        ("chromium_scroll_p99_ms", &seen.scroll, 99.0),
        ("chromium_blank_scroll_p99_ms", &seen.blank_scroll, 99.0),
        ("chromium_key_work_p95_ms", &seen.key_work, 95.0),
    ] {
        if !samples.is_empty() {
            found.add_percentile(metric, samples, percent);
        }
    }
    found.missing.extend(seen.failed);
    tell(NOT_MEASURED_YET);
    Ok(found)
}
