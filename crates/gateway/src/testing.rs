//! What tests of the gateway begin with: a gateway in a home of its own, reports to owe, and a wait for its rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gatehouse_domain::{Clock, EpochMs, Exit, ProcessState, Producer, SessionId, UnitId, Wants};
use gatehouse_provider::scripted::Scripted;
use gatehouse_store::{NewUnit, Report, Snapshot};

use crate::{Gateway, GatewayOptions, Household, SystemClock, SystemIds};

/// Nothing that is waited for takes this long unless it is broken.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A gateway in which no process can run.
pub(crate) async fn open(home: &Path) -> Gateway {
    open_at(home, Arc::new(SystemClock::default())).await
}

/// The gateway of this profile of a house.
pub(crate) async fn open_in(home: &Path, profile: &str, household: &Household) -> Gateway {
    let shim = home.join("shim");
    std::fs::write(&shim, "").unwrap();
    let (profile, household) = (profile.to_owned(), household.clone());
    start(GatewayOptions { profile, household, ..options(home, shim) }).await
}

/// A gateway in which no process can run, by this clock.
pub(crate) async fn open_at(home: &Path, clock: Arc<dyn Clock>) -> Gateway {
    let shim = home.join("shim");
    std::fs::write(&shim, "").unwrap();
    start(GatewayOptions { clock, ..options(home, shim) }).await
}

/// A gateway under which real jobs run. Needs `cargo build -p gatehouse-process --bins`.
pub(crate) async fn open_with_jobs(home: &Path) -> Gateway {
    let test = std::env::current_exe().unwrap();
    let shim = test.parent().and_then(Path::parent).unwrap().join("gatehouse-shim");
    assert!(shim.exists(), "{} is not built", shim.display());
    start(options(home, shim)).await
}

async fn start(options: GatewayOptions) -> Gateway {
    Gateway::start(options).await.unwrap()
}

/// What the gateway of a home is started with.
pub(crate) fn options(home: &Path, shim: PathBuf) -> GatewayOptions {
    GatewayOptions {
        home: home.join("data"),
        profile: "default".into(),
        shim,
        household: Household::default(),
        last_word: Arc::new(|_| {}),
        work_dir: home.to_owned(),
        channels: Vec::new(),
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    }
}

/// What is set in a home before its gateway is opened: this model, no questions, and whatever else is said.
pub(crate) fn configure(home: &Path, lab: &Scripted, rest: &str) {
    let profile = home.join("data/profiles/default");
    std::fs::create_dir_all(&profile).unwrap();
    let provider =
        format!("[[provider]]\nname = \"lab\"\nkind = \"openai-compatible\"\nbase_url = \"{}\"\n", lab.url());
    let config = format!("{provider}models = [\"scripted\"]\n[agent]\napprovals = \"off\"\n{rest}");
    std::fs::write(profile.join("config.toml"), config).unwrap();
}

/// A report on a command that nobody keeps a row of.
pub(crate) fn owed(id: UnitId, session: SessionId, wants: Wants, at: EpochMs) -> NewUnit {
    NewUnit {
        id,
        producer: Producer::Process,
        identity: id.to_string(),
        session,
        process: None,
        turn: None,
        command: "make".into(),
        wants,
        at,
    }
}

/// What there is to tell of a command that was over at once and wrote nothing.
pub(crate) const fn report(exit: Exit, at: EpochMs) -> Report {
    Report {
        state: Some(ProcessState::Exited),
        exit: Some(exit),
        stopped_by: None,
        duration_ms: 1,
        output_tail: String::new(),
        output_bytes: 0,
        at,
        known_at: at,
    }
}

/// Waits until the rows say so.
pub(crate) async fn until(
    gateway: &Gateway,
    what: &str,
    look: impl Fn(&Snapshot<'_>) -> gatehouse_store::Result<bool>,
) {
    let store = &gateway.core().store;
    let mut rows = store.watch();
    let seen = async {
        loop {
            rows.borrow_and_update();
            if store.read(&look).unwrap() {
                return;
            }
            rows.changed().await.unwrap();
        }
    };
    tokio::time::timeout(LIMIT, seen).await.unwrap_or_else(|_| panic!("not in time: {what}"));
}
