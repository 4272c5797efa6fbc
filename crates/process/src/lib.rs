//! Background commands of this machine: started, watched, stopped, found again.
//!
//! **Owns** process ids, the shim that stands between the gateway and each command, the run directory they
//! share, exit statuses as the kernel told them, the output on disk, and every signal that is ever sent.
//!
//! **Never** knows sessions, turns, rows or wire shapes. It reports what happened; others record what it means.
//! It never signals a process that it has not just proven to belong to the job at hand.

pub mod cgroup; // a job's group in the kernel's tree of groups
pub mod environment; // what a job gets to see: the login shell's variables, minus secrets
mod error; // what can go wrong, by what the caller can do
pub mod input; // what a job can be typed, and why not
pub mod limits; // open files: more for us, the usual for jobs
pub mod os; // what is asked of the operating system itself
pub mod output; // reading a job's output from its segments, by absolute offset
pub mod rundir; // the directory that a shim and a gateway share: names, records, locks
mod shim_copy; // the shim's executable, kept under its own content's name
mod spawn; // the only place that starts programs
mod supervisor; // launch, stop, recover: one task per living process
pub mod tree; // who descends from whom, and signals that cannot hit a stranger
pub mod usage; // what a process uses
pub mod wire; // lines between a gateway and a shim

pub use cgroup::Groups;
pub use error::{Error, LaunchError, Result};
pub use input::{MAX_INPUT, PtySize, Refusal, Stdin, Then};
pub use output::OutputSlice;
pub use spawn::engine;
pub use supervisor::{
    EndReport, GRACE, LaunchSpec, Launched, Members, ProcessEvent, Recovered, RecoveredState, StopMode, StopOutcome,
    Stray, Supervisor, SupervisorConfig, WriteOutcome,
};
pub use tree::Member;
