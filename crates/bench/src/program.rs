//! The one starter of programs: cargo, the server, tools, twins.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::error::{Doing, Error, Result};

/// A command that can be filled in.
#[expect(clippy::disallowed_methods, reason = "programs are started here")]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// Starts it; it is killed when the guard is dropped.
pub(crate) fn start(command: &mut Command) -> Result<Running> {
    let tool = command.get_program().to_string_lossy().into_owned();
    command.spawn().map(Running).map_err(|source| Error::MissingTool { tool, source })
}

/// Runs it to its end; anything but success is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let what = format!("{command:?}");
    let tool = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|source| Error::MissingTool { tool, source })?;
    if status.success() { Ok(()) } else { Err(Error::Failed { doing: what, words: status.to_string() }) }
}

/// A program that ends with this value.
#[derive(Debug)]
pub(crate) struct Running(pub Child);

impl Running {
    /// Its id.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; either way nothing of it is left afterwards.
        let _ended = self.0.kill();
        let _collected = self.0.wait();
    }
}

/// The checkout that this program was built from.
pub(crate) fn checkout() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Where cargo puts what it builds: this program lies two levels below.
pub(crate) fn target_dir() -> Result<PathBuf> {
    let exe = std::env::current_exe().doing("finding this program")?;
    exe.ancestors().nth(2).map(Path::to_path_buf).ok_or_else(|| Error::MissingFile(exe.clone()))
}

/// A release program that was built.
pub(crate) fn release(name: &str) -> Result<PathBuf> {
    let path = target_dir()?.join("release").join(name);
    if path.is_file() { Ok(path) } else { Err(Error::MissingFile(path)) }
}

/// Builds the server and the shim.
pub(crate) fn build_server() -> Result<()> {
    cargo(&["build", "--release", "-p", "gatehouse-server", "-p", "gatehouse-process", "--bins"], &checkout())
}

/// Runs cargo into the target directory of this program.
pub(crate) fn cargo(arguments: &[&str], dir: &Path) -> Result<()> {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments).current_dir(dir).env("CARGO_TARGET_DIR", target_dir()?).stdout(Stdio::null());
    let status = cargo.status().map_err(|source| Error::MissingTool { tool: "cargo".into(), source })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Build { what: format!("cargo {}", arguments.join(" ")), status: status.to_string() })
}

/// A directory of its own on the disk that the target directory lies on: `/tmp` may be memory, where a sync is free.
pub(crate) fn scratch() -> Result<tempfile::TempDir> {
    let base = target_dir()?.join("bench");
    std::fs::create_dir_all(&base).doing("making a scratch directory")?;
    tempfile::Builder::new().prefix("run-").tempdir_in(base).doing("making a scratch directory")
}
