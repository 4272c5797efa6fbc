//! Which profile each window shows. The main window finds its own again at the next start.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where the main window's profile is remembered, beside its size and place.
const FILE: &str = "window.profile";

/// Managed by Tauri.
#[derive(Debug)]
pub(crate) struct Showing {
    file: PathBuf,
    /// Shown where nobody has chosen.
    first: String,
    main: &'static str,
    windows: Mutex<HashMap<String, String>>,
}

impl Showing {
    /// The main window shows what it showed last, as long as that is served.
    pub fn begin(home: &Path, main: &'static str, first: &str, is_served: impl Fn(&str) -> bool) -> Self {
        let file = home.join(FILE);
        let kept = std::fs::read_to_string(&file).ok().filter(|kept| is_served(kept));
        let windows = kept.into_iter().map(|kept| (main.to_owned(), kept)).collect();
        Self { file, first: first.to_owned(), main, windows: Mutex::new(windows) }
    }

    /// What this window shows.
    pub fn profile(&self, label: &str) -> String {
        self.with(|windows| windows.get(label).unwrap_or(&self.first).clone())
    }

    /// What the main window shows.
    pub fn main(&self) -> String {
        self.profile(self.main)
    }

    /// From now on it shows this one.
    pub fn show(&self, label: &str, profile: &str) {
        self.with(|windows| windows.insert(label.to_owned(), profile.to_owned()));
        if label == self.main
            && let Err(error) = keep(&self.file, profile)
        {
            tracing::warn!("The next start will not know which profile was shown: {error}");
        }
    }

    /// A window that shows this one, the main window first.
    pub fn window_of(&self, profile: &str) -> Option<String> {
        if self.main() == profile {
            return Some(self.main.to_owned());
        }
        self.with(|windows| windows.iter().find(|(_, shown)| *shown == profile).map(|(label, _)| label.clone()))
    }

    /// A window is gone.
    pub fn gone(&self, label: &str) {
        if label != self.main {
            self.with(|windows| windows.remove(label));
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<String, String>) -> T) -> T {
        change(&mut self.windows.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn keep(file: &Path, profile: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(profile.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_window_finds_its_profile_again_and_others_begin_with_the_first() {
        let home = tempfile::tempdir().unwrap();
        let begin =
            |served: &'static [&str]| Showing::begin(home.path(), "main", "default", |name| served.contains(&name));
        let showing = begin(&["default", "work"]);
        assert_eq!((showing.main(), showing.profile("main-2")), ("default".into(), "default".into()));
        showing.show("main", "work");
        showing.show("main-2", "lab");
        assert_eq!((showing.main(), showing.profile("main-2")), ("work".into(), "lab".into()));
        assert_eq!(showing.window_of("lab").as_deref(), Some("main-2"));
        assert_eq!(showing.window_of("default"), None);
        showing.gone("main-2");
        assert_eq!(showing.profile("main-2"), "default");
        assert_eq!(begin(&["default", "work"]).main(), "work");
        assert_eq!(begin(&["default"]).main(), "default", "one that is not there any more is not shown");
    }
}
