//! The file that stands in for a keyring.
//!
//! It is replaced as a whole or not at all. Names are JSON texts, so nothing in a name can lead to another file.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gatehouse_domain::Secret;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// What is longer was not written by us.
const MAX_BYTES: u64 = 1024 * 1024;
const VERSION: u32 = 1;
/// Read and write for the owner, nothing for anybody else.
const OWNER_ONLY: u32 = 0o600;

/// The keys in a file, by name.
type Keys = BTreeMap<String, String>;

/// The file.
#[derive(Debug, Clone)]
pub(crate) struct KeyFile {
    path: PathBuf,
    /// Held while the file is read and replaced, so that two changes do not undo each other.
    turn: Arc<Mutex<()>>,
}

/// What the file says. No `Debug`: it holds keys.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u32,
    keys: Keys,
}

impl KeyFile {
    pub fn new(home: &Path) -> Self {
        Self { path: home.join("keys.json"), turn: Arc::default() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub async fn get(&self, name: &str) -> Result<Option<Secret<String>>> {
        let name = name.to_owned();
        self.work(move |path| Ok(read(path)?.remove(&name).map(Secret::new))).await
    }

    pub async fn set(&self, name: &str, key: Secret<String>) -> Result<()> {
        let name = name.to_owned();
        self.work(move |path| {
            let mut keys = read(path)?;
            // The one place where a key is written in the clear: there is no keyring to write it into.
            keys.insert(name, key.expose().clone());
            write(path, keys)
        })
        .await
    }

    pub async fn remove(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.work(move |path| {
            let mut keys = read(path)?;
            if keys.remove(&name).is_some() { write(path, keys) } else { Ok(()) }
        })
        .await
    }

    async fn work<T: Send + 'static>(&self, work: impl FnOnce(&Path) -> Result<T> + Send + 'static) -> Result<T> {
        let this = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _turn = this.turn.lock().unwrap_or_else(PoisonError::into_inner);
            work(&this.path)
        });
        done.await.unwrap_or_else(|error| Err(failed(&self.path)(io::Error::other(error))))
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
    |source| Error::File { path: path.to_owned(), source }
}

/// The keys in the file at `path`; none when there is no file.
fn read(path: &Path) -> Result<Keys> {
    let Some(file) = open(path)? else { return Ok(Keys::new()) };
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(failed(path))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::Foreign { path: path.to_owned(), why: "it is larger than any list of keys" });
    }
    let damaged = |place| Error::Damaged { path: path.to_owned(), place };
    // What the parser says may quote a key, so only the place is told.
    let kept: Kept = serde_json::from_slice(&text)
        .map_err(|error| damaged(format!("line {}, column {}", error.line(), error.column())))?;
    match kept.version {
        VERSION => Ok(kept.keys),
        other => Err(damaged(format!("version {other}"))),
    }
}

/// Opens the file and sees to it that nobody else can; `None` when there is none.
fn open(path: &Path) -> Result<Option<File>> {
    let foreign = |why| Error::Foreign { path: path.to_owned(), why };
    // Not blocking, because a pipe under this name would make the opening wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => return Err(foreign("it is a link")),
        Err(error) => return Err(failed(path)(error.into())),
    };
    let metadata = file.metadata().map_err(failed(path))?;
    if !metadata.is_file() {
        return Err(foreign("it is no file"));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(foreign("it belongs to somebody else"));
    }
    if metadata.mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(OWNER_ONLY)).map_err(failed(path))?;
        tracing::warn!("Others could read {}. Its permissions were mended; consider new keys.", path.display());
    }
    Ok(Some(file))
}

/// Replaces the file: a crash leaves the old one or the new one, and nothing of a third.
fn write(path: &Path, keys: Keys) -> Result<()> {
    let text = serde_json::to_vec_pretty(&Kept { version: VERSION, keys }).map_err(io::Error::from);
    let new = path.with_extension("json.new");
    let replaced = text.and_then(|text| {
        write_new(&new, &text)?;
        fs::rename(&new, path)?;
        File::open(path.parent().unwrap_or(path))?.sync_all()
    });
    replaced.map_err(failed(path))
}

fn write_new(path: &Path, text: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        // Left behind by a crash.
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)?;
    file.set_permissions(Permissions::from_mode(OWNER_ONLY))?;
    file.write_all(text)?;
    file.sync_all()
}
