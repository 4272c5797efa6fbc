//! The rules of the house as tests.
//!
//! **Owns** what a machine can check honestly about the sources: who may depend on whom, what may be written where, that
//! documents name commands that exist. **Never** builds or runs the product, and never judges taste.
//!
//! Each rule is a pure function from text to the list of what offends it, so that beside the check of the real tree
//! stands a test which shows that the rule can fail.

mod bridge; // who may talk to the host of the window
mod commands; // commands that documents name
mod database; // who may open the database
mod doors; // what a crate says about itself
mod floors; // which crate may use which
mod fluent; // strings of the window
mod journeys; // what a person does
mod shell; // commands of the desktop shell
mod tree; // walking the sources
mod words; // what may not be written anywhere

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Fails with one line for each offence.
fn none(offences: Vec<String>) -> Result {
    if offences.is_empty() { Ok(()) } else { Err(format!("\n  {}\n", offences.join("\n  ")).into()) }
}
