//! The program between the tests and the window.

use std::net::TcpListener;
use std::process::Child;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::app::{LOOK, Setup};
use crate::os::{self, Signal};
use crate::{LIMIT, Result};

/// `WebKitWebDriver`, ended when it is dropped. The window's program is its child, and the house sweeps that one.
#[derive(Debug)]
pub(crate) struct Driver {
    child: Child,
    url: String,
}

impl Driver {
    pub async fn start(setup: &Setup) -> Result<Self> {
        let deadline = Instant::now() + LIMIT;
        let mut driver = Self::spawn(setup)?;
        while Instant::now() < deadline {
            if driver.child.try_wait()?.is_some() {
                // Somebody else took the port in the meantime.
                driver = Self::spawn(setup)?;
            }
            if tokio::net::TcpStream::connect(driver.url.trim_start_matches("http://")).await.is_ok() {
                return Ok(driver);
            }
            sleep(LOOK).await;
        }
        Err(format!("WebKitWebDriver does not listen on {}", driver.url).into())
    }

    fn spawn(setup: &Setup) -> Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let setup = setup.clone().env("TAURI_WEBVIEW_AUTOMATION", "true");
        let spawned = setup.spawn("WebKitWebDriver".into(), &[format!("--port={port}")]);
        let child = spawned.map_err(|error| format!("WebKitWebDriver (package webkit2gtk-driver): {error}"))?;
        Ok(Self { child, url: format!("http://127.0.0.1:{port}") })
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn end(&mut self) -> Result {
        if self.child.try_wait()?.is_none() {
            os::signal(self.child.id(), Signal::TERM)?;
            if !os::await_end(self.child.id(), Duration::from_secs(5))? {
                self.child.kill()?;
            }
            self.child.wait()?;
        }
        Ok(())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let ended = self.end();
        if !std::thread::panicking() {
            assert!(ended.is_ok(), "the driver did not end: {ended:?}");
        }
    }
}
