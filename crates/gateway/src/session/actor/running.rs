//! The turn that runs in a session, and how it ended.

use std::time::Duration;

use gatehouse_domain::{Mono, TurnId, TurnState};
use gatehouse_turn::ScopeState;
use tokio::task::JoinHandle;

use super::Actor;
use crate::core::Core;
use crate::session::turn::{self, RunningTurn};

/// A turn that must end and whose task has not returned by then is cut off.
const END_LIMIT: Duration = Duration::from_secs(10);

/// How the wait for a turn's task ends.
pub(super) enum TurnEnd {
    Returned,
    /// It hears of nothing: it ends without its own help.
    Overdue,
}

/// A turn at work.
pub(in crate::session) struct Running {
    pub(super) turn: RunningTurn,
    pub(in crate::session) internal: bool,
    pub(super) task: JoinHandle<()>,
    /// When it is cut off, once it must end.
    pub(super) ends_by: Option<Mono>,
}

impl Running {
    /// Other words have cut it short, and it has not ended yet.
    pub(super) fn is_interrupted(&self) -> bool {
        self.turn.cancel.is_cancelled() && self.turn.scope.state() == ScopeState::Finished
    }

    /// It was ended, or has ended for everybody who reads the rows; the first one counts.
    pub(super) fn must_end(&mut self, now: Mono) {
        self.ends_by.get_or_insert(Mono(now.0 + END_LIMIT));
    }

    /// Waits for its task, and no longer than it may take once it must end.
    pub(super) async fn end(&mut self, core: &Core) -> TurnEnd {
        let overdue = async {
            match self.ends_by {
                Some(at) => tokio::time::sleep(at.0.saturating_sub(core.clock.mono().0)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            returned = &mut self.task => {
                if let Err(error) = returned {
                    tracing::error!("A turn's task ended badly: {error}");
                }
                TurnEnd::Returned
            }
            () = overdue => TurnEnd::Overdue,
        }
    }
}

impl Actor {
    /// The rows tell everybody of a turn's end before its task returns. Whatever is said behind such an end meets it
    /// here as well, and what waited longer has begun by then.
    pub(super) async fn catch_up(&mut self) {
        while let Some(running) = &mut self.running {
            let turn = running.turn.id;
            let row = self.core.store.read(|s| s.turns().get(turn)).ok().flatten();
            if row.is_none_or(|row| row.state == TurnState::Running) {
                return;
            }
            running.must_end(self.core.clock.mono());
            let end = tokio::select! {
                biased;
                () = self.core.closing.cancelled() => return,
                end = running.end(&self.core) => end,
            };
            self.turn_ended(end).await;
        }
    }

    pub(super) async fn turn_ended(&mut self, end: TurnEnd) {
        let Some(running) = self.running.take() else { return };
        let (turn, state, stopped) = (running.turn.id, running.turn.scope.state(), Stopped::of(&running.turn));
        let unheard = match end {
            TurnEnd::Returned => running.turn.ear.take_joining(),
            TurnEnd::Overdue => {
                drop(running);
                tracing::error!(%turn, "A turn that had to end did not, and is cut off.");
                turn::cut_off(&self.core, self.session, turn, state).await;
                Vec::new()
            }
        };
        self.after_turn(stopped, unheard).await;
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
