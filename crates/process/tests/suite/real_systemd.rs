//! A directory for groups, asked from a real systemd of a person. Where none is booted, one is started for the test: in
//! a mount namespace in which it looks booted, and below a group of its own.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use gatehouse_domain::Exit;
use gatehouse_process::cgroup::Group;
use gatehouse_process::cgroup::systemd::Delegation;
use gatehouse_process::{Groups, StopMode};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::time::Instant;

use crate::group_room::GroupRoom;
use crate::support::{House, LIMIT, eventually};

const SHIM: &str = env!("CARGO_BIN_EXE_gatehouse-shim");
const SYSTEMD: &str = "/usr/lib/systemd/systemd";
/// Where the first version of groups is mounted as well, systemd keeps its tree there, too.
const OLD_TREE: &str = "/sys/fs/cgroup/systemd";
/// Becomes systemd, in the groups that are named, with `/run` to itself.
const START: &str = "mount -t tmpfs none /run && mkdir -p /run/systemd/system || exit 1
    for group in \"$@\"; do echo $$ > \"$group/cgroup.procs\" || exit 1; done
    exec /usr/lib/systemd/systemd --user";

struct Session {
    room: GroupRoom,
    dir: tempfile::TempDir,
    old: Option<PathBuf>,
    systemd: Child,
    _bus: Child,
}

impl Session {
    /// `None` where this machine does not let us.
    async fn open() -> Option<Self> {
        if !rustix::process::getuid().is_root() || !Path::new(SYSTEMD).exists() {
            eprintln!("skipped: it takes root and {SYSTEMD}");
            return None;
        }
        let room = GroupRoom::open().await?;
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let address = format!("unix:path={}", dir.path().join("bus").display());
        let bus = command("dbus-daemon").args(["--session", "--nofork", "--nopidfile", "--address", &address]).spawn();
        let bus = bus.expect("dbus-daemon is installed");
        eventually("the bus is there", || dir.path().join("bus").exists()).await;
        let old = room.path().file_name().map(|name| Path::new(OLD_TREE).join(name));
        let old = old.filter(|old| std::fs::create_dir(old).is_ok());
        let mut systemd = command("unshare");
        systemd.args(["-m", "sh", "-c", START, "sh"]).arg(room.path()).args(&old);
        systemd.env("XDG_RUNTIME_DIR", dir.path()).env("DBUS_SESSION_BUS_ADDRESS", &address);
        let systemd = systemd.spawn().expect("unshare is installed");
        let mut session = Self { room, dir, old, systemd, _bus: bus };
        session.answers(&address).await.then_some(session)
    }

    /// Whether it comes up; it does not where the machine lets nobody mount.
    async fn answers(&mut self, address: &str) -> bool {
        let deadline = Instant::now() + LIMIT;
        while !has_a_name(address).await.unwrap_or(false) {
            if self.systemd.try_wait().unwrap().is_some() {
                eprintln!("skipped: no systemd can be started on this machine");
                return false;
            }
            assert!(Instant::now() < deadline, "systemd does not take its name");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        true
    }

    async fn close(mut self) {
        let pid = Pid::from_raw(self.systemd.id().unwrap().cast_signed()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        self.systemd.wait().await.unwrap();
        if let Some(old) = &self.old {
            gatehouse_process::cgroup::remove(old);
        }
    }
}

async fn has_a_name(address: &str) -> zbus::Result<bool> {
    let bus = zbus::connection::Builder::address(address)?.build().await?;
    let name = "org.freedesktop.DBus";
    let reply = bus.call_method(Some(name), "/", Some(name), "NameHasOwner", &"org.freedesktop.systemd1").await?;
    reply.body().deserialize()
}

fn command(program: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "plays the surroundings of a session")]
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

#[tokio::test]
async fn a_real_systemd_hands_a_scope_over_and_whoever_leaves_the_tree_is_still_stopped() {
    let Some(session) = Session::open().await else { return };
    let delegation = Delegation::ask(SHIM.as_ref(), session.dir.path(), LIMIT).await.unwrap();
    assert!(delegation.path().starts_with(session.room.path()), "{delegation:?}");
    let scope = Group::open(delegation.path()).unwrap().unwrap();
    let mut house = House::with(Groups::Below(delegation.path().to_owned()));
    // Two forks and a session of its own, and nothing in its environment that would tell whose it is.
    let script = "env -i setsid -f setsid -f sleep 300; cat /proc/self/cgroup; echo up; sleep 60";
    let (id, launched) = house.launch(script).await;
    let output = house.printed(id, "up").await;
    assert!(output.contains(&format!("/job-{id}\n")), "{output}");
    assert!(scope.pids().unwrap().contains(&launched.pid));
    house.supervisor.stop(id, StopMode::Force).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Signal(9));
    house.emptied(id).await;
    drop(delegation);
    eventually("the scope is empty", || !scope.is_populated().unwrap_or(false)).await;
    session.close().await;
}
