use proptest::prelude::{Just, Strategy, any, prop_oneof};

/// So many lanes there are in a case.
pub const LANES: usize = 2;
/// The most that happens in one.
const MOST: usize = 28;

/// Something that happens. Numbers choose among what there is at that moment.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Work begins whose end asks for a turn, or only for a line.
    Owe { lane: usize, turn: bool },
    /// Work is handed on to another agent.
    HandOn(usize),
    /// Work ends.
    Finish(usize),
    /// The actor of some session looks for what is due.
    Offer(usize),
    /// A person says something.
    Say(usize),
    /// The turn of some session ends, and what waits behind it begins.
    EndTurn(usize),
    /// A person begins anew.
    New(usize),
    /// A person closes a conversation.
    Close(usize),
    /// A conversation is carried on in another one.
    Compact(usize),
    /// Somebody is told in another way.
    Consume(usize),
    /// The program ends without a warning, and is started again.
    Crash,
}

/// What happens in one case.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let lane = || 0..LANES;
    let step = prop_oneof![
        6 => (lane(), prop_oneof![3 => Just(true), 1 => Just(false)]).prop_map(|(lane, turn)| Step::Owe { lane, turn }),
        2 => lane().prop_map(Step::HandOn),
        6 => any::<u8>().prop_map(|n| Step::Finish(n.into())),
        6 => any::<u8>().prop_map(|n| Step::Offer(n.into())),
        3 => lane().prop_map(Step::Say),
        4 => any::<u8>().prop_map(|n| Step::EndTurn(n.into())),
        2 => lane().prop_map(Step::New),
        1 => lane().prop_map(Step::Close),
        2 => lane().prop_map(Step::Compact),
        1 => any::<u8>().prop_map(|n| Step::Consume(n.into())),
        1 => Just(Step::Crash),
    ];
    proptest::collection::vec(step, 1..MOST)
}
