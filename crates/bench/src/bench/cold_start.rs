//! From start to ready, and from start to the first picture in a real window, beside a blank window's.

use serde_json::json;

use crate::error::Result;
use crate::figure::Findings;
use crate::house::{Home, Plan, Server};
use crate::screen::Screen;
use crate::window::{self, Twin};

const STARTS: usize = 20;
const WINDOWS: usize = 7;

pub(crate) async fn run(builds: bool) -> Result<Findings> {
    let mut found = Findings::of("cold_start");
    let home = Home::new()?;
    // The first start makes the database.
    start(&home).await?;
    let mut ready = Vec::new();
    for _ in 0..STARTS {
        ready.push(start(&home).await?);
    }
    found.add_percentile("server_ready_ms", &ready, 50.0);
    match windows(builds).await {
        Ok((ours, blank)) => {
            found.add_percentile("window_paint_ms", &ours, 50.0);
            found.add_percentile("blank_window_paint_ms", &blank, 50.0);
        }
        Err(error) => found.missing.push(format!("window_paint_ms, blank_window_paint_ms: {error}")),
    }
    Ok(found)
}

async fn start(home: &Home) -> Result<f64> {
    let server = Server::start(home, &Plan::default())?;
    let ready = server.ready.as_secs_f64() * 1000.0;
    server.rpc.call("get_health", &json!({})).await?;
    server.end()?;
    Ok(ready)
}

/// Milliseconds to the first picture: ours, and the twin's, one after the other.
async fn windows(builds: bool) -> Result<(Vec<f64>, Vec<f64>)> {
    if builds {
        window::build()?;
    }
    let (screen, home, nothing) = (Screen::start()?, Home::set_up()?, Home::new()?);
    let (mut ours, mut blank) = (Vec::new(), Vec::new());
    for round in 0..=WINDOWS {
        let first = Twin::Blank.open(&screen, &nothing).await?;
        let paint = first.paint_ms;
        drop(first);
        let second = Twin::House.open(&screen, &home).await?;
        // The first ones fill the disk's caches.
        if round > 0 {
            blank.push(paint);
            ours.push(second.paint_ms);
        }
        drop(second);
    }
    Ok((ours, blank))
}
