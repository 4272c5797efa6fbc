//! Whoever opens a file of a directory is heard (inotify(7)).

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

use crate::Result;

/// Hears which files of a directory are opened, from its making on.
#[derive(Debug)]
pub struct Ear(OwnedFd);

impl Ear {
    /// Begins to listen.
    pub fn at(dir: &Path) -> Result<Self> {
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        inotify::add_watch(&fd, dir, WatchFlags::OPEN | WatchFlags::ONLYDIR)?;
        Ok(Self(fd))
    }

    /// The names of the files that were opened since the last time this was asked.
    pub fn opened(&self) -> Result<Vec<String>> {
        let mut space = [const { MaybeUninit::uninit() }; 4096];
        let mut events = inotify::Reader::new(&self.0, &mut space);
        let mut names = Vec::new();
        loop {
            match events.next() {
                Ok(event) => names.extend(event.file_name().map(|name| name.to_string_lossy().into_owned())),
                Err(Errno::AGAIN) => return Ok(names),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
