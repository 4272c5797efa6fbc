//! Where a job is typed to: its terminal, or a pipe. A job that takes no input has none, and costs nothing here.

use std::io;
use std::os::fd::OwnedFd;

use gatehouse_process::input::{PtySize, Refusal, Then};
use gatehouse_process::output;
use gatehouse_process::rundir::RunDir;
use gatehouse_process::wire::FromShim;
use rustix::fs::OFlags;

use crate::keyboard::Keyboard;
use crate::ladder;
use crate::prompt;
use crate::sieve::{Query, Screen};
use crate::terminal::Terminal;
use crate::waits::{self, Source};
use crate::watch::{Waiting, Watch};

/// The end of the output that may hold a question.
const TAIL: usize = 512;
const CTRL_C: u8 = 3;

/// One job's.
pub struct Console {
    terminal: Option<Terminal>,
    source: Source,
    keyboard: Keyboard,
    watch: Watch,
    screen: Screen,
    /// The end of a terminal's input is only an end where a line begins.
    is_at_line_start: bool,
}

impl Console {
    pub fn terminal(terminal: Terminal, now_ms: u64) -> io::Result<Self> {
        let (source, way) = (Source::Terminal(terminal.device()?), terminal.ours()?);
        Ok(Self::new(Some(terminal), source, way, now_ms))
    }

    pub fn pipe(way: OwnedFd, now_ms: u64) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&way, OFlags::NONBLOCK)?;
        Ok(Self::new(None, Source::pipe(&way)?, way, now_ms))
    }

    fn new(terminal: Option<Terminal>, source: Source, way: OwnedFd, now_ms: u64) -> Self {
        let (keyboard, watch) = (Keyboard::new(way), Watch::new(now_ms));
        Self { terminal, source, keyboard, watch, screen: Screen::PLAIN, is_at_line_start: true }
    }

    /// Types for somebody.
    pub fn hear(&mut self, request: u64, data: &[u8], then: Then, now_ms: u64) -> Vec<FromShim> {
        let last = data.last().copied();
        let is_at_line_start = last.map_or(self.is_at_line_start, ends_a_line);
        let after = self.bytes_after(then, is_at_line_start);
        if let Err(why) = self.keyboard.offer(request, data, &after, now_ms) {
            return vec![FromShim::Refused { request, why }];
        }
        self.is_at_line_start = is_at_line_start || then != Then::Nothing;
        if then == Then::End && self.terminal.is_none() {
            self.keyboard.close();
        }
        let is_whole = then != Then::Nothing || last.is_some_and(|byte| ends_a_line(byte) || byte == CTRL_C);
        let mut words: Vec<FromShim> = self.watch.typed(is_whole, now_ms).into_iter().collect();
        words.extend(self.flush(now_ms));
        words
    }

    fn bytes_after(&self, then: Then, is_at_line_start: bool) -> Vec<u8> {
        match (then, &self.terminal) {
            (Then::Nothing, _) | (Then::End, None) => Vec::new(),
            (Then::Enter, None) => b"\n".to_vec(),
            (Then::Enter, Some(_)) => b"\r".to_vec(),
            // In the middle of a line the first one only hands over what stands there.
            (Then::End, Some(terminal)) => vec![terminal.end_of_input(); if is_at_line_start { 1 } else { 2 }],
        }
    }

    pub fn resize(&mut self, request: u64, size: PtySize) -> FromShim {
        let Some(terminal) = &mut self.terminal else {
            return FromShim::Refused { request, why: Refusal::NoTerminal };
        };
        match terminal.resize(size) {
            Ok(()) => FromShim::Resized { request },
            Err(error) => {
                crate::surroundings::complain(&error);
                FromShim::Refused { request, why: Refusal::NoTerminal }
            }
        }
    }

    /// Answers what the job has asked its terminal.
    pub fn answer(&mut self, queries: &[Query]) {
        let Some(terminal) = &self.terminal else { return };
        let PtySize { rows, cols } = terminal.size();
        for query in queries {
            self.keyboard.reply(query.answer(rows, cols).as_bytes());
        }
        self.keyboard.flush();
    }

    /// Output came, and this is what the screen has become.
    pub fn stir(&mut self, screen: Screen, now_ms: u64) {
        self.screen = screen;
        self.watch.stir(now_ms);
    }

    /// What to wait for.
    pub fn waits_for(&self) -> Option<&OwnedFd> {
        self.keyboard.waits_for()
    }

    /// Hands on what waits. Gives back the answers that are due.
    pub fn flush(&mut self, now_ms: u64) -> Vec<FromShim> {
        self.keyboard.flush();
        self.keyboard.answers(now_ms)
    }

    /// When `keep_time` has something to do.
    pub fn deadline_ms(&self) -> Option<u64> {
        self.keyboard.deadline_ms().into_iter().chain(self.watch.look_at_ms()).min()
    }

    /// Answers who waited long enough, and looks if it is time.
    pub fn keep_time(&mut self, run: &RunDir, now_ms: u64) -> io::Result<Vec<FromShim>> {
        let mut words = self.keyboard.answers(now_ms);
        if self.watch.look_at_ms().is_some_and(|at| now_ms >= at) {
            let found = self.look(run)?;
            words.extend(self.watch.looked(found, now_ms));
        }
        Ok(words)
    }

    fn look(&self, run: &RunDir) -> io::Result<Waiting> {
        let seen = waits::look(&ladder::members(None)?, self.source);
        let (is_raw, hidden) = self.terminal.as_ref().map_or((false, false), |t| (t.is_raw(), t.is_hidden()));
        let line = prompt::open_line(&output::read(run, None, TAIL)?.bytes);
        // An editor wakes up by itself now and then, and shows where it will write. What only shows itself hides its cursor.
        let is_edited = is_raw && self.screen.is_whole && self.screen.has_cursor;
        let needs_input = seen.reads
            || (seen.listens && (prompt::asks(&line) || (is_raw && !line.is_empty())))
            || (seen.pauses && is_edited)
            || (seen.is_blind && (prompt::asks(&line) || hidden));
        Ok(Waiting { needs_input, hidden: needs_input && hidden })
    }

    /// For whoever listens from now on.
    pub fn retell(&self) -> Option<FromShim> {
        Some(self.watch.told()).filter(|told| told.needs_input).map(Waiting::word)
    }

    /// The job has ended: who still waits to type is answered.
    pub fn end(&mut self, now_ms: u64) -> Vec<FromShim> {
        self.keyboard.give_up();
        let mut words = self.keyboard.answers(now_ms);
        words.extend(self.watch.end());
        words
    }
}

const fn ends_a_line(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
