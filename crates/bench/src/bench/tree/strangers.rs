//! Every signal that the server and its shims send, and whether its target descends from the shim's job. Who descends
//! from whom is read from the same trace, so that nobody is missed who lived for a moment only.

use std::collections::HashMap;
use std::path::Path;

use super::stop;
use crate::adversary::Adversary;
use crate::error::{Doing, Result};
use crate::house::{Home, Plan, Server};
use crate::tracer;

const TRACED: usize = 16;
/// Numbers that no other tree has.
const FIRST: usize = 1_000_000;
const OPTIONS: [&str; 3] =
    ["--decode-fds=pidfd", "-e", "trace=kill,tkill,tgkill,pidfd_send_signal,clone,clone3,fork,vfork"];
const BIRTHS: [&str; 4] = ["clone", "clone3", "fork", "vfork"];

/// Signals to strangers, of how many.
pub(super) async fn count(seed: u64) -> Result<(usize, usize)> {
    let home = Home::new()?;
    let server = Server::start(&home, &Plan::default())?;
    let session = server.rpc.create_session().await?;
    // The first start asks the login shell, whose children are none of a job's.
    server.rpc.start_process(&session, "true", false).await?;
    let trace = home.path().join("trace");
    let tracer = tracer::attach(&trace, &[server.pid()], &OPTIONS).await?;
    for number in FIRST..FIRST + TRACED {
        let tree = Adversary::plant(home.path(), seed, number)?;
        tree.let_go()?;
        let process = server.rpc.start_process(&session, &tree.command(), false).await?;
        tree.grown().await?;
        stop(&server.rpc, &process).await?;
    }
    tracer::detach(tracer)?;
    let signals = read(&trace, server.pid())?;
    server.end()?;
    Ok((signals.iter().filter(|is_stranger| **is_stranger).count(), signals.len()))
}

/// Of each signal that we sent, whether it went to a stranger.
fn read(trace: &Path, server: u32) -> Result<Vec<bool>> {
    let text = std::fs::read_to_string(trace).doing("reading what strace saw")?;
    Ok(judge(&text, server))
}

fn judge(text: &str, server: u32) -> Vec<bool> {
    let (mut families, mut signals) = (Families::of(server), Vec::new());
    for line in text.lines() {
        let Some((pid, event)) = line.split_once(' ') else { continue };
        let Ok(pid) = pid.parse() else { continue };
        families.hear(pid, event.trim_start());
        if let Some(target) = target(event.trim_start()) {
            signals.push((pid, target));
        }
    }
    // A shim may be born in the trace after its first signal was written down, so the judgement comes last.
    let ours = signals.into_iter().filter(|(sender, _)| families.is_ours(*sender));
    ours.map(|(sender, target)| !families.is_job_of(target, sender)).collect()
}

/// Who started whom.
struct Families {
    server: u32,
    /// The parent of each process; of a thread, the process it belongs to.
    parents: HashMap<u32, u32>,
    threads: HashMap<u32, u32>,
    /// Whether the birth that is under way is that of a thread.
    unfinished: HashMap<u32, bool>,
}

impl Families {
    fn of(server: u32) -> Self {
        Self { server, parents: HashMap::new(), threads: HashMap::new(), unfinished: HashMap::new() }
    }

    fn hear(&mut self, pid: u32, event: &str) {
        let begins = BIRTHS.iter().any(|name| event.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')));
        let ends = BIRTHS.iter().any(|name| event.starts_with(&format!("<... {name} resumed")));
        if !begins && !ends {
            return;
        }
        let is_thread =
            event.contains("CLONE_THREAD") || (ends && self.unfinished.remove(&pid).is_some_and(|thread| thread));
        if event.ends_with("<unfinished ...>") {
            self.unfinished.insert(pid, is_thread);
        }
        let born = event.rsplit_once("= ").and_then(|(_, number)| number.trim().parse::<u32>().ok());
        let Some(born) = born.filter(|born| *born != 0) else { return };
        let parent = self.process_of(pid);
        if is_thread {
            self.threads.insert(born, parent)
        } else {
            self.parents.insert(born, parent)
        };
    }

    fn process_of(&self, pid: u32) -> u32 {
        self.threads.get(&pid).copied().unwrap_or(pid)
    }

    /// The server, whose older threads nobody saw being born, and its shims.
    fn is_ours(&self, sender: u32) -> bool {
        let process = self.process_of(sender);
        !self.parents.contains_key(&process) || self.parent_is_server(process)
    }

    fn parent_is_server(&self, process: u32) -> bool {
        // Whoever was there before the trace is a thread of the server.
        self.parents.get(&process).is_some_and(|parent| *parent == self.server || !self.parents.contains_key(parent))
    }

    /// A shim may signal its descendants; the server, those of its shims.
    fn is_job_of(&self, target: u32, sender: u32) -> bool {
        let (mut at, sender) = (self.process_of(target), self.process_of(sender));
        let is_shim = self.parents.contains_key(&sender);
        while let Some(parent) = self.parents.get(&at) {
            if (is_shim && *parent == sender) || (!is_shim && self.parent_is_server(*parent)) {
                return true;
            }
            at = *parent;
        }
        false
    }
}

/// Whom a line sends a signal to; none for a question whether somebody is there.
fn target(event: &str) -> Option<u32> {
    let (name, rest) = event.split_once('(')?;
    let mut arguments = rest.split([',', ')']).map(str::trim);
    let first = arguments.next()?;
    let (target, signal) = match name {
        "kill" | "tkill" => (first.parse::<i64>().ok()?, arguments.next()?),
        "tgkill" => (first.parse().ok()?, arguments.nth(1)?),
        "pidfd_send_signal" => (first.split_once("<pid:")?.1.trim_end_matches('>').parse().ok()?, arguments.next()?),
        _ => return None,
    };
    // A group, or everybody, is nobody's member.
    (signal != "0").then(|| u32::try_from(target).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\
        12  clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD} => {parent_tid=[0]}, 88 <unfinished ...>\n\
        20  clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD <unfinished ...>\n\
        12  <... clone3 resumed>) = 20\n\
        20  <... clone resumed>, child_tidptr=0x7f) = 30\n\
        20  clone3({flags=CLONE_VM|CLONE_THREAD, exit_signal=0} => {parent_tid=[21]}, 88) = 21\n\
        30  vfork() = 31\n\
        31  kill(9, SIGTERM) = 0\n";

    #[test]
    fn signals_to_a_shims_own_job_are_none_to_strangers() {
        let sent =
            "20  pidfd_send_signal(5<pid:30>, SIGTERM, NULL, 0) = 0\n21  kill(31, SIGKILL) = 0\n20  kill(9, 0) = 0\n";
        assert_eq!(judge(&format!("{TRACE}{sent}"), 10), [false, false]);
    }

    #[test]
    fn a_stranger_a_group_and_the_shim_itself_are_strangers() {
        let sent = "20  pidfd_send_signal(5<pid:99>, SIGTERM, NULL, 0) = 0\n20  kill(-30, SIGTERM) = 0\n\
                    20  tgkill(20, 21, SIGABRT) = 0\n12  kill(30, SIGKILL) = 0\n12  kill(99, SIGKILL) = 0\n";
        assert_eq!(judge(&format!("{TRACE}{sent}"), 10), [true, true, true, false, true]);
    }
}
