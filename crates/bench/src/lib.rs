//! `gatehouse-bench NAME [--json]`: every figure that is quoted, each beside its bare twin of the same run.
//!
//! **Owns** what is measured and how: it builds the release programs, runs them from outside through the pinned wire
//! like any script would, and reads the operating system's own counters.
//!
//! **Never** judges: a bench prints what it measured. Only `all` holds figures against `budgets.toml`, and it says so
//! in words of its own. It links no shell and no gateway, so it cannot measure anything that people do not run.

mod adversary; // commands whose trees do not want to end
mod bench; // the benches, one module each
mod budget; // what `all` compares with
mod clock; // the one reader of the time
mod driven; // the desktop app's window, and hands in it
mod error; // why something could not be measured
mod feed; // an attached client of the feed
mod figure; // numbers and their tables
mod house; // a server of its own, with a home of its own
mod job; // jobs whose end is triggered, and the moment of that end
mod process_table; // what the kernel counts about a process
mod program; // the one starter of programs
mod rpc; // commands over HTTP
mod run; // the command line
mod screen; // a display and a bus of its own
mod stream; // a provider that streams by the clock
mod tracer; // strace beside programs that run
mod window; // the desktop app and its bare twin

pub use run::main;
