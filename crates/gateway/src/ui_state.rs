//! What a person arranges: the names and places of sessions, and what windows put down.

use gatehouse_domain::SessionId;

use crate::error::{Error, Result};
use crate::gateway::Gateway;

/// A title is so long at most.
const TITLE_CHARS: usize = 200;
/// A name under which something is put down.
const KEY_CHARS: usize = 100;
/// What is put down.
const VALUE_BYTES: usize = 256 * 1024;

impl Gateway {
    /// Changes what a session is called, or puts it under "Earlier" until something happens in it.
    pub async fn update_session(&self, session: SessionId, title: Option<String>, earlier: Option<bool>) -> Result<()> {
        let title = title.map(|title| title.trim().to_owned());
        if title.as_deref().is_some_and(|title| !(1..=TITLE_CHARS).contains(&title.chars().count())) {
            return Err(Error::Invalid(format!("A title has 1 to {TITLE_CHARS} characters. Nothing was changed.")));
        }
        self.core().require_session(session)?;
        let changed = self.core().store.write(move |tx| {
            if let Some(title) = &title {
                tx.sessions_mut().set_title(session, title)?;
            }
            match earlier {
                Some(earlier) => tx.sessions_mut().set_earlier(session, earlier),
                None => Ok(()),
            }
        });
        Ok(changed.await?)
    }

    /// What windows have put down: names and values.
    pub fn ui_state(&self) -> Result<Vec<(String, String)>> {
        let rows = self.core().store.read(|s| s.ui_state().list())?;
        Ok(rows.into_iter().map(|row| (row.key, row.value)).collect())
    }

    /// Puts something down, or takes it away.
    pub async fn set_ui_state(&self, key: String, value: Option<String>) -> Result<()> {
        if !(1..=KEY_CHARS).contains(&key.chars().count()) {
            return Err(Error::Invalid(format!("A key has 1 to {KEY_CHARS} characters. Nothing was kept.")));
        }
        if value.as_ref().is_some_and(|value| value.len() > VALUE_BYTES) {
            return Err(Error::Invalid("A value has at most 256 KiB. Nothing was kept.".into()));
        }
        Ok(self.core().store.write(move |tx| tx.ui_state_mut().set(&key, value.as_deref())).await?)
    }
}
