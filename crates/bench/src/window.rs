//! The desktop app and its bare twin, each in its real window.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use crate::clock::{self, ms_between};
use crate::error::{Doing, Error, Result};
use crate::house::Home;
use crate::program::{self, Running};
use crate::screen::Screen;

/// A first picture comes within this time, or never.
const PATIENCE: Duration = Duration::from_secs(30);
/// The screen is looked at so often; no event tells when pixels change.
const LOOK: Duration = Duration::from_millis(4);

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twin {
    /// The desktop app.
    House,
    /// One window, one static page.
    Blank,
}

/// Builds both: the app with its pages, and the twin with the house's own versions of everything.
pub(crate) fn build() -> Result<()> {
    let checkout = program::checkout();
    program::run(
        program::command("npm").args(["--prefix", "ui", "run", "build"]).current_dir(&checkout).stdout(Stdio::null()),
    )?;
    let features = ["--features", "custom-protocol"];
    program::cargo(
        &[&["build", "--release", "-p", "gatehouse", "--bin", "gatehouse"], &features[..]].concat(),
        &checkout,
    )?;
    let blank = checkout.join("crates").join("bench").join("blank");
    std::fs::copy(checkout.join("Cargo.lock"), blank.join("Cargo.lock")).doing("copying the lock file")?;
    program::cargo(&[&["build", "--release"], &features[..]].concat(), &blank)
}

/// A window that is open.
#[derive(Debug)]
pub(crate) struct Window {
    running: Running,
    /// Milliseconds from its start to the first picture.
    pub paint_ms: f64,
}

impl Twin {
    fn program(self) -> Result<PathBuf> {
        program::release(match self {
            Self::House => "gatehouse",
            Self::Blank => "gatehouse-blank",
        })
    }

    /// Opens it on a screen where nothing is to be seen, and waits for its first picture.
    pub async fn open(self, screen: &Screen, home: &Home) -> Result<Window> {
        wait(screen, false, "an empty screen").await?;
        let mut command = program::command(self.program()?);
        screen.show(&mut command);
        command.env("GATEHOUSE_HOME", home.path()).env("HOME", home.path()).env("XDG_DATA_HOME", home.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = clock::now();
        let running = program::start(&mut command)?;
        wait(screen, true, "a window's first picture").await?;
        Ok(Window { running, paint_ms: ms_between(began, clock::now()) })
    }
}

impl Window {
    /// The id of its first process.
    pub fn pid(&self) -> u32 {
        self.running.pid()
    }
}

async fn wait(screen: &Screen, picture: bool, what: &str) -> Result<()> {
    let began = clock::now();
    while screen.has_picture()? != picture {
        if clock::since(began) > PATIENCE {
            return Err(Error::TookTooLong(what.to_owned()));
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}
