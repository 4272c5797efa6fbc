//! The tray: who needs somebody, what runs, the way back to the window, the way out. It is drawn when that changes.

#[cfg(target_os = "linux")]
mod host; // whether anything shows trays here

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use tauri::image::Image;
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager as _, include_image};

use crate::intent::Intent;
use crate::look::Looks;
use crate::window::{self, Windows};
use crate::{around, quit, restart};

const ID: &str = "gatehouse";
const OPEN: &str = "open";
const NEEDED: &str = "needed";
const RUNNING: &str = "running";
const NEW: &str = "new";
const RESTART: &str = "restart";
const QUIT: &str = "quit";

/// Dark strokes for a light panel and the other way round; the lamp is lit while somebody is needed.
const LIGHT: Image<'_> = include_image!("./icons/tray/light.png");
const LIGHT_LIT: Image<'_> = include_image!("./icons/tray/light-active.png");
const DARK: Image<'_> = include_image!("./icons/tray/dark.png");
const DARK_LIT: Image<'_> = include_image!("./icons/tray/dark-active.png");

/// A session that needs somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Since then.
    pub since_ms: i64,
    /// Its profile.
    pub profile: String,
    /// Which.
    pub session_id: String,
}

/// What the tray tells of a profile, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// Sessions that need somebody.
    pub needed: u32,
    /// The one that has waited longest.
    pub first: Option<Waiting>,
    /// Living processes.
    pub running: u32,
}

impl Told {
    fn and(mut self, other: &Self) -> Self {
        self.needed = self.needed.saturating_add(other.needed);
        self.running = self.running.saturating_add(other.running);
        self.first = self.first.into_iter().chain(other.first.clone()).min_by_key(|waiting| waiting.since_ms);
        self
    }
}

/// What it shows; managed by Tauri.
#[derive(Debug, Default)]
pub(crate) struct Tray(Mutex<Shown>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Shown {
    profiles: BTreeMap<String, Told>,
    dark: bool,
    /// There is a place for it.
    wanted: bool,
}

impl Shown {
    /// Of all profiles together.
    fn told(&self) -> Told {
        self.profiles.values().fold(Told::default(), Told::and)
    }
}

/// From now on the tray is there whenever something shows trays.
pub(crate) fn begin(app: &AppHandle) {
    #[cfg(target_os = "linux")]
    host::follow(app);
    #[cfg(not(target_os = "linux"))]
    hosted(app, true);
}

/// Something else is to be told of a profile.
pub(crate) fn tell(app: &AppHandle, profile: &str, told: Told) {
    change(app, |shown| {
        shown.profiles.insert(profile.to_owned(), told);
    });
}

/// The look has changed.
pub(crate) fn refresh(app: &AppHandle) {
    change(app, |_| {});
}

/// The program ends: nothing is told any more.
pub(crate) fn remove(app: &AppHandle) {
    change(app, |shown| shown.wanted = false);
}

/// Something shows trays here, or nothing does any more: then nobody may be left without a window.
fn hosted(app: &AppHandle, hosted: bool) {
    around::change(app, |state| state.tray = hosted);
    change(app, |shown| shown.wanted = hosted);
    if !hosted {
        window::show_if_all_are_hidden(app);
    }
}

fn change(app: &AppHandle, change: impl FnOnce(&mut Shown)) {
    let before_and_now = {
        let tray = app.state::<Tray>();
        let mut shown = tray.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = shown.clone();
        change(&mut shown);
        shown.dark = app.state::<Looks>().is_dark();
        (before, shown.clone())
    };
    let (before, now) = before_and_now;
    if before == now {
        return;
    }
    let drawn = app.clone();
    let asked = app.run_on_main_thread(move || {
        // The library that draws it is looked for at run time, and its absence is a panic over there.
        match catch_unwind(AssertUnwindSafe(|| draw(&drawn, &before, &now))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("The tray cannot be shown: {error}"),
            Err(_) => {
                tracing::warn!("The tray cannot be shown: the system's library for it is missing.");
                around::change(&drawn, |state| state.tray = false);
            }
        }
    });
    if let Err(error) = asked {
        tracing::debug!("The tray stays as it was: {error}");
    }
}

/// On the thread that draws.
fn draw(app: &AppHandle, before: &Shown, now: &Shown) -> tauri::Result<()> {
    if !now.wanted {
        app.remove_tray_by_id(ID);
        return Ok(());
    }
    let Some(tray) = app.tray_by_id(ID) else { return build(app, now) };
    if icon_of(before) != icon_of(now) {
        tray.set_icon(Some(icon(now)))?;
    }
    if before.told() != now.told() {
        tray.set_menu(Some(menu(app, &now.told())?))?;
    }
    Ok(())
}

fn build(app: &AppHandle, now: &Shown) -> tauri::Result<()> {
    TrayIconBuilder::with_id(ID)
        .icon(icon(now))
        .icon_as_template(true)
        .tooltip("Gatehouse")
        // Nothing of ours is written elsewhere.
        .temp_dir_path(app.state::<Windows>().home().join("run").join("tray"))
        .menu(&menu(app, &now.told())?)
        .on_menu_event(|app, event| pressed(app, &event))
        .build(app)?;
    Ok(())
}

fn icon_of(shown: &Shown) -> (bool, bool) {
    (shown.dark, shown.told().needed > 0)
}

fn icon(shown: &Shown) -> Image<'static> {
    match icon_of(shown) {
        (false, false) => LIGHT,
        (false, true) => LIGHT_LIT,
        (true, false) => DARK,
        (true, true) => DARK_LIT,
    }
}

fn menu(app: &AppHandle, told: &Told) -> tauri::Result<Menu<tauri::Wry>> {
    let menu = Menu::new(app)?;
    for (id, words) in entries(told) {
        if id == RESTART {
            menu.append(&PredefinedMenuItem::separator(app)?)?;
        }
        menu.append(&MenuItem::with_id(app, id, words, true, None::<&str>)?)?;
    }
    Ok(menu)
}

fn entries(told: &Told) -> Vec<(&'static str, String)> {
    let mut entries = vec![(OPEN, "Open Gatehouse".to_owned())];
    match told.needed {
        0 => {}
        1 => entries.push((NEEDED, "1 needs you".to_owned())),
        many => entries.push((NEEDED, format!("{many} need you"))),
    }
    match told.running {
        0 => {}
        1 => entries.push((RUNNING, "1 process running".to_owned())),
        many => entries.push((RUNNING, format!("{many} processes running"))),
    }
    entries.extend([
        (NEW, "New session".to_owned()),
        (RESTART, "Restart the gateway".to_owned()),
        (QUIT, "Quit".to_owned()),
    ]);
    entries
}

fn pressed(app: &AppHandle, event: &MenuEvent) {
    match event.id().as_ref() {
        OPEN | RUNNING => {
            window::raise(app, None, None);
        }
        NEEDED => open_first(app),
        NEW => window::show(app, Intent::NewSession, None),
        RESTART => restart::request(app),
        QUIT => quit::request(app, None),
        _ => {}
    }
}

fn open_first(app: &AppHandle) {
    let first = app.state::<Tray>().0.lock().unwrap_or_else(PoisonError::into_inner).told().first;
    match first {
        Some(Waiting { profile, session_id, .. }) => {
            let profile = Some(profile);
            window::show(app, Intent::Show { profile, session_id, seq: None, process_id: None }, None);
        }
        None => {
            window::raise(app, None, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_menu_names_only_what_there_is() {
        let words = |needed, running| {
            let told = Told { needed, running, first: None };
            entries(&told).into_iter().map(|(_, words)| words).collect::<Vec<_>>()
        };
        assert_eq!(words(0, 0), ["Open Gatehouse", "New session", "Restart the gateway", "Quit"]);
        assert_eq!(words(1, 1)[1..4], ["1 needs you", "1 process running", "New session"]);
        assert_eq!(words(2, 3)[1..4], ["2 need you", "3 processes running", "New session"]);
    }

    #[test]
    fn the_lamp_is_lit_only_while_somebody_is_needed() {
        let shown = |needed, dark| {
            let told = Told { needed, ..Told::default() };
            Shown { profiles: [("default".to_owned(), told)].into(), dark, wanted: true }
        };
        assert_ne!(icon(&shown(0, false)).rgba(), icon(&shown(1, false)).rgba());
        assert_ne!(icon(&shown(1, false)).rgba(), icon(&shown(1, true)).rgba());
        assert_eq!(icon(&shown(1, true)).rgba(), icon(&shown(5, true)).rgba());
    }

    #[test]
    fn all_profiles_are_told_together_and_whoever_waited_longest_comes_first() {
        let told = |profile: &str, since_ms, running| Told {
            needed: 1,
            first: Some(Waiting { since_ms, profile: profile.into(), session_id: "s".into() }),
            running,
        };
        let all = [("default", told("default", 9, 1)), ("lab", Told::default()), ("work", told("work", 5, 2))];
        let profiles = all.map(|(name, told)| (name.to_owned(), told)).into();
        let sum = Shown { profiles, ..Shown::default() }.told();
        assert_eq!((sum.needed, sum.running), (2, 3));
        assert_eq!(sum.first.unwrap().profile, "work");
    }
}
