//! Hears that `config.toml` was written, by inotify(7) on its directory: editors replace the file, so the file itself
//! cannot be watched. The database in the same directory is written all the time, so only the end of a write and a
//! rename are asked for; these the database hardly ever does.

use std::sync::Arc;

use crate::core::Core;

/// Reads the settings again after each change of the file, until the gateway goes down.
pub(crate) async fn follow(core: Arc<Core>) {
    let closing = core.closing.clone();
    tokio::select! {
        () = closing.cancelled() => {}
        ended = changes(&core) => if let Err(error) = ended {
            tracing::warn!("Changes of config.toml are noticed at the next look only: {error}");
        }
    }
}

#[cfg(target_os = "linux")]
async fn changes(core: &Core) -> std::io::Result<()> {
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    use tokio::io::unix::AsyncFd;

    let path = core.settings.path();
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    inotify::add_watch(&fd, dir, WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::DELETE)?;
    #[expect(deprecated, reason = "its successor is unsafe to call; an OwnedFd keeps that contract by its type")]
    let fd = AsyncFd::new(fd)?;
    let mut space = [const { std::mem::MaybeUninit::uninit() }; 4096];
    loop {
        let mut ready = fd.readable().await?;
        let mut events = inotify::Reader::new(&fd, &mut space);
        let mut ours = false;
        loop {
            match events.next() {
                Ok(event) => ours |= event.file_name().is_some_and(|of| of.to_bytes() == name.as_encoded_bytes()),
                Err(rustix::io::Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        ready.clear_ready();
        if ours && let Err(error) = core.settings.reload(core).await {
            tracing::error!("The new settings could not be recorded: {error}");
        }
    }
}

/// Elsewhere the file is read again whenever a window asks for the settings.
#[cfg(not(target_os = "linux"))]
async fn changes(_: &Core) -> std::io::Result<()> {
    Ok(())
}
