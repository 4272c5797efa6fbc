//! A profile that was owed a million reports, and is still owed a hundred thousand: how long it takes to find out what
//! is due, to start, and to start when all of that is too old to be told.

mod rows; // the profile

use std::path::Path;

use gatehouse_domain::{EpochMs, SessionId};
use gatehouse_store::Store;

use crate::clock;
use crate::error::{Doing, Result};
use crate::figure::Findings;
use crate::house::{Home, Plan, Server, tell};

/// How often the scheduler asks.
const ASKED: usize = 200;

pub(crate) async fn run() -> Result<Findings> {
    let mut found = Findings::of("backlog");
    let home = Home::new()?;
    let began = clock::now();
    let (ids, sessions) = rows::write(home.path()).await?;
    tell(&format!("backlog: {} reports written in {:.0?}", rows::PENDING + rows::DELIVERED, clock::since(began)));
    let store = Store::open(&rows::profile(home.path()), ids).doing("opening a store")?;
    let samples = ask(&store, &sessions)?;
    store.close();
    found.add_percentile("scheduler_ms", &samples, 99.0);
    let size = size(&rows::profile(home.path()))?;
    let server = Server::start(&home, &Plan::default())?;
    found.add("boot_ms", server.ready.as_secs_f64() * 1000.0, 1);
    tell(&format!("backlog: the file has {} MiB", size / (1024 * 1024)));
    server.kill()?;
    rows::age(&rows::profile(home.path())).doing("making reports old")?;
    let server = Server::start(&home, &Plan::default())?;
    found.add("overdue_boot_ms", server.ready.as_secs_f64() * 1000.0, 1);
    server.kill()?;
    Ok(found)
}

/// What one look of one session costs with one look at all of them, in milliseconds.
fn ask(store: &Store, sessions: &[SessionId]) -> Result<Vec<f64>> {
    let mut samples = Vec::with_capacity(ASKED);
    let now = EpochMs(clock::wall_ms(clock::now()) as i64);
    for session in sessions.iter().cycle().step_by(7).take(ASKED) {
        let began = clock::now();
        let (due, all) = store
            .read(|rows| Ok((rows.units().due(*session, now)?.len(), rows.units().sessions_due()?.len())))
            .doing("asking what is due")?;
        samples.push(clock::since(began).as_secs_f64() * 1000.0);
        if (due, all) != (rows::PENDING / rows::SESSIONS, rows::SESSIONS) {
            return Err(crate::error::Error::Shape(format!("what is due: {due} in one of {all} sessions")));
        }
    }
    Ok(samples)
}

fn size(profile: &Path) -> Result<u64> {
    Ok(std::fs::metadata(profile.join("gatehouse.db")).doing("looking at a file")?.len())
}
