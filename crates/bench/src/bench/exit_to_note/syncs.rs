//! How many syncs of the server and its shims one end costs, up to the request that tells the model.
//!
//! All commands wait before the tracer comes, and every answer hangs, so nothing else syncs while it counts.

use gatehouse_provider::scripted::{End, Script, Scripted, say};

use crate::error::{Doing, Result};
use crate::feed::Feed;
use crate::house::{Home, Plan, Server};
use crate::job::Trigger;
use crate::{process_table, tracer};

const ENDS: usize = 20;
const OPTIONS: [&str; 2] = ["-e", "trace=fsync,fdatasync,sync_file_range,msync,syncfs,sync"];

/// The average, and over how many ends.
pub(super) async fn per_exit() -> Result<(f64, usize)> {
    let home = Home::new()?;
    let lab = Scripted::start(Script::responder(|_| say("").ending(End::Hang))).await.doing("starting a provider")?;
    let url = lab.url();
    let server = Server::start(&home, &Plan { provider: Some(&url), env: Vec::new() })?;
    let mut waiting = Vec::new();
    for end in 0..ENDS {
        let trigger = Trigger::new(home.path(), &format!("trigger-{end}"))?;
        let session = server.rpc.create_session().await?;
        server.rpc.start_process(&session, &trigger.command(), true).await?;
        waiting.push((session, trigger));
    }
    let mut feed = Feed::attach(&server.rpc).await?;
    let trace = home.path().join("trace");
    let mut traced = process_table::shims(home.path());
    traced.push(server.pid());
    let tracer = tracer::attach(&trace, &traced, &OPTIONS).await?;
    for (done, (session, trigger)) in waiting.iter().enumerate() {
        trigger.pull()?;
        feed.item("the note", |item| item["kind"] == "machine_note" && item["sessionId"] == *session).await?;
        lab.wait_for_request(done + 1).await;
    }
    tracer::detach(tracer)?;
    let text = std::fs::read_to_string(&trace).doing("reading what strace saw")?;
    let syncs = text.lines().filter(|line| line.contains("sync(") && !line.contains("resumed>")).count();
    server.end()?;
    Ok((syncs as f64 / ENDS as f64, ENDS))
}
