//! To the log file and stderr. Never output of a process, never a secret.

use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

/// Days of logs that are kept.
const KEPT: usize = 7;
/// What is logged unless `GATEHOUSE_LOG` says otherwise.
const LEVELS: &str = "info";

/// Begins to log; lines are written as long as the guard lives.
pub(crate) fn begin(home: &Path) -> Result<WorkerGuard, String> {
    let dir = home.join("logs");
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .max_log_files(KEPT)
        .filename_prefix("server")
        .filename_suffix("log")
        .build(&dir)
        .map_err(|error| format!("No log can be written to {}: {error}", dir.display()))?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    let filter = EnvFilter::try_from_env("GATEHOUSE_LOG").unwrap_or_else(|_| EnvFilter::new(LEVELS));
    tracing_subscriber::registry()
        .with(filter)
        .with(fmt::layer().with_ansi(false).with_writer(writer))
        .with(fmt::layer().with_writer(std::io::stderr))
        .try_init()
        .map_err(|error| error.to_string())?;
    Ok(guard)
}
