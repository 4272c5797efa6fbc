//! A shim that was killed leaves its job to init. Whoever still is in the job's session, or below somebody who is, can
//! be found and stopped; whoever made a session of its own and lost its parent cannot, and the report says so.

use std::io;
use std::time::Duration;

use super::{GRACE, StopMode};
use crate::rundir::{ChildRecord, boot_id};
use crate::tree::{self, Member, Signal};

const PASS: Duration = Duration::from_millis(20);
/// How long KILL may take to show.
const VERIFY: Duration = Duration::from_secs(1);

/// Who of this job's session lives.
pub fn of(child: &ChildRecord) -> io::Result<Vec<u32>> {
    Ok(members(child)?.iter().map(|member| member.pid).collect())
}

fn members(child: &ChildRecord) -> io::Result<Vec<Member>> {
    among(child, &tree::table()?)
}

/// Who of this job's session is in this table.
pub fn among(child: &ChildRecord, table: &[Member]) -> io::Result<Vec<Member>> {
    if boot_id()? != child.boot {
        return Ok(Vec::new());
    }
    // The number stays taken while anybody is in the session. If its owner is somebody else, the session is gone.
    if table.iter().any(|member| member.pid == child.pid && member.start != child.start) {
        return Ok(Vec::new());
    }
    let mut members = tree::in_session(child.pid, table);
    members.retain(|member| member.start >= child.start);
    Ok(members)
}

/// Asks, waits, kills, looks. Gives back whom even that did not end.
pub async fn stop(child: &ChildRecord, mode: StopMode) -> io::Result<Vec<u32>> {
    if mode == StopMode::Graceful {
        for member in members(child)? {
            tree::signal(&member, Signal::TERM)?;
            tree::signal(&member, Signal::CONT)?;
        }
        if until_empty(child, GRACE, None).await?.is_empty() {
            return Ok(Vec::new());
        }
    }
    until_empty(child, VERIFY, Some(Signal::KILL)).await
}

async fn until_empty(child: &ChildRecord, limit: Duration, signal: Option<Signal>) -> io::Result<Vec<u32>> {
    let deadline = tokio::time::Instant::now() + limit;
    let mut empty_passes = 0;
    loop {
        let living = members(child)?;
        empty_passes = if living.is_empty() { empty_passes + 1 } else { 0 };
        if empty_passes == 2 || tokio::time::Instant::now() >= deadline {
            return Ok(living.iter().map(|member| member.pid).collect());
        }
        for member in &living {
            if let Some(signal) = signal {
                tree::signal(member, signal)?;
            }
        }
        // Processes that are not ours give no event when they end.
        tokio::time::sleep(PASS).await;
    }
}
