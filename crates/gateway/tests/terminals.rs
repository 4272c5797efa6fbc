//! A process that is given no terminal although it was asked for: its row says what is, and so does the answer.
//!
//! Needs the shim: `cargo build -p gatehouse-process --bins`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gatehouse_domain::{Exit, ProcessId, SessionId};
use gatehouse_gateway::row::ProcessRow;
use gatehouse_gateway::{
    Gateway, GatewayOptions, Household, Manner, NewProcessRequest, SystemClock, SystemIds, USUAL_SIZE,
};
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(20);
const ASKS: &str = "read -r word; echo \"heard $word\"; exit 4";

/// A gateway on a system that has no terminals left while the file `full` is there.
struct House {
    gateway: Gateway,
    session: SessionId,
    home: TempDir,
}

/// The shim as it was built beside this test.
fn shim() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap().join("gatehouse-shim");
    assert!(built.exists(), "{} is not built", built.display());
    built
}

impl House {
    async fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        let (full, real) = (home.path().join("full"), shim());
        let script = format!(
            "#!/bin/sh\nexport PATH=/usr/sbin:/usr/bin:/sbin:/bin\nif [ -e '{}' ]; then exec unshare --map-root-user \
             --mount sh -c 'mount --bind /dev/null /dev/ptmx && exec \"$0\" \"$@\"' '{real}' \"$@\"; fi\n\
             exec '{real}' \"$@\"\n",
            full.display(),
            real = real.display(),
        );
        let shim = home.path().join("shim");
        fs::write(&shim, script).unwrap();
        fs::set_permissions(&shim, Permissions::from_mode(0o755)).unwrap();
        let options = GatewayOptions {
            home: home.path().join("data"),
            profile: "default".into(),
            shim,
            household: Household::default(),
            last_word: Arc::new(|_| {}),
            work_dir: home.path().to_owned(),
            channels: Vec::new(),
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(SystemIds),
        };
        let gateway = Gateway::start(options).await.unwrap();
        let session = gateway.create_session(None, None).await.unwrap();
        Self { gateway, session, home }
    }

    fn is_full(&self, full: bool) {
        let file = self.home.path().join("full");
        if full { fs::write(file, "").unwrap() } else { fs::remove_file(file).unwrap() }
    }

    async fn start_on_terminal(&self) -> (ProcessId, Option<String>) {
        let request = NewProcessRequest {
            session: self.session,
            command: ASKS.into(),
            cwd: None,
            notify: false,
            persist: false,
            manner: Manner { pty: Some(USUAL_SIZE), ..Manner::default() },
            client_key: None,
        };
        self.gateway.start_process(request).await.unwrap()
    }

    fn row(&self, id: ProcessId) -> ProcessRow {
        self.gateway.processes(None, true).unwrap().into_iter().find(|row| row.id == id).unwrap()
    }

    async fn ended(&self, id: ProcessId) -> ProcessRow {
        let deadline = tokio::time::Instant::now() + LIMIT;
        while !self.row(id).state.is_final() {
            assert!(tokio::time::Instant::now() < deadline, "not in time: {:?}", self.row(id));
            tokio::time::sleep(LOOK).await;
        }
        self.row(id)
    }

    fn output(&self, id: ProcessId) -> String {
        String::from_utf8(self.gateway.read_output(id, Some(0), 4096).unwrap().bytes).unwrap()
    }
}

fn says_why(note: Option<&String>) -> bool {
    note.is_some_and(|note| note.contains("no terminal could be had"))
}

#[tokio::test]
async fn a_terminal_that_is_refused_is_in_no_row_and_the_input_that_is_there_is() {
    let house = House::open().await;
    house.is_full(true);
    let (id, note) = house.start_on_terminal().await;
    assert!(says_why(note.as_ref()), "{note:?}");
    let row = house.row(id);
    assert_eq!((row.pty_rows, row.pty_cols, row.stdin), (None, None, true));
    house.gateway.write_input(id, b"you\n".to_vec(), false).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Some(Exit::Code(4)));
    assert_eq!(house.output(id), "heard you\n");
    house.gateway.shutdown_with(true).await;
}

#[tokio::test]
async fn a_restart_says_that_the_terminal_is_not_to_be_had_this_time() {
    let house = House::open().await;
    let (first, note) = house.start_on_terminal().await;
    assert_eq!((note, house.row(first).pty_rows.is_some()), (None, true));
    let (second, note) = house.gateway.restart_process(first, true, None).await.unwrap();
    assert_eq!((note, house.row(second).pty_rows.is_some()), (None, true));
    house.is_full(true);
    let key = Some("again".to_owned());
    let (third, note) = house.gateway.restart_process(second, true, key.clone()).await.unwrap();
    assert!(says_why(note.as_ref()), "{note:?}");
    let row = house.row(third);
    assert_eq!((row.pty_rows, row.stdin, row.restart_of), (None, true, Some(second)));
    // The same press again is the same restart, and has told already.
    assert_eq!(house.gateway.restart_process(second, true, key).await.unwrap(), (third, None));
    house.is_full(false);
    house.gateway.shutdown_with(true).await;
}
