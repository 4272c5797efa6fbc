//! What living processes use. Nothing is measured unless somebody asks.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::{Mono, ProcessId};
use gatehouse_process::usage::{self, Listening, Usage};
use gatehouse_process::{Member, Members};

use crate::core::Core;
use crate::error::{Error, Result};
use crate::gateway::Gateway;

/// So many processes are measured in one call.
const MOST: usize = 64;
/// Whoever asks again later than this begins anew.
const FORGET_AFTER: Duration = Duration::from_secs(5);
/// A share over less than this would be mostly rounding; the one before is told again.
const LEAST_SPAN: Duration = Duration::from_millis(250);

/// A process's whole tree, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessSample {
    /// Which.
    pub process: ProcessId,
    /// Percent of one processor since the sample before.
    pub cpu_percent: Option<f64>,
    /// Resident memory.
    pub rss_bytes: u64,
    /// Members besides the direct child.
    pub descendants: u32,
    /// Ports that it serves on.
    pub ports: Vec<u16>,
}

/// The samples before. The lock is held for look-ups only.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    before: Mutex<HashMap<ProcessId, Before>>,
}

#[derive(Debug, Clone, Copy)]
struct Before {
    at: Mono,
    ticks: u64,
    percent: Option<f64>,
}

impl Gateway {
    /// Measures processes; those of which nobody lives are left out.
    pub async fn sample_processes(&self, ids: Vec<ProcessId>) -> Result<Vec<ProcessSample>> {
        if ids.len() > MOST {
            return Err(Error::Invalid(format!(
                "At most {MOST} processes are measured at once; these are {}.",
                ids.len()
            )));
        }
        let core = Arc::clone(self.core());
        let measured = tokio::task::spawn_blocking(move || sample(&core, &ids));
        measured.await.map_err(|_| Error::ShuttingDown)?
    }
}

fn sample(core: &Core, ids: &[ProcessId]) -> Result<Vec<ProcessSample>> {
    let jobs = core.supervisor.members(ids)?;
    // A kernel that does not tell which ports are open still tells the rest.
    let listening = Listening::look().unwrap_or_else(|error| {
        tracing::warn!("Open ports cannot be looked at: {error}");
        Listening::default()
    });
    let mut samples = Vec::with_capacity(jobs.len());
    for job in &jobs {
        let sample = core.statistics.measure(job, &listening, core.clock.mono());
        if !sample.ports.is_empty() {
            core.followers.serves(sample.process);
        }
        core.live.serves(sample.process, &sample.ports);
        samples.push(sample);
    }
    Ok(samples)
}

impl Statistics {
    fn measure(&self, job: &Members, listening: &Listening, now: Mono) -> ProcessSample {
        let used = total(&job.members);
        let besides = job.members.iter().filter(|member| member.pid != job.child).count();
        ProcessSample {
            process: job.id,
            cpu_percent: self.share(job.id, used.ticks, now),
            rss_bytes: used.rss_bytes,
            descendants: u32::try_from(besides).unwrap_or(u32::MAX),
            ports: ports_of(&listening.of(&job.members)),
        }
    }

    /// The share since the sample before, which this one takes the place of.
    fn share(&self, process: ProcessId, ticks: u64, now: Mono) -> Option<f64> {
        let mut samples = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        samples.retain(|_, before| now.0.saturating_sub(before.at.0) <= FORGET_AFTER);
        let percent = match samples.get(&process) {
            Some(before) if now.0.saturating_sub(before.at.0) < LEAST_SPAN => return before.percent,
            Some(before) => Some(percent(ticks.saturating_sub(before.ticks), now.0.saturating_sub(before.at.0))),
            None => None,
        };
        samples.insert(process, Before { at: now, ticks, percent });
        percent
    }
}

#[expect(clippy::cast_precision_loss, reason = "ticks of a few seconds are small numbers")]
fn percent(ticks: u64, span: Duration) -> f64 {
    let share = ticks as f64 / usage::ticks_per_second() as f64 / span.as_secs_f64();
    (share * 1000.0).round() / 10.0
}

/// Each port once, whatever addresses it is open on.
fn ports_of(addresses: &[SocketAddr]) -> Vec<u16> {
    let mut ports: Vec<u16> = addresses.iter().map(SocketAddr::port).collect();
    ports.dedup();
    ports
}

/// Whoever ended meanwhile, or may not be read, uses nothing.
fn total(members: &[Member]) -> Usage {
    let used = members.iter().filter_map(|member| usage::of(member).ok().flatten());
    used.fold(Usage::default(), |sum, one| Usage {
        ticks: sum.ticks.saturating_add(one.ticks),
        rss_bytes: sum.rss_bytes.saturating_add(one.rss_bytes),
    })
}

#[cfg(test)]
mod tests {
    use gatehouse_domain::{Clock as _, IdSource as _};
    use gatehouse_process::tree;

    use super::*;
    use crate::ports::{SystemClock, SystemIds};

    fn at(ms: u64) -> Mono {
        Mono(Duration::from_millis(ms))
    }

    #[test]
    fn a_share_is_of_the_time_since_the_sample_before() {
        let (statistics, id) = (Statistics::default(), ProcessId::from_uuid(SystemIds.fresh()));
        let second = usage::ticks_per_second();
        assert_eq!(statistics.share(id, 7, at(0)), None, "the first has none before it");
        assert_eq!(statistics.share(id, 7 + second / 2, at(1_000)), Some(50.0));
        assert_eq!(statistics.share(id, 7 + second, at(1_100)), Some(50.0), "too soon to say anything new");
        assert_eq!(statistics.share(id, 7 + 5 * second / 2, at(2_000)), Some(200.0));
        assert_eq!(statistics.share(id, 7, at(3_000)), Some(0.0), "whoever left took their time along");
        assert_eq!(statistics.share(id, 9, at(8_001)), None, "after five seconds it begins anew");
        let other = ProcessId::from_uuid(SystemIds.fresh());
        assert_eq!(statistics.share(other, 0, at(13_002)), None);
        assert_eq!(statistics.before.lock().unwrap().len(), 1, "what nobody asks for is forgotten");
    }

    #[test]
    fn a_busy_tree_is_seen_whole() {
        #[expect(clippy::disallowed_methods, reason = "a real tree is measured from outside")]
        let mut shell = std::process::Command::new("sh")
            .args(["-c", "for n in 1 2; do timeout 3 sh -c 'while :; do :; done' & done; wait"])
            .spawn()
            .unwrap();
        let (statistics, clock) = (Statistics::default(), SystemClock::default());
        let id = ProcessId::from_uuid(SystemIds.fresh());
        let look = || {
            let mut members = tree::below(shell.id(), &tree::table().unwrap());
            members.extend(tree::member(shell.id()).unwrap());
            statistics.measure(&Members { id, child: shell.id(), members }, &Listening::default(), clock.mono())
        };
        // On a machine that is full, the loops get what others leave to them.
        let load: f64 = std::fs::read_to_string("/proc/loadavg").unwrap().split(' ').next().unwrap().parse().unwrap();
        let processors = u32::try_from(std::thread::available_parallelism().unwrap().get()).unwrap();
        let full = load > f64::from(processors);
        let free = if full { 5.0 } else { 50.0 };
        // Time that was spent gives no event; the loops end by themselves.
        let seen = std::iter::repeat_with(|| {
            std::thread::sleep(Duration::from_millis(300));
            look()
        })
        .take(9)
        .find(|sample| sample.cpu_percent.is_some_and(|percent| percent > free));
        for member in tree::below(shell.id(), &tree::table().unwrap()) {
            let pid = rustix::process::Pid::from_raw(member.pid.cast_signed()).unwrap();
            // It may just have ended by itself.
            let _gone = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        shell.kill().unwrap();
        shell.wait().unwrap();
        let seen = seen.expect("nothing of the loops was seen");
        assert!(seen.rss_bytes > 0 && seen.descendants >= 2, "{seen:?}");
    }
}
