//! What becomes of a report that its conversation could not take.

use std::time::Duration;

use gatehouse_domain::{DropReason, LONGEST_WAIT, Producer};

/// After so many refusals that count, it is not tried any more.
pub const MOST_ATTEMPTS: u32 = 8;

/// Why it could not be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It may be taken later: the queue is full, the gateway goes down, rows cannot be read.
    Passing,
    /// It will never be taken as it is.
    ForGood,
}

/// How often it was refused already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refused {
    /// All refusals.
    pub times: u32,
    /// Those that count.
    pub counted: u32,
}

/// What is done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It is tried again after this time.
    Again {
        /// How long.
        after: Duration,
        /// Whether this refusal counts.
        counts: bool,
    },
    /// A person is told in a line; no turn answers it.
    Notice,
    /// It is given up, which a person gets to see.
    Drop(DropReason),
}

/// Decides. The end of a process is never given up: after [`MOST_ATTEMPTS`] refusals of any kind a person is told in a
/// line. Of everything else only a refusal for good counts.
pub fn refused(producer: Producer, refusal: Refusal, before: Refused) -> Next {
    let ends = matches!(producer, Producer::Process);
    let counts = ends || refusal == Refusal::ForGood;
    let counted = before.counted.saturating_add(u32::from(counts));
    match (counted >= MOST_ATTEMPTS, ends) {
        (true, true) => Next::Notice,
        (true, false) => Next::Drop(DropReason::Refused),
        (false, _) => Next::Again { after: pause(if ends { 10 } else { 4 }, before.times), counts },
    }
}

/// Twice as long each time.
fn pause(first: u64, times: u32) -> Duration {
    Duration::from_secs(first.saturating_mul(1_u64.checked_shl(times).unwrap_or(u64::MAX))).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pauses of a report that is refused again and again, and what it comes to.
    fn story(producer: Producer, refusal: Refusal, most: u32) -> (Vec<u64>, Option<Next>) {
        let (mut before, mut pauses) = (Refused::default(), Vec::new());
        for _ in 0..most {
            match refused(producer, refusal, before) {
                Next::Again { after, counts } => {
                    pauses.push(after.as_secs());
                    before = Refused { times: before.times + 1, counted: before.counted + u32::from(counts) };
                }
                end => return (pauses, Some(end)),
            }
        }
        (pauses, None)
    }

    #[test]
    fn an_end_becomes_a_line_after_the_eighth_refusal_of_any_kind() {
        for refusal in [Refusal::Passing, Refusal::ForGood] {
            let told = story(Producer::Process, refusal, 20);
            assert_eq!(told, (vec![10, 20, 40, 60, 60, 60, 60], Some(Next::Notice)));
        }
    }

    #[test]
    fn everything_else_is_given_up_only_for_refusals_for_good() {
        for producer in [Producer::Watch, Producer::Heartbeat, Producer::Delegation, Producer::TaskFailure] {
            let (pauses, end) = story(producer, Refusal::Passing, 100);
            assert_eq!((pauses.len(), &pauses[..6], end), (100, &[4, 8, 16, 32, 60, 60][..], None), "{producer}");
            let (pauses, end) = story(producer, Refusal::ForGood, 100);
            assert_eq!((pauses.len(), end), (7, Some(Next::Drop(DropReason::Refused))), "{producer}");
        }
    }
}
