//! The rows of one profile, in one SQLite file.
//!
//! **Owns** every row and every transaction, the schema and its migrations, the lock that keeps a
//! second gateway out of the directory, and the feed of revisions that tells what changed.
//!
//! **Never** decides policy: it moves a row from one state to another only when the row is in a
//! state that allows it, and says whether it did. It reads no clock, starts nothing and knows no wire.
//!
//! Ids are stored as 16-byte blobs: they are half the size of their text in five indexes, and
//! UUIDv7 keeps the order in which they were made. Closed enums are stored as their words.

mod backup; // whole copies, made while it is written to
mod checkpoint; // moves the log back into the file, off the commit path
mod error; // what can go wrong, by what the caller can do
mod feed; // what changed since a revision
mod health; // what can be wrong, how it is found, what is told
mod open; // from a directory to a checked, migrated file
mod pool; // read-only connections
mod restore; // a backup in the place of the file
mod sql; // domain values as columns
mod store; // the handle everybody holds
mod table; // one file per table
mod tx; // what a closure may read and write
mod writer; // the one thread that writes

pub use backup::{BACKUPS_KEPT, Backup, backups, backups_dir};
pub use error::{Error, OpenError, Result};
pub use feed::{ChangeKey, Changes, RING, RowKind};
pub use health::cause::StorageCause;
pub use health::trouble::Trouble;
pub use restore::Restored;
pub use store::Store;
pub use table::admission::{AdmissionRow, Admissions, AdmissionsMut, NewAdmission};
pub use table::approval::{Answer, ApprovalRow, Approvals, ApprovalsMut, NewApproval};
pub use table::approval_rule::{NewRule, RuleRow, Rules, RulesMut};
pub use table::boot::{BootRow, Boots, BootsMut};
pub use table::card::{CardClose, CardRow, Cards, CardsMut, NewCard};
pub use table::incident::{IncidentRow, Incidents, IncidentsMut, NewIncident};
pub use table::incoming::{Incoming, IncomingMut, IncomingRow};
pub use table::item::{Hit, ItemFull, ItemRow, Items, ItemsMut, NewItem};
pub use table::mute::{MuteRow, Mutes, MutesMut};
pub use table::notice::{NOTICES_KEPT, NewNotice, NoticeFull, NoticeRow, Notices, NoticesMut, NoticesSeen};
pub use table::notice_owed::{NewNoticeOwed, NoticeOwedRow, NoticesOwed, NoticesOwedMut};
pub use table::outbox::{NewObligation, ObligationRow, Outbox, OutboxMut, Progress};
pub use table::process::{NewProcess, ProcessEnd, ProcessRow, Processes, ProcessesMut};
pub use table::route::{Routes, RoutesMut};
pub use table::session::{NewSession, SessionOverview, SessionRow, Sessions, SessionsMut, UNREAD_CAP};
pub use table::task::{NewTask, TaskRow, Tasks, TasksMut};
pub use table::turn::{NewTurn, TurnRow, Turns, TurnsMut};
pub use table::ui_state::{UI_ENTRIES, UiRow, UiState, UiStateMut};
pub use table::unit::{Handed, NewUnit, News, Report, UnitRow, Units, UnitsMut};
pub use table::watch::{WatchRow, Watches, WatchesMut};
pub use tx::{Snapshot, Tx};
pub use writer::QUEUE;
