//! Sessions, transcripts and questions.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    AnswerApproval, CreateSession, CreateSessionReply, Done, ListItems, ListItemsReply, ListSessions,
    ListSessionsReply, MarkRead, RetryTurn, RetryTurnReply, Search, SearchReply, SendMessage, SendMessageReply,
    StopTurn, StopTurnReply,
};
use tauri::State;

use crate::shell::Shell;

/// Opens a session.
#[tauri::command]
#[specta::specta]
pub(crate) async fn create_session(
    shell: State<'_, Shell>,
    params: CreateSession,
) -> Result<CreateSessionReply, ApiError> {
    shell.run(params).await
}

/// Every session.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_sessions(
    shell: State<'_, Shell>,
    params: ListSessions,
) -> Result<ListSessionsReply, ApiError> {
    shell.run(params).await
}

/// Says something.
#[tauri::command]
#[specta::specta]
pub(crate) async fn send_message(shell: State<'_, Shell>, params: SendMessage) -> Result<SendMessageReply, ApiError> {
    shell.run(params).await
}

/// Stops the running turn.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_turn(shell: State<'_, Shell>, params: StopTurn) -> Result<StopTurnReply, ApiError> {
    shell.run(params).await
}

/// Tries a failed turn again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn retry_turn(shell: State<'_, Shell>, params: RetryTurn) -> Result<RetryTurnReply, ApiError> {
    shell.run(params).await
}

/// A stretch of a transcript.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_items(shell: State<'_, Shell>, params: ListItems) -> Result<ListItemsReply, ApiError> {
    shell.run(params).await
}

/// Marks a transcript as seen.
#[tauri::command]
#[specta::specta]
pub(crate) async fn mark_read(shell: State<'_, Shell>, params: MarkRead) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Answers a question.
#[tauri::command]
#[specta::specta]
pub(crate) async fn answer_approval(shell: State<'_, Shell>, params: AnswerApproval) -> Result<Done, ApiError> {
    shell.run(params).await
}

/// Looks for words.
#[tauri::command]
#[specta::specta]
pub(crate) async fn search(shell: State<'_, Shell>, params: Search) -> Result<SearchReply, ApiError> {
    shell.run(params).await
}
