//! A directory for groups, asked from a systemd that python-dbusmock plays on a bus of its own.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use gatehouse_domain::Exit;
use gatehouse_process::cgroup::Group;
use gatehouse_process::cgroup::systemd::{Delegation, PATIENCE};
use gatehouse_process::{Groups, StopMode};
use tokio::process::{Child, Command};
use tokio::time::Instant;

use crate::group_room::GroupRoom;
use crate::support::{House, LIMIT, eventually};

const SHIM: &str = env!("CARGO_BIN_EXE_gatehouse-shim");

/// A person's session in which somebody answers to the name of systemd.
struct Session {
    room: GroupRoom,
    dir: tempfile::TempDir,
    _systemd: Child,
    _bus: Child,
}

impl Session {
    async fn open(manner: &str) -> Option<Self> {
        let room = GroupRoom::open().await?;
        let python = python().await?;
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let address = format!("unix:path={}", dir.path().join("bus").display());
        let bus = command("dbus-daemon").args(["--session", "--nofork", "--nopidfile", "--address", &address]).spawn();
        let bus = bus.expect("dbus-daemon is installed");
        eventually("the bus is there", || dir.path().join("bus").exists()).await;
        let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/systemd1.py");
        let asked = dir.path().join("asked.json");
        let parameters =
            format!(r#"{{"root": "{}", "asked": "{}", "manner": "{manner}"}}"#, room.path().display(), asked.display());
        let systemd = command(python)
            .args(["-m", "dbusmock", "--session", "-t"])
            .arg(template)
            .args(["-p", &parameters])
            .env("DBUS_SESSION_BUS_ADDRESS", &address)
            .spawn()
            .unwrap();
        let session = Self { room, dir, _systemd: systemd, _bus: bus };
        session.until_it_can_be_asked(&address).await;
        Some(session)
    }

    /// The name is taken before anybody can be asked under it, and the socket is there before it is listened on.
    async fn until_it_can_be_asked(&self, address: &str) {
        let deadline = Instant::now() + LIMIT;
        while !can_be_asked(address).await.unwrap_or(false) {
            assert!(Instant::now() < deadline, "python-dbusmock does not take the name");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn ask(&self, patience: Duration) -> Result<Delegation, String> {
        Delegation::ask(SHIM.as_ref(), self.dir.path(), patience).await
    }

    fn scopes(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.room.path()).unwrap().flatten().map(|entry| entry.path());
        entries.filter(|path| path.is_dir()).collect()
    }
}

async fn can_be_asked(address: &str) -> zbus::Result<bool> {
    let bus = zbus::connection::Builder::address(address)?.build().await?;
    let introspectable = Some("org.freedesktop.DBus.Introspectable");
    let (name, path) = ("org.freedesktop.systemd1", "/org/freedesktop/systemd1");
    let reply = bus.call_method(Some(name), path, introspectable, "Introspect", &()).await?;
    Ok(reply.body().deserialize::<String>()?.contains("StartTransientUnit"))
}

fn command(program: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "plays the surroundings of a session")]
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

/// The interpreter that has the module: the system's, where another one comes first.
async fn python() -> Option<&'static str> {
    for name in ["python3", "/usr/bin/python3"] {
        let status = command(name).args(["-c", "import dbusmock"]).status().await;
        if status.is_ok_and(|status| status.success()) {
            return Some(name);
        }
    }
    assert!(std::env::var_os("CI").is_none(), "python3-dbusmock is not installed");
    eprintln!("skipped: python3-dbusmock is not installed");
    None
}

#[tokio::test]
async fn systemd_hands_a_scope_over_and_jobs_have_groups_in_it() {
    let Some(session) = Session::open("good").await else { return };
    let delegation = session.ask(LIMIT).await.unwrap();
    let asked = std::fs::read(session.dir.path().join("asked.json")).unwrap();
    let asked: serde_json::Value = serde_json::from_slice(&asked).unwrap();
    assert_eq!((asked["delegate"].as_bool(), asked["mode"].as_str()), (Some(true), Some("fail")), "{asked}");
    let unit = asked["name"].as_str().unwrap();
    assert!(unit.starts_with("gatehouse-jobs-") && unit.ends_with(".scope"), "{asked}");
    assert!(delegation.path().ends_with(unit), "{delegation:?}");
    let scope = Group::open(&session.scopes()[0]).unwrap().unwrap();
    let [keeper] = scope.pids().unwrap()[..] else { panic!("the keeper alone: {scope:?}") };

    let mut house = House::with(Groups::Below(delegation.path().to_owned()));
    let (id, launched) = house.launch("cat /proc/self/cgroup; echo up; sleep 60").await;
    let output = house.printed(id, "up").await;
    assert!(output.contains(&format!("/{unit}/job-{id}\n")), "{output}");
    assert!(scope.pids().unwrap().contains(&launched.pid));

    // A gateway that ends takes its keeper along; what still runs keeps the scope.
    drop(delegation);
    eventually("the keeper ends", || !scope.pids().unwrap().contains(&keeper)).await;
    assert!(scope.pids().unwrap().contains(&launched.pid) && scope.is_populated().unwrap());
    house.supervisor.stop(id, StopMode::Force).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Signal(9));
    house.emptied(id).await;
    eventually("the scope is empty", || !scope.is_populated().unwrap()).await;
}

#[tokio::test]
async fn a_refusal_and_a_failure_are_told_in_systemds_words() {
    for (manner, words) in [("refuses", "no scopes today"), ("fails", "failed")] {
        let Some(session) = Session::open(manner).await else { return };
        let reason = session.ask(LIMIT).await.unwrap_err();
        assert!(reason.contains(words), "{manner}: {reason}");
        for scope in session.scopes() {
            let scope = Group::open(&scope).unwrap().unwrap();
            eventually("the keeper is gone", || !scope.is_populated().unwrap()).await;
        }
    }
}

#[tokio::test]
async fn a_systemd_that_says_nothing_is_not_waited_for_long() {
    let Some(session) = Session::open("silent").await else { return };
    let asked = tokio::time::timeout(LIMIT, session.ask(PATIENCE)).await.expect("it is waited for without an end");
    let reason = asked.unwrap_err();
    assert!(reason.contains("did not answer"), "{reason}");
}

#[tokio::test]
async fn a_session_without_systemd_is_no_reason_not_to_run() {
    let home = tempfile::tempdir().unwrap();
    let reason = Delegation::ask(SHIM.as_ref(), &home.path().join("none"), LIMIT).await.unwrap_err();
    assert!(reason.contains("is not there"), "{reason}");
    let mut house = House::with(Groups::FromSystemd);
    let (id, _) = house.launch("exit 2").await;
    assert_eq!(house.ended(id).await.exit, Exit::Code(2));
    house.emptied(id).await;
}
