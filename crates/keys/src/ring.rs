//! The keyring: who is asked, how long, and how often a person is.

mod vault; // one conversation with the Secret Service

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use gatehouse_domain::Secret;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use tokio::time::timeout;
use zbus::zvariant::OwnedObjectPath;

use self::vault::{COLLECTION, ITEM, Vault};

/// How long a keyring may take to show that it is there, and for every single answer, while a person waits.
pub(crate) const ANSWER: Duration = Duration::from_secs(2);
/// How long a person may take to unlock it.
const UNLOCK: Duration = Duration::from_secs(60);
/// How much of a home's hash tells it from other homes.
const HOME_CHARS: usize = 32;

/// The message bus on which the keyring is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bus {
    /// The one of this session.
    Session,
    /// The one at this address, such as `unix:path=/run/user/1000/bus`.
    At(String),
    /// None: keys go into the file.
    Absent,
}

/// Why the keyring is of no use; reads as the part of a sentence after "because".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("this session has no message bus on which a keyring could be")]
    NoBus,
    #[error("no keyring runs in this session")]
    NoService,
    #[error("the keyring has no collection for new keys")]
    NoCollection,
    #[error("the keyring did not answer in time")]
    Silent,
    #[error("the keyring is locked and was not unlocked")]
    Locked,
    #[error("the keyring failed: {0}")]
    Failed(String),
}

/// The keyring as one home sees it. Each operation is a conversation of its own, so one that was restarted is no trouble.
#[derive(Debug)]
pub(crate) struct Ring {
    bus: Bus,
    patience: Duration,
    home: String,
    /// Whether a person was asked to unlock it in this run. Held while one is asked, so that nobody is asked twice.
    asked: Mutex<bool>,
}

impl Ring {
    pub fn new(home: &Path, bus: Bus, patience: Duration) -> Self {
        Self { bus, patience, home: fingerprint(home), asked: Mutex::new(false) }
    }

    /// Whether a key could go in.
    pub async fn probe(&self) -> Result<(), Trouble> {
        let probe = async {
            let vault = Vault::open(&self.bus, self.patience).await?;
            vault.is_locked(&vault.collection().await?, COLLECTION).await
        };
        let locked = timeout(self.patience, probe).await.map_err(|_| Trouble::Silent)??;
        // While a person is being asked, the answer is still open.
        let refused = locked && self.asked.try_lock().is_ok_and(|asked| *asked);
        if refused { Err(Trouble::Locked) } else { Ok(()) }
    }

    pub async fn get(&self, name: &str) -> Result<Option<Secret<String>>, Trouble> {
        let vault = self.vault().await?;
        match self.items(&vault, name).await?.first() {
            Some(item) => vault.secret(item).await.map(Some),
            None => Ok(None),
        }
    }

    pub async fn set(&self, name: &str, key: &Secret<String>) -> Result<(), Trouble> {
        let vault = self.vault().await?;
        let collection = vault.collection().await?;
        if vault.is_locked(&collection, COLLECTION).await? {
            self.unlock(&vault, &collection, COLLECTION).await?;
        }
        vault.create(&collection, &format!("Gatehouse: {name}"), self.attributes(name), key).await
    }

    pub async fn remove(&self, name: &str) -> Result<(), Trouble> {
        let vault = self.vault().await?;
        for item in self.items(&vault, name).await? {
            vault.delete(&item).await?;
        }
        Ok(())
    }

    async fn vault(&self) -> Result<Vault, Trouble> {
        timeout(self.patience, Vault::open(&self.bus, self.patience)).await.map_err(|_| Trouble::Silent)?
    }

    /// The items of `name`, all of them unlocked.
    async fn items(&self, vault: &Vault, name: &str) -> Result<Vec<OwnedObjectPath>, Trouble> {
        let (mut open, locked) = vault.search(self.attributes(name)).await?;
        for item in locked {
            self.unlock(vault, &item, ITEM).await?;
            open.push(item);
        }
        Ok(open)
    }

    /// Has `object` unlocked, by a person if need be: once in a run, however that ended.
    async fn unlock(&self, vault: &Vault, object: &OwnedObjectPath, kind: &str) -> Result<(), Trouble> {
        let mut asked = self.asked.lock().await;
        // Whoever was asked before this call got its turn may have unlocked it.
        if !vault.is_locked(object, kind).await? {
            return Ok(());
        }
        if std::mem::replace(&mut *asked, true) {
            return Err(Trouble::Locked);
        }
        vault.unlock(object).await
    }

    /// What an item is found by.
    fn attributes<'a>(&'a self, name: &'a str) -> HashMap<&'static str, &'a str> {
        HashMap::from([("application", "org.gatehouse.desktop"), ("home", &self.home), ("provider", name)])
    }
}

/// What tells a home from others, without telling where it is.
fn fingerprint(home: &Path) -> String {
    let home = home.canonicalize().or_else(|_| std::path::absolute(home)).unwrap_or_else(|_| home.to_owned());
    let hash = Sha256::digest(home.as_os_str().as_encoded_bytes());
    format!("{hash:x}").chars().take(HOME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_has_one_fingerprint_however_it_is_written() {
        let here = fingerprint(Path::new("."));
        assert_eq!(here, fingerprint(&std::env::current_dir().unwrap()));
        assert_eq!(here.len(), HOME_CHARS);
        assert_ne!(here, fingerprint(Path::new("..")));
    }
}
