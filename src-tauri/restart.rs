//! A planned restart: when somebody has asked the gateway for one, this program starts itself again.

use tauri::{AppHandle, Manager as _};

use crate::quit;
use crate::shell::Shell;

/// Begins to wait for it. The windows stay until then: they show what is waited for, and take words for afterwards.
pub(crate) fn follow(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        app.state::<Shell>().until_restart().await;
        quit::again(&app).await;
    });
}

/// A person asks for it in the tray.
pub(crate) fn request(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let shell = app.state::<Shell>();
        // Whoever is asked, all of them start again.
        let Some(profile) = shell.running().into_iter().next() else { return };
        let asked = gatehouse_protocol::wire::RestartGateway::default();
        if let Err(error) = shell.run(&profile, asked).await {
            tracing::warn!("A restart was not possible: {}", error.message);
        }
    });
}
