//! Questions and rules.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{ListApprovals, ListApprovalsReply, ListRules, ListRulesReply, RemoveRule};
use tauri::State;

use crate::shell::Shell;

/// Lists the questions that wait.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_approvals(
    shell: State<'_, Shell>,
    params: ListApprovals,
) -> Result<ListApprovalsReply, ApiError> {
    shell.run(params).await
}

/// Lists what is allowed without asking.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_rules(shell: State<'_, Shell>, params: ListRules) -> Result<ListRulesReply, ApiError> {
    shell.run(params).await
}

/// Takes a rule back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_rule(shell: State<'_, Shell>, params: RemoveRule) -> Result<ListRulesReply, ApiError> {
    shell.run(params).await
}
