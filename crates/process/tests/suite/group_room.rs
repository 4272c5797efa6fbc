//! A cgroup v2 directory to test in. It takes a machine that lets this user make groups: root always can.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

use gatehouse_process::cgroup::Group;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;

/// A directory for the groups of one test; gone when the test is.
pub struct GroupRoom {
    path: PathBuf,
    _mount: Option<Child>,
}

impl GroupRoom {
    /// `None` where this machine does not let us: the test has nothing to say then. In CI, root must be let.
    pub async fn open() -> Option<Self> {
        let mounted = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let points =
            mounted.lines().filter(|line| line.contains(" - cgroup2 ")).filter_map(|line| line.split(' ').nth(4));
        if let Some(path) = points.map(Path::new).find_map(room_in) {
            return Some(Self { path, _mount: None });
        }
        let is_root = rustix::process::getuid().is_root();
        if is_root && let Some((mount, path)) = mount().await {
            return Some(Self { path, _mount: Some(mount) });
        }
        assert!(!is_root || std::env::var_os("CI").is_none(), "root cannot make a cgroup v2 group on this machine");
        eprintln!("skipped: this machine does not let us make groups in a cgroup v2 file system");
        None
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for GroupRoom {
    fn drop(&mut self) {
        if let Ok(Some(group)) = Group::open(&self.path) {
            group.kill().unwrap();
        }
        gatehouse_process::cgroup::remove(&self.path);
    }
}

fn room_in(mount: &Path) -> Option<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("gatehouse-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = mount.join(name);
    let group = Group::create(&path).ok()?;
    // Whoever may not enter has not got much of a group.
    let entered = group.door().is_ok();
    if !entered {
        group.remove();
    }
    entered.then_some(path)
}

/// A file system of its own in a mount namespace of its own, which lives as long as its one process.
async fn mount() -> Option<(Child, PathBuf)> {
    #[expect(clippy::disallowed_methods, reason = "holds a mount that nobody else sees")]
    let mut holder = tokio::process::Command::new("unshare")
        .args(["-m", "sh", "-c", "mount -t cgroup2 none /mnt && echo ready && exec cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut lines = BufReader::new(holder.stdout.take()?).lines();
    lines.next_line().await.ok()??;
    let path = room_in(&PathBuf::from(format!("/proc/{}/root/mnt", holder.id()?)))?;
    Some((holder, path))
}
