//! The whole system without a window: the real server program, real jobs, a provider that plays scripts.
//!
//! Programs are built before: `cargo build -p gatehouse-server -p gatehouse-process --bins`. The modules are marked as
//! tests for the sake of lints that spare those.

#[cfg(test)]
mod apart; // two profiles in one program
#[cfg(test)]
mod approvals; // questions and who answers them
#[cfg(test)]
mod batch; // reports that go together
#[cfg(test)]
mod cards; // parallel calls of one tool
#[cfg(test)]
mod clock; // the clock on the wall is set
#[cfg(test)]
mod completion; // a process ends, a note appears, the agent answers
#[cfg(test)]
mod content; // hostile words of a model, and what the pages may do
#[cfg(test)]
mod crash; // the server killed at random moments
#[cfg(test)]
mod delegations; // work that an agent hands on
#[cfg(test)]
mod delivery; // to whom a report goes
#[cfg(test)]
mod door; // who may come in
#[cfg(test)]
mod engine; // the embedded engine comes, loads, answers and goes
#[cfg(test)]
mod environment; // the server goes and comes back, its jobs stay
#[cfg(test)]
mod feed; // several clients, one truth
#[cfg(test)]
mod full_disk; // no room for anything
#[cfg(test)]
mod input; // terminals, and what is typed
#[cfg(test)]
mod keeping; // other programs that hold the data, copies of it, a copy in its place
#[cfg(test)]
mod keys; // what is handed in again under the same name
#[cfg(test)]
mod late_stops; // stops at the end of a turn
#[cfg(test)]
mod letters; // words to channels that wait for a person
#[cfg(test)]
mod limits; // what is kept, and for how long
#[cfg(test)]
mod locked; // another program holds the data file
#[cfg(test)]
mod long; // more than a model is told
#[cfg(test)]
mod looks; // what counts as having been told
#[cfg(test)]
mod modes; // what a message does while a turn runs
#[cfg(test)]
mod neighbours; // what befalls one profile befalls no other
#[cfg(test)]
mod notices; // what happened while nobody looked
#[cfg(test)]
mod owned; // what a turn started, and how that can end
#[cfg(test)]
mod processes; // endings, stops, limits, floors
#[cfg(test)]
mod profiles; // several profiles, one server
#[cfg(test)]
mod provenance; // who made what, and nobody else
#[cfg(test)]
mod provider_failures; // answers that are none
#[cfg(test)]
mod queue; // messages that wait
#[cfg(test)]
mod races; // two things at once
#[cfg(test)]
mod restart; // a restart that somebody asks for
#[cfg(test)]
mod restored; // a backup in the place of the data, while jobs live
mod restored_first; // a backup that the command line names, in a house of several profiles
#[cfg(test)]
mod rules; // answers that last
#[cfg(test)]
mod settings; // what a person sets, in a window and in the file
#[cfg(test)]
mod slash; // commands of the chat box
#[cfg(test)]
mod standstill; // turns in which nothing happens
#[cfg(test)]
mod state; // what windows put down, and transcripts as text
#[cfg(test)]
mod storage; // files: whose they are, and what is refused
#[cfg(test)]
mod triggers; // processes that speak up while they run
#[cfg(test)]
mod unreadable; // rows that cannot be read for a while
#[cfg(test)]
mod unwritten; // what cannot be written down when it happens
