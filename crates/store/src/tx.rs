//! What a closure may read and write.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::Deref;

use gatehouse_domain::{IdSource, ItemId, Rev, SessionId};
use rusqlite::Connection;

use crate::error::Result;
use crate::feed::ChangeKey;
use crate::health::index::SearchIndex;
use crate::sql::{args, change, missing, value};
use crate::table::{
    admission::{Admissions, AdmissionsMut},
    approval::{Approvals, ApprovalsMut},
    approval_rule::{Rules, RulesMut},
    boot::{Boots, BootsMut},
    card::{Cards, CardsMut},
    incident::{Incidents, IncidentsMut},
    incoming::{Incoming, IncomingMut},
    item::{Items, ItemsMut},
    mute::{Mutes, MutesMut},
    notice::{Notices, NoticesMut},
    notice_owed::{NoticesOwed, NoticesOwedMut},
    outbox::{Outbox, OutboxMut},
    process::{Processes, ProcessesMut},
    profile_meta,
    route::{Routes, RoutesMut},
    session::{Sessions, SessionsMut},
    task::{Tasks, TasksMut},
    turn::{Turns, TurnsMut},
    ui_state::{UiState, UiStateMut},
    unit::{Units, UnitsMut},
    watch::{Watches, WatchesMut},
};

/// One consistent view of every row.
pub struct Snapshot<'c> {
    pub(crate) conn: &'c Connection,
}

/// A snapshot that can be changed. Dropped with an error, its changes never were.
pub struct Tx<'c> {
    snapshot: Snapshot<'c>,
    ids: &'c dyn IdSource,
    index: &'c SearchIndex,
    rev: Rev,
    changed: Cell<bool>,
    keys: RefCell<Vec<ChangeKey>>,
    sessions: RefCell<HashSet<SessionId>>,
}

macro_rules! reads {
    ($($(#[$meta:meta])* $name:ident -> $type:ident;)+) => {
        impl<'c> Snapshot<'c> {
            $($(#[$meta])* pub const fn $name(&self) -> $type<'c> { $type { conn: self.conn } })+
        }
    };
}

reads! {
    /// Routes.
    routes -> Routes;
    /// Sessions.
    sessions -> Sessions;
    /// Transcript entries.
    items -> Items;
    /// Task cards.
    cards -> Cards;
    /// Tasks.
    tasks -> Tasks;
    /// Turns.
    turns -> Turns;
    /// Processes.
    processes -> Processes;
    /// Units.
    units -> Units;
    /// Admissions.
    admissions -> Admissions;
    /// Approvals.
    approvals -> Approvals;
    /// Rules: what is allowed without a question.
    rules -> Rules;
    /// Incidents.
    incidents -> Incidents;
    /// Notices.
    notices -> Notices;
    /// Notices that a restart owes.
    notices_owed -> NoticesOwed;
    /// Starts of the gateway.
    boots -> Boots;
    /// Who is silenced.
    mutes -> Mutes;
    /// What windows have put down.
    ui_state -> UiState;
    /// What processes may say while they run.
    watches -> Watches;
    /// Messages that came in over a channel.
    incoming -> Incoming;
    /// Words owed to channels.
    outbox -> Outbox;
}

macro_rules! writes {
    ($($(#[$meta:meta])* $name:ident -> $type:ident;)+) => {
        impl<'c> Tx<'c> {
            $($(#[$meta])* pub const fn $name(&self) -> $type<'_> { $type { tx: self } })+
        }
    };
}

writes! {
    /// Routes, to be changed.
    routes_mut -> RoutesMut;
    /// Sessions, to be changed.
    sessions_mut -> SessionsMut;
    /// Transcript entries, to be changed.
    items_mut -> ItemsMut;
    /// Task cards, to be changed.
    cards_mut -> CardsMut;
    /// Tasks, to be changed.
    tasks_mut -> TasksMut;
    /// Turns, to be changed.
    turns_mut -> TurnsMut;
    /// Processes, to be changed.
    processes_mut -> ProcessesMut;
    /// Units, to be changed.
    units_mut -> UnitsMut;
    /// Admissions, to be changed.
    admissions_mut -> AdmissionsMut;
    /// Approvals, to be changed.
    approvals_mut -> ApprovalsMut;
    /// Rules, to be changed.
    rules_mut -> RulesMut;
    /// Incidents, to be changed.
    incidents_mut -> IncidentsMut;
    /// Notices, to be changed.
    notices_mut -> NoticesMut;
    /// Notices that a restart owes, to be changed.
    notices_owed_mut -> NoticesOwedMut;
    /// Starts of the gateway, to be changed.
    boots_mut -> BootsMut;
    /// Who is silenced, to be changed.
    mutes_mut -> MutesMut;
    /// What windows have put down, to be changed.
    ui_state_mut -> UiStateMut;
    /// What processes may say while they run, to be changed.
    watches_mut -> WatchesMut;
    /// Messages that came in over a channel, to be changed.
    incoming_mut -> IncomingMut;
    /// Words owed to channels, to be changed.
    outbox_mut -> OutboxMut;
}

impl Snapshot<'_> {
    /// When what is set, or what is silenced, last changed.
    pub fn settings_rev(&self) -> Result<Rev> {
        profile_meta::settings_rev(self.conn)
    }
}

impl<'c> Deref for Tx<'c> {
    type Target = Snapshot<'c>;
    fn deref(&self) -> &Self::Target {
        &self.snapshot
    }
}

impl<'c> Tx<'c> {
    pub(crate) fn new(conn: &'c Connection, ids: &'c dyn IdSource, index: &'c SearchIndex, rev: Rev) -> Self {
        Self {
            snapshot: Snapshot { conn },
            ids,
            index,
            rev,
            changed: Cell::new(false),
            keys: RefCell::default(),
            sessions: RefCell::default(),
        }
    }

    /// Puts the session on the feed, because what its overview shows has changed.
    pub fn touch_session(&self, id: SessionId) -> Result<()> {
        if self.sessions.borrow().contains(&id) {
            return Ok(());
        }
        if change(self.conn, "UPDATE session SET rev = ?2 WHERE id = ?1", args![id, self.rev()])? == 0 {
            return Err(missing("session", id));
        }
        self.mark_session(id);
        Ok(())
    }

    /// Puts it on the feed that what is set has changed, or what is silenced: whoever shows it reads it again.
    pub fn touch_settings(&self) -> Result<()> {
        profile_meta::set_settings_rev(self.conn, self.rev())?;
        self.mark(ChangeKey::Settings);
        Ok(())
    }

    /// Puts it on the feed that which incidents are open has changed, or which reports wait for a person. Whoever fell
    /// behind is told together with what is set: those two share a revision.
    pub(crate) fn touch_incidents(&self) -> Result<()> {
        profile_meta::set_settings_rev(self.conn, self.rev())?;
        self.mark(ChangeKey::Incidents);
        Ok(())
    }

    /// Puts the item, and with it its session, on the feed.
    pub(crate) fn touch_item(&self, id: ItemId) -> Result<()> {
        let sql = "UPDATE item SET rev = ?2 WHERE id = ?1 RETURNING session";
        let session = value(self.conn, sql, args![id, self.rev()])?.ok_or_else(|| missing("item", id))?;
        self.mark(ChangeKey::Item(id));
        self.touch_session(session)
    }

    /// The revision that every row touched here gets.
    pub(crate) fn rev(&self) -> Rev {
        self.changed.set(true);
        self.rev
    }

    /// Notes a key whose row already carries [`Tx::rev`].
    pub(crate) fn mark(&self, key: ChangeKey) {
        self.keys.borrow_mut().push(key);
    }

    /// Notes a session whose row already carries [`Tx::rev`].
    pub(crate) fn mark_session(&self, id: SessionId) {
        if self.sessions.borrow_mut().insert(id) {
            self.mark(ChangeKey::Session(id));
        }
    }

    /// The search index, as the writer knows it.
    pub(crate) const fn index(&self) -> &SearchIndex {
        self.index
    }

    pub(crate) fn fresh(&self) -> uuid::Uuid {
        self.ids.fresh()
    }

    /// What was touched, or nothing when no row was.
    pub(crate) fn into_changes(self) -> Option<Vec<ChangeKey>> {
        self.changed.get().then(|| self.keys.into_inner())
    }
}
