//! Who shows notifications: it takes them down instead, and does with them what a person would.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use zbus::Connection;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

use super::Bus;
use crate::{LIMIT, Result};

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// A person put it away.
const DISMISSED: u32 = 2;
/// Whoever sent it took it back.
const TAKEN_BACK: u32 = 3;

/// How it behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Bodies are plain text.
    Plain,
    /// Bodies are markup.
    Markup,
    /// It takes a notification and never answers.
    Silent,
}

/// One notification, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    /// Its number.
    pub id: u32,
    /// The one whose place it takes; 0 is none.
    pub replaces: u32,
    /// Who sends it.
    pub app: String,
    /// Its first line.
    pub title: String,
    /// The rest.
    pub body: String,
    /// Names and labels of its buttons, in turn.
    pub actions: Vec<String>,
    /// How long it stands; 0 is until somebody acts.
    pub lasts: i32,
    /// When it came.
    pub at: Instant,
}

/// A running one. It gives its name back when it is dropped or leaves.
#[derive(Debug)]
pub struct Toaster {
    connection: Connection,
    notes: Arc<Notes>,
}

#[derive(Debug)]
struct Notes {
    manner: Mutex<Manner>,
    toasts: watch::Sender<Vec<Toast>>,
    closed: watch::Sender<Vec<u32>>,
}

impl Toaster {
    /// Takes its place on a bus.
    pub async fn on(bus: &Bus, manner: Manner) -> Result<Self> {
        let notes = Arc::new(Notes {
            manner: Mutex::new(manner),
            toasts: watch::Sender::new(Vec::new()),
            closed: watch::Sender::new(Vec::new()),
        });
        let connection = bus.connect().await?;
        connection.object_server().at(PATH, Face(Arc::clone(&notes))).await?;
        connection.request_name(NAME).await?;
        Ok(Self { connection, notes })
    }

    /// Behaves so from now on.
    pub fn behave(&self, manner: Manner) {
        *self.notes.manner.lock().unwrap_or_else(PoisonError::into_inner) = manner;
    }

    /// What came so far.
    pub fn toasts(&self) -> Vec<Toast> {
        self.notes.toasts.borrow().clone()
    }

    /// Waits for the `n`-th, counted from 1.
    pub async fn nth(&self, n: usize) -> Result<Toast> {
        let mut toasts = self.notes.toasts.subscribe();
        let came = timeout(LIMIT, toasts.wait_for(|toasts| toasts.len() >= n)).await;
        let came = came.map_err(|_| format!("no notification {n}: {:?}", self.toasts()))?;
        came?.get(n.saturating_sub(1)).cloned().ok_or_else(|| "notifications are counted from 1".into())
    }

    /// Waits for one with this title.
    pub async fn titled(&self, title: &str) -> Result {
        let mut toasts = self.notes.toasts.subscribe();
        let came = timeout(LIMIT, toasts.wait_for(|toasts| toasts.iter().any(|toast| toast.title == title))).await;
        came.map_err(|_| format!("no notification {title:?}: {:?}", self.toasts()))??;
        Ok(())
    }

    /// Waits until this one was taken back.
    pub async fn taken_back(&self, id: u32) -> Result {
        let mut closed = self.notes.closed.subscribe();
        let closed = timeout(LIMIT, closed.wait_for(|closed| closed.contains(&id))).await;
        closed.map_err(|_| format!("notification {id} still stands"))??;
        Ok(())
    }

    /// Presses a button; `default` is the notification itself. It goes, as on most desktops.
    pub async fn press(&self, id: u32, action: &str) -> Result {
        let emitter = SignalEmitter::new(&self.connection, PATH)?;
        Face::action_invoked(&emitter, id, action).await?;
        Ok(Face::notification_closed(&emitter, id, DISMISSED).await?)
    }

    /// Puts one away without looking at it.
    pub async fn dismiss(&self, id: u32) -> Result {
        let emitter = SignalEmitter::new(&self.connection, PATH)?;
        Ok(Face::notification_closed(&emitter, id, DISMISSED).await?)
    }

    /// Goes away.
    pub async fn leave(self) -> Result {
        Ok(self.connection.close().await?)
    }
}

struct Face(Arc<Notes>);

impl Face {
    fn manner(&self) -> Manner {
        *self.0.manner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Face {
    #[expect(clippy::too_many_arguments, reason = "the specification has as many")]
    async fn notify(
        &self,
        app_name: String,
        replaces_id: u32,
        _app_icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        expire_timeout: i32,
    ) -> u32 {
        if self.manner() == Manner::Silent {
            return std::future::pending().await;
        }
        let mut id = replaces_id;
        self.0.toasts.send_modify(|toasts| {
            if id == 0 {
                id = toasts.iter().map(|toast| toast.id).max().unwrap_or(0) + 1;
            }
            let (app, title, lasts) = (app_name, summary, expire_timeout);
            toasts.push(Toast { id, replaces: replaces_id, app, title, body, actions, lasts, at: Instant::now() });
        });
        id
    }

    async fn close_notification(&self, #[zbus(signal_emitter)] emitter: SignalEmitter<'_>, id: u32) {
        self.0.closed.send_modify(|closed| closed.push(id));
        // Nobody else hears it when it fails, and the test that waits for its effect does.
        let _unheard = Self::notification_closed(&emitter, id, TAKEN_BACK).await;
    }

    fn get_capabilities(&self) -> Vec<String> {
        let markup = (self.manner() == Manner::Markup).then_some("body-markup");
        ["body", "actions"].into_iter().chain(markup).map(str::to_owned).collect()
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        ("toaster".into(), "tests".into(), "1".into(), "1.2".into())
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action_key: &str) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(emitter: &SignalEmitter<'_>, id: u32, reason: u32) -> zbus::Result<()>;
}
