//! Sets up one turn from its rows and runs the agent on it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use gatehouse_agent::{Delegations, Limits, Ports, TurnSpec};
use gatehouse_domain::{AbandonCause, FailureCode, SessionId, TurnCause, TurnId};
use gatehouse_fault::{Point, point};
use gatehouse_provider::{Failure, Model, ModelEvent, Request};
use gatehouse_store::TurnRow;
use gatehouse_turn::{Scope, ScopeState};
use tokio_util::sync::CancellationToken;

use super::ear::Ear;
use super::history;
use super::journal::TurnJournal;
use crate::core::Core;
use crate::delegation::{TurnDelegations, is_sub_agent};
use crate::error::{Error, NoAnswer, Result};
use crate::process::TurnProcesses;
use crate::watchdog::{Activity, Doing};

/// What the actor holds of a running turn.
pub(crate) struct RunningTurn {
    pub id: TurnId,
    pub scope: Arc<Scope>,
    pub ear: Arc<Ear>,
    pub cancel: CancellationToken,
}

/// A turn that is ready to run.
pub(crate) struct Prepared {
    core: Arc<Core>,
    row: TurnRow,
    scope: Arc<Scope>,
    ear: Arc<Ear>,
    cancel: CancellationToken,
    /// Who takes what it hands on; nobody for a task that was handed on itself.
    delegations: Option<Arc<dyn Delegations>>,
}

pub(crate) fn set_up(core: &Arc<Core>, session: SessionId, turn: TurnId) -> Result<Prepared> {
    let (row, started) = core.store.read(|s| Ok((s.turns().get(turn)?, s.processes().unsettled_of_turn(turn)?)))?;
    let row = row.filter(|t| t.session == session).ok_or(Error::NotFound("turn"))?;
    let takes = || Arc::new(TurnDelegations::new(Arc::clone(core), session, turn)) as Arc<dyn Delegations>;
    Ok(Prepared {
        core: Arc::clone(core),
        delegations: (!is_sub_agent(core, session)?).then(takes),
        row,
        // A turn that goes on after a restart has started something before it.
        scope: Arc::new(Scope::going_on(started.into_iter().map(|process| process.id).collect())),
        ear: Arc::default(),
        cancel: CancellationToken::new(),
    })
}

/// Closes a turn that was given up and did not end.
pub(crate) async fn cut_off(core: &Arc<Core>, session: SessionId, turn: TurnId, state: ScopeState) {
    let (code, words) = match state {
        ScopeState::Abandoned(AbandonCause::Timeout) => {
            (FailureCode::TimedOut, "Turn stopped: nothing happened in it for too long, and it had to be cut off.")
        }
        ScopeState::Abandoned(AbandonCause::Stop | AbandonCause::NewSession | AbandonCause::Disconnect)
        | ScopeState::Active
        | ScopeState::Finished => (FailureCode::Stopped, "Turn stopped. It did not end by itself and was cut off."),
    };
    journal(core, session, turn).close_failed(NoAnswer { code, message: words.into(), retryable: true }).await;
}

/// Closes a turn that somebody has stopped and that ended, but could not write that down itself.
pub(crate) async fn stopped(core: &Arc<Core>, session: SessionId, turn: TurnId, state: ScopeState) {
    let (code, words) = match state {
        ScopeState::Abandoned(AbandonCause::Timeout) => {
            (FailureCode::TimedOut, "Turn stopped: nothing happened in it for too long.")
        }
        ScopeState::Abandoned(AbandonCause::Stop | AbandonCause::NewSession | AbandonCause::Disconnect)
        | ScopeState::Active
        | ScopeState::Finished => (FailureCode::Stopped, "Turn stopped."),
    };
    journal(core, session, turn).close_stopped(NoAnswer { code, message: words.into(), retryable: true }).await;
}

fn journal(core: &Arc<Core>, session: SessionId, turn: TurnId) -> TurnJournal {
    let activity = Arc::new(Activity::new(Arc::clone(&core.clock), Duration::ZERO));
    TurnJournal::new(Arc::clone(core), session, turn, Arc::default(), CancellationToken::new(), activity)
}

/// Closes a turn that could not even be set up.
pub(crate) async fn fail_to_begin(core: &Arc<Core>, session: SessionId, turn: TurnId, error: &Error) {
    let message = format!("No answer: the turn could not begin. {error}");
    journal(core, session, turn).close_failed(NoAnswer { code: FailureCode::Internal, message, retryable: true }).await;
}

impl Prepared {
    pub fn handle(&self) -> RunningTurn {
        RunningTurn {
            id: self.row.id,
            scope: Arc::clone(&self.scope),
            ear: Arc::clone(&self.ear),
            cancel: self.cancel.clone(),
        }
    }

    pub async fn run(self) {
        let Self { core, row, scope, ear, cancel, delegations } = self;
        let activity = Arc::new(Activity::new(Arc::clone(&core.clock), core.config().inactivity_timeout));
        let _leash = core.watchdog.watch(&core, row.session, row.id, &scope, &cancel, &activity);
        let journal =
            TurnJournal::new(Arc::clone(&core), row.session, row.id, ear, cancel.clone(), Arc::clone(&activity));
        let journal = Arc::new(journal);
        let ready = core.settings.for_turn(&core).await;
        let chosen = ready.as_ref().map(|ready| ready.model.as_ref());
        let model = match chosen {
            Some(Ok(Some(model))) => model,
            Some(Ok(None) | Err(_)) | None => {
                let failure = chosen.map_or_else(no_model, |chosen| chosen.map_or_else(unusable, |_| no_model()));
                // A report needs no answer; a person's message does.
                if row.cause == TurnCause::Completion {
                    journal.close_silently().await;
                } else {
                    journal.close_failed(failure).await;
                }
                scope.finish();
                return;
            }
        };
        let history = match history::entries(&core, row.session) {
            Ok(history) => history,
            Err(error) => {
                let message = format!("No answer: the transcript cannot be read. {error}");
                journal.close_failed(NoAnswer { code: FailureCode::Internal, message, retryable: true }).await;
                scope.finish();
                return;
            }
        };
        let spec = TurnSpec {
            turn: row.id,
            session: row.session,
            history,
            model: model.name.clone(),
            secrets: core.secrets(),
            default_cwd: core.work_dir.clone(),
            scope: Arc::clone(&scope),
            limits: Limits::default(),
        };
        let processes =
            TurnProcesses::new(Arc::clone(&core), row.session, row.id, Arc::clone(&scope), Arc::clone(&activity));
        let ports = Ports {
            model: Arc::new(Heard { model: Arc::clone(&model.client), activity }),
            journal,
            processes: Arc::new(processes),
            delegations,
            clock: Arc::clone(&core.clock),
        };
        gatehouse_agent::run_turn(spec, ports, cancel).await;
        scope.finish();
    }
}

/// A model whose every word is a sign of life.
struct Heard {
    model: Arc<dyn Model>,
    activity: Arc<Activity>,
}

impl Model for Heard {
    fn stream(&self, request: Request) -> BoxStream<'static, std::result::Result<ModelEvent, Failure>> {
        self.activity.is(Doing::Asking);
        let activity = Arc::clone(&self.activity);
        point(Point::RequestBefore);
        let heard = move |_: &_| {
            activity.touch();
            point(Point::RequestWord);
        };
        self.model.stream(request).inspect(heard).boxed()
    }

    fn name(&self) -> &str {
        self.model.name()
    }

    fn takes_tools(&self) -> bool {
        self.model.takes_tools()
    }
}

fn unusable(failure: &gatehouse_provider::Failure) -> NoAnswer {
    NoAnswer { code: failure.code, message: failure.message.clone(), retryable: true }
}

fn no_model() -> NoAnswer {
    NoAnswer {
        code: FailureCode::NoModel,
        message: "No answer: no model is set up. Choose one in Settings, then try again. \
                  Your message is kept. !commands work without a model."
            .into(),
        retryable: true,
    }
}
