//! An input on its way: into the queue, and out of it into a turn.

use gatehouse_domain::{AdmissionId, Author, Category, ItemId, ItemKind, Principal, SessionId, TurnCause, TurnId};
use gatehouse_store::{AdmissionRow, NewAdmission, NewItem, NewTurn, Tx};

use super::queue;
use crate::core::Core;

/// What a session's row says while its turn runs.
pub(crate) const AT_WORK: &str = "Writing an answer";
/// A title is the first line of the first message, cut to so many characters.
const TITLE_CHARS: usize = 60;

/// An input on its way into the queue.
pub(super) struct Input {
    pub cause: TurnCause,
    pub key: String,
    pub text: String,
    pub retry_of: Option<TurnId>,
    pub category: Category,
}

impl Input {
    pub fn of(row: &AdmissionRow) -> Self {
        Self {
            cause: row.cause,
            key: row.request_key.clone(),
            text: row.text.clone(),
            retry_of: row.retry_of,
            category: row.category,
        }
    }
}

/// Ids and the time for what one transaction may begin; made before it, because a transaction makes neither.
#[derive(Clone, Copy)]
pub(super) struct Fresh {
    pub session: SessionId,
    pub admission: AdmissionId,
    pub turn: TurnId,
    pub item: ItemId,
    pub at: gatehouse_domain::EpochMs,
}

impl Fresh {
    pub fn ids(core: &Core, session: SessionId) -> Self {
        Self {
            session,
            admission: AdmissionId::from_uuid(core.ids.fresh()),
            turn: TurnId::from_uuid(core.ids.fresh()),
            item: ItemId::from_uuid(core.ids.fresh()),
            at: core.now(),
        }
    }

    pub fn admission(&self, principal: Principal, input: &Input) -> NewAdmission {
        NewAdmission {
            id: self.admission,
            session: self.session,
            root: self.session,
            principal,
            request_key: input.key.clone(),
            digest: String::new(),
            cause: input.cause,
            text: input.text.clone(),
            retry_of: input.retry_of,
            category: input.category,
            at: self.at,
        }
    }

    /// The admission is told by its item alone: no turn answers it.
    pub fn note(&self, tx: &Tx<'_>) -> gatehouse_store::Result<()> {
        tx.admissions_mut().spend(self.admission)?;
        let seq = tx.items_mut().insert(&self.entry(Author::Machine, ItemKind::MachineNote, None, String::new()))?;
        tx.notices_mut().noted(self.admission, seq)
    }

    fn entry(&self, author: Author, kind: ItemKind, turn: Option<TurnId>, text: String) -> NewItem {
        NewItem {
            id: self.item,
            session: self.session,
            turn,
            author,
            kind,
            text,
            streaming: false,
            failure: None,
            retryable: false,
            admission: Some(self.admission),
            at: self.at,
        }
    }

    /// The admission starts: its item and its turn exist from here on.
    pub fn start(&self, tx: &Tx<'_>, admission: AdmissionId, input: &Input) -> gatehouse_store::Result<()> {
        tx.turns_mut().insert(&NewTurn {
            id: self.turn,
            session: self.session,
            cause: input.cause,
            retry_of: input.retry_of,
            admission: Some(admission),
            at: self.at,
        })?;
        tx.admissions_mut().start(admission, self.turn)?;
        queue::unpause_empty(tx, self.session)?;
        let (author, kind) = match input.cause {
            TurnCause::Human => (Author::Human, ItemKind::Message),
            TurnCause::Completion => (Author::Machine, ItemKind::MachineNote),
            // A retry answers what stands there already, and a task is handed on with its turn.
            TurnCause::Retry | TurnCause::Delegation => return Ok(()),
        };
        tx.sessions_mut().set_summary(self.session, AT_WORK, false, self.at)?;
        let entry = self.entry(author, kind, Some(self.turn), input.text.clone());
        let seq = tx.items_mut().insert(&NewItem { admission: Some(admission), ..entry })?;
        tx.notices_mut().noted(admission, seq)
    }
}

/// What was handed in, whatever became of the words since.
pub(super) fn handed_in(row: &AdmissionRow) -> &str {
    if row.digest.is_empty() { &row.text } else { &row.digest }
}

/// A session without a name is called by its first words.
pub(crate) fn name_session(tx: &Tx<'_>, session: SessionId, text: &str) -> gatehouse_store::Result<()> {
    let unnamed = tx.sessions().get(session)?.is_some_and(|s| s.title.is_empty());
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    if let (true, Some(line)) = (unnamed, line) {
        tx.sessions_mut().set_title(session, &title_of(line))?;
    }
    Ok(())
}

/// A line as a title: one that is cut says so.
pub(crate) fn title_of(line: &str) -> String {
    if line.chars().count() <= TITLE_CHARS {
        return line.to_owned();
    }
    let kept: String = line.chars().take(TITLE_CHARS.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_is_cut_says_so() {
        assert_eq!(title_of("Build the shop"), "Build the shop");
        let whole = "ä".repeat(TITLE_CHARS);
        assert_eq!(title_of(&whole), whole);
        assert_eq!(title_of(&format!("{}b", "a ".repeat(TITLE_CHARS))).chars().last(), Some('…'));
        assert!(title_of(&"ä".repeat(200)).chars().count() <= TITLE_CHARS);
    }
}
