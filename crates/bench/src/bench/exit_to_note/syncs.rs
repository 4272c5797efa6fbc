//! How many syncs of the server and its shims one end costs, up to the request that tells the model.
//!
//! All commands wait before the tracer comes, and every answer hangs, so nothing else syncs while it counts.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, say};

use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::feed::Feed;
use crate::house::{Home, Plan, Server};
use crate::job::Trigger;
use crate::{process_table, program};

const ENDS: usize = 20;
const ATTACHING: Duration = Duration::from_secs(20);

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
    let tracer = attach(&trace, server.pid(), home.path()).await?;
    for (done, (session, trigger)) in waiting.iter().enumerate() {
        trigger.pull()?;
        feed.item("the note", |item| item["kind"] == "machine_note" && item["sessionId"] == *session).await?;
        lab.wait_for_request(done + 1).await;
    }
    detach(tracer)?;
    let text = std::fs::read_to_string(&trace).doing("reading what strace saw")?;
    let syncs = text.lines().filter(|line| line.contains("sync(") && !line.contains("resumed>")).count();
    server.end()?;
    Ok((syncs as f64 / ENDS as f64, ENDS))
}

async fn attach(trace: &Path, server: u32, home: &Path) -> Result<program::Running> {
    let mut traced = process_table::shims(home);
    traced.push(server);
    let mut strace = program::command("strace");
    strace.args(["-f", "-e", "trace=fsync,fdatasync,sync_file_range,msync,syncfs,sync", "-o"]).arg(trace);
    for pid in &traced {
        strace.arg("-p").arg(pid.to_string());
    }
    let mut tracer = program::start(strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()))?;
    let began = clock::now();
    // The kernel tells nobody when a tracer came, so its own table is asked.
    while !traced.iter().all(|pid| process_table::is_traced(*pid)) {
        if let Some(status) = tracer.0.try_wait().doing("tracing")? {
            let words = format!("strace ended with {status}; tracing other processes may not be permitted here");
            return Err(Error::Failed { doing: "tracing".into(), words });
        }
        if clock::since(began) > ATTACHING {
            return Err(Error::TookTooLong("strace".into()));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(tracer)
}

/// It writes what it saw and lets everybody go.
fn detach(mut tracer: program::Running) -> Result<()> {
    let pid = rustix::process::Pid::from_raw(tracer.pid().cast_signed()).ok_or_else(|| Error::Shape("a pid".into()))?;
    rustix::process::kill_process(pid, rustix::process::Signal::INT).doing("ending strace")?;
    tracer.0.wait().doing("ending strace")?;
    Ok(())
}
