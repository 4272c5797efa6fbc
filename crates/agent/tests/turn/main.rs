//! A turn against ports that record what they are told.
#![expect(clippy::expect_used, reason = "a test says what it expects")]

mod calls; // approvals, tools, results
mod handing_on; // tasks for sub-agents
mod house; // the recording ports
mod order; // rounds, cards, failures
mod stop; // stopping at every moment
