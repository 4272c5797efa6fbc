//! What a process uses, read from the process table. Nobody is opened or signalled for it.

mod ports; // where a job waits for connections

use std::io;

use crate::tree::Member;
pub use ports::Listening;

/// Where in `/proc/<pid>/stat`, counted from behind the name, these stand.
const SPENT: std::ops::Range<usize> = 11..15;
const START: usize = 19;
const RESIDENT: usize = 21;

/// What one process uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Processor time since its start, in clock ticks; that of children whose status it collected is in it, so that a
    /// tree does not seem to take time back when somebody of it ends.
    pub ticks: u64,
    /// Resident memory.
    pub rss_bytes: u64,
}

/// What exactly this process uses; absent when it has ended.
pub fn of(member: &Member) -> io::Result<Option<Usage>> {
    match std::fs::read(format!("/proc/{}/stat", member.pid)) {
        Ok(stat) => Ok(parse(&stat, member.start)),
        // ESRCH: it ended between open and read.
        Err(error) if error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(3) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Clock ticks in a second.
pub fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second().max(1)
}

fn parse(stat: &[u8], start: u64) -> Option<Usage> {
    let name_ends = stat.iter().rposition(|byte| *byte == b')')?;
    let fields: Vec<&str> = std::str::from_utf8(stat.get(name_ends + 2..)?).ok()?.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    if number(START)? != start {
        // The number belongs to another one now.
        return None;
    }
    let ticks = SPENT.filter_map(number).sum();
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
    Some(Usage { ticks, rss_bytes: number(RESIDENT).unwrap_or(0).saturating_mul(page) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_fields_are_added_up_and_another_start_is_somebody_else() {
        let stat = b"42 (a b) c) S 7 42 40 0 -1 4194560 0 0 0 0 1 2 3 4 20 0 3 0 98765 1000 6 3";
        let page = u64::try_from(rustix::param::page_size()).unwrap();
        assert_eq!(parse(stat, 98765), Some(Usage { ticks: 10, rss_bytes: 6 * page }));
        assert_eq!(parse(stat, 98766), None);
        assert_eq!(parse(b"42 (x) S 7", 1), None);
    }

    #[test]
    fn this_process_uses_memory() {
        let ourselves = crate::tree::member(std::process::id()).unwrap().unwrap();
        assert!(of(&ourselves).unwrap().unwrap().rss_bytes > 0);
        assert_eq!(of(&Member { start: ourselves.start + 1, ..ourselves }).unwrap(), None);
    }
}
