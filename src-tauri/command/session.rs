//! Sessions, transcripts and questions.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::{
    AnswerApproval, CreateSession, CreateSessionReply, Done, ListItems, ListItemsReply, ListSessions,
    ListSessionsReply, MarkRead, RetryTurn, RetryTurnReply, Search, SearchReply, SendMessage, SendMessageReply,
    StopTurn, StopTurnReply,
};

use crate::here::Here;

/// Opens a session.
#[tauri::command]
#[specta::specta]
pub(crate) async fn create_session(here: Here, params: CreateSession) -> Result<CreateSessionReply, ApiError> {
    here.run(params).await
}

/// Every session.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_sessions(here: Here, params: ListSessions) -> Result<ListSessionsReply, ApiError> {
    here.run(params).await
}

/// Says something.
#[tauri::command]
#[specta::specta]
pub(crate) async fn send_message(here: Here, params: SendMessage) -> Result<SendMessageReply, ApiError> {
    here.run(params).await
}

/// Stops the running turn.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_turn(here: Here, params: StopTurn) -> Result<StopTurnReply, ApiError> {
    here.run(params).await
}

/// Tries a failed turn again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn retry_turn(here: Here, params: RetryTurn) -> Result<RetryTurnReply, ApiError> {
    here.run(params).await
}

/// A stretch of a transcript.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_items(here: Here, params: ListItems) -> Result<ListItemsReply, ApiError> {
    here.run(params).await
}

/// Marks a transcript as seen.
#[tauri::command]
#[specta::specta]
pub(crate) async fn mark_read(here: Here, params: MarkRead) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Answers a question.
#[tauri::command]
#[specta::specta]
pub(crate) async fn answer_approval(here: Here, params: AnswerApproval) -> Result<Done, ApiError> {
    here.run(params).await
}

/// Looks for words.
#[tauri::command]
#[specta::specta]
pub(crate) async fn search(here: Here, params: Search) -> Result<SearchReply, ApiError> {
    here.run(params).await
}
