//! The keys of one home: in the keyring where there is one, in a file where there is none.

use std::path::Path;
use std::time::Duration;

use gatehouse_domain::Secret;

use crate::file::KeyFile;
use crate::ring::{ANSWER, Bus, Ring, Trouble};
use crate::{Error, Result};

/// Where a key is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// In the system's keyring.
    SecretService,
    /// In a file of the home that only its owner can read.
    File {
        /// Why not in the keyring: a part of a sentence for a person, such as "no keyring runs in this session".
        reason: String,
    },
}

/// The keys of one home.
#[derive(Debug)]
pub struct KeyStore {
    file: KeyFile,
    ring: Ring,
}

impl KeyStore {
    /// The keys of `home`, with the keyring of the session. Nothing is read or asked yet.
    pub fn open(home: &Path) -> Self {
        Self::on(home, Bus::Session, ANSWER)
    }

    /// The same with the keyring on `bus`, which may take as long as `patience` for an answer.
    pub fn on(home: &Path, bus: Bus, patience: Duration) -> Self {
        Self { file: KeyFile::new(home), ring: Ring::new(home, bus, patience) }
    }

    /// Where the next key would go, as far as can be told without asking a person. Takes two seconds at most.
    pub async fn state(&self) -> KeyPlace {
        match self.ring.probe().await {
            Ok(()) => KeyPlace::SecretService,
            Err(trouble) => KeyPlace::File { reason: trouble.to_string() },
        }
    }

    /// The key of `name`; `None` when there is none. May ask a person to unlock the keyring.
    pub async fn get(&self, name: &str) -> Result<Option<Secret<String>>> {
        if let Some(key) = self.file.get(name).await? {
            return Ok(Some(key));
        }
        absent_is(self.ring.get(name).await, None)
    }

    /// Keeps `key` for `name` and says where. May ask a person to unlock the keyring.
    pub async fn set(&self, name: &str, key: Secret<String>) -> Result<KeyPlace> {
        match self.ring.set(name, &key).await {
            Ok(()) => {
                self.file.remove(name).await?;
                Ok(KeyPlace::SecretService)
            }
            Err(trouble) => {
                self.file.set(name, key).await?;
                tracing::warn!("A key went into {}, because {trouble}.", self.file.path().display());
                Ok(KeyPlace::File { reason: trouble.to_string() })
            }
        }
    }

    /// Forgets the key of `name`, wherever it is. May ask a person to unlock the keyring.
    pub async fn remove(&self, name: &str) -> Result<()> {
        self.file.remove(name).await?;
        absent_is(self.ring.remove(name).await, ())
    }
}

/// Without a keyring there is nothing in it; with one that does not answer, nobody knows.
fn absent_is<T>(result: Result<T, Trouble>, nothing: T) -> Result<T> {
    match result {
        Ok(value) => Ok(value),
        Err(Trouble::NoBus | Trouble::NoService | Trouble::NoCollection) => Ok(nothing),
        Err(Trouble::Locked) => Err(Error::Locked),
        Err(Trouble::Silent) => Err(Error::Silent),
        Err(Trouble::Failed(words)) => Err(Error::Keyring(words)),
    }
}
