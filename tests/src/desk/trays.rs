//! A panel that shows trays.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::timeout;
use zbus::Connection;

use super::Bus;
use crate::{LIMIT, Result};

const NAME: &str = "org.kde.StatusNotifierWatcher";
const PATH: &str = "/StatusNotifierWatcher";

/// A running one. It is gone when it is dropped.
#[derive(Debug)]
pub struct Trays {
    _connection: Connection,
    icons: Arc<watch::Sender<Vec<String>>>,
}

impl Trays {
    /// Takes its place on a bus.
    pub async fn on(bus: &Bus) -> Result<Self> {
        let icons = Arc::new(watch::Sender::new(Vec::new()));
        let connection = bus.connect().await?;
        connection.object_server().at(PATH, Face(Arc::clone(&icons))).await?;
        connection.request_name(NAME).await?;
        Ok(Self { _connection: connection, icons })
    }

    /// Waits until a program has put its icon there.
    pub async fn has_one(&self) -> Result {
        let mut icons = self.icons.subscribe();
        timeout(LIMIT, icons.wait_for(|icons| !icons.is_empty())).await.map_err(|_| "no icon in the tray")??;
        Ok(())
    }
}

struct Face(Arc<watch::Sender<Vec<String>>>);

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Face {
    fn register_status_notifier_item(&self, service: String) {
        self.0.send_modify(|icons| icons.push(service));
    }

    fn register_status_notifier_host(&self, _service: String) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}
