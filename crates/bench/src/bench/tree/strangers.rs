//! Every signal that the server and its shims send, and whether its target descends from the shim's job. Who descends
//! from whom is read from the same trace, so that nobody is missed who lived for a moment only.

mod families; // who descends from whom
mod line; // what strace writes

use std::path::Path;

use super::stop;
use crate::adversary::Adversary;
use crate::error::{Doing, Result};
use crate::house::{Home, Plan, Server, tell};
use crate::process_table;
use crate::tracer;
use families::{Families, Person};
use line::Said;

const TRACED: usize = 16;
/// Numbers that no other tree has.
const FIRST: usize = 1_000_000;
/// What is read is written down for the kernel's words on a process that is about to be signalled: its name, its state
/// and its parent stand within so many characters.
const OPTIONS: [&str; 5] =
    ["--decode-fds=pidfd", "-s", "64", "-e", "trace=kill,tkill,tgkill,pidfd_send_signal,clone,clone3,fork,vfork,read"];
/// So many lines of a stranger's life are shown.
const SHOWN: usize = 12;

/// Signals to strangers, of how many. Each is told of, with what is known of its target.
pub(super) async fn count(seed: u64) -> Result<(usize, usize)> {
    let home = Home::new()?;
    let server = Server::start(&home, &Plan::default())?;
    let session = server.rpc.create_session().await?;
    // The first start asks the login shell, whose children are none of a job's.
    server.rpc.start_process(&session, "true", false).await?;
    let trace = home.path().join("trace");
    let tracer = tracer::attach(&trace, &[server.pid()], &OPTIONS).await?;
    let threads = process_table::threads(server.pid())?;
    for number in FIRST..FIRST + TRACED {
        let tree = Adversary::plant(home.path(), seed, number)?;
        tree.let_go()?;
        let process = server.rpc.start_process(&session, &tree.command(), false).await?;
        tree.grown().await?;
        stop(&server.rpc, &process).await?;
    }
    tracer::detach(tracer)?;
    let judged = read(&trace, server.pid(), &threads)?;
    server.end()?;
    judged.strangers.iter().for_each(|words| tell(words));
    Ok((judged.strangers.len(), judged.signals))
}

/// What became of the signals of a trace.
#[derive(Debug, Default)]
struct Judged {
    signals: usize,
    /// One portrait for each that went to a stranger.
    strangers: Vec<String>,
}

/// A signal that somebody sent.
struct Sent {
    at: usize,
    sender: Person,
    /// A group, or everybody, is nobody.
    target: Option<Target>,
}

struct Target {
    pid: u32,
    person: Person,
}

fn read(trace: &Path, server: u32, threads: &[u32]) -> Result<Judged> {
    let text = std::fs::read(trace).doing("reading what strace saw")?;
    Ok(judge(&String::from_utf8_lossy(&text), server, threads))
}

fn judge(text: &str, server: u32, threads: &[u32]) -> Judged {
    let (mut families, mut sent) = (Families::of(server, threads), Vec::new());
    for (at, line) in text.lines().enumerate() {
        let Some((pid, event)) = line::split(line) else { continue };
        let person = families.hear(at, pid);
        match Said::of(event) {
            Said::Birth(birth) => families.birth(at, pid, birth),
            Said::Looked { pid, parent, is_dead } => families.looked(at, pid, parent, is_dead),
            Said::End => families.end(pid),
            Said::Signal { target } => {
                let target = target.map(|pid| Target { pid, person: families.target(at, pid) });
                sent.push(Sent { at, sender: person, target });
            }
            Said::Other => {}
        }
    }
    // A birth may stand in the trace after the first signal to whoever was born, so the judgement comes last.
    sent.retain(|signal| families.is_ours(signal.sender));
    let is_job_of = |target: &Target, sender| families.is_job_of(target.person, sender);
    let is_ours = |signal: &&Sent| signal.target.as_ref().is_some_and(|target| is_job_of(target, signal.sender));
    let strangers = sent.iter().filter(|signal| !is_ours(signal));
    Judged { signals: sent.len(), strangers: strangers.map(|signal| portrait(text, &families, signal)).collect() }
}

/// What there is to know of a signal to a stranger.
fn portrait(text: &str, families: &Families, signal: &Sent) -> String {
    let line = text.lines().nth(signal.at).unwrap_or_default();
    let mut words = format!("a signal to a stranger in line {}: {line}\n", signal.at);
    let Some(target) = &signal.target else { return words };
    words += &format!("  it descends from {}\n", families.line_of(target.person));
    words += &format!("  its sender descends from {}\n", families.line_of(signal.sender));
    words += &format!("  calls to make somebody that were cut off: {}\n", families.cut_off());
    let pid = target.pid.to_string();
    let about = text.lines().enumerate().filter(|(_, line)| line::is_about(line, &pid));
    let (before, after): (Vec<_>, Vec<_>) = about.partition(|(at, _)| *at <= signal.at);
    let shown = before.iter().rev().take(SHOWN).rev().chain(after.iter().take(SHOWN));
    shown.for_each(|(at, line)| words += &format!("  {at}: {line}\n"));
    words
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

    /// Whether each signal of ours goes to a stranger.
    fn strangers(sent: &str) -> Vec<bool> {
        let all = format!("{TRACE}{sent}");
        let lines: Vec<usize> = all.lines().enumerate().map(|(at, _)| at).collect();
        let judged = judge(&all, 10, &[10, 12]);
        let is_stranger = |at: &usize| judged.strangers.iter().any(|words| words.contains(&format!("line {at}:")));
        let ours = lines.iter().filter(|at| all.lines().nth(**at).is_some_and(|line| line.ends_with("; ours")));
        ours.map(is_stranger).collect()
    }

    #[test]
    fn signals_to_a_shims_own_job_are_none_to_strangers() {
        let sent = "20  pidfd_send_signal(5<pid:30>, SIGTERM, NULL, 0) = 0; ours\n21  kill(31, SIGKILL) = 0; ours\n\
                    20  kill(9, 0) = 0\n12  kill(30, SIGKILL) = 0; ours\n";
        assert_eq!(strangers(sent), [false, false, false]);
    }

    #[test]
    fn a_stranger_a_group_and_the_shim_itself_are_strangers() {
        let sent = "20  pidfd_send_signal(5<pid:99>, SIGTERM, NULL, 0) = 0; ours\n20  kill(-30, SIGTERM) = 0; ours\n\
                    20  tgkill(20, 21, SIGABRT) = 0; ours\n12  kill(99, SIGKILL) = 0; ours\n12  kill(20, SIGKILL) = 0; ours\n";
        assert_eq!(strangers(sent), [true; 5]);
    }

    #[test]
    fn a_number_that_was_given_to_somebody_else_is_somebody_else() {
        // The first shim's job ends; its number is that of somebody below another shim later on.
        let sent = "20  kill(30, SIGKILL) = 0; ours\n30  +++ killed by SIGKILL +++\n12  vfork() = 40\n40  vfork() = 30\n\
                    40  kill(30, SIGKILL) = 0; ours\n20  kill(30, SIGKILL) = 0; ours\n";
        assert_eq!(strangers(sent), [false, false, true]);
    }

    #[test]
    fn where_a_birth_was_cut_off_the_kernels_word_counts() {
        let cut = "31  clone(child_stack=NULL <unfinished ...>\n31  +++ killed by SIGKILL +++\n";
        let looked = |parent| format!("20  read(7, \"50 (bash) S {parent} 30 30 \"..., 1024) = 300\n");
        let sent = "20  pidfd_send_signal(5<pid:50>, SIGKILL, NULL, 0) = 0; ours\n";
        assert_eq!(strangers(&format!("{cut}{sent}")), [true]);
        assert_eq!(strangers(&format!("{cut}{}{sent}", looked(20))), [false]);
        assert_eq!(strangers(&format!("{cut}{}{sent}", looked(30))), [false]);
        assert_eq!(strangers(&format!("{cut}{}{sent}", looked(1))), [true]);
        // Somebody else's child had the number before; that one is not asked about.
        assert_eq!(strangers(&format!("{}50  +++ exited with 0 +++\n{}{sent}", looked(1), looked(20))), [false]);
    }
}
