//! How many commands start in a second, when four callers start one after the other.

use crate::clock;
use crate::error::{Doing, Result};
use crate::figure::Findings;
use crate::house::{Home, Plan, Server};
use crate::rpc::Rpc;

const CALLERS: usize = 4;
const EACH: usize = 50;

pub(crate) async fn run() -> Result<Findings> {
    let mut found = Findings::of("spawn");
    let home = Home::new()?;
    let server = Server::start(&home, &Plan::default())?;
    // The first start asks the login shell and copies the shim.
    start_some(server.rpc.another()?, 2).await?;
    let began = clock::now();
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..CALLERS {
        callers.spawn(start_some(server.rpc.another()?, EACH));
    }
    while let Some(ended) = callers.join_next().await {
        ended.doing("starting commands")??;
    }
    let seconds = clock::since(began).as_secs_f64();
    found.add("per_second", (CALLERS * EACH) as f64 / seconds, CALLERS * EACH);
    server.end()?;
    Ok(found)
}

async fn start_some(rpc: Rpc, count: usize) -> Result<()> {
    let session = rpc.create_session().await?;
    for _ in 0..count {
        rpc.start_process(&session, "true", false).await?;
    }
    Ok(())
}
