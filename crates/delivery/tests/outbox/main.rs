//! Words owed to channels, as whoever keeps the rows sees the policy.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod crash; // any crash point around a send
mod lane; // which of several
mod obligation; // one row
mod route; // which channel

use std::time::Duration;

use gatehouse_channel::{SendOutcome, Unsent};
use gatehouse_delivery::outbox::{Moment, Next, Obligation};
use gatehouse_domain::{EpochMs, SegmentKind};

const START: EpochMs = EpochMs(1_700_000_000_000);

fn at(seconds: u64) -> EpochMs {
    START.after(Duration::from_secs(seconds))
}

fn text() -> Obligation {
    Obligation::recorded(SegmentKind::Text, START)
}

fn refused(unsent: Unsent) -> SendOutcome {
    SendOutcome::Refused { unsent, why: "no".into() }
}

fn flood(seconds: u64) -> SendOutcome {
    refused(Unsent::Flood { retry_after: Some(Duration::from_secs(seconds)) })
}

fn delivered() -> SendOutcome {
    SendOutcome::Delivered { ids: Vec::new() }
}

fn ambiguous() -> SendOutcome {
    SendOutcome::Ambiguous { why: "no answer".into() }
}

/// The row once it was handed to a connected channel.
#[track_caller]
fn sent(owed: Obligation, now: EpochMs) -> Obligation {
    match owed.next(now, true) {
        Next::Send(claimed) => claimed,
        other => panic!("not sent: {other:?} of {owed:?}"),
    }
}

/// The row after an outcome, while the connection stayed as it was.
#[track_caller]
fn settled(owed: Obligation, outcome: &SendOutcome, now: EpochMs) -> Obligation {
    owed.settled(owed.fence, outcome, Moment { now, relinked: false }).expect("its own fence")
}
