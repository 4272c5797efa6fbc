//! Who descends from whom. A signal goes out only through a hold on a process that was checked after it was taken, so
//! that a pid that changed hands in between is left alone.

use std::collections::{HashMap, HashSet};
use std::io;

pub use rustix::process::Signal;

use crate::os::{self, Hold};

/// So often are those looked at again whose parents have ended meanwhile.
const ADOPTIONS: usize = 4;
/// So often is the table listed for one look at most.
const LISTINGS: usize = 8;

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
    for pid in os::pids()? {
        if !listed.insert(pid) {
            continue;
        }
        let member = os::member(pid, buffer)?;
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
            members.extend(os::member(pid, buffer)?);
        }
    }
    Ok(())
}

/// One process, if it exists.
pub fn member(pid: u32) -> io::Result<Option<Member>> {
    os::member(pid, &mut Vec::with_capacity(1024))
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
    if member.pid <= 1 || member.pid == std::process::id() {
        return Ok(Sent::Gone);
    }
    let Some(hold) = Hold::on(member.pid)? else { return Ok(Sent::Gone) };
    // The hold keeps its process from being confused with a later one; this proves it is the one we meant.
    match self::member(member.pid)? {
        Some(now) if now.start == member.start && now.session_is_plausible(member) => hold.signal(signal),
        _ => Ok(Sent::Gone),
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
