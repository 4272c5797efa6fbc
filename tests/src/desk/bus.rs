//! A session bus of a test's own. Nothing is started on it by itself: who is on it was put there.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use tempfile::TempDir;
use zbus::Connection;

use crate::Result;

const CONFIG: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=DIR</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

/// A running `dbus-daemon`, ended when it is dropped.
#[derive(Debug)]
pub struct Bus {
    daemon: Child,
    address: String,
    _dir: TempDir,
}

impl Bus {
    /// Starts one.
    pub fn start() -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("bus-").tempdir()?;
        let config = dir.path().join("bus.conf");
        std::fs::write(&config, CONFIG.replace("DIR", &dir.path().display().to_string()))?;
        #[expect(clippy::disallowed_methods, reason = "a bus is a program")]
        let mut command = std::process::Command::new("dbus-daemon");
        command.arg(format!("--config-file={}", config.display()));
        command.args(["--nofork", "--nopidfile", "--nosyslog", "--print-address"]);
        let mut daemon = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = daemon.stdout.take().ok_or("no stdout")?;
        let mut bus = Self { daemon, address: String::new(), _dir: dir };
        BufReader::new(stdout).read_line(&mut bus.address)?;
        bus.address.truncate(bus.address.trim_end().len());
        if bus.address.is_empty() { Err("the bus said no address".into()) } else { Ok(bus) }
    }

    /// Where it is.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Somebody on it.
    pub async fn connect(&self) -> Result<Connection> {
        Ok(zbus::connection::Builder::address(self.address.as_str())?.build().await?)
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let ended = self.daemon.kill().and_then(|()| self.daemon.wait());
        if !std::thread::panicking() {
            assert!(ended.is_ok(), "the bus did not end: {ended:?}");
        }
    }
}
