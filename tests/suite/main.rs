//! The whole system without a window: the real server program, real jobs, a provider that plays scripts.
//!
//! Programs are built before: `cargo build -p gatehouse-server -p gatehouse-process --bins`. The modules are marked as
//! tests for the sake of lints that spare those.

#[cfg(test)]
mod approvals; // questions and who answers them
#[cfg(test)]
mod batch; // reports that go together
#[cfg(test)]
mod cards; // parallel calls of one tool
#[cfg(test)]
mod completion; // a process ends, a note appears, the agent answers
#[cfg(test)]
mod provider_failures; // answers that are none
