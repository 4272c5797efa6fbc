//! How the provider crate behaves over real sockets.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a broken set-up should end a test at once")]

mod check; // whether a provider can be used
mod discover; // local servers
mod engine; // the embedded engine, as a program that plays its part
mod errors; // what goes wrong and how it is told
mod live; // streams, cancelling, requests
mod replay; // recorded streams from the field
mod site; // small servers that say one thing
mod support; // what the tests share
