//! Whether a model fits, found out before anything is set aside for it.

use std::fs;
use std::path::Path;

use gatehouse_gguf::Model;
use rustix::process::{Resource, getrlimit};

use crate::pace::MOST;
use crate::refusal::Refusal;

/// A conversation of fewer tokens is none.
const LEAST_CONTEXT: u32 = 1024;
/// What a token takes where the file does not tell: more than usual.
const TOKEN_BYTES: u64 = 256 * 1024;
/// The library, its buffers and the rest of the program.
const BESIDES: u64 = 96 * 1024 * 1024;

/// How long conversations may be, and how much memory that takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub context: u32,
    pub bytes: u64,
}

/// The room for `model`: as much context as was wanted and as it knows, halved until it fits into `free` bytes.
pub(crate) fn room(path: &Path, model: &Model, wanted: u32, free: u64) -> Result<Room, Refusal> {
    let trained = model.context.and_then(|context| u32::try_from(context).ok()).filter(|context| *context > 0);
    let mut context = wanted.max(LEAST_CONTEXT).min(trained.unwrap_or(wanted));
    loop {
        let bytes = need(model, context);
        if bytes <= free {
            return Ok(Room { context, bytes });
        }
        if context / 2 < LEAST_CONTEXT {
            return Err(Refusal::does_not_fit(path, bytes, free));
        }
        context /= 2;
    }
}

fn need(model: &Model, context: u32) -> u64 {
    let conversation = u64::from(context).saturating_mul(model.token_bytes.unwrap_or(TOKEN_BYTES));
    let scores = model.vocabulary.saturating_mul(4 * MOST as u64);
    model.bytes.saturating_add(conversation).saturating_add(scores).saturating_add(BESIDES)
}

/// How many bytes may be taken: what the system can give, and what this process is allowed.
pub(crate) fn free() -> u64 {
    available().unwrap_or(u64::MAX).min(allowed().unwrap_or(u64::MAX))
}

fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn allowed() -> Option<u64> {
    let limit = getrlimit(Resource::As).current?;
    let pages = fs::read_to_string("/proc/self/statm").ok()?.split(' ').next()?.parse::<u64>().ok()?;
    Some(limit.saturating_sub(pages.saturating_mul(rustix::param::page_size() as u64)))
}

#[cfg(test)]
mod tests {
    use gatehouse_engine_wire::RefusalCode;

    use super::*;

    const MB: u64 = 1024 * 1024;

    fn model(context: Option<u64>) -> Model {
        Model {
            name: None,
            architecture: "llama".into(),
            template: None,
            context,
            token_bytes: Some(MB / 8),
            vocabulary: 1000,
            bytes: 500 * MB,
        }
    }

    fn fits(model: &Model, wanted: u32, free: u64) -> Result<u32, RefusalCode> {
        room("m.gguf".as_ref(), model, wanted, free).map(|room| room.context).map_err(|refusal| refusal.code)
    }

    #[test]
    fn the_context_is_what_was_wanted_as_far_as_the_model_and_the_memory_go() {
        let knows_much = model(Some(32_768));
        assert_eq!(fits(&knows_much, 8192, 10_000 * MB), Ok(8192));
        assert_eq!(fits(&model(Some(2048)), 8192, 10_000 * MB), Ok(2048));
        assert_eq!(fits(&knows_much, 8192, 1_200 * MB), Ok(4096));
        assert_eq!(fits(&knows_much, 8192, 760 * MB), Ok(1024));
        assert_eq!(fits(&knows_much, 8192, 700 * MB), Err(RefusalCode::OutOfMemory));
    }

    #[test]
    fn numbers_without_sense_do_not_overflow() {
        let vast =
            Model { token_bytes: Some(u64::MAX), vocabulary: u64::MAX, bytes: u64::MAX, ..model(Some(u64::MAX)) };
        assert_eq!(fits(&vast, u32::MAX, u64::MAX - 1), Err(RefusalCode::OutOfMemory));
        assert_eq!(fits(&model(Some(0)), 4096, 10_000 * MB), Ok(4096));
    }

    #[test]
    fn the_system_says_how_much_is_free() {
        assert!(available().is_some_and(|bytes| bytes > MB));
    }
}
