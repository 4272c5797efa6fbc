//! Words owed to channels: what to do next about each, and through which channel.
//!
//! Pure policy on rows that somebody else keeps. Whoever sends asks [`step`] inside a transaction, writes the row that
//! it is given, sends only then, and writes what [`Obligation::settled`] makes of the outcome. A crash at any point
//! leaves a row that says enough: nothing is lost, and what may be seen twice says so.

mod first_response; // words that were partly streamed already
mod lane; // which of several
mod marker; // the words before words that come again
mod notice; // operational words, aloud or to one person
mod obligation; // one row
mod route; // which channel
mod silence; // nothing is to be said

pub use first_response::{FirstResponse, Move};
pub use lane::{Queued, Step, falls_with, step};
pub use marker::marked;
pub use notice::{NoticeDelivery, NoticePlan, after_private, plan_notice};
pub use obligation::{
    BACK_OFF, FLOOD_CAP, FLOOD_SLACK, FLOOD_WAIT, GiveUp, MAX_AGE, MAX_ATTEMPTS, Moment, Next, Obligation, Speech,
    is_owed,
};
pub use route::{Answerer, Standing, Wanted, answerer};
pub use silence::is_silence;
