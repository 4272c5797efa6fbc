//! A stop that needs no runtime: whoever watches over one must be able to end jobs while it stands still.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::{GRACE, STOP_SLACK};
use crate::rundir::{RunDir, SOCKET};
use crate::wire::{self, FromShim, Hello, ToShim};

/// A shim that takes no word for so long will not take one.
const SAY: Duration = Duration::from_secs(1);

/// Asks a shim to end its whole tree, and holds the thread until it has looked who is left.
pub(super) fn stop(run: &RunDir) -> io::Result<Vec<u32>> {
    let mut socket = UnixStream::connect(run.short_path(SOCKET))?;
    socket.set_write_timeout(Some(SAY))?;
    socket.set_read_timeout(Some(GRACE + STOP_SLACK))?;
    let grace_ms = u64::try_from(GRACE.as_millis()).unwrap_or(u64::MAX);
    // The numbers of requests belong to each connection.
    let request = 0;
    socket.write_all(&wire::line(&ToShim::Hello(Hello::ours()))?)?;
    socket.write_all(&wire::line(&ToShim::Stop { request, force: false, grace_ms })?)?;
    for line in BufReader::new(socket).lines() {
        match serde_json::from_str(&line?)? {
            FromShim::Stopped { survivors, .. } => return Ok(survivors),
            FromShim::TreeEmpty { .. } => return Ok(Vec::new()),
            FromShim::Hello(_)
            | FromShim::Started(_)
            | FromShim::Output { .. }
            | FromShim::Ended { .. }
            | FromShim::Descendants { .. }
            | FromShim::Wrote { .. }
            | FromShim::Resized { .. }
            | FromShim::Refused { .. }
            | FromShim::Attention { .. } => {}
        }
    }
    // It says that nobody is left before it leaves, so it did not leave by itself.
    Err(io::ErrorKind::UnexpectedEof.into())
}
