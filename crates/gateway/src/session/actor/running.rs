//! The turn that runs in a session, and how it ended.

use std::time::Duration;

use gatehouse_domain::{Mono, TurnId};
use gatehouse_turn::ScopeState;
use tokio::task::JoinHandle;

use crate::session::turn::RunningTurn;

/// A turn that was given up and has not ended by then is cut off.
const END_LIMIT: Duration = Duration::from_secs(10);

/// A turn at work.
pub(in crate::session) struct Running {
    pub(super) turn: RunningTurn,
    pub(in crate::session) internal: bool,
    pub(super) task: JoinHandle<()>,
    /// When it is cut off, once it was given up.
    pub(super) ends_by: Option<Mono>,
}

impl Running {
    /// Other words have cut it short, and it has not ended yet.
    pub(super) fn is_interrupted(&self) -> bool {
        self.turn.cancel.is_cancelled() && self.turn.scope.state() == ScopeState::Finished
    }

    /// Somebody has ended it; the first one counts.
    pub(super) fn must_end(&mut self, now: Mono) {
        self.ends_by.get_or_insert(Mono(now.0 + END_LIMIT));
    }
}

/// Shutdown and an actor's own bad end are no abandonment: the turn's progress decides what becomes of it.
impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A turn that somebody has ended, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stopped {
    pub(super) turn: TurnId,
    pub(super) state: ScopeState,
}

impl Stopped {
    pub(super) fn of(turn: &RunningTurn) -> Option<Self> {
        turn.cancel.is_cancelled().then(|| Self { turn: turn.id, state: turn.scope.state() })
    }
}
