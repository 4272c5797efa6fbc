//! How the provider crate behaves over real sockets.

mod errors; // what goes wrong and how it is told
mod live; // streams, cancelling, requests
mod replay; // recorded streams from the field
mod support; // what the tests share
