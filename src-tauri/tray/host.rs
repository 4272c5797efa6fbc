//! Whether anything shows trays on this desktop. Without one the program has no tray, and closing its window ends it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use tauri::{AppHandle, Manager as _};
use zbus::message::Type;
use zbus::names::BusName;
use zbus::{Connection, MatchRule, MessageStream};

use crate::bus::Bus;

const NAME: &str = "org.kde.StatusNotifierWatcher";
const PATH: &str = "/StatusNotifierWatcher";
const CHANGES: usize = 16;

/// Follows it from now on.
pub(super) fn follow(app: &AppHandle) {
    let app = app.clone();
    let bus = Arc::clone(&app.state::<Arc<Bus>>());
    tauri::async_runtime::spawn(async move {
        match watch(&bus, |hosted| super::hosted(&app, hosted)).await {
            Ok(()) => tracing::info!("The session bus is gone, and the tray with it."),
            Err(error) => tracing::info!("There is no tray: {error}"),
        }
        super::hosted(&app, false);
    });
}

/// Tells each change, the first of which is whether there is one now.
async fn watch(bus: &Bus, mut tell: impl FnMut(bool)) -> zbus::Result<()> {
    let connection = bus.connection().await?;
    // Somebody takes the name or loses it; the one who has it says that a host has come or gone.
    let owner = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender("org.freedesktop.DBus")?
        .interface("org.freedesktop.DBus")?
        .member("NameOwnerChanged")?
        .add_arg(NAME)?
        .build();
    let hosts = MatchRule::builder().msg_type(Type::Signal).path(PATH)?.interface(NAME)?.build();
    let owners = MessageStream::for_match_rule(owner, &connection, Some(CHANGES)).await?;
    let hosts = MessageStream::for_match_rule(hosts, &connection, Some(CHANGES)).await?;
    let mut changes = futures_util::stream::select(owners, hosts);
    let mut known = is_hosted(&connection, bus.patience).await;
    if !known {
        tracing::info!("Nothing on this desktop shows trays; closing the window ends the program.");
    }
    tell(known);
    while let Some(Ok(message)) = changes.next().await {
        let header = message.header();
        let member = header.member().map(|member| member.as_str().to_owned()).unwrap_or_default();
        // Items come and go all the time; that says nothing about hosts.
        if member.starts_with("StatusNotifierItem") {
            continue;
        }
        let now = is_hosted(&connection, bus.patience).await;
        if now != known {
            known = now;
            tell(now);
        }
    }
    Ok(())
}

async fn is_hosted(connection: &Connection, patience: Duration) -> bool {
    let asked = async {
        let bus = zbus::fdo::DBusProxy::new(connection).await?;
        if !bus.name_has_owner(BusName::try_from(NAME)?).await? {
            return zbus::Result::Ok(false);
        }
        let question = (NAME, "IsStatusNotifierHostRegistered");
        let properties = Some("org.freedesktop.DBus.Properties");
        let reply = connection.call_method(Some(NAME), PATH, properties, "Get", &question).await?;
        Ok(bool::try_from(reply.body().deserialize::<zbus::zvariant::OwnedValue>()?)?)
    };
    matches!(tokio::time::timeout(patience, asked).await, Ok(Ok(true)))
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;
    use zbus::object_server::SignalEmitter;

    use super::*;
    use crate::bus::tests::TestBus;

    struct Watcher {
        hosted: bool,
    }

    #[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
    impl Watcher {
        #[zbus(property)]
        fn is_status_notifier_host_registered(&self) -> bool {
            self.hosted
        }

        #[zbus(signal)]
        async fn status_notifier_host_registered(emitter: &SignalEmitter<'_>) -> zbus::Result<()>;
    }

    async fn next(told: &mut mpsc::UnboundedReceiver<bool>) -> bool {
        tokio::time::timeout(Duration::from_secs(30), told.recv()).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn a_host_that_comes_and_goes_is_noticed() {
        let daemon = TestBus::start();
        let bus = Bus::at(&daemon.address);
        let (tells, mut told) = mpsc::unbounded_channel();
        let watching = tokio::spawn(async move { watch(&bus, |hosted| tells.send(hosted).unwrap()).await });
        assert!(!next(&mut told).await);
        let desktop = daemon.peer().await;
        desktop.object_server().at(PATH, Watcher { hosted: false }).await.unwrap();
        desktop.request_name(NAME).await.unwrap();
        // A watcher alone shows nothing; the host that registers with it does.
        let watcher = desktop.object_server().interface::<_, Watcher>(PATH).await.unwrap();
        watcher.get_mut().await.hosted = true;
        Watcher::status_notifier_host_registered(watcher.signal_emitter()).await.unwrap();
        assert!(next(&mut told).await);
        desktop.close().await.unwrap();
        assert!(!next(&mut told).await);
        watching.abort();
    }
}
