//! Who descends from whom. A signal goes out only through a pidfd whose process was checked after it was opened, so
//! that a pid that changed hands in between is left alone.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

pub use rustix::process::Signal;
use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

/// So often are those looked at again whose parents have ended meanwhile.
const ADOPTIONS: usize = 4;
/// So often is the table listed for one look at most.
const LISTINGS: usize = 8;

/// The kernel's sign of a process on its way out, `include/linux/sched.h`.
const PF_EXITING: u32 = 0x4;

/// One line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its number.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// Its session's.
    pub session: u32,
    /// When it started, in clock ticks since boot.
    pub start: u64,
    /// Nothing of it runs any more; somebody has yet to collect its status.
    pub is_zombie: bool,
}

/// Whether a signal reached its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// It did.
    Yes,
    /// The process has ended, or its number belongs to another one now.
    Gone,
}

/// The process table as it is now. Processes that end meanwhile are left out. The kernel lists the numbers first and they
/// are read one by one: whoever is born in between is in no list, and may be all that is left of somebody who has ended
/// when it is their turn. So it is listed again for as long as somebody on the list was ending.
pub fn table() -> io::Result<Vec<Member>> {
    let mut members = Vec::with_capacity(256);
    let mut listed = HashSet::with_capacity(256);
    let mut buffer = Vec::with_capacity(1024);
    for _ in 0..LISTINGS {
        let is_whole = read_listed(&mut members, &mut listed, &mut buffer)?;
        adopt(&mut members, &mut buffer)?;
        if is_whole {
            break;
        }
    }
    Ok(members)
}

/// Reads those that no list had before. Gives back whether none of them was ending.
fn read_listed(members: &mut Vec<Member>, listed: &mut HashSet<u32>, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let mut is_whole = true;
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        if !listed.insert(pid) {
            continue;
        }
        let member = read_member(pid, buffer)?;
        is_whole &= member.is_some_and(|member| !member.is_zombie);
        members.extend(member);
    }
    Ok(is_whole)
}

/// Whoever lost their parent while the table was read has another one by now; without it they would seem to descend from
/// nobody.
fn adopt(members: &mut Vec<Member>, buffer: &mut Vec<u8>) -> io::Result<()> {
    for _ in 0..ADOPTIONS {
        let known: HashSet<u32> = members.iter().map(|member| member.pid).collect();
        let is_lost = |member: &Member| member.parent != 0 && !known.contains(&member.parent);
        let lost: Vec<u32> = members.iter().filter(|member| is_lost(member)).map(|member| member.pid).collect();
        if lost.is_empty() {
            break;
        }
        members.retain(|member| !is_lost(member));
        for pid in lost {
            members.extend(read_member(pid, buffer)?);
        }
    }
    Ok(())
}

/// One process, if it exists.
pub fn member(pid: u32) -> io::Result<Option<Member>> {
    read_member(pid, &mut Vec::with_capacity(1024))
}

/// Whether it lives and is not on its way out. On that way the kernel hands its children on, a moment before it looks
/// dead, so a table that was read before this held true shows all of them below it.
pub fn is_staying(member: &Member) -> io::Result<bool> {
    let mut buffer = Vec::with_capacity(1024);
    let now = read_member(member.pid, &mut buffer)?.filter(|now| now.start == member.start && !now.is_zombie);
    Ok(now.is_some() && kernel_flags(&buffer).is_some_and(|flags| flags & PF_EXITING == 0))
}

fn read_member(pid: u32, buffer: &mut Vec<u8>) -> io::Result<Option<Member>> {
    buffer.clear();
    let read = std::fs::File::open(format!("/proc/{pid}/stat")).and_then(|mut file| file.read_to_end(buffer));
    match read {
        Ok(_) => Ok(parse_stat(pid, buffer)),
        // ESRCH: it ended between open and read.
        Err(error) if error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(3) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The ninth field of proc_pid_stat(5).
fn kernel_flags(stat: &[u8]) -> Option<u32> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    std::str::from_utf8(stat.get(end + 2..)?).ok()?.split_ascii_whitespace().nth(6)?.parse().ok()
}

/// The name stands in parentheses and may hold blanks and parentheses itself: only what follows the last one counts.
fn parse_stat(pid: u32, stat: &[u8]) -> Option<Member> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 2..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let threads: i64 = fields.nth(13)?.parse().ok()?;
    let start = fields.nth(1)?.parse().ok()?;
    // A process whose first thread left lives on in the others, though it looks like a zombie.
    let is_zombie = matches!(state, "Z" | "X") && threads <= 1;
    Some(Member { pid, parent, session, start, is_zombie })
}

/// Everybody alive below `root`, without `root` itself.
pub fn below(root: u32, table: &[Member]) -> Vec<Member> {
    closure(&HashSet::from([root]), table, |member| member.pid != root)
}

/// Everybody alive among `roots` and below them, whatever their sessions are.
pub fn descended(roots: &HashSet<u32>, table: &[Member]) -> Vec<Member> {
    closure(roots, table, |_| true)
}

/// Nobody is older than whoever they descend from. Lines of the table are read one after the other, so a number that
/// changed hands meanwhile may stand in it as the parent of somebody who was there before; that one is a stranger.
fn closure(roots: &HashSet<u32>, table: &[Member], keep: impl Fn(&Member) -> bool) -> Vec<Member> {
    let mut known: HashMap<u32, u64> =
        table.iter().filter(|member| roots.contains(&member.pid)).map(|member| (member.pid, member.start)).collect();
    loop {
        let before = known.len();
        let is_below = |member: &&Member| known.get(&member.parent).is_some_and(|start| *start <= member.start);
        let found: Vec<(u32, u64)> = table.iter().filter(is_below).map(|m| (m.pid, m.start)).collect();
        known.extend(found);
        if known.len() == before {
            break;
        }
    }
    table.iter().filter(|m| known.contains_key(&m.pid) && !m.is_zombie && keep(m)).copied().collect()
}

/// Signals exactly the process that `member` describes.
pub fn signal(member: &Member, signal: Signal) -> io::Result<Sent> {
    let raw = i32::try_from(member.pid).unwrap_or(0);
    if raw <= 1 || member.pid == std::process::id() {
        return Ok(Sent::Gone);
    }
    let Some(pid) = Pid::from_raw(raw) else { return Ok(Sent::Gone) };
    let handle = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => handle,
        Err(rustix::io::Errno::SRCH) => return Ok(Sent::Gone),
        Err(error) => return Err(error.into()),
    };
    // The handle keeps its process from being confused with a later one; this proves it is the one we meant.
    match self::member(member.pid)? {
        Some(now) if now.start == member.start && now.session_is_plausible(member) => {}
        _ => return Ok(Sent::Gone),
    }
    match pidfd_send_signal(&handle, signal) {
        Ok(()) => Ok(Sent::Yes),
        Err(rustix::io::Errno::SRCH) => Ok(Sent::Gone),
        Err(error) => Err(error.into()),
    }
}

impl Member {
    /// A process may leave its session for one of its own, never for another existing one.
    const fn session_is_plausible(&self, before: &Self) -> bool {
        self.session == before.session || self.session == self.pid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pid: u32, parent: u32, session: u32) -> Member {
        Member { pid, parent, session, start: 1, is_zombie: false }
    }

    #[test]
    fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
        let stat = b"42 (a b) c) S 7 42 40 0 -1 4194560 0 0 0 0 1 2 3 4 20 0 3 0 98765 1 2 3";
        let expected = Member { pid: 42, parent: 7, session: 40, start: 98765, is_zombie: false };
        assert_eq!(parse_stat(42, stat), Some(expected));
    }

    #[test]
    fn a_first_thread_that_left_does_not_make_a_zombie() {
        let stat = |threads| format!("42 (x) Z 7 42 40 0 -1 4194560 0 0 0 0 1 2 3 4 20 0 {threads} 0 98765 1");
        assert!(parse_stat(42, stat(1).as_bytes()).unwrap().is_zombie);
        assert!(!parse_stat(42, stat(2).as_bytes()).unwrap().is_zombie);
    }

    #[test]
    fn somebody_on_the_way_out_is_told_from_one_who_stays() {
        let flags = |flags| kernel_flags(format!("42 (a b) c) R 7 42 40 0 -1 {flags} 0 0").as_bytes());
        assert_eq!(flags(4_194_560).map(|flags| flags & PF_EXITING), Some(0));
        assert_eq!(flags(4_194_564).map(|flags| flags & PF_EXITING), Some(PF_EXITING));
        let me = member(std::process::id()).unwrap().unwrap();
        assert!(is_staying(&me).unwrap() && !is_staying(&Member { start: me.start + 1, ..me }).unwrap());
    }

    #[test]
    fn descent_is_followed_in_any_order_and_leaves_strangers_out() {
        let table = [row(30, 20, 20), row(20, 10, 20), row(10, 1, 10), row(40, 1, 40), row(31, 30, 31)];
        let pids: Vec<_> = below(10, &table).iter().map(|m| m.pid).collect();
        assert_eq!(pids, [30, 20, 31]);
        let pids: Vec<_> = descended(&HashSet::from([20]), &table).iter().map(|m| m.pid).collect();
        assert_eq!(pids, [30, 20, 31]);
    }

    #[test]
    fn whoever_was_there_before_their_seeming_parent_does_not_descend_from_it() {
        // While the table was read, a stranger's parent ended and its number went to somebody of ours.
        let (ours, stranger) = (Member { start: 7, ..row(20, 10, 10) }, Member { start: 6, ..row(30, 20, 30) });
        let table = [row(10, 1, 10), stranger, ours, Member { start: 7, ..row(31, 30, 30) }];
        assert_eq!(below(10, &table), [ours]);
        assert_eq!(descended(&HashSet::from([20]), &table), [ours]);
    }

    #[test]
    fn init_ourselves_and_recycled_numbers_are_never_signalled() {
        let ourselves = member(std::process::id()).unwrap().unwrap();
        assert_eq!(signal(&ourselves, Signal::KILL).unwrap(), Sent::Gone);
        let parent = member(ourselves.parent).unwrap().unwrap();
        let recycled = Member { start: parent.start + 1, ..parent };
        assert_eq!(signal(&recycled, Signal::KILL).unwrap(), Sent::Gone);
        for pid in [0, 1, u32::MAX] {
            assert_eq!(signal(&row(pid, 0, 0), Signal::KILL).unwrap(), Sent::Gone);
        }
    }
}
