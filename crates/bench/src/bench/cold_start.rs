//! From start to ready.

use crate::error::Result;
use crate::figure::Findings;
use crate::house::{Home, Plan, Server};

const STARTS: usize = 20;

pub(crate) async fn run() -> Result<Findings> {
    let mut found = Findings::of("cold_start");
    let home = Home::new()?;
    // The first start makes the database.
    Server::start(&home, &Plan::default())?.end()?;
    let mut ready = Vec::new();
    for _ in 0..STARTS {
        let server = Server::start(&home, &Plan::default())?;
        ready.push(server.ready.as_secs_f64() * 1000.0);
        server.end()?;
    }
    found.add_percentile("server_ready_ms", &ready, 50.0);
    Ok(found)
}
