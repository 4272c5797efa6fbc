//! The one decision of delivery: now, later, or when the running internal turn has ended.

use std::time::Duration;

use gatehouse_domain::{Mono, Producer};

/// A batch closes when so long passes without another report.
pub const QUIET: Duration = Duration::from_millis(100);
/// A batch closes at the latest so long after its first report.
pub const MAX_WAIT: Duration = Duration::from_millis(400);

/// The stretch of time in which reports of one session are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    first: Mono,
    last: Mono,
}

impl Window {
    /// A window opens with the report that arrived `now`.
    pub const fn open(now: Mono) -> Self {
        Self { first: now, last: now }
    }

    /// Another report arrived `now`.
    pub const fn extend(&mut self, now: Mono) {
        self.last = now;
    }

    /// When the batch closes if nothing else arrives.
    pub fn closes_at(&self) -> Mono {
        Mono((self.last.0 + QUIET).min(self.first.0 + MAX_WAIT))
    }
}

/// How many of the first reports may go together: what runs and speaks up is never mixed with what has ended, because
/// the one asks for patience and the other for a reaction; and a failure in the middle of a delegation settles nothing.
pub fn alike(due: &[Producer]) -> usize {
    due.iter().take_while(|producer| due.first().is_some_and(|first| tone(**producer) == tone(*first))).count()
}

/// What a report asks for.
#[derive(PartialEq, Eq)]
enum Tone {
    /// It has ended.
    Final,
    /// A part of it has failed, and the rest goes on.
    Interim,
    /// It goes on.
    News,
}

const fn tone(producer: Producer) -> Tone {
    match producer {
        Producer::Process | Producer::Delegation => Tone::Final,
        Producer::TaskFailure => Tone::Interim,
        Producer::Watch | Producer::Heartbeat => Tone::News,
    }
}

/// What the session's actor sees when it asks.
#[derive(Debug, Clone, Copy)]
pub struct Situation {
    /// Finished reports that were not told yet.
    pub due: usize,
    /// Work of this session that still runs and owes a report.
    pub owed_elsewhere: u32,
    /// An internal turn of this session runs or waits in its queue.
    pub internal_turn_ahead: bool,
    /// The open window, if one is.
    pub window: Option<Window>,
    /// Now.
    pub now: Mono,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Nothing is due.
    Rest,
    /// Wait until the internal turn ahead has ended; everything due then is one batch.
    Hold,
    /// Ask again at this time, or when another report arrives.
    Until(Mono),
    /// Everything due goes now, as one batch.
    Deliver,
}

impl Situation {
    /// Decides. A report is *lone* when nothing else is due and nothing else still owes one: it goes at once.
    pub fn decide(&self) -> Decision {
        if self.due == 0 {
            return Decision::Rest;
        }
        if self.internal_turn_ahead {
            return Decision::Hold;
        }
        let lone = self.due == 1 && self.owed_elsewhere == 0;
        match self.window {
            _ if lone => Decision::Deliver,
            // Nothing was collected before: these waited behind an internal turn, or were found at a start.
            None => Decision::Deliver,
            Some(window) if window.closes_at() <= self.now => Decision::Deliver,
            Some(window) => Decision::Until(window.closes_at()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(ms: u64) -> Mono {
        Mono(Duration::from_millis(ms))
    }

    fn situation(due: usize, owed_elsewhere: u32, window: Option<Window>, now: u64) -> Situation {
        Situation { due, owed_elsewhere, internal_turn_ahead: false, window, now: at(now) }
    }

    #[test]
    fn what_runs_and_what_has_ended_go_apart() {
        use Producer::{Delegation, Heartbeat, Process, TaskFailure, Watch};
        for (due, count) in [
            (vec![Delegation, Process, Delegation, TaskFailure], 3),
            (vec![TaskFailure, TaskFailure, Delegation], 2),
            (vec![TaskFailure, Watch], 1),
            (vec![], 0),
            (vec![Process, Process], 2),
            (vec![Watch, Heartbeat, Watch, Process, Watch], 3),
            (vec![Process, Watch], 1),
        ] {
            assert_eq!(alike(&due), count, "{due:?}");
        }
    }

    #[test]
    fn a_lone_report_goes_at_once() {
        assert_eq!(situation(1, 0, Some(Window::open(at(5))), 5).decide(), Decision::Deliver);
    }

    #[test]
    fn a_report_waits_for_its_neighbours() {
        let mut window = Window::open(at(0));
        assert_eq!(situation(1, 3, Some(window), 0).decide(), Decision::Until(at(100)));
        window.extend(at(90));
        assert_eq!(situation(2, 2, Some(window), 90).decide(), Decision::Until(at(190)));
        assert_eq!(situation(2, 2, Some(window), 190).decide(), Decision::Deliver);
    }

    #[test]
    fn the_last_of_several_still_takes_the_others_along() {
        let mut window = Window::open(at(0));
        window.extend(at(50));
        assert_eq!(situation(2, 0, Some(window), 50).decide(), Decision::Until(at(150)));
    }

    #[test]
    fn a_stream_of_reports_cannot_hold_the_first_for_ever() {
        let mut window = Window::open(at(0));
        for ms in (0..400).step_by(50) {
            window.extend(at(ms));
        }
        assert_eq!(window.closes_at(), at(400));
    }

    #[test]
    fn nothing_overtakes_an_internal_turn() {
        let mut s = situation(7, 0, Some(Window::open(at(0))), 10_000);
        s.internal_turn_ahead = true;
        assert_eq!(s.decide(), Decision::Hold);
    }

    proptest! {
        #[test]
        fn whatever_is_due_goes_at_the_latest_when_its_window_closes(
            arrivals in prop::collection::vec(0_u64..120, 1..20), owed in 0_u32..5
        ) {
            let mut now = 0;
            let mut window = Window::open(at(0));
            for gap in &arrivals {
                now += gap;
                if at(now) >= window.closes_at() { break; }
                window.extend(at(now));
            }
            prop_assert!(window.closes_at() <= at(400));
            let closing = u64::try_from(window.closes_at().0.as_millis()).unwrap();
            prop_assert_eq!(situation(arrivals.len(), owed, Some(window), closing).decide(), Decision::Deliver);
        }
    }
}
