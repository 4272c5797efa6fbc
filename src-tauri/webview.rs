//! What only the platform's own window and web view can do.

use tauri::WebviewWindow;

/// When the page's process ends by itself the page is loaded again; the gateway has lost nothing.
#[cfg(target_os = "linux")]
pub(crate) fn reload_when_it_ends(window: &WebviewWindow) -> tauri::Result<()> {
    use webkit2gtk::WebViewExt as _;

    window.with_webview(|webview| {
        webview.inner().connect_web_process_terminated(|view, reason| {
            tracing::error!(?reason, "The page's process ended; the page is loaded again.");
            view.reload();
        });
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn reload_when_it_ends(_window: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// Under Wayland a window comes forward only with the right that the person's click has brought.
#[cfg(target_os = "linux")]
pub(crate) fn may_come_forward(window: &WebviewWindow, token: String) {
    use gtk::prelude::GtkWindowExt as _;

    let shown = window.clone();
    let handed_over = window.run_on_main_thread(move || match shown.gtk_window() {
        Ok(window) => window.set_startup_id(&token),
        Err(error) => tracing::debug!("The window cannot come forward: {error}"),
    });
    if let Err(error) = handed_over {
        tracing::debug!("The window cannot come forward: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn may_come_forward(_window: &WebviewWindow, _token: String) {}
