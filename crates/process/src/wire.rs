//! JSON lines between a gateway and a shim. Output never travels here: it lies on disk, and only its length is told.

use serde::{Deserialize, Serialize};

use crate::input::{PtySize, Refusal, Then};
use crate::rundir::{ChildRecord, ExitRecord, Raw};

/// The protocol that this build writes. It reads this one and the one before, of which there is none yet. Words that
/// were added later are only said to those whose greeting tells that they know them, so jobs and gateways of
/// different builds go on understanding each other.
pub const PROTOCOL: u32 = 1;
/// The oldest protocol that this build still understands.
pub const OLDEST_PROTOCOL: u32 = 1;
/// The shim's argument, in place of a process id, that makes it a keeper: it only waits for the end of its input.
pub const KEEP: &str = "keep";
/// A line longer than this is not ours. Control characters are six times as long in JSON.
pub const MAX_LINE: usize = 6 * crate::input::MAX_INPUT + 4096;

/// The first line of each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// What the speaker writes.
    pub protocol: u32,
    /// The speaker's build, for logs.
    pub version: String,
    /// It knows the words about input and attention.
    #[serde(default)]
    pub knows_input: bool,
}

impl Hello {
    /// What this build says.
    pub fn ours() -> Self {
        Self { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").to_owned(), knows_input: true }
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
    /// Type to the job; answered by `Wrote` or `Refused` with the same number.
    Input {
        /// Chosen by the asker.
        request: u64,
        /// At most [`MAX_INPUT`](crate::input::MAX_INPUT) bytes.
        data: Raw,
        /// What comes after them.
        then: Then,
    },
    /// Its terminal has another size; answered by `Resized` or `Refused` with the same number.
    Resize {
        /// Chosen by the asker.
        request: u64,
        /// The new size.
        size: PtySize,
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
    /// A write is done.
    Wrote {
        /// Which one.
        request: u64,
        /// Bytes that the job's input has taken.
        bytes: u64,
        /// Bytes that wait until the program reads.
        waiting: u64,
    },
    /// The terminal has its new size.
    Resized {
        /// By which request.
        request: u64,
    },
    /// A write or a new size was refused; nothing of it was done.
    Refused {
        /// Which one.
        request: u64,
        /// Why.
        why: Refusal,
    },
    /// Whether the job waits for somebody to type has changed.
    Attention {
        /// It waits.
        needs_input: bool,
        /// What is typed will not be shown: a password.
        hidden: bool,
    },
    /// Nobody of the tree is left; the shim is about to end.
    TreeEmpty {
        /// Bytes of output, late ones included.
        total: u64,
    },
}

impl FromShim {
    /// Whether only those understand it who know the words about input.
    pub const fn is_about_input(&self) -> bool {
        match self {
            Self::Wrote { .. } | Self::Resized { .. } | Self::Refused { .. } | Self::Attention { .. } => true,
            Self::Hello(_)
            | Self::Started(_)
            | Self::Output { .. }
            | Self::Ended { .. }
            | Self::Descendants { .. }
            | Self::Stopped { .. }
            | Self::TreeEmpty { .. } => false,
        }
    }
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
            ToShim::Input { request: 8, data: b"y\n\x03".to_vec().into(), then: Then::Enter },
            ToShim::Input { request: 9, data: b"\xff\n".to_vec().into(), then: Then::End },
            ToShim::Resize { request: 10, size: PtySize::default() },
        ] {
            let bytes = line(&message).unwrap();
            assert_eq!(bytes.iter().filter(|b| **b == b'\n').count(), 1);
            assert_eq!(serde_json::from_slice::<ToShim>(&bytes).unwrap(), message);
        }
    }

    #[test]
    fn strangers_protocols_are_told_apart() {
        assert!(Hello::ours().is_understood());
        assert!(!Hello { protocol: PROTOCOL + 1, ..Hello::ours() }.is_understood());
        assert!(!Hello { protocol: OLDEST_PROTOCOL - 1, ..Hello::ours() }.is_understood());
    }

    #[test]
    fn what_an_older_build_has_written_is_read() {
        let hello: Hello = serde_json::from_str(r#"{"protocol":1,"version":"0.1.0"}"#).unwrap();
        assert!(hello.is_understood() && !hello.knows_input);
        let child: ChildRecord = serde_json::from_str(r#"{"pid":7,"start":8,"boot":"b"}"#).unwrap();
        assert_eq!(child.pty_note, None);
        let exit = r#"{"code":0,"ended_at_ms":1,"output_total":2,"stop_requested":false}"#;
        assert!(!serde_json::from_str::<ExitRecord>(exit).unwrap().limit_reached);
        let spec = r#"{"command":"true","cwd":"/","shell":"/bin/sh","env":[]}"#;
        let spec: crate::rundir::Spec = serde_json::from_str(spec).unwrap();
        assert_eq!((spec.pty, spec.stdin, spec.max_runtime_ms), (None, crate::input::Stdin::Null, None));
    }

    #[test]
    fn the_longest_write_fits_into_a_line() {
        for byte in [b'\x01', b'\xff', b'"'] {
            let data = vec![byte; crate::input::MAX_INPUT].into();
            let line = line(&ToShim::Input { request: u64::MAX, data, then: Then::Nothing }).unwrap();
            assert!(line.len() < MAX_LINE, "{}", line.len());
        }
    }
}
