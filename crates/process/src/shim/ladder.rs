//! The way from asking to killing. The root is asked first, so that a supervisor can end its own tree; then everybody
//! is asked; at the end of the grace everybody is killed, and looked for again until the kernel says that nobody is left.
//! A job's own group dies at one word, whatever it forks meanwhile.

use std::collections::HashSet;
use std::io;

use gatehouse_process::cgroup::Group;
use gatehouse_process::rundir::ChildRecord;
use gatehouse_process::tree::{self, Member, Sent, Signal};

/// How long KILL may take to show before the living are reported as survivors.
const VERIFY_MS: u64 = 1000;
const PASS_MS: u64 = 20;
/// The same when that time is over and nobody was seen although somebody is there.
const LATE_PASS_MS: u64 = 200;
/// Our own children are looked at so often before everybody is.
const HUNTS: usize = 100;
/// The root's head start, as a part of the grace.
const HEAD_START: u64 = 4;

enum Step {
    AskRoot,
    AskAll,
    Kill(Kill),
}

#[derive(Default)]
struct Kill {
    since_ms: u64,
    empty_passes: u32,
    /// Whom KILL was sent to, by number and start. Somebody new means that the tree still forks: then the next look comes
    /// at once, since a tree that grows between two looks is caught by looking more often than it can fork.
    hit: HashSet<(u32, u64)>,
    is_chasing: bool,
    is_late: bool,
}

/// One stop on its way.
pub struct Ladder {
    step: Step,
    begun_ms: u64,
    grace_ms: u64,
    /// Who waits for the answer.
    pub requests: Vec<u64>,
}

impl Ladder {
    /// Begins: the root, if it lives, hears of it at once.
    pub fn begin(
        job: &ChildRecord,
        group: Option<&Group>,
        is_root_alive: bool,
        grace_ms: u64,
        now_ms: u64,
    ) -> io::Result<Self> {
        let mut ladder = Self { step: Step::AskRoot, begun_ms: now_ms, grace_ms, requests: Vec::new() };
        if is_root_alive {
            for root in members(group)?.iter().filter(|member| member.pid == job.pid && member.start == job.start) {
                ask(root);
            }
        } else {
            ladder.ask_all(group)?;
        }
        Ok(ladder)
    }

    /// Begins at its end.
    pub fn straight(now_ms: u64) -> Self {
        let step = Step::Kill(Kill { since_ms: now_ms, ..Kill::default() });
        Self { step, begun_ms: now_ms, grace_ms: 0, requests: Vec::new() }
    }

    /// Skips the rest of the grace.
    pub fn force(&mut self, now_ms: u64) {
        if !matches!(self.step, Step::Kill(_)) {
            self.step = Step::Kill(Kill { since_ms: now_ms, ..Kill::default() });
        }
    }

    /// When to climb next.
    pub const fn deadline_ms(&self, now_ms: u64) -> u64 {
        match &self.step {
            Step::AskRoot => self.begun_ms + self.grace_ms / HEAD_START,
            Step::AskAll => self.begun_ms + self.grace_ms,
            Step::Kill(kill) if kill.is_chasing => now_ms,
            Step::Kill(kill) if kill.is_late => now_ms + LATE_PASS_MS,
            Step::Kill(_) => now_ms + PASS_MS,
        }
    }

    /// Climbs as far as the time allows. Gives back who is left once it is over.
    pub fn climb(&mut self, group: Option<&Group>, is_root_alive: bool, now_ms: u64) -> io::Result<Option<Vec<u32>>> {
        if matches!(self.step, Step::AskRoot) && (!is_root_alive || now_ms >= self.deadline_ms(now_ms)) {
            self.ask_all(group)?;
        }
        if matches!(self.step, Step::AskAll) && now_ms >= self.deadline_ms(now_ms) {
            self.force(now_ms);
        }
        match &mut self.step {
            Step::AskRoot | Step::AskAll => Ok(None),
            Step::Kill(kill) => kill.pass(group, now_ms),
        }
    }

    fn ask_all(&mut self, group: Option<&Group>) -> io::Result<()> {
        self.step = Step::AskAll;
        members(group)?.iter().for_each(ask);
        Ok(())
    }
}

impl Kill {
    /// Kills whoever is there. Gives back who is left once it is over. That nobody is left is the reaper's word: a look at
    /// the process table takes a while, and whoever is born or loses a parent meanwhile may be missed by it. Two looks that
    /// find nobody alive count only when the time is over and both see who is in the way of that word: the dead, whom
    /// somebody else, such as a debugger, still holds.
    fn pass(&mut self, group: Option<&Group>, now_ms: u64) -> io::Result<Option<Vec<u32>>> {
        if let Some(group) = group {
            group.kill().unwrap_or_else(|error| crate::surroundings::complain(&error));
        }
        hunt()?;
        let table = tree::table()?;
        let living = living(&table, group)?;
        self.is_chasing = false;
        for member in &living {
            self.is_chasing |= self.hit.insert((member.pid, member.start));
            send(member, Signal::KILL);
        }
        let holds_dead = table.iter().any(|member| member.is_zombie && member.parent == std::process::id());
        self.empty_passes = if living.is_empty() && holds_dead { self.empty_passes + 1 } else { 0 };
        self.is_late = now_ms >= self.since_ms + VERIFY_MS;
        let is_over = self.is_late && (!living.is_empty() || self.empty_passes >= 2);
        Ok(is_over.then(|| living.iter().map(|member| member.pid).collect()))
    }
}

/// Kills our own children, until they are gone or do not go. Whoever has lost a parent is one of them, and to look at them
/// alone is so quick that nobody gets away by handing on to somebody else.
fn hunt() -> io::Result<()> {
    for _ in 0..HUNTS {
        let mut fresh = false;
        for pid in children()? {
            let Some(member) = tree::member(pid)? else { continue };
            fresh |=
                !member.is_zombie && member.parent == std::process::id() && send(&member, Signal::KILL) == Sent::Yes;
        }
        if !fresh {
            break;
        }
    }
    Ok(())
}

/// As the kernel lists them for each of our threads; nobody, where it does not.
fn children() -> io::Result<Vec<u32>> {
    let mut pids = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task")? {
        let list = std::fs::read_to_string(thread?.path().join("children")).unwrap_or_default();
        pids.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    Ok(pids)
}

/// Everybody alive below this process, orphans too, since the kernel hands them to us; and everybody in the job's group.
pub fn members(group: Option<&Group>) -> io::Result<Vec<Member>> {
    living(&tree::table()?, group)
}

fn living(table: &[Member], group: Option<&Group>) -> io::Result<Vec<Member>> {
    let mut members = tree::below(std::process::id(), table);
    if let Some(group) = group {
        let known: HashSet<u32> = members.iter().map(|member| member.pid).collect();
        let entered: HashSet<u32> = group.pids()?.into_iter().filter(|pid| *pid != std::process::id()).collect();
        let others = table.iter().filter(|m| !m.is_zombie && entered.contains(&m.pid) && !known.contains(&m.pid));
        members.extend(others);
    }
    Ok(members)
}

/// A stopped process hears nothing until it is told to go on.
fn ask(member: &Member) {
    if send(member, Signal::TERM) == Sent::Yes {
        send(member, Signal::CONT);
    }
}

/// Whoever cannot be signalled shows up among the survivors.
fn send(member: &Member, signal: Signal) -> Sent {
    tree::signal(member, signal).unwrap_or_else(|error| {
        crate::surroundings::complain(&error);
        Sent::Gone
    })
}
