//! What a window costs in which nothing happens, beside a blank window's.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::clock;
use crate::error::Result;
use crate::figure::{Findings, median};
use crate::house::{Home, Plan, Server};
use crate::process_table::{cpu_ns, pss_mib, tree, voluntary_switches};
use crate::screen::Screen;
use crate::window::{self, Twin};

const ROUNDS: usize = 2;
const STRETCH: Duration = Duration::from_secs(20);
/// After its first picture a web view still loads, compiles and collects.
const SETTLING: Duration = Duration::from_secs(20);

pub(crate) async fn run(builds: bool) -> Result<Findings> {
    let mut found = Findings::of("idle");
    if builds {
        window::build()?;
    }
    let (screen, home, nothing) = (Screen::start()?, Home::set_up()?, Home::new()?);
    // One session is open.
    let server = Server::start(&home, &Plan::default())?;
    server.rpc.create_session().await?;
    server.end()?;
    let (mut ours, mut blank) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        blank.push(stretch(Twin::Blank, &screen, &nothing).await?);
        ours.push(stretch(Twin::House, &screen, &home).await?);
    }
    let named = [
        (["cpu_percent", "blank_cpu_percent"], (|still: &Still| still.cpu_percent) as fn(&Still) -> f64),
        (["wakeups_per_s", "blank_wakeups_per_s"], |still| still.wakeups_per_s),
        (["total_mib", "blank_window_mib"], |still| still.mib),
    ];
    for (names, value) in named {
        for (name, stretches) in names.into_iter().zip([&ours, &blank]) {
            let values: Vec<f64> = stretches.iter().map(value).collect();
            match median(&values) {
                Some(value) => found.add(name, value, values.len()),
                None => found.missing.push(format!("{name}: there is no sample")),
            }
        }
    }
    Ok(found)
}

fn threads(pids: &[u32]) -> Result<HashMap<PathBuf, u64>> {
    let mut all = HashMap::new();
    for pid in pids {
        all.extend(voluntary_switches(*pid)?);
    }
    Ok(all)
}

/// One stretch of time in which nothing happened.
struct Still {
    cpu_percent: f64,
    wakeups_per_s: f64,
    mib: f64,
}

async fn stretch(twin: Twin, screen: &Screen, home: &Home) -> Result<Still> {
    let window = twin.open(screen, home).await?;
    tokio::time::sleep(SETTLING).await;
    let pids = tree(window.pid());
    let cpu = || pids.iter().map(|pid| cpu_ns(*pid)).sum::<Result<u64>>();
    let (began, cpu_before, threads) = (clock::now(), cpu()?, threads(&pids)?);
    tokio::time::sleep(STRETCH).await;
    let elapsed = clock::since(began);
    // A thread that ended meanwhile takes its past with it.
    let cpu = cpu()?.saturating_sub(cpu_before);
    let now = self::threads(&pids)?;
    let switches: u64 = now.iter().map(|(thread, count)| count - threads.get(thread).unwrap_or(&0)).sum();
    let mib = pids.iter().map(|pid| pss_mib(*pid)).sum::<Result<f64>>()?;
    Ok(Still {
        cpu_percent: cpu as f64 / elapsed.as_nanos() as f64 * 100.0,
        wakeups_per_s: switches as f64 / elapsed.as_secs_f64(),
        mib,
    })
}
