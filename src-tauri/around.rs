//! What the system around the windows can do, as their pages are told it.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use specta::Type;
use tauri::{AppHandle, Manager as _};

use crate::intent::{Intent, Intents};

/// What the system around the window can do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DesktopState {
    /// Why notifications of the system do not work, for a person; absent while they do or were not tried.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notifications_problem: Option<String>,
    /// There is a tray that shows the program.
    pub tray: bool,
}

/// The state, managed by Tauri.
#[derive(Debug, Default)]
pub(crate) struct Around(Mutex<DesktopState>);

impl Around {
    /// As it is now.
    pub fn now(&self) -> DesktopState {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut DesktopState)) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = state.clone();
        change(&mut state);
        *state != before
    }
}

/// Changes it, and tells every window if that made a difference.
pub(crate) fn change(app: &AppHandle, change: impl FnOnce(&mut DesktopState)) {
    if app.state::<Around>().change(change) {
        let intents = app.state::<Intents>();
        for label in app.webview_windows().keys() {
            intents.ask(label, Intent::StateChanged);
        }
    }
}
