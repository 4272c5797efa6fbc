//! Hears that `config.toml` was written and that the embedded engine or its starter came or went, by inotify(7) on their
//! directories: such files are replaced, so they themselves cannot be watched. The database beside `config.toml` is
//! written all the time, so only the end of a write and a rename are asked for there; these the database hardly ever
//! does.

use std::sync::Arc;

use crate::core::Core;

/// Reads the settings again after each change of the file, and looks at the engine after each change of its files, until
/// the gateway goes down.
pub(crate) async fn follow(core: Arc<Core>) {
    let closing = core.closing.clone();
    tokio::select! {
        () = closing.cancelled() => {}
        ended = changes(&core) => if let Err(error) = ended {
            tracing::warn!("Changes of config.toml and of the engine are noticed at the next look only: {error}");
        }
    }
}

/// What changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    file: bool,
    engine: bool,
}

impl Seen {
    const ALL: Self = Self { file: true, engine: true };

    async fn act(self, core: &Core) {
        if self.file
            && let Err(error) = core.settings.reload(core).await
        {
            tracing::error!("The new settings could not be recorded: {error}");
        }
        if self.engine
            && let Err(error) = core.settings.look_at_engine(core).await
        {
            tracing::error!("What the engine is now could not be recorded: {error}");
        }
    }
}

#[cfg(target_os = "linux")]
async fn changes(core: &Core) -> std::io::Result<()> {
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags};
    use tokio::io::unix::AsyncFd;

    let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    watch(core, &fd)?;
    #[expect(deprecated, reason = "its successor is unsafe to call; an OwnedFd keeps that contract by its type")]
    let fd = AsyncFd::new(fd)?;
    // What came before the watch.
    Seen::ALL.act(core).await;
    let mut space = [const { std::mem::MaybeUninit::uninit() }; 4096];
    loop {
        let mut ready = fd.readable().await?;
        let mut events = inotify::Reader::new(&fd, &mut space);
        let mut seen = Seen::default();
        loop {
            match events.next() {
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => seen = Seen::ALL,
                Ok(event) => {
                    let name = event.file_name().map(|name| name.to_bytes());
                    let is = |path: &std::path::Path| path.file_name().map(std::ffi::OsStr::as_encoded_bytes) == name;
                    seen.file |= is(core.settings.path());
                    seen.engine |= core.engine.places().any(is);
                }
                Err(rustix::io::Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        ready.clear_ready();
        seen.act(core).await;
    }
}

/// The directories. One that is not there is left out: what would come into it is seen at the next look.
#[cfg(target_os = "linux")]
fn watch(core: &Core, fd: &std::os::fd::OwnedFd) -> std::io::Result<()> {
    use rustix::fs::inotify::{self, WatchFlags};

    let written = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::DELETE;
    if let Some(dir) = core.settings.path().parent() {
        inotify::add_watch(fd, dir, written)?;
    }
    // A link to a file is made and never written.
    let comes_or_goes = written | WatchFlags::CREATE | WatchFlags::MOVED_FROM | WatchFlags::MASK_ADD;
    for dir in core.engine.places().filter_map(std::path::Path::parent) {
        match inotify::add_watch(fd, dir, comes_or_goes) {
            Ok(_) => {}
            Err(rustix::io::Errno::NOENT) => tracing::debug!("{} is not there to be watched.", dir.display()),
            Err(error) => tracing::warn!("{} is not watched: {error}", dir.display()),
        }
    }
    Ok(())
}

/// Elsewhere both are looked at again whenever a window asks for the settings.
#[cfg(not(target_os = "linux"))]
async fn changes(_: &Core) -> std::io::Result<()> {
    Ok(())
}
