//! The desktop's wish, from its settings portal: asked beside the window's start, followed afterwards.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use tauri::{AppHandle, Manager as _, Theme};
use tokio::sync::oneshot;
use zbus::message::Type;
use zbus::zvariant::{OwnedValue, Value};
use zbus::{MatchRule, MessageStream};

use crate::bus::Bus;

const NAME: &str = "org.freedesktop.portal.Desktop";
const PATH: &str = "/org/freedesktop/portal/desktop";
const SETTINGS: &str = "org.freedesktop.portal.Settings";
const NAMESPACE: &str = "org.freedesktop.appearance";
const KEY: &str = "color-scheme";
/// The window waits no longer for an answer; a later one is followed like any change.
const PATIENCE: Duration = Duration::from_millis(500);
/// A desktop that only begins may answer as late as this.
const LATE: Duration = Duration::from_secs(10);
const CHANGES: usize = 8;

/// An answer on its way.
pub(crate) struct Asked {
    answer: oneshot::Receiver<Option<Theme>>,
    until: tokio::time::Instant,
}

/// Asks; the window may be made meanwhile.
pub(crate) fn ask(bus: &Arc<Bus>) -> Asked {
    let (answers, answer) = oneshot::channel();
    let bus = Arc::clone(bus);
    tauri::async_runtime::spawn(async move {
        let theme = tokio::time::timeout(PATIENCE, read(&bus)).await;
        // Nobody waits for it any more when the program could not open.
        let _unheard = answers.send(theme.ok().and_then(Result::ok).flatten());
    });
    Asked { answer, until: tokio::time::Instant::now() + PATIENCE }
}

impl Asked {
    /// The answer, or that there is none in time.
    pub fn settle(self) -> Option<Theme> {
        tauri::async_runtime::block_on(async move {
            tokio::time::timeout_at(self.until, self.answer).await.ok()?.ok().flatten()
        })
    }
}

/// Follows the desktop from now on.
pub(crate) fn follow(app: &AppHandle) {
    let app = app.clone();
    let bus = Arc::clone(&app.state::<Arc<Bus>>());
    tauri::async_runtime::spawn(async move {
        let Ok(mut changes) = changes(&bus).await else { return };
        // It may have changed before anybody listened, or have been slow to begin.
        if let Ok(Ok(theme)) = tokio::time::timeout(LATE, read(&bus)).await {
            super::apply(&app, |look| look.desktop = theme);
        }
        while let Some(Ok(message)) = changes.next().await {
            let change = message.body();
            let Ok((NAMESPACE, KEY, value)) = change.deserialize::<(&str, &str, Value<'_>)>() else { continue };
            let theme = scheme(&value);
            super::apply(&app, |look| look.desktop = theme);
        }
    });
}

async fn changes(bus: &Bus) -> zbus::Result<MessageStream> {
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .path(PATH)?
        .interface(SETTINGS)?
        .member("SettingChanged")?
        .add_arg(NAMESPACE)?
        .build();
    MessageStream::for_match_rule(rule, &bus.connection().await?, Some(CHANGES)).await
}

async fn read(bus: &Bus) -> zbus::Result<Option<Theme>> {
    let connection = bus.connection().await?;
    let reply = connection.call_method(Some(NAME), PATH, Some(SETTINGS), "Read", &(NAMESPACE, KEY)).await?;
    let answer: OwnedValue = reply.body().deserialize()?;
    Ok(scheme(&answer))
}

/// 0 says that there is no wish. The older way of asking wraps the number twice.
fn scheme(value: &Value<'_>) -> Option<Theme> {
    match value {
        Value::Value(inner) => scheme(inner),
        Value::U32(1) => Some(Theme::Dark),
        Value::U32(2) => Some(Theme::Light),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::tests::TestBus;

    struct Portal(u32);

    #[zbus::interface(name = "org.freedesktop.portal.Settings")]
    impl Portal {
        fn read(&self, namespace: &str, key: &str) -> zbus::fdo::Result<OwnedValue> {
            assert_eq!((namespace, key), (NAMESPACE, KEY));
            let inner = Value::Value(Box::new(Value::U32(self.0)));
            inner.try_to_owned().map_err(|error| zbus::fdo::Error::Failed(error.to_string()))
        }
    }

    #[tokio::test]
    async fn the_desktop_is_asked() {
        let daemon = TestBus::start();
        let bus = Bus::at(&daemon.address);
        assert!(read(&bus).await.is_err(), "nobody is there");
        for (number, theme) in [(0, None), (1, Some(Theme::Dark)), (2, Some(Theme::Light)), (7, None)] {
            let peer = daemon.peer().await;
            peer.object_server().at(PATH, Portal(number)).await.unwrap();
            peer.request_name(NAME).await.unwrap();
            assert_eq!(read(&bus).await.unwrap(), theme, "{number}");
            peer.close().await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_change_is_heard_whoever_says_it() {
        let daemon = TestBus::start();
        let bus = Bus::at(&daemon.address);
        let mut changes = changes(&bus).await.unwrap();
        let peer = daemon.peer().await;
        let dark = (NAMESPACE, KEY, Value::U32(1));
        peer.emit_signal(None::<&str>, PATH, SETTINGS, "SettingChanged", &dark).await.unwrap();
        let message = tokio::time::timeout(Duration::from_secs(30), changes.next()).await.unwrap().unwrap().unwrap();
        let body = message.body();
        let (_, _, value): (&str, &str, Value<'_>) = body.deserialize().unwrap();
        assert_eq!(scheme(&value), Some(Theme::Dark));
    }
}
