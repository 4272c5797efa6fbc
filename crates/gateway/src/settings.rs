//! What is set now: read at the start, read again when the file changes, changed by a person in a window.

mod change; // what a person changes in a window
mod keys; // from where a key is kept to the key itself
#[cfg(test)]
mod tests;
mod watch; // hears that the file was written, and the engine's files

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use gatehouse_domain::{EpochMs, IncidentId};
use gatehouse_store::NewIncident;
use tokio::sync::watch as channel;

pub use change::{NewProvider, ProviderKey};
pub(crate) use keys::key_of;

use crate::config::{Config, ConfigWarning, ProviderConfig};
use crate::core::Core;
use crate::engine::{EngineRoom, Installed};
use crate::error::Result;
use crate::model::{self, ChosenModel, Keys};

/// What a shell says after the file was read; said again whenever it is read again.
pub type LastWord = Arc<dyn Fn(&mut Config) + Send + Sync>;

/// The cause of the incident that is open while something in the file was not taken.
const INCIDENT: &str = "config";

/// What is set now. See the file's head.
pub(crate) struct Settings {
    path: PathBuf,
    last_word: LastWord,
    held: Mutex<Held>,
    ready: channel::Sender<Option<Arc<Ready>>>,
    /// How often it was asked for: what an earlier one brings later is of what was set then.
    asked: AtomicU64,
    /// Where the next key would go.
    pub place: keys::Place,
    /// Held while the file is changed, so that two changes do not lose one another.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Held {
    /// What the file says.
    said: Arc<Config>,
    /// And what the shell made of it, and the engine where that says nothing.
    config: Arc<Config>,
    /// Nothing else is set up, so the embedded engine answers.
    built_in: bool,
    warnings: Arc<[ConfigWarning]>,
    stamp: Stamp,
    /// What was installed of the engine then. Other profiles look at it too.
    engine: Installed,
}

/// Tells whether a file is still the one that was read.
type Stamp = Option<(SystemTime, u64)>;

/// What had to be asked from elsewhere.
pub(crate) struct Ready {
    /// The keys, by provider; a failure says why one cannot be had.
    pub keys: Keys,
    /// Absent when none is set up; a failure when what is set up cannot be used.
    pub model: std::result::Result<Option<ChosenModel>, gatehouse_provider::Failure>,
}

/// Fetches what has to be fetched, then follows the file until the gateway goes down.
pub(crate) async fn begin(core: Arc<Core>) {
    for warning in core.settings.warnings().iter() {
        tracing::warn!(key = warning.key, line = warning.line, "config.toml: {}", warning.words);
    }
    core.settings.resolve(&core).await;
    if let Err(error) = core.settings.record_warnings(&core).await {
        tracing::error!("What was not taken from config.toml could not be recorded: {error}");
    }
    watch::follow(core).await;
}

impl Settings {
    /// Reads the file. Keys are fetched by [`resolve`](Self::resolve), which may have to wait for a keyring.
    pub fn open(path: PathBuf, last_word: LastWord, engine: &EngineRoom) -> Self {
        let (text, stamp) = read(&path);
        let held = hold(text, stamp, &Config::default(), &last_word, engine.installed());
        Self {
            path,
            last_word,
            held: Mutex::new(held),
            ready: channel::Sender::new(None),
            asked: AtomicU64::new(0),
            place: keys::Place::unknown(),
            writing: tokio::sync::Mutex::new(()),
        }
    }

    /// What is set now.
    pub fn config(&self) -> Arc<Config> {
        self.held().config
    }

    /// Whether the embedded engine answers because nothing else is set up.
    pub fn is_built_in(&self) -> bool {
        self.held().built_in
    }

    /// What in the file was not taken.
    pub fn warnings(&self) -> Arc<[ConfigWarning]> {
        self.held().warnings
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The keys and the model for a turn, as soon as they are there. A key that could not be had is asked for once more: a
    /// keyring may have been unlocked since.
    pub async fn for_turn(&self, core: &Core) -> Option<Arc<Ready>> {
        let ready = self.ready().await?;
        if ready.model.is_ok() || ready.keys.values().all(std::result::Result::is_ok) {
            return Some(ready);
        }
        self.resolve(core).await;
        self.ready().await
    }

    async fn ready(&self) -> Option<Arc<Ready>> {
        let mut ready = self.ready.subscribe();
        // The sender lives as long as the settings.
        let settled = ready.wait_for(Option::is_some).await.ok()?;
        settled.clone()
    }

    /// The keys and the model, if they are there.
    pub fn ready_now(&self) -> Option<Arc<Ready>> {
        self.ready.borrow().clone()
    }

    /// Fetches what has to be fetched.
    pub async fn resolve(&self, core: &Core) {
        // In this order: whoever asks later also sees a newer configuration.
        let number = self.ask();
        let config = self.config();
        let keys = keys::fetch(core, &config).await;
        let model = model::choose(&config, &keys, &core.engine);
        self.bring(number, Ready { keys, model });
    }

    fn ask(&self) -> u64 {
        self.asked.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// What somebody asked for is there. It is of no use when it was asked for again meanwhile.
    fn bring(&self, number: u64, brought: Ready) {
        self.ready.send_if_modified(|ready| {
            let is_last = self.asked.load(Ordering::SeqCst) == number;
            if is_last {
                *ready = Some(Arc::new(brought));
            }
            is_last
        });
    }

    /// Reads the file again if it was written since. A text that cannot be taken keeps what was set.
    pub async fn reload(&self, core: &Core) -> Result<()> {
        let (text, stamp) = read(&self.path);
        if stamp == self.held().stamp {
            return Ok(());
        }
        self.take(core, text, stamp).await
    }

    /// Takes up the embedded engine when it has come, and lets it go when it is gone.
    pub async fn look_at_engine(&self, core: &Core) -> Result<()> {
        let there = core.engine.look();
        {
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            if held.engine == there {
                return Ok(());
            }
            let (config, built_in) = complete(&held.said, &self.last_word, there);
            (held.config, held.built_in, held.engine) = (Arc::new(config), built_in, there);
        }
        self.resolve(core).await;
        core.store.write(|tx| tx.touch_settings()).await?;
        Ok(())
    }

    async fn take(&self, core: &Core, text: std::result::Result<String, String>, stamp: Stamp) -> Result<()> {
        let before = self.held();
        let held = hold(text, stamp, &before.said, &self.last_word, before.engine);
        let changed = held.config != before.config;
        let told = held.warnings != before.warnings;
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = held;
        if changed {
            self.resolve(core).await;
        }
        if told {
            self.record_warnings(core).await?;
        }
        if changed || told {
            core.store.write(|tx| tx.touch_settings()).await?;
        }
        Ok(())
    }

    /// One incident stands open while something in the file is not taken.
    pub async fn record_warnings(&self, core: &Core) -> Result<()> {
        let warnings = self.warnings();
        let (id, at) = (IncidentId::from_uuid(core.ids.fresh()), core.now());
        let subject = self.path.display().to_string();
        core.store
            .write(move |tx| {
                let open = tx.incidents().open()?;
                for row in open.iter().filter(|row| row.cause == INCIDENT) {
                    tx.incidents_mut().resolve(row.id, at)?;
                }
                if warnings.is_empty() {
                    Ok(())
                } else {
                    tx.incidents_mut().insert(&incident(id, at, subject, &warnings))
                }
            })
            .await?;
        Ok(())
    }

    fn held(&self) -> Held {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn hold(
    text: std::result::Result<String, String>,
    stamp: Stamp,
    before: &Config,
    last_word: &LastWord,
    engine: Installed,
) -> Held {
    let (said, warnings) = match text {
        Ok(text) => Config::parse(&text, before),
        Err(words) => (before.clone(), vec![unreadable(words)]),
    };
    let (config, built_in) = complete(&said, last_word, engine);
    Held { said: Arc::new(said), config: Arc::new(config), built_in, warnings: warnings.into(), stamp, engine }
}

/// What the shell makes of it; where no provider is set up then, the embedded engine answers, if it is there with its
/// starter.
fn complete(said: &Config, last_word: &LastWord, engine: Installed) -> (Config, bool) {
    let mut config = said.clone();
    last_word(&mut config);
    let built_in = config.providers.is_empty() && engine.is_complete();
    if built_in {
        config.providers.push(ProviderConfig::built_in());
    }
    (config, built_in)
}

fn incident(id: IncidentId, at: EpochMs, subject: String, warnings: &[ConfigWarning]) -> NewIncident {
    let lines: Vec<_> = warnings.iter().map(|w| format!("{}: {}", w.key, w.words)).collect();
    NewIncident { id, severity: "warning".into(), cause: INCIDENT.into(), subject, detail: lines.join("\n"), at }
}

/// A missing file is an empty one.
fn read(path: &Path) -> (std::result::Result<String, String>, Stamp) {
    let stamp = std::fs::metadata(path).ok().and_then(|m| Some((m.modified().ok()?, m.len())));
    let text = match std::fs::read(path) {
        Ok(bytes) => {
            String::from_utf8(bytes).map_err(|_| "The file is not UTF-8 text. What was set before applies.".into())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(format!("The file cannot be read: {error}. What was set before applies.")),
    };
    (text, stamp)
}

const fn unreadable(words: String) -> ConfigWarning {
    ConfigWarning { key: String::new(), line: None, words }
}
