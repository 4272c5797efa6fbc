//! The windows: the main one at the place where it was, and as many more as a person opens.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use gatehouse_protocol::{ApiError, ErrorCode};
use tauri::plugin::TauriPlugin;
use tauri::webview::PageLoadEvent;
use tauri::{AppHandle, Manager as _, WebviewUrl, WebviewWindow, WebviewWindowBuilder, Window, WindowEvent, Wry};
use tauri_plugin_window_state::StateFlags;

use crate::around::Around;
use crate::intent::{self, Intent, Intents};
use crate::look::Looks;
use crate::news::News;
use crate::shell::Shell;
use crate::showing::Showing;
use crate::sight::{Sight, View};
use crate::{look, quit, webview};

/// The label of the first window, in capabilities and events; others are called `main-2` and so on.
pub(crate) const MAIN: &str = "main";
const SIZE: (f64, f64) = (1280.0, 800.0);
const LEAST_SIZE: (f64, f64) = (480.0, 520.0);

/// What a window is made with; managed by Tauri.
#[derive(Debug)]
pub(crate) struct Windows {
    home: PathBuf,
    last: AtomicU32,
}

impl Windows {
    /// Web data lies in the home, not in the platform's own place.
    pub fn of(home: &Path) -> Self {
        Self { home: home.to_path_buf(), last: AtomicU32::new(1) }
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.home
    }
}

/// Opens the main window.
pub(crate) fn open(app: &AppHandle) -> tauri::Result<()> {
    build(app, MAIN).map(|_| ())
}

/// Opens one more, on this profile.
pub(crate) fn open_more(app: &AppHandle, profile: &str) -> tauri::Result<()> {
    let number = app.state::<Windows>().last.fetch_add(1, Ordering::Relaxed) + 1;
    let label = format!("{MAIN}-{number}");
    app.state::<Showing>().show(&label, profile);
    build(app, &label).map(|_| ())
}

fn build(app: &AppHandle, label: &str) -> tauri::Result<WebviewWindow> {
    let window = WebviewWindowBuilder::new(app, label, WebviewUrl::default())
        .title("Gatehouse")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(LEAST_SIZE.0, LEAST_SIZE.1)
        .data_directory(app.state::<Windows>().home.join("webview"))
        // What is drawn before the page is: it must not flash.
        .background_color(app.state::<Looks>().background())
        // Whatever a page of ours could be made to try, the window never leaves it.
        .on_navigation(is_our_page)
        .on_page_load(|window, load| {
            if load.event() == PageLoadEvent::Started {
                window.state::<Intents>().page_begins(window.label());
                window.state::<Sight>().look_at(window.label(), View::default());
            }
        })
        .disable_drag_drop_handler()
        .build()?;
    webview::reload_when_it_ends(&window)?;
    Ok(window)
}

/// Shows another profile in a window: its page begins anew, so nothing of the one before is left in it.
pub(crate) fn use_profile(app: &AppHandle, label: &str, profile: &str) -> Result<(), ApiError> {
    app.state::<Shell>().profile(profile)?;
    app.state::<Showing>().show(label, profile);
    if label == MAIN {
        look::follow_main(app);
    }
    let begun = app.get_webview_window(label).map_or(Ok(()), |window| window.reload());
    let message = |error| format!("The window could not be loaded again: {error}");
    begun.map_err(|error| ApiError { code: ErrorCode::Internal, message: message(error) })
}

/// Brings a window forward, hidden or not: the one that shows what is named, else one of its profile, else the main one. Its
/// label comes back.
pub(crate) fn raise(app: &AppHandle, intent: Option<&Intent>, token: Option<String>) -> String {
    let (profile, session) = match intent {
        Some(Intent::Show { profile, session_id, .. }) => (profile.as_deref(), Some(session_id.as_str())),
        Some(_) | None => (None, None),
    };
    let shows = session.and_then(|session| app.state::<Sight>().window_of(session));
    let belongs = profile.and_then(|profile| app.state::<Showing>().window_of(profile));
    let labels = shows.into_iter().chain(belongs).chain([MAIN.to_owned()]).chain(app.webview_windows().into_keys());
    let window = labels.into_iter().find_map(|label| app.get_webview_window(&label));
    let Some(window) = window else { return MAIN.to_owned() };
    if let Some(token) = token {
        webview::may_come_forward(&window, token);
    }
    for raised in [window.unminimize(), window.show(), window.set_focus()] {
        if let Err(error) = raised {
            tracing::warn!("The window could not be raised: {error}");
        }
    }
    window.label().to_owned()
}

/// Brings a window forward and asks it for something.
pub(crate) fn show(app: &AppHandle, intent: Intent, token: Option<String>) {
    let label = raise(app, Some(&intent), token);
    if let Intent::Show { profile: Some(profile), .. } = &intent
        && app.state::<Showing>().profile(&label) != *profile
        && let Err(error) = use_profile(app, &label, profile)
    {
        tracing::warn!("A window cannot go to the profile {profile}: {error}");
    }
    app.state::<Intents>().ask(&label, intent);
}

/// Takes every window off the screen.
pub(crate) fn hide_all(app: &AppHandle) {
    for window in app.webview_windows().values() {
        if let Err(error) = window.hide() {
            tracing::warn!("A window could not be hidden: {error}");
        }
    }
}

/// Whoever is hidden and could not be brought back any more is shown.
pub(crate) fn show_if_all_are_hidden(app: &AppHandle) {
    if !app.webview_windows().values().any(|window| window.is_visible().unwrap_or(true)) {
        raise(app, None, None);
    }
}

/// What happens to a window.
pub(crate) fn on_event(window: &Window, event: &WindowEvent) {
    let app = window.app_handle();
    match event {
        WindowEvent::Focused(focused) => app.state::<Sight>().focus(window.label(), *focused),
        WindowEvent::CloseRequested { api, .. } => match closing(window) {
            Closing::Close => {}
            Closing::Hide => {
                api.prevent_close();
                if let Err(error) = window.hide() {
                    tracing::warn!("The window could not be hidden: {error}");
                }
            }
            Closing::Quit => {
                api.prevent_close();
                quit::request(app, Some(window.label().to_owned()));
            }
        },
        WindowEvent::Destroyed => {
            app.state::<Sight>().gone(window.label());
            app.state::<Intents>().gone(window.label());
            app.state::<Showing>().gone(window.label());
        }
        _ => {}
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Closing {
    Close,
    Hide,
    Quit,
}

fn closing(window: &Window) -> Closing {
    let app = window.app_handle();
    let windows = app.webview_windows();
    let others = || windows.iter().filter(|(label, _)| *label != window.label());
    let stays = app.state::<Around>().now().tray
        && !app.state::<Shell>().running().is_empty()
        && app.state::<News>().keep_running();
    closing_rule(
        window.label() == MAIN,
        others().any(|(_, other)| other.is_visible().unwrap_or(true)),
        others().next().is_some(),
        stays,
    )
}

/// The last window that is seen stands for the program: closing it hides it where a tray can bring it back, and quits
/// elsewhere.
const fn closing_rule(main: bool, others_seen: bool, others: bool, stays: bool) -> Closing {
    match (main, others_seen, stays) {
        (true, _, true) => Closing::Hide,
        (_, true, _) => Closing::Close,
        (false, false, true) if others => Closing::Close,
        (false, false, true) => Closing::Hide,
        (_, false, false) => Closing::Quit,
    }
}

/// A second start on the same home shows the first one's window, and what its link asks for.
pub(crate) fn single_instance(home: &Path) -> TauriPlugin<Wry> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(instance_name(home))
        .callback(|app, args, _cwd| {
            if !follow_link(app, args) {
                raise(app, None, None);
            }
        })
        .build()
}

/// Follows the link among the arguments of a start, if there is one.
pub(crate) fn follow_link(app: &AppHandle, args: impl IntoIterator<Item = String>) -> bool {
    let Some(link) = args.into_iter().skip(1).find(|arg| arg.starts_with(intent::SCHEME)) else { return false };
    let Some(intent) = intent::parse(&link) else {
        tracing::warn!("A link was not followed: it names nothing that can be shown.");
        return false;
    };
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let mut intent = intent;
        if let Intent::Show { profile, session_id, .. } = &mut intent {
            *profile = app.state::<Shell>().profile_of(session_id).await;
        }
        show(&app, intent, None);
    });
    true
}

/// Size and place of the main window are kept in the home.
pub(crate) fn state_plugin(home: &Path) -> TauriPlugin<Wry> {
    tauri_plugin_window_state::Builder::new()
        // Joined to the platform's own directory, an absolute path replaces it.
        .with_filename(home.join("window.json").to_string_lossy())
        .with_filter(|label| label == MAIN)
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

    #[test]
    fn the_last_window_hides_where_it_can_come_back_and_quits_elsewhere() {
        let (main, extra, stays) = (true, false, true);
        assert_eq!(closing_rule(main, false, false, stays), Closing::Hide);
        assert_eq!(closing_rule(main, true, true, stays), Closing::Hide);
        assert_eq!(closing_rule(main, false, false, false), Closing::Quit);
        assert_eq!(closing_rule(main, true, true, false), Closing::Close);
        assert_eq!(closing_rule(extra, true, true, false), Closing::Close);
        assert_eq!(closing_rule(extra, false, true, stays), Closing::Close, "the hidden main window stays");
        assert_eq!(closing_rule(extra, false, false, stays), Closing::Hide);
        assert_eq!(closing_rule(extra, false, false, false), Closing::Quit);
    }
}
