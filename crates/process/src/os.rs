//! What is asked of the operating system itself: who there is, whose child somebody is, a hold on one process that no
//! other can be taken for, and that orphans come to who started their parents. There is one answer per system, with the
//! same names in each.

#[cfg(target_os = "linux")]
mod linux; // the one that Gatehouse is made for
#[cfg(not(target_os = "linux"))]
mod other; // none of the above

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;
pub use system::{
    Hold, adopt_orphans, boot_id, command_line, give_way, is_staying, member, pids, program, variables,
    working_directory,
};
