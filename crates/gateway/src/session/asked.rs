//! What a person asks for and no turn answers: a command. It is accepted as words are, and spent at once, so that the same
//! one handed in again is known however long ago it was.

use gatehouse_domain::{AdmissionId, Category, EpochMs, Principal, SessionId, TurnCause};
use gatehouse_store::{AdmissionRow, NewAdmission, Snapshot, Tx};

use super::input::handed_in;
use crate::core::Core;

/// A command as it was handed in.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub admission: AdmissionId,
    pub session: SessionId,
    /// What the client calls it.
    key: String,
    text: String,
    at: EpochMs,
}

/// What was handed in under a name before.
pub(crate) enum Before {
    /// The same.
    Same(AdmissionId),
    /// Something else.
    Other,
}

impl Asked {
    pub fn new(core: &Core, session: SessionId, key: String, text: String) -> Self {
        Self { admission: AdmissionId::from_uuid(core.ids.fresh()), session, key, text, at: core.now() }
    }

    /// What its name stands for, if it was used.
    pub fn before(&self, rows: &Snapshot<'_>) -> gatehouse_store::Result<Option<Before>> {
        let known = rows.admissions().by_key(self.session, Principal::Person, &self.key)?;
        let same = |row: &AdmissionRow| handed_in(row) == self.text;
        Ok(known.map(|row| if same(&row) { Before::Same(row.id) } else { Before::Other }))
    }

    /// Its name must not have been used.
    pub fn accept(&self, tx: &Tx<'_>) -> gatehouse_store::Result<()> {
        tx.admissions_mut().insert(&NewAdmission {
            id: self.admission,
            session: self.session,
            root: self.session,
            principal: Principal::Person,
            request_key: self.key.clone(),
            digest: String::new(),
            cause: TurnCause::Human,
            text: self.text.clone(),
            retry_of: None,
            category: Category::Result,
            at: self.at,
        })?;
        tx.admissions_mut().spend(self.admission)?;
        Ok(())
    }
}
