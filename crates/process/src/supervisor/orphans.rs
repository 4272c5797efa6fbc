//! A shim that was killed leaves its job to init. What is known of the job's own people is then found again, and nobody
//! else is touched: each is proven, by the job's group, by a session that is still the job's, by the variable that marks
//! whatever descends from it, or by a parent who was proven. Whoever threw all of that away cannot be found, and the
//! report says so.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use gatehouse_domain::ProcessId;
use tokio::time::Instant;

use super::{GRACE, StopMode};
use crate::cgroup::{self, Group};
use crate::os;
use crate::rundir::{ChildRecord, MARK, PROVEN, RunDir, boot_id};
use crate::tree::{self, Member, Signal};

const PASS: Duration = Duration::from_millis(20);
/// How long KILL may take to show.
const VERIFY: Duration = Duration::from_secs(1);
/// The root's head start, as a part of the grace.
const HEAD_START: u32 = 4;

/// One of them: a number and when it started.
type Person = (u32, u64);

/// What is left of a job that has no shim any more.
#[derive(Debug)]
pub struct Orphans<'a> {
    run: &'a RunDir,
    child: &'a ChildRecord,
    mark: Vec<u8>,
    group: Option<Group>,
    is_this_boot: bool,
    /// Who was proven at the last look.
    proven: HashSet<Person>,
    saved: HashSet<Person>,
}

impl<'a> Orphans<'a> {
    /// Nobody is looked for yet.
    pub fn new(id: ProcessId, run: &'a RunDir, child: &'a ChildRecord) -> io::Result<Self> {
        let is_this_boot = boot_id()? == child.boot;
        let group = match child.group.clone().filter(|_| is_this_boot) {
            Some(path) => Group::open(&PathBuf::from(OsString::from(path)))?,
            None => None,
        };
        let saved: HashSet<Person> = run.record(PROVEN).unwrap_or_default().unwrap_or_default();
        let mark = format!("{MARK}={id}").into_bytes();
        Ok(Self { run, child, mark, group, is_this_boot, proven: saved.clone(), saved })
    }

    /// Somebody may live on whom nobody can find: the shim was killed, and there was no group that would hold everybody.
    pub fn may_have_escaped(&self) -> io::Result<bool> {
        Ok(self.is_this_boot && self.child.group.is_none() && !super::left_by_itself(self.run)?)
    }

    /// Who lives. They are remembered: the next look need not prove them again.
    pub fn living(&mut self) -> io::Result<Vec<u32>> {
        let living = self.look()?;
        if living.is_empty() {
            self.group.iter().for_each(Group::remove);
        }
        self.save()?;
        Ok(living.iter().map(|member| member.pid).collect())
    }

    /// Who of them is in this table.
    pub fn among(&self, table: &[Member]) -> io::Result<Vec<Member>> {
        if !self.is_this_boot {
            return Ok(Vec::new());
        }
        let may_be_ours =
            |member: &&Member| member.start >= self.child.start && member.pid > 1 && member.pid != std::process::id();
        let mut proven = self.seeds(table.iter().filter(may_be_ours))?;
        // The number of a session stays taken while anybody is in it, so one of ours proves the others.
        let is_in_session = |member: &Member| member.session == self.child.pid;
        if table.iter().any(|member| is_in_session(member) && proven.contains(&member.pid)) {
            proven.extend(table.iter().filter(|m| is_in_session(m)).map(|member| member.pid));
        }
        let mut members = tree::descended(&proven, table);
        members.retain(|member| may_be_ours(&member));
        Ok(members)
    }

    /// Whoever needs nobody else for a proof.
    fn seeds<'t>(&self, table: impl Iterator<Item = &'t Member>) -> io::Result<HashSet<u32>> {
        let grouped: HashSet<u32> = self.group.as_ref().map_or(Ok(Vec::new()), Group::pids)?.into_iter().collect();
        let is_proven = |member: &&Member| {
            self.proven.contains(&(member.pid, member.start))
                || (member.pid == self.child.pid && member.start == self.child.start)
                || grouped.contains(&member.pid)
                || self.is_marked(member)
        };
        Ok(table.filter(is_proven).map(|member| member.pid).collect())
    }

    /// It has the job's mark among its variables. Somebody may have given the mark to the whole session, so it counts only
    /// where forking alone can have led: programs that a session starts for others have groups of their own.
    fn is_marked(&self, member: &Member) -> bool {
        // Not every process may be read; those that may not are nobody's proof.
        let variables = os::variables(member.pid).unwrap_or_default();
        let has_mark = variables.split(|byte| *byte == 0).any(|variable| variable == self.mark);
        has_mark && cgroup::place_of(member.pid).is_ok_and(|place| cgroup::is_within(&place, &self.child.place))
    }

    fn look(&mut self) -> io::Result<Vec<Member>> {
        let members = self.among(&tree::table()?)?;
        self.proven = members.iter().map(|member| (member.pid, member.start)).collect();
        Ok(members)
    }

    fn save(&mut self) -> io::Result<()> {
        if self.proven != self.saved {
            self.run.put(PROVEN, &serde_json::to_vec(&self.proven)?)?;
            self.saved.clone_from(&self.proven);
        }
        Ok(())
    }

    /// Asks the root, then everybody, then kills and looks. Gives back whom even that did not end.
    pub async fn stop(mut self, mode: StopMode) -> io::Result<Vec<u32>> {
        if mode == StopMode::Graceful {
            let root = (self.child.pid, self.child.start);
            let is_root = |member: &Member| (member.pid, member.start) == root;
            self.look()?.iter().filter(|member| is_root(member)).for_each(ask);
            self.wait(GRACE / HEAD_START, |living| !living.iter().any(is_root)).await?;
            self.look()?.iter().for_each(ask);
            self.wait(GRACE - GRACE / HEAD_START, <[Member]>::is_empty).await?;
        }
        self.kill().await?;
        self.living()
    }

    /// Processes that are not ours to wait for give no event when they end.
    async fn wait(&mut self, limit: Duration, is_over: impl Fn(&[Member]) -> bool) -> io::Result<()> {
        let deadline = Instant::now() + limit;
        while !is_over(&self.look()?) && Instant::now() < deadline {
            tokio::time::sleep(PASS).await;
        }
        Ok(())
    }

    /// Until two looks in a row find nobody.
    async fn kill(&mut self) -> io::Result<()> {
        let deadline = Instant::now() + VERIFY;
        let mut empty_passes = 0;
        while empty_passes < 2 && Instant::now() < deadline {
            if let Some(group) = &self.group {
                group.kill()?;
            }
            let before = self.proven.clone();
            let living = self.look()?;
            empty_passes = if living.is_empty() { empty_passes + 1 } else { 0 };
            living.iter().for_each(|member| send(member, Signal::KILL));
            // A tree that still forks is looked at again at once.
            if self.proven.is_subset(&before) && !living.is_empty() {
                tokio::time::sleep(PASS).await;
            } else {
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }
}

/// A stopped process hears nothing until it is told to go on.
fn ask(member: &Member) {
    send(member, Signal::TERM);
    send(member, Signal::CONT);
}

/// Whoever cannot be signalled shows up among the survivors.
fn send(member: &Member, signal: Signal) {
    if let Err(error) = tree::signal(member, signal) {
        tracing::debug!(pid = member.pid, %error, "A process cannot be signalled");
    }
}
