//! What ends in quick succession in one session: the first is told at once, the rest in its place, with counts.
//!
//! However many ends come, their first minute is told in three toasts: the first end, what the next ten seconds brought,
//! and, when they have stopped coming, all of it.

use std::time::Duration;

use super::{Entry, Kind};
use crate::toast::shape::{Action, Slot, Subject, Toast};
use crate::toast::words;

/// Between two toasts of one session, at least; and so long without an end means that they have stopped coming.
const SPAN: Duration = Duration::from_secs(10);
/// Ends that never stop coming are told this often.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Burst {
    slot: Slot,
    first: Subject,
    session_title: String,
    done: u32,
    failed: u32,
    /// The first end's own words, while it is the only one.
    only: Option<String>,
    /// The last turn that ended.
    turn: Option<Entry>,
    shown: u32,
    shown_at: Duration,
    last_at: Duration,
    waits: bool,
}

impl Burst {
    /// The first one, told in its own words.
    pub fn begin(slot: Slot, entry: Entry, now: Duration) -> (Self, Toast) {
        let toast = Toast {
            slot: slot.clone(),
            subject: entry.subject.clone(),
            title: words::title(&entry.title),
            body: words::body(&entry.body, &entry.session_title),
            actions: match entry.kind {
                Kind::ProcessEnded => vec![Action::Open, Action::RunAgain],
                Kind::TurnEnded | Kind::Approval => vec![Action::Open],
            },
            urgent: false,
        };
        let mut burst = Self {
            slot,
            first: entry.subject.clone(),
            session_title: entry.session_title.clone(),
            done: 0,
            failed: 0,
            only: None,
            turn: None,
            shown: 1,
            shown_at: now,
            last_at: now,
            waits: false,
        };
        burst.count(entry);
        (burst, toast)
    }

    pub fn slot(&self) -> Slot {
        self.slot.clone()
    }

    /// No turn's end is in it.
    pub const fn ends_only(&self) -> bool {
        self.turn.is_none()
    }

    /// What comes now belongs to it.
    pub fn goes_on(&self, now: Duration) -> bool {
        self.waits || now < self.shown_at + SPAN
    }

    pub fn collect(&mut self, entry: Entry, now: Duration) {
        self.waits = true;
        self.last_at = now;
        self.count(entry);
    }

    /// When its summary is due.
    pub fn due(&self) -> Option<Duration> {
        let span_over = self.shown_at + SPAN;
        let due = if self.shown < 2 { span_over } else { (self.last_at + SPAN).min(self.shown_at + LONGEST) };
        self.waits.then_some(due.max(span_over))
    }

    /// All of it so far.
    pub fn summary(&mut self, now: Duration) -> Option<Toast> {
        if !std::mem::take(&mut self.waits) {
            return None;
        }
        self.shown += 1;
        self.shown_at = now;
        let (title, body) = self.words();
        let subject = Subject { process_id: None, ..self.subject() };
        Some(Toast { slot: self.slot(), subject, title, body, actions: vec![Action::Open], urgent: false })
    }

    /// A single turn's end leads to it; several things lead to the session.
    fn subject(&self) -> Subject {
        match &self.turn {
            Some(turn) => turn.subject.clone(),
            None => Subject { seq: None, ..self.first.clone() },
        }
    }

    fn words(&self) -> (String, String) {
        let ends = self.only.clone().unwrap_or_else(|| words::counts(self.done, self.failed));
        match &self.turn {
            None => (words::title(&ends), words::title(&self.session_title)),
            Some(turn) if self.done + self.failed == 0 => {
                (words::title(&turn.title), words::body(&turn.body, &self.session_title))
            }
            // One end and its turn: the turn says what came of it. Of many ends, their number is the news.
            Some(turn) if self.only.is_some() => (words::title(&turn.title), words::body(&ends, &self.session_title)),
            Some(turn) => (words::title(&ends), words::body(&turn.title, &self.session_title)),
        }
    }

    fn count(&mut self, entry: Entry) {
        match entry.kind {
            Kind::ProcessEnded => {
                if entry.failed {
                    self.failed += 1;
                } else {
                    self.done += 1;
                }
                self.only = (self.done + self.failed == 1).then_some(entry.title);
            }
            Kind::TurnEnded | Kind::Approval => self.turn = Some(entry),
        }
    }
}
