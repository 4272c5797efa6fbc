//! strace beside programs that run already.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::process_table;
use crate::program::{self, Running};

const ATTACHING: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);

/// Begins to write down what these and all that they start from now on do; `options` say what of it.
pub(crate) async fn attach(trace: &Path, traced: &[u32], options: &[&str]) -> Result<Running> {
    let mut strace = program::command("strace");
    strace.arg("-f").args(options).arg("-o").arg(trace);
    for pid in traced {
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
        tokio::time::sleep(LOOK).await;
    }
    Ok(tracer)
}

/// It writes what it saw and lets everybody go.
pub(crate) fn detach(mut tracer: Running) -> Result<()> {
    let pid = rustix::process::Pid::from_raw(tracer.pid().cast_signed()).ok_or_else(|| Error::Shape("a pid".into()))?;
    rustix::process::kill_process(pid, rustix::process::Signal::INT).doing("ending strace")?;
    tracer.0.wait().doing("ending strace")?;
    Ok(())
}
