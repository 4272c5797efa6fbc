//! Which notices become toasts, and when. Pure: facts and the time in, effects out.

mod burst; // what ends in quick succession, per session

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::shape::{Action, Slot, Subject, Toast};
use super::words;
use burst::Burst;

/// What is being told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A process ended.
    ProcessEnded,
    /// A question waits.
    Approval,
    /// A long turn ended.
    TurnEnded,
}

/// One notice as it is now.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub kind: Kind,
    pub subject: Subject,
    pub title: String,
    pub body: String,
    pub session_title: String,
    pub failed: bool,
    pub at_ms: i64,
    /// It was seen, or is over.
    pub read: bool,
    /// Its source is silenced.
    pub muted: bool,
    /// Of a question: the whole command.
    pub command: Option<String>,
    /// Of a turn: the end of a process woke it.
    pub woken: bool,
}

/// What a person wants to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wishes {
    pub completions: bool,
    pub approvals: bool,
    pub turns: bool,
    pub approve_from_toast: bool,
    /// Minutes of the day; it may span midnight.
    pub quiet_hours: Option<(u16, u16)>,
    /// Nothing until then.
    pub quiet_until_ms: Option<i64>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            completions: true,
            approvals: true,
            turns: true,
            approve_from_toast: false,
            quiet_hours: None,
            quiet_until_ms: None,
        }
    }
}

/// The time, told in three ways.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// What never runs backwards.
    pub mono: Duration,
    /// What the wall says.
    pub wall_ms: i64,
    /// The minute of the day where the person is.
    pub minute: u16,
}

/// A fact.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// A notice was written.
    Notice(Box<Entry>),
    /// What a person wants has changed.
    Wishes(Wishes),
    /// The sessions whose ends stand in a focused window.
    OnScreen(HashSet<String>),
    /// A time that was asked for is here.
    Tick,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Show it, in place of what stands in its slot.
    Show(Box<Toast>),
    /// Take away what stands there.
    Close(Slot),
}

fn show(toast: Toast) -> Effect {
    Effect::Show(Box::new(toast))
}

/// Notices that are remembered as told; older ones are read by then.
const TOLD: usize = 8192;

/// The policy of one run of the program.
#[derive(Debug)]
pub(crate) struct Policy {
    began_ms: i64,
    wishes: Wishes,
    on_screen: HashSet<String>,
    told: HashSet<String>,
    questions: HashMap<String, Slot>,
    bursts: HashMap<String, Burst>,
    slots: u64,
}

impl Policy {
    /// Whatever was written before `began_ms` is never told.
    pub fn new(began_ms: i64) -> Self {
        Self {
            began_ms,
            wishes: Wishes::default(),
            on_screen: HashSet::new(),
            told: HashSet::new(),
            questions: HashMap::new(),
            bursts: HashMap::new(),
            slots: 0,
        }
    }

    /// Takes a fact.
    pub fn handle(&mut self, input: Input, now: Moment) -> Vec<Effect> {
        match input {
            Input::Notice(entry) => self.notice(*entry, now).into_iter().collect(),
            Input::Wishes(wishes) => {
                self.wishes = wishes;
                Vec::new()
            }
            Input::OnScreen(sessions) => {
                self.on_screen = sessions;
                // Whoever looks at it needs no summary of it.
                self.bursts.retain(|session, _| !self.on_screen.contains(session));
                Vec::new()
            }
            Input::Tick => self.tick(now),
        }
    }

    /// When it wants to be asked again, if nothing happens before.
    pub fn wakes_at(&self) -> Option<Duration> {
        self.bursts.values().filter_map(Burst::due).min()
    }

    fn notice(&mut self, entry: Entry, now: Moment) -> Option<Effect> {
        if entry.read {
            // A question that was answered elsewhere must not stand there and wait.
            return self.questions.remove(&entry.subject.notice_id).map(Effect::Close);
        }
        if entry.at_ms < self.began_ms || !self.first_time(&entry) || !self.wanted(&entry, now) {
            return None;
        }
        match entry.kind {
            Kind::Approval => Some(show(self.question(&entry))),
            Kind::ProcessEnded | Kind::TurnEnded => self.end(entry, now).map(show),
        }
    }

    fn first_time(&mut self, entry: &Entry) -> bool {
        if self.told.len() >= TOLD {
            self.told.clear();
            self.began_ms = self.began_ms.max(entry.at_ms);
        }
        self.told.insert(entry.subject.notice_id.clone())
    }

    fn wanted(&self, entry: &Entry, now: Moment) -> bool {
        let asked_for = match entry.kind {
            Kind::ProcessEnded => self.wishes.completions,
            Kind::Approval => self.wishes.approvals,
            Kind::TurnEnded => self.wishes.turns,
        };
        asked_for && !entry.muted && !self.quiet(now) && !self.on_screen.contains(&entry.subject.session_id)
    }

    fn quiet(&self, now: Moment) -> bool {
        let until = self.wishes.quiet_until_ms.is_some_and(|until| now.wall_ms < until);
        until
            || self.wishes.quiet_hours.is_some_and(|(from, to)| {
                if from <= to { (from..to).contains(&now.minute) } else { now.minute >= from || now.minute < to }
            })
    }

    fn question(&mut self, entry: &Entry) -> Toast {
        let slot = Slot(format!("question:{}", entry.subject.notice_id));
        self.questions.insert(entry.subject.notice_id.clone(), slot.clone());
        let whole = entry.command.as_deref().filter(|command| words::fits_whole(command));
        let mut actions = vec![Action::Open, Action::Deny];
        if whole.is_some() && self.wishes.approve_from_toast {
            actions.push(Action::AllowOnce);
        }
        let shown = whole.unwrap_or(&entry.body);
        Toast {
            slot,
            subject: entry.subject.clone(),
            title: words::title(&entry.title),
            body: words::title(shown),
            actions,
            urgent: true,
        }
    }

    fn end(&mut self, entry: Entry, now: Moment) -> Option<Toast> {
        let session = entry.subject.session_id.clone();
        if let Some(burst) = self.bursts.get_mut(&session)
            && burst.goes_on(now.mono)
        {
            burst.collect(entry, now.mono);
            return None;
        }
        // A turn that an end has woken says what came of it, in the same place.
        let slot = self.bursts.get(&session).filter(|burst| entry.woken && burst.ends_only()).map(Burst::slot);
        let slot = slot.unwrap_or_else(|| {
            self.slots += 1;
            Slot(format!("ends:{session}:{}", self.slots))
        });
        let (burst, toast) = Burst::begin(slot, entry, now.mono);
        self.bursts.insert(session, burst);
        Some(toast)
    }

    fn tick(&mut self, now: Moment) -> Vec<Effect> {
        let quiet = self.quiet(now);
        let due = self.bursts.values_mut().filter(|burst| burst.due().is_some_and(|due| due <= now.mono));
        due.filter_map(|burst| burst.summary(now.mono)).filter(|_| !quiet).map(show).collect()
    }
}

#[cfg(test)]
mod tests;
