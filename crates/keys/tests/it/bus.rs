//! A private message bus that starts nothing by itself.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

const CONFIG: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=PLACE</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

/// A bus. It ends when it is dropped.
pub struct PrivateBus {
    pub address: String,
    daemon: Child,
    _dir: TempDir,
}

impl PrivateBus {
    pub fn start() -> Self {
        let dir = TempDir::new().unwrap();
        let config = dir.path().join("bus.conf");
        let place = dir.path().join("bus");
        std::fs::write(&config, CONFIG.replace("PLACE", place.to_str().unwrap())).unwrap();
        let mut daemon = daemon(&config);
        let mut address = String::new();
        // The line comes when the bus listens.
        BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { address: address.trim().to_owned(), daemon, _dir: dir }
    }
}

#[expect(clippy::disallowed_methods, reason = "the rule is for programs of the product; this one belongs to a test")]
fn daemon(config: &std::path::Path) -> Child {
    let mut command = Command::new("dbus-daemon");
    command.arg(format!("--config-file={}", config.display())).args(["--nofork", "--nopidfile", "--print-address=1"]);
    // Its word about limits that a container does not let it raise is of no interest.
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

impl Drop for PrivateBus {
    fn drop(&mut self) {
        self.daemon.kill().unwrap();
        self.daemon.wait().unwrap();
    }
}
