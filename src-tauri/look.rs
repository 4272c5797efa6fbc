//! Light and dark: what a person set, else what the desktop wishes, from the first frame on.

#[cfg(target_os = "linux")]
mod portal; // the desktop's wish, over the bus

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gatehouse_gateway::Config;
use gatehouse_protocol::wire;
use tauri::window::Color;
use tauri::{AppHandle, Manager as _, Theme};

use crate::shell::Shell;
use crate::showing::Showing;

/// What is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Wish {
    /// Absent: as the desktop.
    theme: Option<Theme>,
    /// More contrast; the page alone asks the desktop for it.
    high: bool,
}

/// The look of every window; managed by Tauri.
#[derive(Debug)]
pub(crate) struct Looks(Mutex<Look>);

#[derive(Debug, Clone, Copy)]
struct Look {
    wish: Wish,
    /// What the desktop says at run time.
    desktop: Option<Theme>,
    /// What its toolkit is set to, where nothing else says anything.
    toolkit: Theme,
}

impl Look {
    fn theme(&self) -> Theme {
        self.wish.theme.or(self.desktop).unwrap_or(self.toolkit)
    }
}

impl Looks {
    /// The look of the first frame. To be called before there is a window, on the thread that draws.
    pub fn first(profile: &Path, desktop: Option<Theme>) -> Self {
        let look = Look { wish: set_in(profile), desktop, toolkit: toolkit::theme() };
        toolkit::prefer(look.theme());
        Self(Mutex::new(look))
    }

    /// What is drawn before the page is.
    pub fn background(&self) -> Color {
        let look = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        background(look.theme(), look.wish.high)
    }

    /// Dark, all in all.
    pub fn is_dark(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).theme() == Theme::Dark
    }

    fn change(&self, change: impl FnOnce(&mut Look)) -> Option<Theme> {
        let mut look = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = (look.theme(), look.wish.high);
        change(&mut look);
        ((look.theme(), look.wish.high) != before).then(|| look.theme())
    }
}

/// A person set something else in a profile. The program looks as the one that the main window shows.
pub(crate) fn set(app: &AppHandle, profile: &str, look: &wire::Look) {
    if app.state::<Showing>().main() != profile {
        return;
    }
    let wish = Wish { theme: named(&look.theme), high: look.contrast == "high" };
    apply(app, |look| look.wish = wish);
}

/// The main window shows another profile.
pub(crate) fn follow_main(app: &AppHandle) {
    let Ok(profile) = app.state::<Shell>().profile(&app.state::<Showing>().main()) else { return };
    let wish = set_in(profile.dir());
    apply(app, |look| look.wish = wish);
}

/// Asks the desktop before there is a window.
#[cfg(target_os = "linux")]
pub(crate) use portal::{Asked, ask, follow};

fn apply(app: &AppHandle, change: impl FnOnce(&mut Look)) {
    let looks = app.state::<Looks>();
    let Some(theme) = looks.change(change) else { return };
    // The page's `prefers-color-scheme` follows it.
    app.set_theme(Some(theme));
    for window in app.webview_windows().values() {
        if let Err(error) = window.set_background_color(Some(looks.background())) {
            tracing::debug!("A window's background stays as it was: {error}");
        }
    }
    crate::tray::refresh(app);
}

/// `config.toml` as it is before the gateway reads it: the first frame does not wait for that.
fn set_in(profile: &Path) -> Wish {
    let text = std::fs::read_to_string(profile.join("config.toml")).unwrap_or_default();
    let look = Config::parse(&text, &Config::default()).0.look;
    Wish { theme: named(look.theme.as_str()), high: look.contrast.as_str() == "high" }
}

fn named(word: &str) -> Option<Theme> {
    match word {
        "dark" => Some(Theme::Dark),
        "light" => Some(Theme::Light),
        _ => None,
    }
}

/// The page's own ground, so that nothing changes when it comes.
const fn background(theme: Theme, high: bool) -> Color {
    match (theme, high) {
        (Theme::Dark, true) => Color(0, 0, 0, 255),
        (Theme::Dark, false) => Color(0x11, 0x12, 0x15, 255),
        (_, true) => Color(255, 255, 255, 255),
        (_, false) => Color(0xf5, 0xf4, 0xf0, 255),
    }
}

#[cfg(target_os = "linux")]
mod toolkit {
    use gtk::prelude::GtkSettingsExt as _;
    use tauri::Theme;

    /// As the web view would tell the page.
    pub fn theme() -> Theme {
        let forced = std::env::var("GTK_THEME").ok();
        let settings = gtk::Settings::default();
        let named = settings.as_ref().and_then(|s| s.gtk_theme_name()).map(|name| name.to_string());
        let preferred = settings.is_some_and(|s| s.is_gtk_application_prefer_dark_theme());
        if is_dark(forced.as_deref(), named.as_deref(), preferred) { Theme::Dark } else { Theme::Light }
    }

    pub fn prefer(theme: Theme) {
        if let Some(settings) = gtk::Settings::default() {
            settings.set_gtk_application_prefer_dark_theme(theme == Theme::Dark);
        }
    }

    fn is_dark(forced: Option<&str>, named: Option<&str>, preferred: bool) -> bool {
        match forced {
            Some(forced) => forced.ends_with(":dark") || forced.ends_with("-dark"),
            None => preferred || named.is_some_and(|name| name.ends_with("-dark") || name.ends_with("-Dark")),
        }
    }

    #[cfg(test)]
    #[test]
    fn the_toolkit_is_dark_by_its_variable_its_theme_or_its_setting() {
        assert!(is_dark(Some("Adwaita:dark"), None, false));
        assert!(!is_dark(Some("Adwaita"), Some("Adwaita-dark"), true));
        assert!(is_dark(None, Some("Yaru-dark"), false));
        assert!(is_dark(None, Some("Yaru"), true));
        assert!(!is_dark(None, Some("Darkly"), false));
    }
}

#[cfg(not(target_os = "linux"))]
mod toolkit {
    use tauri::Theme;

    pub fn theme() -> Theme {
        Theme::Light
    }

    pub fn prefer(_theme: Theme) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_set_wins_then_the_desktop_then_the_toolkit() {
        let look = |theme, desktop, toolkit| Look { wish: Wish { theme, high: false }, desktop, toolkit }.theme();
        let (dark, light) = (Theme::Dark, Theme::Light);
        assert_eq!(look(Some(light), Some(dark), dark), light);
        assert_eq!(look(None, Some(dark), light), dark);
        assert_eq!(look(None, Some(light), dark), light);
        assert_eq!(look(None, None, dark), dark);
    }

    #[test]
    fn what_is_set_is_known_before_anything_runs() {
        let profile = tempfile::tempdir().unwrap();
        assert_eq!(set_in(profile.path()), Wish::default());
        std::fs::write(profile.path().join("config.toml"), "[look]\ntheme = \"dark\"\ncontrast = \"high\"\n").unwrap();
        assert_eq!(set_in(profile.path()), Wish { theme: Some(Theme::Dark), high: true });
    }

    /// The page's own colours are in its style sheet; these are drawn before it is read.
    #[test]
    fn the_ground_is_the_pages_own() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let tokens = std::fs::read_to_string(root.join("ui/src/styles/tokens.css")).unwrap().to_lowercase();
        for theme in [Theme::Light, Theme::Dark] {
            let Color(red, green, blue, _) = background(theme, false);
            let app = format!("--app:#{red:02x}{green:02x}{blue:02x}");
            assert!(tokens.contains(&app), "{app}");
        }
    }
}
