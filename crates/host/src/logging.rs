//! To a file a day, and to stderr. Never output of a process, never a secret.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

use crate::error::{Error, Result};

/// Days of logs that are kept.
const KEPT: usize = 7;
/// What is logged unless `GATEHOUSE_LOG` says otherwise.
const LEVELS: &str = "info,rusqlite_migration=warn";

/// Lines are written as long as this lives.
#[derive(Debug)]
pub struct LogGuard {
    _writer: WorkerGuard,
}

/// Begins to log under `<home>/logs/<shell>.<day>.log`.
pub fn begin_log(home: &Path, shell: &str) -> Result<LogGuard> {
    let path = home.join("logs");
    let failed = |cause: String| Error::Log { path: path.clone(), cause };
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.map_err(|error| failed(error.to_string()))?;
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .max_log_files(KEPT)
        .filename_prefix(shell)
        .filename_suffix("log")
        .build(&path)
        .map_err(|error| failed(error.to_string()))?;
    let mut file = Private { file, dir: path.clone(), seen: None };
    file.close_to_others().map_err(|error| failed(error.to_string()))?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    let filter = EnvFilter::try_from_env("GATEHOUSE_LOG").unwrap_or_else(|_| EnvFilter::new(LEVELS));
    tracing_subscriber::registry()
        .with(filter)
        .with(fmt::layer().with_ansi(false).with_writer(writer))
        .with(fmt::layer().with_writer(std::io::stderr))
        .try_init()
        .map_err(|error| failed(error.to_string()))?;
    Ok(LogGuard { _writer: guard })
}

/// Makes every file that a new day begins the owner's alone; the appender itself leaves that to the umask.
struct Private {
    file: RollingFileAppender,
    dir: PathBuf,
    /// When the directory last had a file more or less.
    seen: Option<SystemTime>,
}

impl Private {
    fn close_to_others(&mut self) -> io::Result<()> {
        let changed = fs::metadata(&self.dir)?.modified()?;
        if self.seen == Some(changed) {
            return Ok(());
        }
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::set_permissions(entry.path(), Permissions::from_mode(0o600))?;
            }
        }
        self.seen = Some(changed);
        Ok(())
    }
}

impl Write for Private {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let written = self.file.write(line)?;
        self.close_to_others()?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
