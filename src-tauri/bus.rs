//! The session bus: one connection for everything that the shell itself says on it, made when it is first needed.

use std::time::Duration;

use tokio::sync::Mutex;
use zbus::Connection;

/// The way to the bus.
#[derive(Debug)]
pub(crate) struct Bus {
    /// Another bus than the session's: tests.
    address: Option<String>,
    /// No call on the bus is waited for longer, so that whoever hangs there holds up nothing here.
    pub patience: Duration,
    connection: Mutex<Option<Connection>>,
}

impl Default for Bus {
    fn default() -> Self {
        Self { address: None, patience: Duration::from_secs(2), connection: Mutex::default() }
    }
}

impl Bus {
    /// The bus at an address. A test does not mind how long its machine takes.
    #[cfg(test)]
    pub fn at(address: &str) -> Self {
        Self { address: Some(address.to_owned()), patience: Duration::from_secs(20), ..Self::default() }
    }

    /// The connection; a lost one is made again.
    pub async fn connection(&self) -> zbus::Result<Connection> {
        let mut kept = self.connection.lock().await;
        if let Some(connection) = kept.as_ref() {
            return Ok(connection.clone());
        }
        let made = tokio::time::timeout(self.patience, self.connect()).await;
        let connection = made.map_err(|_| nowhere("it does not answer"))?.map_err(nowhere)?;
        *kept = Some(connection.clone());
        Ok(connection)
    }

    async fn connect(&self) -> zbus::Result<Connection> {
        let builder = match &self.address {
            Some(address) => zbus::connection::Builder::address(address.as_str())?,
            None => zbus::connection::Builder::session()?,
        };
        builder.build().await
    }

    /// The connection is of no use any more.
    pub async fn lost(&self) {
        *self.connection.lock().await = None;
    }
}

fn nowhere(why: impl ToString) -> zbus::Error {
    std::io::Error::new(std::io::ErrorKind::NotConnected, why.to_string()).into()
}

/// What went wrong is the connection itself.
pub(crate) fn is_lost(error: &zbus::Error) -> bool {
    matches!(error, zbus::Error::InputOutput(_))
}

#[cfg(test)]
pub(crate) mod tests;
