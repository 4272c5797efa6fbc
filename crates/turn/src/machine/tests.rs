//! The order of a turn, by example and by every sequence that proptest can think of.

use proptest::prelude::*;

use super::*;

fn run(inputs: &[Input]) -> Vec<Effect> {
    let mut machine = Machine::new(Limits { rounds: 2 });
    inputs.iter().flat_map(|input| machine.handle(*input)).collect()
}

const ONE_CALL: Input = Input::Answered { calls: 1, has_text: false };

#[test]
fn an_answer_without_calls_ends_the_turn() {
    let effects = run(&[Input::Begin, Input::Answered { calls: 0, has_text: true }]);
    assert_eq!(effects, [Effect::AskModel { round: 1 }, Effect::Close(Outcome::Done)]);
    let effects = run(&[Input::Begin, Input::Answered { calls: 0, has_text: false }]);
    assert_eq!(effects[1], Effect::Close(Outcome::Failed(FailureCode::Empty)));
}

#[test]
fn the_next_round_waits_for_the_last_call() {
    let mut machine = Machine::new(Limits::default());
    machine.handle(Input::Begin);
    let calls = machine.handle(Input::Answered { calls: 3, has_text: true });
    assert_eq!(calls, [0, 1, 2].map(|index| Effect::Authorize { index }));
    assert_eq!(machine.handle(Input::CallAllowed { index: 2 }), [Effect::Run { index: 2 }]);
    assert_eq!(machine.handle(Input::CallRefused { index: 0 }), []);
    assert_eq!(machine.handle(Input::CallEnded { index: 2 }), []);
    assert_eq!(machine.handle(Input::CallAllowed { index: 1 }), [Effect::Run { index: 1 }]);
    assert_eq!(machine.handle(Input::CallEnded { index: 1 }), [Effect::AskModel { round: 2 }]);
}

#[test]
fn a_turn_that_only_calls_tools_ends_at_its_limit() {
    let round = [ONE_CALL, Input::CallAllowed { index: 0 }, Input::CallEnded { index: 0 }];
    let inputs = [&[Input::Begin][..], &round, &round].concat();
    assert_eq!(run(&inputs).last(), Some(&Effect::Close(Outcome::Failed(FailureCode::TooManySteps))));
}

#[test]
fn giving_up_cancels_what_is_under_way() {
    let stopped = Effect::Close(Outcome::Stopped(AbandonCause::Stop));
    let stop = Input::Stop(AbandonCause::Stop);
    assert_eq!(run(&[stop, Input::Begin]), [stopped]);
    assert_eq!(run(&[Input::Begin, stop])[1..], [Effect::CancelModel, stopped]);
    assert_eq!(run(&[Input::Begin, ONE_CALL, stop])[2..], [Effect::CancelCalls, stopped]);
    let broke = run(&[Input::Begin, ONE_CALL, Input::Broke(FailureCode::Internal)]);
    assert_eq!(broke[2..], [Effect::CancelCalls, Effect::Close(Outcome::Failed(FailureCode::Internal))]);
}

fn any_input() -> impl Strategy<Value = Input> {
    let index = 0..4_usize;
    prop_oneof![
        2 => Just(Input::Begin),
        4 => (0..4_usize, any::<bool>()).prop_map(|(calls, has_text)| Input::Answered { calls, has_text }),
        1 => Just(Input::ModelFailed(FailureCode::CutOff)),
        6 => index.clone().prop_map(|index| Input::CallAllowed { index }),
        4 => index.clone().prop_map(|index| Input::CallRefused { index }),
        6 => index.prop_map(|index| Input::CallEnded { index }),
        1 => Just(Input::Broke(FailureCode::Internal)),
        1 => proptest::sample::select(AbandonCause::ALL).prop_map(Input::Stop),
    ]
}

/// What an honest driver still owes the machine; the promises of the machine are checked on the way.
#[derive(Default)]
struct Driver {
    begun: bool,
    asked: bool,
    authorizing: Vec<usize>,
    running: Vec<usize>,
    closed: bool,
}

impl Driver {
    fn tell(&mut self, machine: &mut Machine, input: Input) -> Result<(), TestCaseError> {
        let effects = machine.handle(input);
        prop_assert!(!self.closed || effects.is_empty(), "{effects:?} after the end");
        if effects.is_empty() {
            self.settle_quiet(input);
        }
        for (at, effect) in effects.iter().enumerate() {
            match *effect {
                Effect::AskModel { .. } => {
                    prop_assert!(self.authorizing.is_empty(), "asked before every call was decided");
                    self.running.retain(|index| input != Input::CallEnded { index: *index });
                    prop_assert!(self.running.is_empty(), "asked before every call ended");
                    self.begun = true;
                    self.asked = true;
                }
                Effect::Authorize { index } => {
                    self.asked = false;
                    self.authorizing.push(index);
                }
                Effect::Run { index } => {
                    prop_assert_eq!(input, Input::CallAllowed { index });
                    prop_assert!(self.authorizing.contains(&index), "run without a question");
                    self.authorizing.retain(|other| *other != index);
                    self.running.push(index);
                }
                Effect::CancelModel => prop_assert!(self.asked),
                Effect::CancelCalls => prop_assert!(!self.authorizing.is_empty() || !self.running.is_empty()),
                Effect::Close(_) => {
                    prop_assert_eq!(at + 1, effects.len(), "the end is not the last effect");
                    self.closed = true;
                }
            }
            if let Input::CallRefused { index } = input {
                self.authorizing.retain(|other| *other != index);
            }
        }
        Ok(())
    }

    /// A refusal or an end that leads to nothing yet.
    fn settle_quiet(&mut self, input: Input) {
        match input {
            Input::CallRefused { index } => self.authorizing.retain(|other| *other != index),
            Input::CallEnded { index } => self.running.retain(|other| *other != index),
            Input::Begin
            | Input::Answered { .. }
            | Input::ModelFailed(_)
            | Input::CallAllowed { .. }
            | Input::Broke(_)
            | Input::Stop(_) => {}
        }
    }

    /// Something the machine waits for; `None` means it would wait for ever.
    fn owed(&self) -> Option<Input> {
        if !self.begun {
            Some(Input::Begin)
        } else if self.asked {
            Some(Input::Answered { calls: 2, has_text: true })
        } else if let Some(index) = self.authorizing.first() {
            Some(Input::CallAllowed { index: *index })
        } else {
            self.running.first().map(|index| Input::CallEnded { index: *index })
        }
    }
}

proptest! {
    #[test]
    fn no_sequence_leaves_a_turn_running_for_ever(inputs in proptest::collection::vec(any_input(), 0..60)) {
        let mut machine = Machine::new(Limits { rounds: 6 });
        let mut driver = Driver::default();
        for input in inputs {
            // The driver refuses a call only while it is being decided, and ends one only while it runs.
            let fits = match input {
                Input::CallRefused { index } => driver.authorizing.contains(&index),
                Input::CallEnded { index } => driver.running.contains(&index),
                Input::Begin | Input::Answered { .. } | Input::ModelFailed(_) | Input::CallAllowed { .. }
                | Input::Broke(_) | Input::Stop(_) => true,
            };
            if !fits {
                prop_assert_eq!(machine.handle(input), vec![], "an unexpected end moved the turn");
                continue;
            }
            // The last refusal of a round is settled before the question that follows from it.
            if let Input::CallRefused { index } = input {
                driver.authorizing.retain(|other| *other != index);
            }
            driver.tell(&mut machine, input)?;
        }
        for _ in 0..100 {
            if machine.is_closed() { break }
            let Some(input) = driver.owed() else {
                return Err(TestCaseError::fail("the turn waits for nothing"));
            };
            driver.tell(&mut machine, input)?;
        }
        prop_assert!(machine.is_closed());
        prop_assert!(driver.closed);
    }
}
