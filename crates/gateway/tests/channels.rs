//! Words come in over channels and leave over them: a whole gateway, real rows, a scripted model and scripted channels.
//!
//! Needs the shim: `cargo build -p gatehouse-process --bins`.

#[path = "../../../tests/src/ballast.rs"]
mod ballast; // takes all the room of a disk
#[path = "channels/disk.rs"]
mod disk; // disks of a test's own
#[path = "channels/disks.rs"]
mod disks; // who is told of a disk that is full, or can only be read
#[path = "channels/edits.rs"]
mod edits; // an answer in the place of its first words
#[path = "../../../tests/src/channel/fake.rs"]
#[expect(dead_code, reason = "the tests of the channels themselves use the rest")]
mod fake;
#[path = "channels/files.rs"]
mod files; // what an answer hands over, and what it does not
#[path = "channels/house.rs"]
mod house; // a gateway that can be killed, and a clock that can be set
#[path = "channels/incoming.rs"]
mod incoming; // whose conversation, and only once
#[path = "channels/leaving.rs"]
mod leaving; // what is owed leaves, once or with a word about it
#[path = "channels/muted.rs"]
mod muted; // what a channel is spared
#[path = "../../../tests/src/channel/relay.rs"]
mod relay;
#[path = "channels/restarts.rs"]
mod restarts; // who is told of a restart
#[path = "channels/shared.rs"]
mod shared; // two profiles and their chats
#[path = "channels/warnings.rs"]
mod warnings; // who is told of trouble with the data

/// Under the name that the shared files know.
mod channel {
    pub use crate::fake::FakeChannel;
}

use std::time::Duration;

/// Whatever went wrong; a test ends with it.
type Fault = Box<dyn std::error::Error + Send + Sync>;
type Result<T = (), E = Fault> = std::result::Result<T, E>;

/// Nothing that is waited for takes this long unless it is broken.
const LIMIT: Duration = Duration::from_secs(30);
