use std::path::Path;
use std::process::Command;

use gatehouse_store::*;
use tempfile::TempDir;

use crate::support::*;

/// A small file system of its own, gone with the value.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount() -> Result<Self, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let mounted = command("mount").args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).arg(dir.path()).output();
        match mounted {
            Ok(output) if output.status.success() => Ok(Self(dir)),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let done = command("umount").arg(self.path()).status();
        assert!(done.is_ok_and(|status| status.success()), "could not unmount {}", self.path().display());
    }
}

fn command(program: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "only mount(8) makes a disk small")]
    Command::new(program)
}

#[test]
fn a_full_disk_is_told_and_survived() {
    let disk = match SmallDisk::mount() {
        Ok(disk) => disk,
        Err(reason) => {
            println!("skipped: a small disk needs the right to mount: {reason}");
            return;
        }
    };
    let ids = Ids::new();
    let (dir, ballast) = (disk.path().join("profile"), disk.path().join("ballast"));
    let house = House { store: open(&dir, &ids), ids, dir: tempfile::tempdir().unwrap() };
    let session = house.session();
    let kept = house.said(session, "kept");
    // Leaves room for a few pages only, then not even for those.
    let free = rustix::fs::statfs(disk.path()).unwrap();
    let free = free.f_bavail * free.f_bsize as u64;
    std::fs::write(&ballast, vec![0; free as usize - 64 * 1024]).unwrap();
    let big = message(house.item_id(), session, &"x".repeat(512 * 1024));
    let (big_id, before) = (big.id, house.store.rev());
    let refused = house.store.write_blocking(move |tx| tx.items_mut().insert(&big));
    let Err(Error::Storage(trouble)) = refused else { panic!("{refused:?}") };
    assert_eq!(trouble.cause, StorageCause::DiskFull);
    assert!(trouble.to_string().contains(&*dir.to_string_lossy()), "it says where: {trouble}");
    // Whoever has nothing to write is no sign of room.
    house.store.write_blocking(|_| Ok(())).unwrap();
    assert_eq!(house.store.trouble(), Some(trouble));
    assert_eq!(house.store.rev(), before);
    assert!(house.store.read(|s| s.items().get(kept)).unwrap().is_some());
    assert!(house.store.read(|s| s.items().get(big_id)).unwrap().is_none());
    std::fs::remove_file(&ballast).unwrap();
    let after = house.said(session, "after");
    assert_eq!(house.store.trouble(), None);
    house.store.clone().close();
    let again = open(&dir, &house.ids);
    let rows = again.read(|s| s.items().transcript(session)).unwrap();
    assert_eq!(rows.iter().map(|full| full.row.id).collect::<Vec<_>>(), [kept, after]);
    drop((again, house));
}
