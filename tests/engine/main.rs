//! The real engine with the real starter model, through the whole product.
//!
//! It needs what the window tests need, and two variables: `GATEHOUSE_ENGINE` names the engine's program and
//! `GATEHOUSE_STARTER` the starter model's file. Programs are put beside each other in a directory of each test's own,
//! as an installation does, so that nothing that was built before changes.

#[cfg(test)]
mod bad; // files and messages that cannot be used
#[cfg(test)]
mod cable; // a computer without a network
#[cfg(test)]
mod killed; // an engine that dies in the middle of an answer
#[cfg(test)]
mod long; // a conversation that is longer than the context
#[cfg(test)]
mod memory; // a computer without enough memory
#[cfg(test)]
mod place; // the programs beside each other
#[cfg(test)]
mod talk; // a server with the engine, and what is said to it
