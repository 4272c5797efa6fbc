//! A turn as a machine: the driver tells what happened, the machine says what to do.
//!
//! The order of a turn is here and nowhere else. A round is one question to the model; all calls of its answer are
//! authorised and run side by side; when the last one ended, the next round begins. Whatever does not fit the state
//! is ignored: late news of a cancelled call must not move a closed turn.

use gatehouse_domain::{AbandonCause, FailureCode};

/// What the driver tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The turn may begin.
    Begin,
    /// The model's answer is whole.
    Answered {
        /// How many tools it calls.
        calls: usize,
        /// Whether it says anything.
        has_text: bool,
    },
    /// The model gave no whole answer.
    ModelFailed(FailureCode),
    /// The call may run.
    CallAllowed {
        /// Its place in the answer.
        index: usize,
    },
    /// The call must not run; its result says why.
    CallRefused {
        /// Its place in the answer.
        index: usize,
    },
    /// The call has run and its result is recorded.
    CallEnded {
        /// Its place in the answer.
        index: usize,
    },
    /// Something of our own broke; the turn cannot go on.
    Broke(FailureCode),
    /// The turn was given up.
    Stop(AbandonCause),
}

/// What the driver has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Put the question; rounds count from 1.
    AskModel {
        /// Which question of the turn it is.
        round: u32,
    },
    /// Find out whether the call may run.
    Authorize {
        /// Its place in the answer.
        index: usize,
    },
    /// Run the call.
    Run {
        /// Its place in the answer.
        index: usize,
    },
    /// Take the question back.
    CancelModel,
    /// End every call that has not ended.
    CancelCalls,
    /// The turn is over. Always the last effect.
    Close(Outcome),
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The model said its last word.
    Done,
    /// There is no answer.
    Failed(FailureCode),
    /// It was given up.
    Stopped(AbandonCause),
}

/// How far a turn may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Questions to the model in one turn.
    pub rounds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rounds: 50 }
    }
}

/// One turn.
#[derive(Debug)]
pub struct Machine {
    limits: Limits,
    state: State,
}

#[derive(Debug)]
enum State {
    New,
    Asking { round: u32 },
    Calling { round: u32, calls: Vec<Call> },
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Authorizing,
    Running,
    Ended,
}

impl Machine {
    /// A turn that has not begun.
    pub const fn new(limits: Limits) -> Self {
        Self { limits, state: State::New }
    }

    /// Takes one piece of news and says what follows from it, in order.
    pub fn handle(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Begin => self.begin(),
            Input::Answered { calls, has_text } => self.answered(calls, has_text),
            Input::ModelFailed(code) => match self.state {
                State::Asking { .. } => self.close(Outcome::Failed(code), None),
                State::New | State::Calling { .. } | State::Closed => Vec::new(),
            },
            Input::CallAllowed { index } => self.allowed(index),
            Input::CallRefused { index } => self.ended(index, Call::Authorizing),
            Input::CallEnded { index } => self.ended(index, Call::Running),
            Input::Broke(code) => self.cut(Outcome::Failed(code)),
            Input::Stop(cause) => self.cut(Outcome::Stopped(cause)),
        }
    }

    /// Whether the turn is over.
    pub const fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    fn begin(&mut self) -> Vec<Effect> {
        match self.state {
            State::New => self.ask(1),
            State::Asking { .. } | State::Calling { .. } | State::Closed => Vec::new(),
        }
    }

    fn ask(&mut self, round: u32) -> Vec<Effect> {
        if round > self.limits.rounds {
            return self.close(Outcome::Failed(FailureCode::TooManySteps), None);
        }
        self.state = State::Asking { round };
        vec![Effect::AskModel { round }]
    }

    fn answered(&mut self, calls: usize, has_text: bool) -> Vec<Effect> {
        let State::Asking { round } = self.state else { return Vec::new() };
        match (calls, has_text) {
            (0, true) => self.close(Outcome::Done, None),
            (0, false) => self.close(Outcome::Failed(FailureCode::Empty), None),
            (calls, _) => {
                self.state = State::Calling { round, calls: vec![Call::Authorizing; calls] };
                (0..calls).map(|index| Effect::Authorize { index }).collect()
            }
        }
    }

    fn allowed(&mut self, index: usize) -> Vec<Effect> {
        match self.call(index) {
            Some(call) if *call == Call::Authorizing => {
                *call = Call::Running;
                vec![Effect::Run { index }]
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn ended(&mut self, index: usize, from: Call) -> Vec<Effect> {
        match self.call(index) {
            Some(call) if *call == from => *call = Call::Ended,
            Some(_) | None => return Vec::new(),
        }
        match &self.state {
            State::Calling { round, calls } if calls.iter().all(|call| *call == Call::Ended) => self.ask(round + 1),
            State::New | State::Asking { .. } | State::Calling { .. } | State::Closed => Vec::new(),
        }
    }

    fn cut(&mut self, outcome: Outcome) -> Vec<Effect> {
        match self.state {
            State::New => self.close(outcome, None),
            State::Asking { .. } => self.close(outcome, Some(Effect::CancelModel)),
            State::Calling { .. } => self.close(outcome, Some(Effect::CancelCalls)),
            State::Closed => Vec::new(),
        }
    }

    fn close(&mut self, outcome: Outcome, first: Option<Effect>) -> Vec<Effect> {
        self.state = State::Closed;
        first.into_iter().chain([Effect::Close(outcome)]).collect()
    }

    fn call(&mut self, index: usize) -> Option<&mut Call> {
        match &mut self.state {
            State::Calling { calls, .. } => calls.get_mut(index),
            State::New | State::Asking { .. } | State::Closed => None,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
