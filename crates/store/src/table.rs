//! One file per table: its migration, its row, its read handle, its write handle, in that order.
//!
//! Rows that are born in one transaction and point at each other carry no foreign key between them:
//! a deferred key is only checked at the commit, which several closures share, so one closure's
//! mistake would undo its neighbours.

pub(crate) mod admission; // accepted inputs
pub(crate) mod approval; // questions to the person
pub(crate) mod approval_rule; // what is allowed without a question
pub(crate) mod boot; // starts of the gateway
pub(crate) mod card; // task cards
pub(crate) mod incident; // what a person must be able to see
pub(crate) mod incoming; // messages that came in over a channel
pub(crate) mod item; // transcript entries, and the search over them
pub(crate) mod mute; // who is silenced
pub(crate) mod notice; // what happened while nobody looked
pub(crate) mod notice_owed; // what a planned restart owes
pub(crate) mod outbox; // words owed to channels
pub(crate) mod process; // background commands
pub(crate) mod profile_meta; // epoch and revision
pub(crate) mod route; // lanes, and where they lead
pub(crate) mod session; // transcripts
pub(crate) mod task; // work handed on to other agents
pub(crate) mod tombstone; // what was removed
pub(crate) mod turn; // runs of the agent
pub(crate) mod ui_state; // what windows have put down
pub(crate) mod undone; // what a person has taken back
pub(crate) mod unit; // reports owed
pub(crate) mod watch; // what a process may say while it runs

/// The first schema, in the order in which the tables refer to each other.
pub(crate) const INITIAL: &[&str] = &[
    profile_meta::INITIAL,
    tombstone::INITIAL,
    session::INITIAL,
    item::INITIAL,
    turn::INITIAL,
    card::INITIAL,
    process::INITIAL,
    unit::INITIAL,
    admission::INITIAL,
    approval::INITIAL,
    incident::INITIAL,
];

/// The second: answers that last, a queue that can be sorted and paused.
pub(crate) const LASTING_ANSWERS: &[&str] =
    &[approval_rule::TABLE, approval::ANSWERS, admission::ORDER, session::PAUSE];

/// The third: notices, what is silenced, what windows remember.
pub(crate) const NOTICES: &[&str] = &[
    tombstone::WITH_NOTICES,
    notice::ADDED,
    mute::ADDED,
    ui_state::ADDED,
    session::WITH_EARLIER,
    process::WITH_MUTED,
    profile_meta::WITH_SETTINGS,
];

/// The fourth: terminals, inputs, limits, and processes that speak up by themselves.
pub(crate) const SPEAKING_UP: &[&str] = &[process::WITH_MANNER, unit::WITH_NEWS, watch::ADDED];

/// The fifth: where reports go, and what is owed beyond the house.
pub(crate) const DELIVERY: &[&str] = &[
    session::LINEAGE,
    route::ADDED,
    unit::SCHEDULED,
    admission::WITH_CATEGORY,
    incoming::ADDED,
    outbox::ADDED,
    boot::ADDED,
    notice_owed::ADDED,
    process::WITH_LINE,
    process::WITH_MATCHES,
    process::WITHOUT_KEY,
    task::ADDED,
    unit::OF_DELEGATIONS,
    undone::ADDED,
    item::WITH_FILES,
];
