//! What happens next in a turn, and whether a turn may still start anything.
//!
//! **Owns** the order of a turn (ask the model, authorise and run what it calls, ask again, close) as a
//! machine without IO, and the scope that ties started processes to the turn that started them.
//!
//! **Never** awaits, reads a clock, makes an id, writes a row, or knows what a tool or a model is.

mod machine; // inputs in, effects out
mod scope; // active, finished or abandoned: one transition

pub use machine::{Effect, Input, Limits, Machine, Outcome};
pub use scope::{Abandoned, Scope, ScopeState};
