//! What people see right now: the sessions that stand, to their ends, in a window that has the focus.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use specta::Type;
use tokio::sync::watch;

/// What a window shows now.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct View {
    /// The open session.
    pub session_id: Option<String>,
    /// Its newest items are on the screen.
    pub at_end: bool,
}

/// Every window's view.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    windows: Mutex<HashMap<String, Window>>,
    on_screen: watch::Sender<HashSet<String>>,
}

#[derive(Debug, Default)]
struct Window {
    view: View,
    focused: bool,
}

impl Sight {
    /// A window shows something else.
    pub fn look_at(&self, label: &str, view: View) {
        self.change(|windows| windows.entry(label.to_owned()).or_default().view = view);
    }

    /// A window has the focus, or has lost it.
    pub fn focus(&self, label: &str, focused: bool) {
        self.change(|windows| windows.entry(label.to_owned()).or_default().focused = focused);
    }

    /// A window is gone.
    pub fn gone(&self, label: &str) {
        self.change(|windows| {
            windows.remove(label);
        });
    }

    /// The window that shows this session already.
    pub fn window_of(&self, session: &str) -> Option<String> {
        let windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let shows = |window: &Window| window.view.session_id.as_deref() == Some(session);
        windows.iter().find(|(_, window)| shows(window)).map(|(label, _)| label.clone())
    }

    /// The sessions on the screen, now and from now on.
    pub fn watch(&self) -> watch::Receiver<HashSet<String>> {
        self.on_screen.subscribe()
    }

    fn change(&self, change: impl FnOnce(&mut HashMap<String, Window>)) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut windows);
        let seen = windows.values().filter(|window| window.focused && window.view.at_end);
        let seen: HashSet<_> = seen.filter_map(|window| window.view.session_id.clone()).collect();
        self.on_screen.send_if_modified(|known| {
            let changed = *known != seen;
            *known = seen;
            changed
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(session: &str, at_end: bool) -> View {
        View { session_id: Some(session.into()), at_end }
    }

    #[test]
    fn a_session_is_seen_at_its_end_in_a_window_that_has_the_focus() {
        let sight = Sight::default();
        let mut seen = sight.watch();
        let now = |sight: &Sight| sight.on_screen.borrow().iter().cloned().collect::<Vec<_>>();
        sight.look_at("main", view("a", true));
        assert!(!seen.has_changed().unwrap(), "nobody looks at that window");
        sight.focus("main", true);
        assert_eq!(now(&sight), ["a"]);
        sight.look_at("main", view("a", false));
        assert_eq!(now(&sight), [""; 0]);
        sight.look_at("main-2", view("b", true));
        sight.focus("main", false);
        sight.focus("main-2", true);
        assert_eq!(now(&sight), ["b"]);
        assert_eq!(sight.window_of("a").as_deref(), Some("main"));
        seen.mark_unchanged();
        sight.gone("main-2");
        assert!(seen.has_changed().unwrap() && now(&sight).is_empty());
    }
}
