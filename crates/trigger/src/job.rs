//! Everything that one job may say while it runs.

use std::time::Duration;

use gatehouse_domain::Mono;

use crate::heartbeat::{Heartbeat, Tick};
use crate::pattern::WatchPatterns;
use crate::silence::Silence;
use crate::updates::{COUNT_EVERY, UPDATE_EVERY, Updates};
use crate::watch::{Disabled, Hit, SavedWatch, Told, Watch};

/// What somebody wants to hear of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Lines that are waited for.
    pub patterns: WatchPatterns,
    /// How often a sign of life is wanted.
    pub heartbeat: Option<Duration>,
}

/// What of a job must survive a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Saved {
    /// Its watch.
    pub watch: SavedWatch,
    /// Signs of life so far.
    pub beats: u32,
    /// How much of the output the last of them showed.
    pub beat_total: u64,
}

/// What a job says by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A line was seen that is waited for.
    Hit(Hit),
    /// Its watch is over; its end is reported from now on.
    Disabled(Disabled),
    /// It lives, and there is something new.
    Tick(Tick),
    /// It has written nothing for a while.
    Quiet,
    /// It was quiet, and writes again.
    Spoke,
    /// It has written more since it was looked at.
    Wrote,
    /// More of its lines matched since that was looked at.
    Matched,
}

/// One job that runs.
#[derive(Debug)]
pub struct Job {
    watch: Option<Watch>,
    heartbeat: Option<Heartbeat>,
    silence: Silence,
    updates: Updates,
    counts: Updates,
    total: u64,
}

impl Job {
    /// A job that begins now, or goes on now where it stood.
    pub fn new(plan: Plan, saved: Saved, now: Mono) -> Self {
        let Plan { patterns, heartbeat } = plan;
        Self {
            watch: (!patterns.is_empty()).then(|| Watch::resume(patterns, saved.watch, now)),
            heartbeat: heartbeat.map(|interval| Heartbeat::resume(interval, saved.beats, saved.beat_total, now)),
            silence: Silence::new(now),
            updates: Updates::new(UPDATE_EVERY, 0, now),
            counts: Updates::new(COUNT_EVERY, saved.watch.matched, now),
            total: 0,
        }
    }

    /// What somebody needs who goes on with it later.
    pub fn saved(&self, now: Mono) -> Saved {
        let (beats, beat_total) = self.heartbeat.as_ref().map_or((0, 0), Heartbeat::told);
        Saved { watch: self.watch.as_ref().map(|watch| watch.saved(now)).unwrap_or_default(), beats, beat_total }
    }

    /// From where the output is wanted; not at all if nobody waits for a line.
    pub fn reads_from(&self) -> Option<u64> {
        self.watch.as_ref().and_then(Watch::reads_from)
    }

    /// Lines that matched so far what is waited for, told or not.
    pub fn matched(&self) -> u64 {
        self.watch.as_ref().map_or(0, Watch::matched_lines)
    }

    /// The output has come this far.
    pub fn grew(&mut self, total: u64, now: Mono) -> Option<Event> {
        if total <= self.total {
            return None;
        }
        self.total = total;
        self.silence.broken(now).then_some(Event::Spoke)
    }

    /// Takes output that stands at `from`. `ask` is asked before a hit is counted: whether all jobs together may say
    /// one more thing.
    pub fn read(&mut self, from: u64, bytes: &[u8], now: Mono, ask: &mut dyn FnMut(Mono) -> bool) -> Vec<Event> {
        events(self.watch.as_mut().map(|watch| watch.read(from, bytes, now, ask)))
    }

    /// What is due by now.
    pub fn tick(&mut self, now: Mono, ask: &mut dyn FnMut(Mono) -> bool) -> Vec<Event> {
        let mut events = events(self.watch.as_mut().map(|watch| watch.tick(now, ask)));
        let (total, matched) = (self.total, self.matched());
        events.extend(self.counts.tick(matched, now).then_some(Event::Matched));
        events.extend(self.heartbeat.as_mut().and_then(|heart| heart.tick(total, now)).map(Event::Tick));
        events.extend(self.silence.begins(now).then_some(Event::Quiet));
        events.extend(self.updates.tick(total, now).then_some(Event::Wrote));
        events
    }

    /// It is over: what lies there is looked at, and nothing is said after it.
    pub fn end(&mut self, now: Mono, ask: &mut dyn FnMut(Mono) -> bool) -> Vec<Event> {
        self.heartbeat = None;
        let mut events = events(self.watch.as_mut().map(|watch| watch.end(now, ask)));
        events.extend(self.counts.is_new(self.matched()).then_some(Event::Matched));
        events
    }

    /// When [`tick`](Self::tick) has something to do, if nothing else happens.
    pub fn next_at(&self) -> Option<Mono> {
        let heart = self.heartbeat.as_ref().map(Heartbeat::next_at);
        let watch = self.watch.as_ref().and_then(Watch::next_at);
        let update = self.updates.next_at(self.total);
        let count = self.counts.next_at(self.matched());
        watch.into_iter().chain(heart).chain(self.silence.next_at()).chain(update).chain(count).min()
    }
}

fn events(told: Option<Vec<Told>>) -> Vec<Event> {
    let event = |told| match told {
        Told::Hit(hit) => Event::Hit(hit),
        Told::Disabled(disabled) => Event::Disabled(disabled),
    };
    told.into_iter().flatten().map(event).collect()
}
