//! Every profile that this program serves. Nothing is ambient: whoever asks says which one is meant, or means the first.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{join_all, select_all};
use gatehouse_domain::ProfileName;
use gatehouse_gateway::{Gateway, LastWord};
use tokio::sync::{OnceCell, watch};

use crate::error::{Error, Result};
use crate::profile::Profile;
use crate::start::Common;

/// The profiles of one data directory that this program serves. Clones share them.
#[derive(Clone)]
pub struct House(Arc<Rooms>);

struct Rooms {
    common: Arc<Common>,
    /// They were named, so none is added.
    fixed: bool,
    first: Profile,
    profiles: watch::Sender<Vec<Profile>>,
    /// No profile is made any more.
    closing: AtomicBool,
    down: OnceCell<()>,
}

impl House {
    /// Begins to start each profile that is named, in this order; when none is, every one that exists, and `default` is
    /// always among them and the first. Answers at once. Async because what it begins goes on beside the caller.
    pub async fn open(home: PathBuf, named: Vec<ProfileName>, last_word: LastWord) -> Result<Self> {
        let common = Arc::new(Common::of(home, last_word)?);
        let fixed = !named.is_empty();
        let mut names = if fixed { named } else { existing(&common.profiles())? }.into_iter();
        let first = Profile::begin(&common, names.next().unwrap_or_default());
        let mut profiles = vec![first.clone()];
        for name in names {
            if profiles.iter().all(|profile| *profile.name() != name) {
                profiles.push(Profile::begin(&common, name));
            }
        }
        let profiles = watch::Sender::new(profiles);
        let (closing, down) = (AtomicBool::new(false), OnceCell::new());
        Ok(Self(Arc::new(Rooms { common, fixed, first, profiles, closing, down })))
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.0.common.home
    }

    /// The one that is meant when nobody says which.
    pub fn first(&self) -> &Profile {
        &self.0.first
    }

    /// The one of this name; the first when none is said.
    pub fn profile(&self, name: Option<&str>) -> Result<Profile> {
        let Some(asked) = name else { return Ok(self.0.first.clone()) };
        let profiles = self.0.profiles.borrow();
        profiles.iter().find(|profile| profile.name().as_str() == asked).cloned().ok_or_else(|| {
            let served: Vec<_> = profiles.iter().map(|profile| profile.name().as_str()).collect();
            Error::NotServed { asked: asked.to_owned(), served: served.join(", ") }
        })
    }

    /// All of them, the first one first.
    pub fn profiles(&self) -> Vec<Profile> {
        self.0.profiles.borrow().clone()
    }

    /// The same, from here on: others may come.
    pub fn watch(&self) -> watch::Receiver<Vec<Profile>> {
        self.0.profiles.subscribe()
    }

    /// Makes a profile and begins to start it.
    pub fn create(&self, name: &str) -> Result<Profile> {
        if self.0.fixed {
            return Err(Error::Fixed);
        }
        let name = ProfileName::new(name).map_err(|_| Error::Unfit)?;
        let mut made = Err(Error::GoingDown);
        // One at a time: two names that differ in the size of letters are one.
        self.0.profiles.send_if_modified(|profiles| {
            if !self.0.closing.load(Ordering::SeqCst) {
                made = self.make(&name);
            }
            made.iter().for_each(|profile| profiles.push(profile.clone()));
            made.is_ok()
        });
        made
    }

    fn make(&self, name: &ProfileName) -> Result<Profile> {
        let common = &self.0.common;
        let unmade = |cause| unmade(common, name, cause);
        for entry in fs::read_dir(common.profiles()).map_err(unmade)? {
            let there = entry.map_err(unmade)?.file_name();
            if there.to_str().is_some_and(|there| there.eq_ignore_ascii_case(name.as_str())) {
                return Err(Error::Taken(name.to_string()));
            }
        }
        make(&common.dir(name)).map_err(unmade)?;
        Ok(Profile::begin(common, name.clone()))
    }

    /// Waits until it is known how the first one stands, and if that is refused, until another one runs; when none of them
    /// can be opened, for the reasons.
    pub async fn opened(&self) -> std::result::Result<(), Vec<Arc<Error>>> {
        let mut refused = Vec::new();
        for profile in self.profiles() {
            match profile.settled().await {
                Ok(_) => return Ok(()),
                Err(error) => refused.push(error),
            }
        }
        Err(refused)
    }

    /// Answers when somebody has asked for a restart, and in every profile the turns that ran have ended or had their
    /// time. It is everybody's restart: each profile notes that it was planned, and to whom it owes a notice.
    pub async fn until_restart(&self) {
        self.restart_asked().await;
        self.0.closing.store(true, Ordering::SeqCst);
        let running = self.running();
        if running.is_empty() {
            return;
        }
        let hurried = select_all(running.iter().map(|gateway| Box::pin(gateway.restart_hurried())));
        plan(&running, false).await;
        let mut drained = Box::pin(join_all(running.iter().map(Gateway::drain)));
        tokio::select! {
            _ = &mut drained => return,
            _ = hurried => plan(&running, true).await,
        }
        drained.await;
    }

    async fn restart_asked(&self) {
        let mut profiles = self.watch();
        loop {
            let known = profiles.borrow_and_update().clone();
            let asked = select_all(known.iter().map(|profile| Box::pin(profile.restart_asked())));
            tokio::select! {
                _ = asked => return,
                // The sender is our own.
                _ = profiles.changed() => {}
            }
        }
    }

    /// Somebody who keeps this program running ends it, and is going to start it again: every profile notes to whom it
    /// owes a notice of that.
    pub async fn ended_by_keeper(&self) {
        for gateway in self.running() {
            if let Err(error) = gateway.ended_by_keeper().await {
                tracing::error!("Who is told of the next start could not be written down: {error}");
            }
        }
    }

    /// Goes down, once, all profiles beside each other; whoever asks again waits for the same end. Running processes live
    /// on under their shims, unless a person or what is set in their profile says otherwise.
    pub async fn shutdown(&self, stop: Option<bool>) {
        self.0.closing.store(true, Ordering::SeqCst);
        let down = async {
            let running = self.running();
            join_all(running.iter().map(|gateway| async move {
                match stop {
                    Some(stop) => gateway.shutdown_with(stop).await,
                    None => gateway.shutdown().await,
                }
            }))
            .await;
        };
        self.0.down.get_or_init(|| down).await;
    }

    /// The gateways that run now.
    fn running(&self) -> Vec<Gateway> {
        self.profiles().iter().filter_map(Profile::running).collect()
    }
}

/// Plans the restart in each; who has planned it already goes on with that one.
async fn plan(running: &[Gateway], now: bool) {
    for gateway in running {
        if let Err(error) = gateway.restart(None, now).await {
            tracing::error!("A restart could not be planned: {error}");
        }
    }
}

/// Every profile that there is, `default` first, whether it is there yet or not.
fn existing(dir: &Path) -> Result<Vec<ProfileName>> {
    let cannot = |cause| Error::List { path: dir.to_owned(), cause };
    let mut names = Vec::new();
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        other => Some(other.map_err(cannot)?),
    };
    for entry in entries.into_iter().flatten() {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name().into_string().ok().and_then(|name| ProfileName::new(name).ok());
        match name {
            Some(name) if entry.path().is_dir() => names.push(name),
            Some(_) | None => tracing::warn!("{} is no profile, and is left alone.", entry.path().display()),
        }
    }
    names.sort();
    let first = ProfileName::default();
    names.retain(|name| *name != first);
    names.insert(0, first);
    Ok(names)
}

/// Makes a folder that is the owner's alone, where there is none.
fn make(dir: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(dir)
}

fn unmade(common: &Common, name: &ProfileName, cause: io::Error) -> Error {
    Error::Unmade { name: name.clone(), path: common.profiles(), cause }
}
