//! A command that runs, and all that belongs to it.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;

use gatehouse_process::cgroup::Group;
use gatehouse_process::input::Refusal;
use gatehouse_process::rundir::{self, ChildRecord, RunDir};
use gatehouse_process::tree;
use gatehouse_process::wire::{FromShim, ToShim};

use crate::capture::{Capture, Pulled};
use crate::console::Console;
use crate::job::{Failed, Job};
use crate::ladder;
use crate::reaper::{self, Reaper};
use crate::serve::mono_ms;

/// After a small piece the pipe rests this long, so that a job that writes line by line is not woken for each.
const REST_MS: u64 = 1;
const SMALL_PIECE: u64 = 16 * 1024;

/// What exists only if the command was started.
pub struct Work {
    pub child: ChildRecord,
    pub reaper: Reaper,
    pub capture: Option<Capture>,
    pub console: Option<Console>,
    pub total: u64,
    pub rest_until_ms: u64,
    pub count_at_ms: Option<u64>,
    pub count: u32,
    pub group: Option<Group>,
    /// The reaper has collected everybody below this process.
    pub is_childless: bool,
    /// When the time that it may run is over.
    pub limit_at_ms: Option<u64>,
}

impl Work {
    pub fn over(job: Job, now_ms: u64) -> Result<Self, Failed> {
        let Job { child, capture, console, group, max_runtime_ms } = job;
        match reaper::start(child.pid) {
            Ok(reaper) => Ok(Self {
                child,
                reaper,
                capture: Some(capture),
                console,
                total: 0,
                rest_until_ms: 0,
                count_at_ms: None,
                count: 0,
                group,
                is_childless: false,
                limit_at_ms: max_runtime_ms.map(|span| now_ms.saturating_add(span)),
            }),
            Err(error) => {
                for member in ladder::members(group.as_ref())? {
                    tree::signal(&member, tree::Signal::KILL)?;
                }
                group.iter().for_each(Group::remove);
                Err(Failed::Io(error))
            }
        }
    }

    /// Moves output that is there.
    pub fn pull(&mut self, run: &RunDir, now_ms: u64) -> io::Result<()> {
        let Some(capture) = &mut self.capture else { return Ok(()) };
        let pulled = capture.pull(run)?;
        let queries = capture.take_queries();
        if let Some(console) = &mut self.console {
            console.answer(&queries);
            console.stir(capture.screen(), now_ms);
        }
        match pulled {
            Pulled::Closed => self.finish_output(run),
            Pulled::Bytes(bytes) => {
                self.total = capture.total();
                if bytes < SMALL_PIECE {
                    self.rest_until_ms = now_ms + REST_MS;
                }
            }
        }
        Ok(())
    }

    /// The direct child has ended: its output is complete, with what somebody who stands between it and us passes on.
    pub fn pull_last(&mut self, run: &RunDir, others: bool) -> io::Result<()> {
        let Some(capture) = &mut self.capture else { return Ok(()) };
        capture.pull_last(run)?;
        if others {
            capture.pull_until_quiet(run, mono_ms)?;
        }
        capture.let_go(run);
        self.total = capture.total();
        Ok(())
    }

    /// Nobody is left to write.
    pub fn finish_output(&mut self, run: &RunDir) {
        if let Some(mut capture) = self.capture.take() {
            capture.let_go(run);
            self.total = capture.total();
        }
    }

    /// A word about the job's input.
    pub fn hear(&mut self, word: ToShim, now_ms: u64) -> Vec<FromShim> {
        match (word, &mut self.console) {
            (ToShim::Input { request, data, then }, Some(console)) => {
                console.hear(request, &OsString::from(data).into_vec(), then, now_ms)
            }
            (ToShim::Resize { request, size }, Some(console)) => vec![console.resize(request, size)],
            (ToShim::Input { request, .. }, None) => vec![FromShim::Refused { request, why: Refusal::NoInput }],
            (ToShim::Resize { request, .. }, None) => vec![FromShim::Refused { request, why: Refusal::NoTerminal }],
            (ToShim::Hello(_) | ToShim::Stop { .. } | ToShim::AcknowledgeEnd, _) => Vec::new(),
        }
    }

    /// What a newcomer must know of one that runs.
    pub fn retell(&self) -> Vec<FromShim> {
        let started = FromShim::Started(self.child.clone());
        let output = FromShim::Output { total: self.total, at_ms: rundir::wall_ms() };
        let waiting = self.console.as_ref().and_then(Console::retell);
        [started, output].into_iter().chain(waiting).collect()
    }
}
