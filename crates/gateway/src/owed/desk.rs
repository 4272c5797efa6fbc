//! What is owed now: in the rows, and in memory what was owed while the rows could not be written.

use std::collections::HashMap;

use gatehouse_delivery::owed::Owed;
use gatehouse_domain::{EpochMs, NoticeId, OwedState};
use gatehouse_store::{NewNoticeOwed, NoticeOwedRow};

use crate::core::Core;
use crate::error::Result;

/// The notices of this run.
pub(super) struct Desk<'c> {
    core: &'c Core,
    /// Told like the others, and remembered as long as this run.
    in_memory: Vec<NoticeOwedRow>,
    not_before: HashMap<NoticeId, EpochMs>,
}

impl<'c> Desk<'c> {
    pub fn of(core: &'c Core) -> Self {
        Self { core, in_memory: Vec::new(), not_before: HashMap::new() }
    }

    /// Those that are still owed. Rows wait while nothing can be written: what became of one could not be noted.
    pub fn open(&self) -> Result<Vec<NoticeOwedRow>> {
        let mut open = match self.core.store.trouble() {
            Some(_) => Vec::new(),
            None => self.core.store.read(|s| s.notices_owed().open())?,
        };
        open.extend(self.in_memory.iter().filter(|row| row.state == OwedState::Owed).cloned());
        Ok(open)
    }

    /// Owes one; in memory where it cannot be written.
    pub async fn owe(&mut self, new: NewNoticeOwed) -> Result<()> {
        if self.core.store.trouble().is_none() {
            let written = new.clone();
            match self.core.store.write(move |tx| tx.notices_owed_mut().owe(&written)).await {
                Err(gatehouse_store::Error::Storage(_)) => {}
                other => return Ok(other.map(drop)?),
            }
        }
        let known = |row: &NoticeOwedRow| row.target == new.target && row.cause == new.cause;
        // One that passed before it was told may be told the next time.
        self.in_memory.retain(|row| row.state != OwedState::Suppressed || !known(row));
        if !self.in_memory.iter().any(known) {
            self.in_memory.push(NoticeOwedRow {
                id: super::fresh(self.core),
                kind: new.kind,
                target: new.target,
                restart: new.restart,
                cause: new.cause,
                body: new.body,
                state: OwedState::Owed,
                attempts: 0,
                last_error: String::new(),
                owed_since: new.at,
            });
        }
        Ok(())
    }

    /// A notice as policy sees it.
    pub fn owed(&self, row: &NoticeOwedRow) -> Owed {
        let not_before = self.not_before.get(&row.id).copied().unwrap_or(row.owed_since);
        Owed { state: row.state, attempts: row.attempts, since: row.owed_since, not_before }
    }

    /// It is not tried before.
    pub fn wait(&mut self, id: NoticeId, until: EpochMs) {
        self.not_before.insert(id, until);
    }

    /// From here on it counts as sent.
    pub async fn hand_over(&mut self, id: NoticeId) -> Result<()> {
        match self.in_memory(id) {
            Some(row) => {
                row.state = OwedState::Sent;
                row.attempts += 1;
            }
            None => self.core.store.write(move |tx| tx.notices_owed_mut().hand_over(id)).await.map(drop)?,
        }
        Ok(())
    }

    /// What became of one, and why.
    pub async fn settle(&mut self, id: NoticeId, state: OwedState, why: &str) -> Result<()> {
        let why = why.to_owned();
        match self.in_memory(id) {
            Some(row) => {
                tracing::info!(target = row.target, cause = row.cause, %state, why, "A notice that no row keeps.");
                row.state = state;
                row.last_error = why;
            }
            None => {
                self.core.store.write(move |tx| tx.notices_owed_mut().settle(id, state, &why)).await.map(drop)?;
            }
        }
        Ok(())
    }

    fn in_memory(&mut self, id: NoticeId) -> Option<&mut NoticeOwedRow> {
        self.in_memory.iter_mut().find(|row| row.id == id)
    }
}
