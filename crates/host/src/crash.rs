//! A panic leaves a file, so that it can be told apart from a kill.

use std::backtrace::Backtrace;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};

/// From now on a panic also writes `<home>/logs/crash-<pid>.txt`.
pub fn leave_crash_files(home: &Path) {
    let path = home.join("logs").join(format!("crash-{}.txt", std::process::id()));
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if let Err(error) = write(&path, info) {
            tracing::error!("The crash file cannot be written: {error}");
        }
        usual(info);
    }));
}

fn write(path: &PathBuf, info: &PanicHookInfo<'_>) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("unnamed");
    writeln!(file, "gatehouse {}, thread {name}\n{info}\n{}\n", env!("CARGO_PKG_VERSION"), Backtrace::force_capture())
}
