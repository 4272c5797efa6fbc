//! What the tests of the whole system stand on: the real server program in a home of its own, and eyes on it.
//!
//! **Owns** homes and their sweeping, the server's life and death, the clients that tests speak through, and
//! the channels that the product speaks through. **Never** builds the product, never looks inside it: all it knows comes
//! through the wire, the files, the process table or a channel.

mod ballast; // takes all the room of a disk
pub mod channel; // channels that do what they are told
mod clock; // the clock on the wall
pub mod desk; // what stands around a window
mod dice; // chance that can be repeated
mod disk; // a disk that can be filled
mod ear; // whoever opens a file is heard
mod gate; // jobs that wait for a word
mod house; // a temporary home, swept when it is dropped
mod mirror; // a client that follows the feed
pub mod os; // the process table
mod rpc; // commands over HTTP
mod scene; // a conversation with all that most tests need
mod server; // the program, from its start to its end
mod site; // somebody else's web servers
pub mod strict; // what a strict provider takes
mod window; // commands over a WebSocket

use std::time::Duration;

pub use clock::WallClock;
pub use dice::Dice;
pub use disk::SmallDisk;
pub use ear::Ear;
pub use gate::Gate;
pub use house::House;
pub use mirror::{Line, Mirror};
pub use rpc::{Refusal, Rpc, http};
pub use scene::Scene;
pub use server::{Refused, Server, Setup, holds, program};
pub use site::{SelfSigned, Site, nobody};
pub use window::Window;

/// Whatever went wrong; a test ends with it.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The result of a test or of a step in it.
pub type Result<T = (), E = Fault> = std::result::Result<T, E>;

/// Nothing that is waited for takes this long unless it is broken.
pub const LIMIT: Duration = Duration::from_secs(30);
