//! What a person allows: questions that wait, and rules that answer them.

use gatehouse_domain::{ApprovalId, RuleId};
use gatehouse_store::{ItemFull, RuleRow};

use super::Gateway;
use crate::approvals::Reply;
use crate::error::{Error, Result};

impl Gateway {
    /// A person answers a question; only the first answer counts.
    pub async fn answer_approval(&self, approval: ApprovalId, reply: Reply) -> Result<()> {
        self.0.approvals.answer(&self.0, approval, reply).await
    }

    /// The questions that wait, of every session, the oldest first, as the items that show them.
    pub fn approvals(&self) -> Result<Vec<ItemFull>> {
        Ok(self.0.store.read(|s| {
            let mut items = Vec::new();
            for row in s.approvals().all_pending()? {
                items.extend(s.items().full(row.item)?);
            }
            Ok(items)
        })?)
    }

    /// What is allowed without a question, the newest first.
    pub fn rules(&self) -> Result<Vec<RuleRow>> {
        Ok(self.0.store.read(|s| s.rules().list())?)
    }

    /// Takes a rule back; its commands ask again.
    pub async fn remove_rule(&self, rule: RuleId) -> Result<()> {
        match self.0.store.write(move |tx| tx.rules_mut().remove(rule)).await? {
            true => Ok(()),
            false => Err(Error::NotFound("rule")),
        }
    }
}
