//! What windows are asked to do from outside their pages: by a toast, the tray, a link, another start.

mod address; // gatehouse://session/...

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use specta::Type;
use tokio::sync::Notify;

pub(crate) use address::{SCHEME, parse};

/// What a window is asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Intent {
    /// Show this item, this process, or only this session.
    Show {
        /** The profile that it is in; absent where nobody knows one. */
        #[specta(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        profile: Option<String>,
        /** The session. */
        session_id: String,
        /** The item. */
        #[specta(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        seq: Option<i32>,
        /** The process. */
        #[specta(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        process_id: Option<String>,
    },
    /// Begin a session.
    NewSession,
    /// Open the settings.
    OpenSettings,
    /// Open the notices.
    OpenNotices,
    /// Ask what a quit shall do to running processes.
    AskQuit {
        /** How many run. */
        processes: u32,
    },
    /// Ask `desktop_state` again.
    StateChanged,
}

impl Intent {
    /// Whether a page that shows this profile can do it.
    fn is_for(&self, shown: &str) -> bool {
        match self {
            Self::Show { profile: Some(profile), .. } => profile == shown,
            Self::Show { profile: None, .. }
            | Self::NewSession
            | Self::OpenSettings
            | Self::OpenNotices
            | Self::AskQuit { .. }
            | Self::StateChanged => true,
        }
    }
}

/// What waits for one window; of a page that asks for nothing any more, the oldest is given up.
const WAITING: usize = 32;

/// What every window is asked to do and has not been told yet.
#[derive(Debug, Default)]
pub(crate) struct Intents {
    windows: Mutex<HashMap<String, Window>>,
}

#[derive(Debug, Default)]
struct Window {
    waiting: VecDeque<Intent>,
    /// The call that is answered; earlier ones are over.
    call: u64,
    wake: Arc<Notify>,
}

/// What a waiting call finds.
enum Taken {
    Intent(Intent),
    Nothing,
    /// Another call or page has taken over.
    Over,
}

impl Intents {
    /// Asks a window, now or as soon as its page listens.
    pub fn ask(&self, label: &str, intent: Intent) {
        self.with(label, |window| {
            if window.waiting.contains(&intent) {
                return;
            }
            if window.waiting.len() >= WAITING {
                tracing::warn!("A window does not listen; what it was asked first is given up.");
                window.waiting.pop_front();
            }
            window.waiting.push_back(intent);
            window.wake.notify_waiters();
        });
    }

    /// The next one for this window while it shows this profile; `None` when a later call or another page has taken over.
    pub async fn next(&self, label: &str, profile: &str) -> Option<Intent> {
        let (call, wake) = self.with(label, |window| {
            window.call += 1;
            window.wake.notify_waiters();
            (window.call, Arc::clone(&window.wake))
        });
        loop {
            let woken = wake.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            match self.take(label, profile, call) {
                Taken::Nothing => {}
                Taken::Intent(intent) => return Some(intent),
                Taken::Over => return None,
            }
            woken.await;
        }
    }

    /// A page begins in this window: nothing more is told to the one before.
    pub fn page_begins(&self, label: &str) {
        self.with(label, |window| {
            window.call += 1;
            window.wake.notify_waiters();
        });
    }

    /// A window is gone.
    pub fn gone(&self, label: &str) {
        let gone = self.windows.lock().unwrap_or_else(PoisonError::into_inner).remove(label);
        if let Some(window) = gone {
            window.wake.notify_waiters();
        }
    }

    fn take(&self, label: &str, profile: &str, call: u64) -> Taken {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        match windows.get_mut(label) {
            Some(window) if window.call == call => {
                let first = window.waiting.iter().position(|intent| intent.is_for(profile));
                first.and_then(|first| window.waiting.remove(first)).map_or(Taken::Nothing, Taken::Intent)
            }
            Some(_) | None => Taken::Over,
        }
    }

    fn with<T>(&self, label: &str, change: impl FnOnce(&mut Window) -> T) -> T {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        change(windows.entry(label.to_owned()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_window_is_told_its_own_in_order_and_once() {
        let intents = Intents::default();
        intents.ask("main", Intent::NewSession);
        intents.ask("main", Intent::StateChanged);
        intents.ask("main", Intent::StateChanged);
        intents.ask("main-2", Intent::OpenSettings);
        assert_eq!(intents.next("main", "default").await, Some(Intent::NewSession));
        assert_eq!(intents.next("main", "default").await, Some(Intent::StateChanged));
        assert_eq!(intents.next("main-2", "default").await, Some(Intent::OpenSettings));
        let waits = intents.next("main", "default");
        tokio::pin!(waits);
        assert!(futures_util::poll!(waits.as_mut()).is_pending());
        intents.ask("main", Intent::OpenNotices);
        assert_eq!(waits.await, Some(Intent::OpenNotices));
    }

    #[tokio::test]
    async fn only_the_newest_call_of_the_page_that_is_there_is_told() {
        let intents = Intents::default();
        let first = intents.next("main", "default");
        tokio::pin!(first);
        assert!(futures_util::poll!(first.as_mut()).is_pending());
        let second = intents.next("main", "default");
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        assert_eq!(first.await, None);
        intents.page_begins("main");
        intents.ask("main", Intent::NewSession);
        assert_eq!(second.await, None);
        assert_eq!(intents.next("main", "default").await, Some(Intent::NewSession));
        let last = intents.next("main", "default");
        tokio::pin!(last);
        assert!(futures_util::poll!(last.as_mut()).is_pending());
        intents.gone("main");
        assert_eq!(last.await, None);
    }

    #[tokio::test]
    async fn a_page_of_another_profile_is_not_told() {
        let intents = Intents::default();
        let show = |profile: &str| Intent::Show {
            profile: Some(profile.into()),
            session_id: "s".into(),
            seq: None,
            process_id: None,
        };
        intents.ask("main", show("work"));
        intents.ask("main", Intent::OpenNotices);
        assert_eq!(intents.next("main", "default").await, Some(Intent::OpenNotices));
        let waits = intents.next("main", "default");
        tokio::pin!(waits);
        assert!(futures_util::poll!(waits.as_mut()).is_pending());
        assert_eq!(intents.next("main", "work").await, Some(show("work")));
    }

    #[tokio::test]
    async fn a_page_that_does_not_listen_fills_no_memory() {
        let intents = Intents::default();
        for processes in 0..100 {
            intents.ask("main", Intent::AskQuit { processes });
        }
        assert_eq!(intents.next("main", "default").await, Some(Intent::AskQuit { processes: 68 }));
    }
}
