//! Who belongs to jobs now, from one look at the process table.

use std::io;

use gatehouse_domain::ProcessId;

use super::Inner;
use super::orphans::Orphans;
use crate::error::{Error, Result, doing};
use crate::os;
use crate::rundir::{CHILD, ChildRecord};
use crate::tree::{self, Member};

/// A job as the process table shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    /// Which.
    pub id: ProcessId,
    /// The direct child's number.
    pub child: u32,
    /// Everybody alive, the direct child first if it is.
    pub members: Vec<Member>,
}

/// Jobs of which somebody lives. Those without a run directory are left out.
pub(super) fn of(inner: &Inner, ids: &[ProcessId]) -> Result<Vec<Members>> {
    let table = tree::table().map_err(doing("reading the process table"))?;
    let shims = shims(&table);
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let run = match inner.open(*id) {
            Ok(run) => run,
            Err(Error::UnknownProcess(_)) => continue,
            Err(error) => return Err(error),
        };
        let child: Option<ChildRecord> = run.record(CHILD).map_err(doing("reading who ran"))?;
        let Some(child) = child else { continue };
        let orphans = || Orphans::new(*id, &run, &child)?.among(&table);
        let is_whole = |shim: &&Member| run.is_home_of(shim.pid) && os::is_staying(shim).unwrap_or(false);
        let mut members = match shims.iter().filter(|(of, _)| of == id).map(|(_, shim)| shim).find(is_whole) {
            // The kernel hands a shim the orphans of its job, so everybody is below it.
            Some(shim) => tree::below(shim.pid, &table),
            None => orphans().map_err(doing("looking for survivors"))?,
        };
        members.sort_by_key(|member| (member.pid != child.pid, member.pid));
        if !members.is_empty() {
            found.push(Members { id: *id, child: child.pid, members });
        }
    }
    Ok(found)
}

/// A shim leads a session of its own, and its one argument is the id of its job. Where it stands proves it.
fn shims(table: &[Member]) -> Vec<(ProcessId, Member)> {
    let leaders = table.iter().filter(|member| member.session == member.pid && !member.is_zombie);
    leaders.filter_map(|member| Some((job_of(member.pid).ok().flatten()?, *member))).collect()
}

fn job_of(pid: u32) -> io::Result<Option<ProcessId>> {
    let line = os::command_line(pid)?;
    let mut words = line.split(|byte| *byte == 0).skip(1);
    let (first, rest) = (words.next(), words.find(|word| !word.is_empty()));
    let id = first.filter(|_| rest.is_none()).and_then(|word| std::str::from_utf8(word).ok());
    Ok(id.and_then(|id| id.parse().ok()))
}
