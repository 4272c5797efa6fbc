//! A turn is given up although no task of the runtime can run.
//!
//! Needs the shim: `cargo build -p gatehouse-process --bins`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use gatehouse_domain::{FailureCode, ProcessState, StoppedBy};
use gatehouse_gateway::row::{ItemFull, ProcessRow};
use gatehouse_gateway::{Gateway, GatewayOptions, Household, SendMode, SystemClock, SystemIds};
use gatehouse_provider::scripted::{Scripted, call, say};
use tokio::runtime::{Builder, Runtime};

type Fault = Box<dyn std::error::Error + Send + Sync>;

const WORKERS: usize = 2;
/// How long nothing can run; the turn is given up long before.
const STARVED: Duration = Duration::from_secs(20);
const PASS: Duration = Duration::from_millis(20);

fn runtime() -> Result<Runtime, Fault> {
    Ok(Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?)
}

/// The shim as it was built beside this test.
fn shim() -> Result<PathBuf, Fault> {
    let test = std::env::current_exe()?;
    let built = test.parent().and_then(Path::parent).ok_or("a test without a place")?.join("gatehouse-shim");
    if built.exists() { Ok(built) } else { Err(format!("{} is not built", built.display()).into()) }
}

fn open(runtime: &Runtime, home: &Path, url: &str) -> Result<Gateway, Fault> {
    let profile = home.join("data/profiles/default");
    std::fs::create_dir_all(&profile)?;
    let provider = format!("[[provider]]\nname = \"lab\"\nkind = \"openai-compatible\"\nbase_url = \"{url}\"\n");
    let rest = "models = [\"scripted\"]\n[agent]\napprovals = \"off\"\n[gateway]\ninactivity_timeout_s = 8\n";
    std::fs::write(profile.join("config.toml"), provider + rest)?;
    let options = GatewayOptions {
        home: home.join("data"),
        profile: "default".into(),
        shim: shim()?,
        household: Household::default(),
        last_word: Arc::new(|_| {}),
        work_dir: home.to_owned(),
        channels: Vec::new(),
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    };
    Ok(runtime.block_on(Gateway::start(options))?)
}

/// Looks again and again: a runtime that stands still tells nothing.
fn until<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Result<T, Fault> {
    let tries = limit.as_millis() / PASS.as_millis();
    for _ in 0..tries {
        if let Some(found) = look() {
            return Ok(found);
        }
        std::thread::sleep(PASS);
    }
    Err("not in time".into())
}

/// Holds every worker at once, for so long.
fn starve(runtime: &Runtime) {
    let together = Arc::new(Barrier::new(WORKERS + 1));
    for _ in 0..WORKERS {
        let together = Arc::clone(&together);
        runtime.spawn(async move {
            together.wait();
            std::thread::sleep(STARVED);
            together.wait();
        });
    }
    together.wait();
    // Whoever comes here later comes last.
    std::thread::spawn(move || together.wait());
}

#[test]
fn no_task_is_needed_to_end_what_a_standing_turn_started() -> Result<(), Fault> {
    let (labs, ours, home) = (runtime()?, runtime()?, tempfile::tempdir()?);
    let work = serde_json::json!({"command": "exec sleep 300"});
    let lab = labs.block_on(Scripted::start([call("call_1", "terminal", work), say("Not heard.")]))?;
    let gateway = open(&ours, home.path(), &lab.url())?;
    let session = ours.block_on(gateway.create_session(None, None))?;
    ours.block_on(gateway.send(session, "work".into(), None, SendMode::Queue, false))?;
    let row = |state: ProcessState| -> Option<ProcessRow> {
        gateway.processes(Some(session), true).ok()?.into_iter().find(|row| row.state == state)
    };
    let pid = until(Duration::from_secs(20), || row(ProcessState::Running)?.pid)?;

    starve(&ours);
    let stat = format!("/proc/{pid}/stat");
    let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z ")).then_some(());
    until(STARVED - Duration::from_secs(1), is_gone)?;

    // And when tasks run again, everything is as if they had always done so.
    let killed = until(Duration::from_secs(40), || row(ProcessState::Killed))?;
    assert_eq!(killed.stopped_by, Some(StoppedBy::TurnTimeout));
    let failure = |item: &ItemFull| item.row.failure;
    let failed =
        until(Duration::from_secs(20), || gateway.items(session, None, None, 50).ok()?.iter().find_map(failure));
    assert_eq!(failed?, FailureCode::TimedOut);
    ours.block_on(gateway.shutdown());
    Ok(())
}
