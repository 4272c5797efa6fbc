//! The headless shell: pages, commands over HTTP and WebSocket, on loopback only.
//!
//! **Owns** the command line, the door (token, Host, Origin), the pages' headers, and how requests end.
//!
//! **Never** decides anything: every command goes through the protocol's one dispatch.

mod again; // the program in its own place
mod args; // the command line
mod door; // who may come in
mod pages; // ui/dist and its headers
mod rpc; // POST /rpc/<command>
mod serve; // from arguments to a running server and back
mod window; // /ws: one socket per window

pub use args::Args;
pub use serve::main;
