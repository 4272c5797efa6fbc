//! The way from asking to killing. The root is asked first, so that a supervisor can end its own tree; then everybody
//! is asked; at the end of the grace everybody is killed, and looked for again until two looks in a row find nobody.

use std::io;

use gatehouse_process::rundir::ChildRecord;
use gatehouse_process::tree::{self, Member, Sent, Signal};

/// How long KILL may take to show before the living are reported as survivors.
const VERIFY_MS: u64 = 1000;
const PASS_MS: u64 = 20;
/// The root's head start, as a part of the grace.
const HEAD_START: u64 = 4;

enum Step {
    AskRoot,
    AskAll,
    Kill { since_ms: u64, empty_passes: u32 },
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
    pub fn begin(job: &ChildRecord, is_root_alive: bool, grace_ms: u64, now_ms: u64) -> io::Result<Self> {
        let mut ladder = Self { step: Step::AskRoot, begun_ms: now_ms, grace_ms, requests: Vec::new() };
        if is_root_alive {
            for root in members()?.iter().filter(|member| member.pid == job.pid && member.start == job.start) {
                ask(root);
            }
        } else {
            ladder.ask_all()?;
        }
        Ok(ladder)
    }

    /// Begins at its end.
    pub const fn straight(now_ms: u64) -> Self {
        let step = Step::Kill { since_ms: now_ms, empty_passes: 0 };
        Self { step, begun_ms: now_ms, grace_ms: 0, requests: Vec::new() }
    }

    /// Skips the rest of the grace.
    pub const fn force(&mut self, now_ms: u64) {
        if !matches!(self.step, Step::Kill { .. }) {
            self.step = Step::Kill { since_ms: now_ms, empty_passes: 0 };
        }
    }

    /// When to climb next.
    pub const fn deadline_ms(&self, now_ms: u64) -> u64 {
        match self.step {
            Step::AskRoot => self.begun_ms + self.grace_ms / HEAD_START,
            Step::AskAll => self.begun_ms + self.grace_ms,
            Step::Kill { empty_passes: 0, .. } => now_ms + PASS_MS,
            Step::Kill { .. } => now_ms,
        }
    }

    /// Climbs as far as the time allows. Gives back who is left once it is over.
    pub fn climb(&mut self, is_root_alive: bool, now_ms: u64) -> io::Result<Option<Vec<u32>>> {
        if matches!(self.step, Step::AskRoot) && (!is_root_alive || now_ms >= self.deadline_ms(now_ms)) {
            self.ask_all()?;
        }
        if matches!(self.step, Step::AskAll) && now_ms >= self.deadline_ms(now_ms) {
            self.force(now_ms);
        }
        let Step::Kill { since_ms, empty_passes } = &mut self.step else { return Ok(None) };
        let living = members()?;
        if living.is_empty() {
            *empty_passes += 1;
            return Ok((*empty_passes >= 2).then(Vec::new));
        }
        *empty_passes = 0;
        for member in &living {
            send(member, Signal::KILL);
        }
        let is_over = now_ms >= *since_ms + VERIFY_MS;
        Ok(is_over.then(|| living.iter().map(|member| member.pid).collect()))
    }

    fn ask_all(&mut self) -> io::Result<()> {
        self.step = Step::AskAll;
        members()?.iter().for_each(ask);
        Ok(())
    }
}

/// Everybody alive below this process: orphans too, since the kernel hands them to us.
pub fn members() -> io::Result<Vec<Member>> {
    Ok(tree::below(std::process::id(), &tree::table()?))
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
