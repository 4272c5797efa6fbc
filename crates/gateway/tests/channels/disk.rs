//! Disks of a test's own, which only its thread and what that starts can see: one that can be filled, and one that fails.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::thread::{UnshareFlags, unshare_unsafe};
use tempfile::TempDir;

use crate::{Result, ballast};

/// A file system of its own. Takes the right to mount, and has to outlive whoever lives on it.
pub struct Disk {
    place: TempDir,
    /// The file that it is kept in, where it is not in memory.
    _image: Option<TempDir>,
}

impl Disk {
    /// With little room.
    pub fn small() -> Result<Self> {
        Self::mounted(None, &["-t", "tmpfs", "-o", "size=48m,mode=0700", "small"])
    }

    /// One that the system lets nobody write to any more once it has found an error on it; the inner reason, where this
    /// system gives a test no disk that can fail.
    pub fn careful() -> Result<Result<Self>> {
        let image = tempfile::tempdir()?;
        let file = image.path().join("image");
        fs::File::create(&file)?.set_len(64 * 1024 * 1024)?;
        let file = file.to_string_lossy();
        run("mkfs.ext4", &["-q", &file])?;
        let mounted = Self::mounted(Some(image), &["-o", "loop,errors=remount-ro", &file]);
        Ok(mounted.and_then(|disk| {
            fs::OpenOptions::new().write(true).open(disk.trigger()?)?;
            Ok(disk)
        }))
    }

    fn mounted(image: Option<TempDir>, words: &[&str]) -> Result<Self> {
        // SAFETY: only the view of the disks is parted from the other threads, no descriptors are.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS)? };
        run("mount", &["--make-rprivate", "/"])?;
        let disk = Self { place: tempfile::tempdir()?, _image: image };
        run("mount", &[words, &[&*disk.place.path().to_string_lossy()]].concat())?;
        Ok(disk)
    }

    /// A fresh folder on it.
    pub fn folder(&self) -> Result<TempDir> {
        Ok(tempfile::tempdir_in(self.place.path())?)
    }

    /// Leaves no room at all.
    pub fn fill(&self) -> Result {
        ballast::fill(&self.ballast())
    }

    /// Makes room again.
    pub fn free(&self) -> Result {
        Ok(fs::remove_file(self.ballast())?)
    }

    fn ballast(&self) -> PathBuf {
        self.place.path().join("ballast")
    }

    /// From now on it can only be read.
    pub fn fails(&self) -> Result {
        Ok(fs::write(self.trigger()?, "an error of a test")?)
    }

    /// Where an error is asked for (ext4's `trigger_fs_error`).
    fn trigger(&self) -> Result<PathBuf> {
        let number = fs::metadata(self.place.path())?.dev();
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        let device = fs::read_link(format!("/sys/dev/block/{major}:{minor}"))?;
        let device = device.file_name().ok_or("a device without a name")?;
        Ok(Path::new("/sys/fs/ext4").join(device).join("trigger_fs_error"))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = run("umount", &["--lazy", &self.place.path().to_string_lossy()]);
        if !std::thread::panicking() {
            assert!(unmounted.is_ok(), "{unmounted:?}");
        }
    }
}

fn run(program: &str, words: &[&str]) -> Result {
    #[expect(clippy::disallowed_methods, reason = "disks are made and mounted by the system's own programs")]
    let mut command = std::process::Command::new(program);
    let output = command.args(words).output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}
