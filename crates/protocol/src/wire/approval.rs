//! Questions and what is remembered of their answers.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Int53, Item};

/// Answers a question.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerApproval {
    /// Which.
    pub approval_id: String,
    /// `once | session | always | pattern | deny`; any other word decides nothing and is refused.
    pub choice: String,
    /// For `pattern`: what is allowed from now on, with `*` for any words.
    #[serde(default)]
    pub pattern: Option<String>,
    /// For `deny`: what the model is told.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Lists the questions that wait, of every session, the oldest first.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct ListApprovals {}

/// The questions, as the items that show them.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ListApprovalsReply {
    /// The items.
    pub items: Vec<Item>,
}

/// What was answered, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswer {
    /// `once | session | always | pattern | deny`.
    pub choice: String,
    /// `person`, or `rule`: an answer to another question covered this one too.
    pub by: String,
    /// When.
    pub at_ms: Int53,
    /// The pattern that was allowed with it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What the model was told.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Lists what is allowed without asking.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct ListRules {}

/// What is allowed without asking, the newest first.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ListRulesReply {
    /// The rules.
    pub rules: Vec<Rule>,
}

/// Takes a rule back; from now on its commands ask again.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RemoveRule {
    /// Which.
    pub rule_id: String,
}

/// One thing that is allowed without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Its id.
    pub rule_id: String,
    /// `session`: this command in this folder, in one session; `exact`: the same in every session; `pattern`: every
    /// command that fits, in every folder.
    pub kind: String,
    /// The command or the pattern.
    pub text: String,
    /// Of `session` and `exact`: the folder.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Of `session`: which.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// When it was made.
    pub created_at_ms: Int53,
    /// How often it answered.
    pub uses: Int53,
    /// When it last did.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at_ms: Option<Int53>,
}
