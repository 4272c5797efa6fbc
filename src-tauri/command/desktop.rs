//! The window itself: what it shows, what it is asked to show, and how the program ends.

use gatehouse_protocol::ApiError;
use serde::{Deserialize, Serialize};
use specta::Type;

/// What a window shows now.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct View {
    /// The open session.
    pub session_id: Option<String>,
    /// Its newest items are on the screen.
    pub at_end: bool,
}

/// What a window is asked to do.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Intent {
    /// Show this item, this process, or only this session.
    Show {
        /** The session. */
        session_id: String,
        /** The item. */
        #[specta(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        seq: Option<i32>,
        /** The process. */
        #[specta(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        process_id: Option<String>,
    },
    /// Begin a session.
    NewSession,
    /// Open the settings.
    OpenSettings,
    /// Open the notices.
    OpenNotices,
    /// Ask what a quit shall do to running processes.
    AskQuit {
        /** How many run. */
        processes: u32,
    },
    /// Ask `desktop_state` again.
    StateChanged,
}

/// What the system around the window can do.
#[derive(Debug, Clone, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DesktopState {
    /// Why notifications of the system do not work, for a person; absent while they do or were not tried.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notifications_problem: Option<String>,
    /// There is a tray that shows the program.
    pub tray: bool,
}

/// What a quit does to running processes.
#[derive(Debug, Clone, Copy, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuitChoice {
    /// They live on.
    Leave,
    /// They are stopped.
    Stop,
}

/// A place on the disk that can be opened.
#[derive(Debug, Clone, Copy, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// `config.toml`.
    Settings,
    /// The data directory.
    Data,
    /// The logs.
    Logs,
}

/// Says what this window shows, so that nobody is told what they look at.
#[tauri::command]
#[specta::specta]
pub(crate) async fn look_at(view: View) -> Result<(), ApiError> {
    let _ = view;
    Ok(())
}

/// Waits until this window is asked to do something.
#[tauri::command]
#[specta::specta]
pub(crate) async fn next_intent() -> Result<Intent, ApiError> {
    std::future::pending().await
}

/// What the system around the window can do.
#[tauri::command]
#[specta::specta]
pub(crate) async fn desktop_state() -> Result<DesktopState, ApiError> {
    Ok(DesktopState::default())
}

/// Ends the program.
#[tauri::command]
#[specta::specta]
pub(crate) async fn quit(processes: QuitChoice) -> Result<(), ApiError> {
    let _ = processes;
    Err(ApiError::invalid("not possible yet"))
}

/// Opens one more window.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_window() -> Result<(), ApiError> {
    Err(ApiError::invalid("not possible yet"))
}

/// Opens a place on the disk in the system's own program.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_place(place: Place) -> Result<(), ApiError> {
    let _ = place;
    Err(ApiError::invalid("not possible yet"))
}
