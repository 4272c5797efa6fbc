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
        let asked = gatehouse_protocol::wire::RestartGateway::default();
        if let Err(error) = app.state::<Shell>().run(asked).await {
            tracing::warn!("A restart was not possible: {}", error.message);
        }
    });
}
