//! The page's process. When it ends by itself the page is loaded again; the gateway has lost nothing.

use tauri::WebviewWindow;

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
