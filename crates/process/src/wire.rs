//! JSON lines between a gateway and a shim. Output never travels here: it lies on disk, and only its length is told.

use serde::{Deserialize, Serialize};

use crate::rundir::{ChildRecord, ExitRecord};

/// The protocol that this build writes. It reads this one and the one before, of which there is none yet.
pub const PROTOCOL: u32 = 1;
/// The oldest protocol that this build still understands.
pub const OLDEST_PROTOCOL: u32 = 1;
/// A line longer than this is not ours.
pub const MAX_LINE: usize = 64 * 1024;
/// The shim's argument, in place of a process id, that makes it a keeper: it only waits for the end of its input.
pub const KEEP: &str = "keep";

/// The first line of each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// What the speaker writes.
    pub protocol: u32,
    /// The speaker's build, for logs.
    pub version: String,
}

impl Hello {
    /// What this build says.
    pub fn ours() -> Self {
        Self { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Whether this build understands the speaker.
    pub const fn is_understood(&self) -> bool {
        OLDEST_PROTOCOL <= self.protocol && self.protocol <= PROTOCOL
    }
}

/// A gateway's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToShim {
    /// Always first.
    Hello(Hello),
    /// End the whole tree; answered by `Stopped` with the same number.
    Stop {
        /// Chosen by the asker.
        request: u64,
        /// Kill at once.
        force: bool,
        /// How long the tree may take before it is killed.
        grace_ms: u64,
    },
    /// The end is recorded elsewhere: no need to force it to the disk.
    AcknowledgeEnd,
}

/// A shim's words. A new listener gets everything that still matters again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromShim {
    /// Always first.
    Hello(Hello),
    /// The job runs.
    Started(ChildRecord),
    /// The job's output is this long now.
    Output {
        /// Bytes since the start.
        total: u64,
        /// Wall clock, milliseconds.
        at_ms: i64,
    },
    /// The direct child ended, or never started.
    Ended {
        /// The same as on disk.
        exit: ExitRecord,
        /// Members of the tree that live on.
        left_behind: Vec<u32>,
    },
    /// How many live on has changed after the end.
    Descendants {
        /// The number.
        count: u32,
    },
    /// A stop is done.
    Stopped {
        /// Which one.
        request: u64,
        /// Whom even KILL did not end.
        survivors: Vec<u32>,
    },
    /// Nobody of the tree is left; the shim is about to end.
    TreeEmpty {
        /// Bytes of output, late ones included.
        total: u64,
    },
}

/// One line, newline included.
pub fn line<T: Serialize>(message: &T) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(message)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_as_it_was_written() {
        for message in [
            ToShim::Hello(Hello::ours()),
            ToShim::Stop { request: 7, force: true, grace_ms: 2000 },
            ToShim::AcknowledgeEnd,
        ] {
            let bytes = line(&message).unwrap();
            assert_eq!(bytes.iter().filter(|b| **b == b'\n').count(), 1);
            assert_eq!(serde_json::from_slice::<ToShim>(&bytes).unwrap(), message);
        }
    }

    #[test]
    fn strangers_protocols_are_told_apart() {
        assert!(Hello::ours().is_understood());
        assert!(!Hello { protocol: PROTOCOL + 1, version: String::new() }.is_understood());
        assert!(!Hello { protocol: OLDEST_PROTOCOL - 1, version: String::new() }.is_understood());
    }
}
