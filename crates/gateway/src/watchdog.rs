//! Gives turns up in which nothing happens.
//!
//! It is a thread of the operating system and not a task, because the failure that it is there for may hold every task.
//! It sleeps until the first turn could be due, and without turns it sleeps for good.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use gatehouse_domain::{AbandonCause, Clock, ProcessId, SessionId, TurnId};
use gatehouse_turn::Scope;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::core::Core;
use crate::session::Message;

mod reap; // ends jobs without a runtime
mod warn; // says in the transcript what is about to happen

/// A person hears of it when so much time has passed, or half of the limit.
const WARN_AFTER: Duration = Duration::from_secs(900);

/// All turns that run. The lock is held for look-ups only.
#[derive(Default)]
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    turns: HashMap<TurnId, Watched>,
    /// Processes that a turn waits for by itself.
    heard: HashMap<ProcessId, Arc<Activity>>,
    has_thread: bool,
}

/// When something last happened in a turn.
pub(crate) struct Activity {
    clock: Arc<dyn Clock>,
    limit: Duration,
    at_ms: AtomicU64,
    /// Waits that count as activity for as long as they last.
    waits: AtomicU32,
    doing: AtomicU8,
}

/// What a turn did last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Doing {
    /// It was being set up.
    Beginning,
    /// A model was asked.
    Asking,
    /// A tool ran.
    Calling,
}

#[derive(Clone)]
struct Watched {
    session: SessionId,
    turn: TurnId,
    scope: Arc<Scope>,
    cancel: CancellationToken,
    activity: Arc<Activity>,
    runtime: Handle,
    warned: bool,
}

/// A turn that is watched, until this is dropped.
pub(crate) struct Leash {
    shared: Arc<Shared>,
    turn: TurnId,
}

/// A process whose words count as activity.
pub(crate) struct Hearing {
    shared: Arc<Shared>,
    process: ProcessId,
}

/// A wait that counts as activity.
pub(crate) struct Waiting<'a>(&'a Activity);

impl Watchdog {
    /// Watches a turn, if it has a limit. Called where the runtime is.
    pub fn watch(
        &self,
        core: &Arc<Core>,
        session: SessionId,
        turn: TurnId,
        scope: &Arc<Scope>,
        cancel: &CancellationToken,
        activity: &Arc<Activity>,
    ) -> Option<Leash> {
        if activity.limit.is_zero() {
            return None;
        }
        let watched = Watched {
            session,
            turn,
            scope: Arc::clone(scope),
            cancel: cancel.clone(),
            activity: Arc::clone(activity),
            runtime: Handle::current(),
            warned: false,
        };
        let mut state = self.shared.lock();
        state.turns.insert(turn, watched);
        if !state.has_thread {
            state.has_thread = start(Arc::downgrade(core), Arc::clone(&self.shared));
        }
        drop(state);
        self.shared.changed.notify_one();
        Some(Leash { shared: Arc::clone(&self.shared), turn })
    }
}

impl Watchdog {
    /// As long as the answer lives, what this process writes is a sign of life of a turn.
    pub fn hear(&self, process: ProcessId, activity: &Arc<Activity>) -> Hearing {
        self.shared.lock().heard.insert(process, Arc::clone(activity));
        Hearing { shared: Arc::clone(&self.shared), process }
    }

    /// A process has written something.
    pub fn wrote(&self, process: ProcessId) {
        if let Some(activity) = self.shared.lock().heard.get(&process) {
            activity.touch();
        }
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.shared.lock().heard.remove(&self.process);
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.shared.lock().turns.remove(&self.turn);
    }
}

impl Activity {
    /// Something happens now. A limit of zero is none.
    pub fn new(clock: Arc<dyn Clock>, limit: Duration) -> Self {
        let activity = Self {
            clock,
            limit,
            at_ms: AtomicU64::new(0),
            waits: AtomicU32::new(0),
            doing: AtomicU8::new(Doing::Beginning as u8),
        };
        activity.touch();
        activity
    }

    /// Something happened.
    pub fn touch(&self) {
        self.at_ms.store(millis(self.clock.mono().0), Ordering::Relaxed);
    }

    /// Something happened: this.
    pub fn is(&self, doing: Doing) {
        self.doing.store(doing as u8, Ordering::Relaxed);
        self.touch();
    }

    /// For as long as the answer lives, somebody else is waited for, and that is no standstill.
    pub fn wait(&self) -> Waiting<'_> {
        self.waits.fetch_add(1, Ordering::AcqRel);
        Waiting(self)
    }

    /// Words for a person whose turn was given up.
    pub fn epitaph(&self) -> String {
        let doing = match self.doing.load(Ordering::Relaxed) {
            asking if asking == Doing::Asking as u8 => " while the model was asked",
            calling if calling == Doing::Calling as u8 => " while a tool ran",
            _ => "",
        };
        format!(
            "Turn stopped: nothing happened in it for {}{doing}. Your message is kept, and what was done stays done. \
             inactivity_timeout_s under [gateway] in config.toml sets this limit; 0 turns it off.",
            span(self.limit)
        )
    }

    fn since(&self) -> Duration {
        if self.waits.load(Ordering::Acquire) > 0 {
            return Duration::ZERO;
        }
        let at = Duration::from_millis(self.at_ms.load(Ordering::Relaxed));
        self.clock.mono().0.saturating_sub(at)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.touch();
        self.0.waits.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is one insert, remove or assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is due for a turn.
#[derive(Debug, PartialEq, Eq)]
enum Due {
    Later(Duration),
    Warning,
    End,
}

fn due(idle: Duration, limit: Duration, warned: bool) -> Due {
    let warning = WARN_AFTER.min(limit / 2);
    if idle >= limit {
        Due::End
    } else if !warned && idle >= warning {
        Due::Warning
    } else {
        Due::Later(if warned || idle >= warning { limit.saturating_sub(idle) } else { warning.saturating_sub(idle) })
    }
}

fn start(core: Weak<Core>, shared: Arc<Shared>) -> bool {
    let thread = std::thread::Builder::new().name("watchdog".to_owned());
    match thread.spawn(move || run(&core, &shared)) {
        Ok(_) => true,
        Err(error) => {
            tracing::error!("Nobody watches over turns that stand still: {error}");
            false
        }
    }
}

/// Until the house is gone; a house without turns is looked at when one comes.
fn run(core: &Weak<Core>, shared: &Shared) {
    let mut state = shared.lock();
    loop {
        let mut next = None;
        let mut found = None;
        for watched in state.turns.values_mut() {
            match due(watched.activity.since(), watched.activity.limit, watched.warned) {
                Due::Later(span) => next = Some(next.map_or(span, |other: Duration| other.min(span))),
                Due::Warning => {
                    watched.warned = true;
                    found = Some((watched.clone(), Due::Warning));
                }
                Due::End => found = Some((watched.clone(), Due::End)),
            }
        }
        if let Some((watched, due)) = found {
            if due == Due::End {
                state.turns.remove(&watched.turn);
            }
            drop(state);
            let Some(core) = core.upgrade() else { return };
            act(&core, watched, &due);
            state = shared.lock();
            continue;
        }
        state = match next {
            // A little more than it takes, so that it is over then.
            Some(span) => {
                let span = span + Duration::from_millis(1);
                shared.changed.wait_timeout(state, span).unwrap_or_else(PoisonError::into_inner).0
            }
            None => shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
        };
        if core.strong_count() == 0 {
            return;
        }
    }
}

fn act(core: &Arc<Core>, watched: Watched, due: &Due) {
    if *due != Due::End {
        return warn::say(core, &watched);
    }
    // Whoever moves the scope has won: a turn that has just ended is left alone.
    let Some(processes) = watched.scope.abandon(AbandonCause::Timeout) else { return };
    tracing::warn!(turn = %watched.turn, "A turn in which nothing happened is given up.");
    watched.cancel.cancel();
    reap::end(core, &processes);
    hand_over(core, watched, processes);
}

/// The session's actor does what needs a runtime, as soon as there is one again.
fn hand_over(core: &Arc<Core>, watched: Watched, processes: Vec<ProcessId>) {
    let Watched { session, turn, runtime, .. } = watched;
    let core = Arc::clone(core);
    runtime.spawn(async move {
        if let Err(error) = core.actors.send(&core, session, Message::GivenUp { turn, processes }).await {
            tracing::debug!(%session, "A turn that was given up is settled by the next start: {error}");
        }
    });
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn span(span: Duration) -> String {
    match span.as_secs() {
        seconds if seconds < 120 => format!("{seconds} seconds"),
        seconds => format!("{} minutes", seconds / 60),
    }
}

#[cfg(test)]
mod tests {
    use gatehouse_domain::Mono;

    use super::*;

    #[test]
    fn a_person_is_warned_once_before_the_end() {
        let s = Duration::from_secs;
        let limit = s(1_800);
        assert_eq!(due(s(0), limit, false), Due::Later(s(900)));
        assert_eq!(due(s(900), limit, false), Due::Warning);
        assert_eq!(due(s(900), limit, true), Due::Later(s(900)));
        assert_eq!(due(s(1_800), limit, true), Due::End);
        assert_eq!(due(s(9_999), limit, false), Due::End, "a clock that jumped gives no warning any more");
        assert_eq!(due(s(2), s(4), false), Due::Warning);
        assert_eq!(due(s(1_000), s(7_200), true), Due::Later(s(6_200)));
    }

    #[test]
    fn who_waits_for_somebody_does_not_stand_still() {
        struct Hands(AtomicU64);
        impl Clock for Hands {
            fn wall(&self) -> gatehouse_domain::EpochMs {
                gatehouse_domain::EpochMs(0)
            }
            fn mono(&self) -> Mono {
                Mono(Duration::from_secs(self.0.load(Ordering::Relaxed)))
            }
        }
        let hands = Arc::new(Hands(AtomicU64::new(0)));
        let activity = Activity::new(Arc::clone(&hands) as Arc<dyn Clock>, Duration::from_secs(10));
        let to = |seconds| hands.0.store(seconds, Ordering::Relaxed);
        to(5);
        assert_eq!(activity.since(), Duration::from_secs(5));
        let wait = activity.wait();
        to(100);
        assert_eq!(activity.since(), Duration::ZERO);
        drop(wait);
        to(103);
        assert_eq!(activity.since(), Duration::from_secs(3));
        activity.is(Doing::Asking);
        assert!(activity.epitaph().contains("for 10 seconds while the model was asked"), "{}", activity.epitaph());
    }
}
