//! The gateway: one facade over sessions, turns, background processes and delivery of one profile.
//!
//! **Owns** order: which turn runs, which transaction records what, what a restart does, who waits for whom.
//!
//! **Never** contains SQL text, speaks HTTP or knows the wire's JSON.

mod actors; // one actor per session, found by its id
mod approvals; // questions that wait for a person
mod attachment; // files that an answer names
mod backup; // whole copies of the profile, one a day
mod channel; // what comes in over a channel
mod config; // config.toml of a profile
mod core; // what every part of the gateway shares
mod delegation; // work that an agent hands on to others
mod engine; // the embedded engine and the models it may load
mod error; // what goes wrong, by what the caller can do
mod export; // a transcript as text
mod feed; // pull: what changed, and words that still stream
mod gateway; // the facade
mod household; // what the gateways of one house share
mod live; // what is true but not durable: streaming words, growing output
mod model; // which model answers
mod notice; // what happened while nobody looked, and who is silenced
mod outbox; // words owed to channels leave the house
mod overdue; // reports that nobody could be told for too long
mod owed; // notices that are owed to chats
mod ports; // the real clock and ids
mod process; // from a request to a recorded end
mod recovery; // what a restart makes of what it finds
mod restart; // a restart that somebody asks for
mod session; // the actor of one session
mod settings; // what is set now
mod slash; // commands typed into the chat box
mod statistics; // what living processes use
mod storage; // the data as a whole, and a backup in its place
#[cfg(test)]
mod testing; // what tests begin with
mod ui_state; // names and places of sessions, what windows put down
mod watchdog; // gives turns up in which nothing happens

pub use approvals::Reply;
pub use attachment::{AnswerFile, AnswerFiles, FileUse, RefusedFile};
pub use backup::{BackupFailure, BackupList};
pub use channel::Received;
pub use config::{
    ChannelConfig, Config, ConfigWarning, KeySource, LookConfig, NotificationConfig, OnQuit, ProviderConfig,
    ProviderKind, SessionConfig, TimeOfDay, Value,
};
pub use engine::{EngineNow, EnginePlaces};
pub use error::{Error, Result, StartError};
pub use export::ProfileExport;
pub use feed::{FeedBatch, FeedChange, FeedRequest, LiveDelta};
pub use gateway::{Gateway, GatewayOptions, Health, NewProcessRequest, Sent, StopOutcome, Stopped};
pub use gateway::{ModelChoice, ModelListFailure, OpenIncident, ProviderTest, SettingsView, Waiting};
pub use household::Household;
pub use notice::NoticeList;
pub use outbox::WaitingLetter;
pub use ports::{SystemClock, SystemIds};
pub use process::{Manner, USUAL_SIZE};
pub use restart::Restarting;
pub use session::SendMode;
pub use settings::{LastWord, NewProvider, ProviderKey};
pub use statistics::ProcessSample;
pub use storage::{StorageNow, backups_of, order_restore, withdraw_restore};

pub use gatehouse_keys::KeyPlace;
pub use gatehouse_process::OutputSlice;
pub use gatehouse_provider::{CheckFailure, Checked, EngineState, Found as FoundServer, LocalServer};
pub use gatehouse_store::{
    BACKUPS_KEPT, Backup, Error as StoreError, StorageCause, Trouble as StorageTrouble, backups_dir,
};
pub use gatehouse_trigger::{PatternError, WatchPatterns};

/// Rows as the store keeps them, for those who show them.
pub mod row {
    pub use gatehouse_store::{
        AdmissionRow, ApprovalRow, CardRow, Hit, IncidentRow, ItemFull, ItemRow, NoticeFull, NoticeRow, ObligationRow,
        ProcessRow, RowKind, RuleRow, SessionOverview, SessionRow, TaskRow, TurnRow, UnitRow,
    };

    pub use crate::notice::SilencedSource;
}
