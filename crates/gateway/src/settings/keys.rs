//! From where a key is kept to the key itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatehouse_domain::Secret;
use gatehouse_keys::KeyPlace;
use tokio::sync::watch;

use crate::config::{Config, KeySource};
use crate::core::Core;
use crate::model::Keys;

/// The keys of every provider that has one, or why it cannot be had.
pub(super) async fn fetch(core: &Core, config: &Config) -> Keys {
    let mut keys = Keys::new();
    for provider in &config.providers {
        if let Some(key) = key_of(core, &provider.key).await {
            keys.insert(provider.name.clone(), key);
        }
    }
    keys
}

/// One key; nothing where none is sent.
pub(crate) async fn key_of(core: &Core, source: &KeySource) -> Option<Result<Secret<String>, String>> {
    match source {
        KeySource::None => None,
        KeySource::Env(name) => Some(from_environment(name)),
        KeySource::Stored(name) => Some(match core.keys.get(name).await {
            Ok(Some(key)) => Ok(key),
            Ok(None) => Err(format!("No key is kept under {name:?}. Enter it in Settings.")),
            Err(error) => Err(error.to_string()),
        }),
    }
}

fn from_environment(name: &str) -> Result<Secret<String>, String> {
    let given = std::env::var(name).ok().filter(|key| !key.trim().is_empty());
    given.map(Secret::new).ok_or_else(|| {
        format!(
            "The environment variable {name} is not set. Set it before Gatehouse starts, or enter the key in Settings."
        )
    })
}

/// Where the next key would go. Asked once: a keyring that does not answer is not waited for by a window that opens.
#[derive(Debug)]
pub(crate) struct Place {
    known: watch::Sender<Option<KeyPlace>>,
    asked: AtomicBool,
}

/// A window waits so long; what comes later is told as a change of the settings.
const PATIENCE: Duration = Duration::from_millis(150);

impl Place {
    pub fn unknown() -> Self {
        Self { known: watch::Sender::new(None), asked: AtomicBool::new(false) }
    }

    pub async fn get(&self, core: &Arc<Core>) -> KeyPlace {
        let mut known = self.known.subscribe();
        if !self.asked.swap(true, Ordering::Relaxed) {
            core.actors.tasks.spawn(ask(Arc::clone(core)));
        }
        let answered = tokio::time::timeout(PATIENCE, known.wait_for(Option::is_some)).await;
        let place = answered.ok().and_then(Result::ok).and_then(|place| place.clone());
        place.unwrap_or_else(|| KeyPlace::File { reason: "the keyring has not answered yet".into() })
    }

    /// A key was just kept, so now it is known for certain.
    pub fn learn(&self, place: &KeyPlace) {
        self.asked.store(true, Ordering::Relaxed);
        self.known.send_replace(Some(place.clone()));
    }
}

async fn ask(core: Arc<Core>) {
    let begun = core.clock.mono();
    let place = core.keys.state().await;
    core.settings.place.known.send_replace(Some(place));
    if core.clock.mono().0.saturating_sub(begun.0) < PATIENCE {
        return;
    }
    if let Err(error) = core.store.write(|tx| tx.touch_settings()).await {
        tracing::warn!("Windows were not told where keys are kept: {error:#}");
    }
}
