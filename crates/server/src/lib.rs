//! The headless shell: pages, commands over HTTP and WebSocket, on loopback only.
//!
//! **Owns** the command line, the door (token, Host, Origin), the log file, and the order of starting and ending.
//!
//! **Never** decides anything: every command goes through the protocol's one dispatch.

mod args; // the command line
mod door; // who may come in
mod home; // where the data lies
mod logging; // to the log file and stderr
mod pages; // ui/dist and its headers
mod rpc; // POST /rpc/<command>
mod serve; // from arguments to a running server and back
mod window; // /ws: one socket per window

pub use args::Args;
pub use home::default_home;
pub use serve::main;
