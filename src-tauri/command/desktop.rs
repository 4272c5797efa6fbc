//! The windows themselves: what they show, what they are asked to show, and how the program ends.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gatehouse_protocol::{ApiError, ErrorCode};
use serde::Deserialize;
use specta::Type;
use tauri::{AppHandle, Manager as _, State};
use tauri_plugin_opener::OpenerExt as _;

use crate::around::{Around, DesktopState};
use crate::here::Here;
use crate::intent::{Intent, Intents};
use crate::quit::QuitChoice;
use crate::shell::Shell;
use crate::sight::{Sight, View};
use crate::window::{self, Windows};

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
pub(crate) async fn look_at(here: Here, sight: State<'_, Sight>, view: View) -> Result<(), ApiError> {
    sight.look_at(&here.label, view);
    Ok(())
}

/// Waits until this window is asked to do something.
#[tauri::command]
#[specta::specta]
pub(crate) async fn next_intent(here: Here, intents: State<'_, Intents>) -> Result<Intent, ApiError> {
    let over = || ApiError { code: ErrorCode::Superseded, message: "A newer call of this window took over.".into() };
    intents.next(&here.label, &here.profile).await.ok_or_else(over)
}

/// What the system around the window can do.
#[tauri::command]
#[specta::specta]
pub(crate) async fn desktop_state(around: State<'_, Around>) -> Result<DesktopState, ApiError> {
    Ok(around.now())
}

/// Ends the program.
#[tauri::command]
#[specta::specta]
pub(crate) async fn quit(app: AppHandle, processes: QuitChoice) -> Result<(), ApiError> {
    crate::quit::go(&app, Some(processes));
    Ok(())
}

/// Asks what a quit shall do, if that is a question; ends the program otherwise.
#[tauri::command]
#[specta::specta]
pub(crate) async fn ask_quit(here: Here) -> Result<(), ApiError> {
    crate::quit::request(&here.app, Some(here.label));
    Ok(())
}

/// Which profile this window shows.
#[tauri::command]
#[specta::specta]
pub(crate) async fn profile_of_window(here: Here) -> Result<String, ApiError> {
    Ok(here.profile)
}

/// Shows another profile in this window: its page begins anew.
#[tauri::command]
#[specta::specta]
pub(crate) async fn use_profile(here: Here, name: String) -> Result<(), ApiError> {
    window::use_profile(&here.app, &here.label, &name)
}

/// Opens one more window, on the same profile.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_window(here: Here) -> Result<(), ApiError> {
    window::open_more(&here.app, &here.profile).map_err(|error| internal(format!("No window could be opened: {error}")))
}

/// Opens a place on the disk in the system's own program.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_place(here: Here, windows: State<'_, Windows>, place: Place) -> Result<(), ApiError> {
    let profile = here.app.state::<Shell>().profile(&here.profile)?;
    let path = path(windows.home(), profile.dir(), place);
    if let Place::Settings = place {
        begin_settings(&path).map_err(|error| internal(format!("{} cannot be made: {error}", path.display())))?;
    }
    let opened = here.app.opener().open_path(path.to_string_lossy(), None::<&str>);
    opened.map_err(|error| internal(format!("The system has no program for {}: {error}", path.display())))
}

fn path(home: &Path, profile: &Path, place: Place) -> PathBuf {
    match place {
        Place::Settings => profile.join("config.toml"),
        Place::Data => home.to_path_buf(),
        Place::Logs => home.join("logs"),
    }
}

/// An editor needs a file. One line says what it is; nothing is set by it.
fn begin_settings(path: &Path) -> std::io::Result<()> {
    let (mut directory, mut file) = (DirBuilder::new(), OpenOptions::new());
    directory.recursive(true);
    file.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        directory.mode(0o700);
        file.mode(0o600);
    }
    if let Some(parent) = path.parent() {
        directory.create(parent)?;
    }
    match file.open(path) {
        Ok(mut file) => file.write_all(b"# What Gatehouse is set to. Changes apply when the file is saved.\n"),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn internal(message: String) -> ApiError {
    ApiError { code: ErrorCode::Internal, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = path(home.path(), &home.path().join("profiles").join("work"), Place::Settings);
        begin_settings(&path).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("# "));
        std::fs::write(&path, "[agent]\n").unwrap();
        begin_settings(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "[agent]\n");
    }
}
