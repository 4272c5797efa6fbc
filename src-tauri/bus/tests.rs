//! A bus of a test's own, on which nothing is started by itself.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::*;

const CONFIG: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=DIR</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>"#;

/// Ended when it is dropped.
pub(crate) struct TestBus {
    daemon: Child,
    pub address: String,
    _dir: tempfile::TempDir,
}

impl TestBus {
    #[expect(clippy::disallowed_methods, reason = "a test needs a bus of its own")]
    pub fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("bus.conf");
        std::fs::write(&config, CONFIG.replace("DIR", &dir.path().display().to_string())).unwrap();
        let mut daemon = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", Path::new(&config).display()))
            .args(["--nofork", "--nopidfile", "--print-address"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { daemon, address: address.trim().to_owned(), _dir: dir }
    }

    /// Another program on it.
    pub async fn peer(&self) -> Connection {
        zbus::connection::Builder::address(self.address.as_str()).unwrap().build().await.unwrap()
    }
}

impl Drop for TestBus {
    fn drop(&mut self) {
        let _gone = self.daemon.kill();
        let _reaped = self.daemon.wait();
    }
}

#[tokio::test]
async fn one_connection_serves_all_until_it_is_lost() {
    let (first, bus);
    {
        let daemon = TestBus::start();
        bus = Bus::at(&daemon.address);
        first = bus.connection().await.unwrap();
        assert_eq!(bus.connection().await.unwrap().unique_name(), first.unique_name());
    }
    bus.lost().await;
    assert!(is_lost(&bus.connection().await.unwrap_err()));
}

/// A second version of the library would bring a runtime of its own.
#[test]
fn there_is_one_library_for_the_bus() {
    let lock = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).unwrap();
    assert_eq!(lock.matches("name = \"zbus\"\n").count(), 1, "hold notify-rust at 4.18 in Cargo.lock");
}
