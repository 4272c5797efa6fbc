//! The words of the house: identifiers, states and value types.
//!
//! **Owns** every name that more than one crate speaks: ids, authors, item kinds, the states of
//! sessions, turns, processes, units, admissions and approvals, the names and places of channels, what is owed
//! to them, and the ports for time and ids.
//!
//! **Never** does IO, reads a clock, awaits, knows SQL, or knows how a value looks on a wire.

mod admission; // how an input was accepted into a session's queue
mod approval; // a question to the person before something runs
mod card; // the live view of one tool call
mod channel; // where words come from and go to
mod clock; // time and ids as injected ports
mod id; // UUIDv7 newtypes
mod item; // one transcript entry
mod look; // how a window looks
mod notice; // what happened while nobody looked
mod outbox; // words owed to a channel
mod owed; // notices that a planned restart owes
mod process; // tracked background commands
mod secret; // values that cannot print themselves
mod session; // one transcript incarnation
mod task; // work that one agent hands on
mod text_enum; // closed enums with a stable text form
mod turn; // one run of the agent
mod unit; // reports owed

pub use admission::{AdmissionStatus, Principal};
pub use approval::{AnsweredBy, ApprovalChoice, ApprovalMode, ApprovalState, RuleKind};
pub use card::{CardAnnotation, CardStatus};
pub use channel::{
    Arrival, ChatId, ChatType, InboundId, MessageId, Origin, ParticipantId, Platform, ProfileName, ReplyAnchor,
    RouteKey, ScopeId, Sharing, Target, ThreadId, UnfitName,
};
pub use clock::{Clock, EpochMs, IdSource, Mono, Utc};
pub use id::{
    AdmissionId, ApprovalId, CallId, Epoch, IncidentId, ItemId, NoticeId, ObligationId, ParseIdError, ProcessId, Rev,
    RuleId, SessionId, TurnId, UnitId,
};
pub use item::{Author, ItemKind};
pub use look::{Contrast, Density, Motion, Theme};
pub use notice::{NoticeKind, Tone};
pub use outbox::{Fence, LedgerId, Marker, OutboxState, SegmentKind};
pub use owed::{OwedKind, OwedState};
pub use process::{Attention, Exit, ProcessState, StoppedBy};
pub use secret::Secret;
pub use session::{EndReason, ResetPolicy, SessionGroup};
pub use task::TaskState;
pub use text_enum::UnknownWord;
pub use turn::{AbandonCause, FailureCode, TurnCause, TurnProgress, TurnState};
pub use unit::{
    Category, ConsumedBy, DeliveryState, DropReason, LONGEST_WAIT, OVERDUE, ProcessNotices, Producer, Wants, WatchNews,
    WorkState,
};
