//! Who knows whether the desktop wishes light or dark.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use zbus::Connection;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedValue, Value};

use super::Bus;
use crate::Result;

const NAME: &str = "org.freedesktop.portal.Desktop";
const PATH: &str = "/org/freedesktop/portal/desktop";
const NAMESPACE: &str = "org.freedesktop.appearance";
const KEY: &str = "color-scheme";

/// What the desktop wishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Nothing.
    None = 0,
    /// Dark.
    Dark = 1,
    /// Light.
    Light = 2,
}

/// A running one. It is gone when it is dropped.
#[derive(Debug)]
pub struct Portal {
    connection: Connection,
    scheme: Arc<AtomicU32>,
}

impl Portal {
    /// Takes its place on a bus.
    pub async fn on(bus: &Bus, scheme: Scheme) -> Result<Self> {
        let scheme = Arc::new(AtomicU32::new(scheme as u32));
        let connection = bus.connect().await?;
        connection.object_server().at(PATH, Face(Arc::clone(&scheme))).await?;
        connection.request_name(NAME).await?;
        Ok(Self { connection, scheme })
    }

    /// The desktop wishes something else now, and says so.
    pub async fn wish(&self, scheme: Scheme) -> Result {
        self.scheme.store(scheme as u32, Ordering::SeqCst);
        let emitter = SignalEmitter::new(&self.connection, PATH)?;
        Ok(Face::setting_changed(&emitter, NAMESPACE, KEY, Value::U32(scheme as u32)).await?)
    }
}

struct Face(Arc<AtomicU32>);

impl Face {
    fn value(&self, namespace: &str, key: &str) -> zbus::fdo::Result<Value<'static>> {
        match (namespace, key) {
            (NAMESPACE, KEY) => Ok(Value::U32(self.0.load(Ordering::SeqCst))),
            _ => Err(zbus::fdo::Error::Failed("Requested setting not found".into())),
        }
    }
}

fn owned(value: Value<'static>) -> zbus::fdo::Result<OwnedValue> {
    value.try_to_owned().map_err(|error| zbus::fdo::Error::Failed(error.to_string()))
}

#[zbus::interface(name = "org.freedesktop.portal.Settings")]
impl Face {
    /// The older way, which wraps its answer twice.
    fn read(&self, namespace: &str, key: &str) -> zbus::fdo::Result<OwnedValue> {
        owned(Value::Value(Box::new(self.value(namespace, key)?)))
    }

    fn read_one(&self, namespace: &str, key: &str) -> zbus::fdo::Result<OwnedValue> {
        owned(self.value(namespace, key)?)
    }

    #[zbus(signal)]
    async fn setting_changed(
        emitter: &SignalEmitter<'_>,
        namespace: &str,
        key: &str,
        value: Value<'_>,
    ) -> zbus::Result<()>;
}
