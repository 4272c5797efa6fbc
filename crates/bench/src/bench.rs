//! The benches by name.

mod backlog; // what is due among a million reports
mod cold_start; // from start to ready, and to the first picture
mod crash; // an end at every moment
mod exit_to_note; // from a command's end to its note, and to the request that tells the model
mod fanout; // hundreds of ends in a second
mod idle; // what a still window costs
mod local; // what the product adds to the embedded engine
mod output; // what capturing a torrent costs its producer
mod panel; // how soon and how truly the feed tells of trees
mod restart; // what is lost when a server is killed
mod spawn; // how many commands start in a second
mod stream_overhead; // what stands between a provider's word and a window
mod torrent; // what a window draws while a command writes without end
mod tree; // trees that do not want to end
mod ui; // a million entries in a browser

use crate::error::{Error, Result};
use crate::figure::Findings;
use crate::run::Scale;

/// All there are, in the order of `all`.
pub(crate) const NAMES: [&str; 15] = [
    "exit_to_note",
    "stream_overhead",
    "output",
    "spawn",
    "tree",
    "panel",
    "restart",
    "crash",
    "fanout",
    "backlog",
    "cold_start",
    "idle",
    "ui",
    "torrent",
    "local",
];

/// Runs one. `builds`: what only this bench needs is built first.
pub(crate) async fn run(name: &str, builds: bool, scale: Scale) -> Result<Findings> {
    match name {
        "exit_to_note" => exit_to_note::run().await,
        "stream_overhead" => stream_overhead::run().await,
        "output" => output::run().await,
        "spawn" => spawn::run().await,
        "tree" => tree::run(scale).await,
        "panel" => panel::run(scale).await,
        "restart" => restart::run(scale).await,
        "crash" => crash::run(builds, scale).await,
        "fanout" => fanout::run().await,
        "backlog" => backlog::run().await,
        "cold_start" => cold_start::run(builds).await,
        "idle" => idle::run(builds).await,
        "ui" => ui::run(builds).await,
        "torrent" => torrent::run(builds).await,
        "local" => local::run().await,
        _ => Err(Error::Failed { doing: format!("running {name}"), words: format!("there are {}", NAMES.join(", ")) }),
    }
}
