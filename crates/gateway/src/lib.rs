//! The gateway: one facade over sessions, turns, background processes and delivery of one profile.
//!
//! **Owns** order: which turn runs, which transaction records what, what a restart does, who waits for whom.
//!
//! **Never** contains SQL text, speaks HTTP or knows the wire's JSON.

mod actors; // one actor per session, found by its id
mod approvals; // questions that wait for a person
mod config; // config.toml of a profile
mod core; // what every part of the gateway shares
mod error; // what goes wrong, by what the caller can do
mod feed; // pull: what changed, and words that still stream
mod gateway; // the facade
mod live; // what is true but not durable: streaming words, growing output
mod model; // which model answers
mod ports; // the real clock and ids
mod process; // from a request to a recorded end
mod recovery; // what a restart makes of what it finds
mod session; // the actor of one session

pub use config::{Config, ConfigWarning, OnQuit, ProviderConfig};
pub use error::{Error, Result, StartError};
pub use feed::{FeedBatch, FeedChange, FeedRequest, LiveDelta};
pub use gateway::{Gateway, GatewayOptions, Health, NewProcessRequest, Sent, StopOutcome, Stopped};
pub use ports::{SystemClock, SystemIds};
pub use session::SendMode;

pub use gatehouse_process::OutputSlice;
pub use gatehouse_store::Error as StoreError;

/// Rows as the store keeps them, for those who show them.
pub mod row {
    pub use gatehouse_store::{
        AdmissionRow, ApprovalRow, CardRow, Hit, ItemFull, ItemRow, ProcessRow, RowKind, SessionOverview, SessionRow,
        TurnRow, UnitRow,
    };
}
