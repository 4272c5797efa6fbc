//! Questions and rules.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{ListApprovals, ListApprovalsReply, ListRules, ListRulesReply, RemoveRule};

use crate::here::Here;

/// Lists the questions that wait.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_approvals(here: Here, params: ListApprovals) -> Result<ListApprovalsReply, ApiError> {
    here.run(params).await
}

/// Lists what is allowed without asking.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_rules(here: Here, params: ListRules) -> Result<ListRulesReply, ApiError> {
    here.run(params).await
}

/// Takes a rule back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_rule(here: Here, params: RemoveRule) -> Result<ListRulesReply, ApiError> {
    here.run(params).await
}
