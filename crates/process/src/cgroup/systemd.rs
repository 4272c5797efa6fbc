//! Asks the person's own systemd for a directory in which jobs may have groups: one scope, handed over to us, with one
//! sub-group per job. A scope lives as long as anybody is in it, so a keeper sits there until the gateway ends; the
//! jobs that outlive the gateway keep the scope alive themselves.

use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::process::Child;
use zbus::message::Type as MessageType;
use zbus::zvariant::{OwnedObjectPath, Value};
use zbus::{Connection, MatchRule, MessageStream};

use crate::{rundir, spawn};

/// Longer than this no job waits for a bus, whatever hangs there.
pub const PATIENCE: Duration = Duration::from_secs(3);
const NAME: &str = "org.freedesktop.systemd1";
const PATH: &str = "/org/freedesktop/systemd1";
const MANAGER: &str = "org.freedesktop.systemd1.Manager";
/// Signals between asking and being answered.
const SIGNALS: usize = 64;
/// Bits of a mode that let others write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// A directory for groups, for as long as this value lives or a job is in it.
#[derive(Debug)]
pub struct Delegation {
    path: PathBuf,
    _keeper: Child,
}

impl Delegation {
    /// Asks for one. `shim` is the program that keeps the scope; `runtime_dir` is the person's, where their bus is; an
    /// answer may take as long as `patience`. The error says for a person why there is none.
    pub async fn ask(shim: &Path, runtime_dir: &Path, patience: Duration) -> Result<Self, String> {
        let bus = bus_of(runtime_dir)?;
        let keeper = spawn::keeper(shim).map_err(|error| format!("the keeper of the scope did not start: {error}"))?;
        let pid = keeper.id().ok_or("the keeper of the scope has ended")?;
        let unit = format!("gatehouse-jobs-{pid}-{:x}.scope", rundir::wall_ms());
        match tokio::time::timeout(patience, start_scope(&bus, &unit, pid)).await {
            Ok(started) => started?,
            Err(_) => return Err(format!("systemd did not answer within {} s", patience.as_secs())),
        }
        let path = directory_of(pid, &unit).map_err(|error| format!("the scope has no directory: {error}"))?;
        Ok(Self { path, _keeper: keeper })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The bus in a directory that nobody else can have put it into.
fn bus_of(runtime_dir: &Path) -> Result<PathBuf, String> {
    let mine = rustix::process::getuid().as_raw();
    let look = |path: &Path| {
        std::fs::symlink_metadata(path).map_err(|error| format!("{} is not there: {error}", path.display()))
    };
    let dir = look(runtime_dir)?;
    if !dir.is_dir() || dir.uid() != mine || dir.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(format!("{} is not a directory of ours alone", runtime_dir.display()));
    }
    let path = runtime_dir.join("bus");
    let bus = look(&path)?;
    if !bus.file_type().is_socket() || bus.uid() != mine {
        return Err(format!("{} is not a socket of ours", path.display()));
    }
    Ok(path)
}

async fn start_scope(bus: &Path, unit: &str, keeper: u32) -> Result<(), String> {
    let failed = |error: zbus::Error| format!("systemd refused: {error}");
    let address = zbus::address::transport::Unix::new(zbus::address::transport::UnixSocket::File(bus.to_owned()));
    let address = zbus::Address::from(zbus::address::Transport::Unix(address));
    let built = zbus::connection::Builder::address(address).map_err(failed)?.build().await;
    let connection = built.map_err(|error| format!("the session's bus cannot be used: {error}"))?;
    let rule = MatchRule::builder().msg_type(MessageType::Signal).path(PATH);
    let rule = rule.and_then(|rule| rule.interface(MANAGER)?.member("JobRemoved")).map_err(failed)?.build();
    // Listening begins before asking, so that the quickest answer is heard.
    let mut removed = MessageStream::for_match_rule(rule, &connection, Some(SIGNALS)).await.map_err(failed)?;
    call(&connection, "Subscribe", &()).await.map_err(failed)?;
    let properties = [
        ("Description", Value::from("Commands of Gatehouse")),
        ("PIDs", Value::from(vec![keeper])),
        ("Delegate", Value::from(true)),
        ("CollectMode", Value::from("inactive-or-failed")),
    ];
    let nothing: [(&str, Vec<(&str, Value<'_>)>); 0] = [];
    let body = (unit, "fail", properties.as_slice(), nothing.as_slice());
    let answer = call(&connection, "StartTransientUnit", &body).await.map_err(failed)?;
    let job: OwnedObjectPath = answer.body().deserialize().map_err(failed)?;
    while let Some(signal) = removed.next().await {
        let (_, done, _, result): (u32, OwnedObjectPath, String, String) =
            signal.and_then(|signal| signal.body().deserialize()).map_err(failed)?;
        if done == job {
            return if result == "done" { Ok(()) } else { Err(format!("systemd did not start the scope: {result}")) };
        }
    }
    Err("the session's bus has ended".to_owned())
}

async fn call<B>(connection: &Connection, method: &str, body: &B) -> zbus::Result<zbus::Message>
where
    B: serde::Serialize + zbus::zvariant::DynamicType,
{
    connection.call_method(Some(NAME), PATH, Some(MANAGER), method, body).await
}

/// Where the keeper is now: the kernel's word, not systemd's.
fn directory_of(keeper: u32, unit: &str) -> io::Result<PathBuf> {
    let place = super::place_of(keeper)?;
    let place = Path::new(&place);
    if place.file_name().is_none_or(|name| name != unit) {
        return Err(io::Error::other(format!("the keeper is in {} instead", place.display())));
    }
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
    let found = mounts.lines().filter_map(v2_mount).find_map(|(root, point)| {
        let below = place.strip_prefix(root).ok()?;
        Some(Path::new(point).join(below)).filter(|path| path.is_dir())
    });
    found.ok_or_else(|| io::Error::other("no cgroup v2 file system is mounted"))
}

/// Root and mount point of a line of the kernel's list of mounts that is about cgroup v2.
fn v2_mount(line: &str) -> Option<(&str, &str)> {
    let (place, kind) = line.split_once(" - ")?;
    let mut fields = place.split(' ').skip(3);
    (kind.split(' ').next() == Some("cgroup2")).then_some((fields.next()?, fields.next()?))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_mount_of_the_second_version_is_told_from_the_first() {
        let second = "30 25 0:26 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate";
        assert_eq!(v2_mount(second), Some(("/", "/sys/fs/cgroup/unified")));
        assert_eq!(v2_mount("31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu"), None);
        assert_eq!(v2_mount("no such line"), None);
    }

    #[test]
    fn a_bus_that_others_could_have_put_there_is_not_asked() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("runtime");
        assert!(bus_of(&dir).unwrap_err().contains("not there"));
        std::fs::create_dir(&dir).unwrap();
        assert!(bus_of(&dir).unwrap_err().contains("bus is not there"));
        let _listener = std::os::unix::net::UnixListener::bind(dir.join("bus")).unwrap();
        assert_eq!(bus_of(&dir), Ok(dir.join("bus")));
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o770)).unwrap();
        assert!(bus_of(&dir).unwrap_err().contains("ours alone"));
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o700)).unwrap();
        let link = home.path().join("link");
        std::os::unix::fs::symlink(&dir, &link).unwrap();
        assert!(bus_of(&link).unwrap_err().contains("ours alone"));
        std::fs::remove_file(dir.join("bus")).unwrap();
        std::fs::write(dir.join("bus"), "").unwrap();
        assert!(bus_of(&dir).unwrap_err().contains("not a socket"));
    }
}
