//! A house with many jobs holds a descriptor for each. The limit on open files is raised for that, and every job gets
//! the one that was found: programs that use `select` cannot hold more than the usual number.

use std::io;
use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Enough for every job that a house may run.
const ENOUGH: u64 = 16 * 1024;
/// The limit belongs to the whole process, so it is raised once, whoever asks.
static FOUND: OnceLock<Option<u64>> = OnceLock::new();

/// Lets this process open more files. Gives back the soft limit that was there before; `None` if there was none.
pub fn raise() -> Option<u64> {
    *FOUND.get_or_init(|| {
        let found = getrlimit(Resource::Nofile);
        if let Some(soft) = better(found)
            && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum: found.maximum })
        {
            tracing::info!(%error, "The limit on open files stays as it was");
        }
        found.current
    })
}

/// Gives a job its own.
pub fn restore(soft: u64) -> io::Result<()> {
    let now = getrlimit(Resource::Nofile);
    let soft = now.maximum.map_or(soft, |hard| soft.min(hard));
    Ok(setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum: now.maximum })?)
}

fn better(found: Rlimit) -> Option<u64> {
    let wanted = found.maximum.map_or(ENOUGH, |hard| hard.min(ENOUGH));
    found.current.is_some_and(|soft| soft < wanted).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_raised_as_far_as_it_may_be_and_never_lowered() {
        let limit = |current, maximum| Rlimit { current, maximum };
        assert_eq!(better(limit(Some(1024), Some(524_288))), Some(ENOUGH));
        assert_eq!(better(limit(Some(1024), Some(4096))), Some(4096));
        assert_eq!(better(limit(Some(1024), None)), Some(ENOUGH));
        for enough in [limit(Some(20_000), Some(20_000)), limit(None, None), limit(Some(256), Some(256))] {
            assert_eq!(better(enough), None);
        }
    }
}
