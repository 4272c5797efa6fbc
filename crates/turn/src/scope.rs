//! The life of a turn as far as its processes are concerned.
//!
//! A turn's scope leaves `Active` exactly once, and whoever moves it has won: the end of the turn or somebody who
//! gives it up. Registering a process and abandoning the turn exclude each other, so a process is either in the list
//! that the one who abandons must reap, or it was refused. There is no third case, however late the start comes.

#[cfg(loom)]
use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU8, Ordering},
};
#[cfg(not(loom))]
use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU8, Ordering},
};

use gatehouse_domain::{AbandonCause, ProcessId};

/// What a turn's processes and its end agree on. Share it by `Arc`.
#[derive(Debug)]
pub struct Scope {
    state: AtomicU8,
    registered: Mutex<Vec<ProcessId>>,
}

/// Where a scope stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeState {
    /// The turn is at work.
    Active,
    /// The turn ended by itself; what it started lives on.
    Finished,
    /// The turn was given up; what it started is reaped.
    Abandoned(AbandonCause),
}

/// The turn was given up, so it starts nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the turn was given up ({0})")]
pub struct Abandoned(pub AbandonCause);

impl Default for Scope {
    fn default() -> Self {
        Self::new()
    }
}

impl Scope {
    /// An active scope without processes.
    pub fn new() -> Self {
        Self::going_on(Vec::new())
    }

    /// An active scope of a turn that has started these processes before it was cut off.
    pub fn going_on(registered: Vec<ProcessId>) -> Self {
        Self { state: AtomicU8::new(encode(ScopeState::Active)), registered: Mutex::new(registered) }
    }

    /// Where it stands now. Only `Active` can still change.
    pub fn state(&self) -> ScopeState {
        decode(self.state.load(Ordering::Acquire))
    }

    /// The turn ended by itself. `false` if somebody gave it up before.
    pub fn finish(&self) -> bool {
        self.leave_active(ScopeState::Finished)
    }

    /// Gives the turn up. The winner gets every process registered so far and has to reap them; whoever comes
    /// after the end, or second, gets `None` and has nothing to do.
    pub fn abandon(&self, cause: AbandonCause) -> Option<Vec<ProcessId>> {
        let mut registered = self.lock();
        self.leave_active(ScopeState::Abandoned(cause)).then(|| std::mem::take(&mut *registered))
    }

    /// Ties a process to the turn, or refuses because the turn was given up: the process must then not live.
    ///
    /// A finished turn accepts: what it started is meant to outlive it.
    pub fn register(&self, id: ProcessId) -> Result<(), Abandoned> {
        let mut registered = self.lock();
        match self.state() {
            ScopeState::Active | ScopeState::Finished => {
                registered.push(id);
                Ok(())
            }
            ScopeState::Abandoned(cause) => Err(Abandoned(cause)),
        }
    }

    fn leave_active(&self, to: ScopeState) -> bool {
        let active = encode(ScopeState::Active);
        self.state.compare_exchange(active, encode(to), Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ProcessId>> {
        // A vector of ids is whole after any panic, so a poisoned lock is as good as a clean one.
        self.registered.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

const fn encode(state: ScopeState) -> u8 {
    match state {
        ScopeState::Active => 0,
        ScopeState::Finished => 1,
        ScopeState::Abandoned(AbandonCause::Stop) => 2,
        ScopeState::Abandoned(AbandonCause::NewSession) => 3,
        ScopeState::Abandoned(AbandonCause::Timeout) => 4,
        ScopeState::Abandoned(AbandonCause::Disconnect) => 5,
    }
}

const fn decode(state: u8) -> ScopeState {
    match state {
        0 => ScopeState::Active,
        1 => ScopeState::Finished,
        3 => ScopeState::Abandoned(AbandonCause::NewSession),
        4 => ScopeState::Abandoned(AbandonCause::Timeout),
        5 => ScopeState::Abandoned(AbandonCause::Disconnect),
        _ => ScopeState::Abandoned(AbandonCause::Stop),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn id(number: u128) -> ProcessId {
        ProcessId::from_uuid(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn every_state_survives_its_encoding() {
        let abandoned = AbandonCause::ALL.iter().map(|cause| ScopeState::Abandoned(*cause));
        for state in [ScopeState::Active, ScopeState::Finished].into_iter().chain(abandoned) {
            assert_eq!(decode(encode(state)), state);
        }
    }

    #[test]
    fn a_stop_after_the_end_touches_nothing() {
        let scope = Scope::new();
        assert_eq!(scope.register(id(1)), Ok(()));
        assert!(scope.finish());
        assert_eq!(scope.abandon(AbandonCause::Stop), None);
        assert_eq!(scope.state(), ScopeState::Finished);
        assert_eq!(scope.register(id(2)), Ok(()));
    }

    #[test]
    fn a_turn_that_goes_on_still_owns_what_it_started_before() {
        let scope = Scope::going_on(vec![id(1)]);
        assert_eq!(scope.register(id(2)), Ok(()));
        assert_eq!(scope.abandon(AbandonCause::Stop), Some(vec![id(1), id(2)]));
    }

    #[test]
    fn a_late_start_is_refused_with_the_first_cause() {
        let scope = Scope::new();
        assert_eq!(scope.register(id(1)), Ok(()));
        assert_eq!(scope.abandon(AbandonCause::Timeout), Some(vec![id(1)]));
        assert_eq!(scope.abandon(AbandonCause::Stop), None);
        assert!(!scope.finish());
        assert_eq!(scope.register(id(2)), Err(Abandoned(AbandonCause::Timeout)));
    }
}
