//! What the store promises, tried on real files.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod backups; // whole copies, and what is none
mod crashes; // a killed writer loses nothing it answered
mod disk; // a full disk is survived
mod feed; // memory and rows tell the same changes
mod handing_on; // tasks of other agents, and what is owed for them
mod health; // damage, strangers, locks
mod letters; // what is owed to channels, and what came in over them
mod lineage; // how sessions end and carry on, and where lanes lead
mod notices; // what happened while nobody looked, and who is silenced
mod opening; // who may open what
mod restarts; // starts that were planned, and what they owe
mod restoring; // a backup in the place of the file
mod searching; // the index is mended once
mod states; // rows move only from a state that allows it
mod support; // stores and rows to try things on
mod transcript; // pages, cards, notes, search
mod watching; // what a process says while it runs, and when it is forgotten
mod writing; // savepoints, shared commits, panics
