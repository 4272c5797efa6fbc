//! The main window: one per data directory, at the place where it was.

use std::path::Path;

use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager as _, WebviewUrl, WebviewWindowBuilder, Wry};
use tauri_plugin_window_state::StateFlags;

use crate::webview;

/// Its label, in capabilities and events.
const MAIN: &str = "main";
const SIZE: (f64, f64) = (1280.0, 800.0);
const LEAST_SIZE: (f64, f64) = (480.0, 520.0);

/// Opens the window. Web data lies in the home, not in the platform's own place.
pub(crate) fn open(app: &AppHandle, home: &Path) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Gatehouse")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(LEAST_SIZE.0, LEAST_SIZE.1)
        .data_directory(home.join("webview"))
        // Whatever a page of ours could be made to try, the window never leaves it.
        .on_navigation(is_our_page)
        .disable_drag_drop_handler()
        .build()?;
    webview::reload_when_it_ends(&window)
}

/// A second start on the same home shows the first one's window.
pub(crate) fn single_instance(home: &Path) -> TauriPlugin<Wry> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(instance_name(home))
        .callback(|app, _args, _cwd| {
            if let Some(window) = app.get_webview_window(MAIN) {
                for shown in [window.unminimize(), window.show(), window.set_focus()] {
                    if let Err(error) = shown {
                        tracing::warn!("The window could not be raised: {error}");
                    }
                }
            }
        })
        .build()
}

/// Size and place are kept in the home.
pub(crate) fn state_plugin(home: &Path) -> TauriPlugin<Wry> {
    tauri_plugin_window_state::Builder::new()
        // Joined to the platform's own directory, an absolute path replaces it.
        .with_filename(home.join("window.json").to_string_lossy())
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
        .build()
}

fn is_our_page(url: &tauri::Url) -> bool {
    let ours = url.scheme() == "tauri" || matches!(url.host_str(), Some("tauri.localhost"));
    let dev = cfg!(debug_assertions) && url.host_str() == Some("127.0.0.1") && url.port() == Some(5317);
    ours || dev
}

/// A name for the home: same home, same name. FNV-1a, because std's hashers may change between releases.
fn instance_name(home: &Path) -> String {
    let hash =
        home.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    format!("org.gatehouse.Desktop.h{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_page_is_a_page() {
        let cases = [
            ("tauri://localhost/index.html", true),
            ("http://tauri.localhost/", true),
            ("http://localhost/", false),
            ("https://example.invalid/", false),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
            ("http://ipc.localhost/shell", false),
        ];
        for (url, ours) in cases {
            assert_eq!(is_our_page(&url.parse().unwrap()), ours, "{url}");
        }
    }

    #[test]
    fn each_home_has_its_own_name() {
        assert_eq!(instance_name(Path::new("/a")), instance_name(Path::new("/a")));
        assert_ne!(instance_name(Path::new("/a")), instance_name(Path::new("/b")));
    }
}
