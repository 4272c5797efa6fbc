//! Toasts over the Desktop Notifications Specification. Not through the plugin, which cannot replace a toast, does not
//! know whether bodies are markup, and waits for ever for a service that hangs; docs/decisions has the whole account.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;
use zbus::message::Type;
use zbus::zvariant::Value;
use zbus::{Connection, MatchRule, Message, MessageStream};

use super::notifier::{Notifier, Problem};
use super::shape::{Action, Pressed, Slot, Toast};
use super::words;
use crate::bus::{self, Bus};

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
const APP_NAME: &str = "Gatehouse";
const ICON: &str = "gatehouse";
/// How long a toast stands: as long as the service likes, or until somebody acts.
const USUAL: i32 = -1;
const FOR_EVER: i32 = 0;
/// Signals that wait to be looked at.
const SIGNALS: usize = 64;

/// Speaks to the notification service, whichever it is at the time.
pub(crate) struct OnBus {
    bus: Arc<Bus>,
    pressed: mpsc::Sender<Pressed>,
    shown: Arc<Mutex<Shown>>,
    listener: Option<JoinHandle<()>>,
}

/// What the service shows for us.
#[derive(Default)]
struct Shown {
    /// The service, by its name that is never used again. Another one knows nothing of these numbers.
    owner: Option<String>,
    toasts: HashMap<u32, Toast>,
    /// The right to come forward, which some services send before the press.
    tokens: HashMap<u32, String>,
}

impl OnBus {
    pub fn new(bus: Arc<Bus>, pressed: mpsc::Sender<Pressed>) -> Self {
        Self { bus, pressed, shown: Arc::default(), listener: None }
    }

    async fn bounded(&mut self, toast: &Toast) -> zbus::Result<()> {
        let tried = tokio::time::timeout(self.bus.patience, self.notify(toast)).await;
        tried.unwrap_or_else(|_| Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()))
    }

    async fn notify(&mut self, toast: &Toast) -> zbus::Result<()> {
        let connection = self.bus.connection().await?;
        self.listen(&connection).await?;
        // Asked each time: the next service may be another one. A toast is rare and the answer takes no time.
        let reply = connection.call_method(Some(NAME), PATH, Some(NAME), "GetCapabilities", &()).await?;
        let capabilities: Vec<String> = reply.body().deserialize()?;
        // Held while the service is asked, so that a press waits until its toast is known.
        let mut shown = self.shown.lock().await;
        shown.serve(sender(&reply));
        let replaces = shown.number(&toast.slot).unwrap_or(0);
        let number = send(&connection, toast, replaces, &capabilities).await?;
        shown.toasts.remove(&replaces);
        shown.toasts.insert(number, toast.clone());
        Ok(())
    }

    async fn listen(&mut self, connection: &Connection) -> zbus::Result<()> {
        if self.listener.as_ref().is_some_and(|task| !task.is_finished()) {
            return Ok(());
        }
        let rule = MatchRule::builder().msg_type(Type::Signal).path(PATH)?.interface(NAME)?.build();
        let signals = MessageStream::for_match_rule(rule, connection, Some(SIGNALS)).await?;
        self.listener = Some(tokio::spawn(hear(signals, Arc::clone(&self.shown), self.pressed.clone())));
        Ok(())
    }

    async fn start_over(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.abort();
        }
        self.bus.lost().await;
        *self.shown.lock().await = Shown::default();
    }
}

impl Notifier for OnBus {
    async fn show(&mut self, toast: Toast) -> Result<(), Problem> {
        let mut told = self.bounded(&toast).await;
        if told.as_ref().is_err_and(|error| bus::is_lost(error) && !timed_out(error)) {
            // The bus itself was started anew, perhaps.
            self.start_over().await;
            told = self.bounded(&toast).await;
        }
        told.map_err(|error| problem(&error))
    }

    async fn close(&mut self, slot: Slot) {
        let mut shown = self.shown.lock().await;
        let Some(number) = shown.number(&slot) else { return };
        shown.toasts.remove(&number);
        drop(shown);
        let Ok(connection) = self.bus.connection().await else { return };
        let call = connection.call_method(Some(NAME), PATH, Some(NAME), "CloseNotification", &(number));
        if let Ok(Err(error)) = tokio::time::timeout(self.bus.patience, call).await {
            tracing::debug!("A toast could not be taken away: {error}");
        }
    }
}

impl Drop for OnBus {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}

impl Shown {
    /// The numbers of another service mean nothing to this one: they could be somebody else's toasts.
    fn serve(&mut self, owner: Option<String>) {
        if self.owner != owner {
            *self = Self { owner, ..Self::default() };
        }
    }

    fn number(&self, slot: &Slot) -> Option<u32> {
        self.toasts.iter().find(|(_, toast)| toast.slot == *slot).map(|(number, _)| *number)
    }

    /// What a signal means. Only the service that shows the toast is believed.
    fn signal(&mut self, message: &Message) -> Option<Pressed> {
        if self.owner.is_none() || sender(message) != self.owner {
            return None;
        }
        let header = message.header();
        match header.member()?.as_str() {
            "ActionInvoked" => {
                let (number, action): (u32, String) = message.body().deserialize().ok()?;
                let toast = self.toasts.get(&number)?;
                let action = Action::of(&action).filter(|action| toast.actions.contains(action))?;
                Some(Pressed { subject: toast.subject.clone(), action, token: self.tokens.get(&number).cloned() })
            }
            "ActivationToken" => {
                let (number, token): (u32, String) = message.body().deserialize().ok()?;
                if self.toasts.contains_key(&number) {
                    self.tokens.insert(number, token);
                }
                None
            }
            "NotificationClosed" => {
                let (number, _why): (u32, u32) = message.body().deserialize().ok()?;
                self.toasts.remove(&number);
                self.tokens.remove(&number);
                None
            }
            _ => None,
        }
    }
}

async fn hear(mut signals: MessageStream, shown: Arc<Mutex<Shown>>, pressed: mpsc::Sender<Pressed>) {
    while let Some(Ok(message)) = signals.next().await {
        let press = shown.lock().await.signal(&message);
        if let Some(press) = press
            && pressed.send(press).await.is_err()
        {
            return;
        }
    }
}

async fn send(connection: &Connection, toast: &Toast, replaces: u32, capabilities: &[String]) -> zbus::Result<u32> {
    let can = |what: &str| capabilities.iter().any(|c| c == what);
    let body = if can("body-markup") { words::escape(&toast.body) } else { toast.body.clone() };
    let mut actions = Vec::new();
    if can("actions") {
        // A press on the toast itself.
        actions.extend(["default", Action::Open.label()]);
        actions.extend(toast.actions.iter().flat_map(|action| [action.id(), action.label()]));
    }
    let hints = HashMap::from([("desktop-entry", Value::from(ICON)), ("urgency", Value::from(1_u8))]);
    let lasts = if toast.urgent { FOR_EVER } else { USUAL };
    let call = (APP_NAME, replaces, ICON, toast.title.as_str(), body, actions, hints, lasts);
    let reply = connection.call_method(Some(NAME), PATH, Some(NAME), "Notify", &call).await?;
    reply.body().deserialize()
}

fn sender(message: &Message) -> Option<String> {
    message.header().sender().map(ToString::to_string)
}

fn timed_out(error: &zbus::Error) -> bool {
    matches!(error, zbus::Error::InputOutput(cause) if cause.kind() == std::io::ErrorKind::TimedOut)
}

fn problem(error: &zbus::Error) -> Problem {
    match error {
        _ if timed_out(error) => Problem::Silent,
        zbus::Error::InputOutput(_) => Problem::NoBus,
        zbus::Error::MethodError(name, ..) => {
            let name = name.as_str().trim_start_matches("org.freedesktop.DBus.Error.");
            match name {
                "ServiceUnknown" | "NameHasNoOwner" => Problem::NoService,
                _ if name.starts_with("Spawn.") => Problem::NoService,
                "NoReply" | "Timeout" | "Disconnected" => Problem::Silent,
                _ => Problem::Refused(error.to_string()),
            }
        }
        other => Problem::Refused(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
