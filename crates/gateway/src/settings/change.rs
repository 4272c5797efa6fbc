//! What a person changes in a window: read the file, change that one thing, see that it can be taken, write, apply.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use gatehouse_domain::Secret;
use gatehouse_keys::KeyPlace;
use gatehouse_provider::CheckFailure;

use super::{Settings, read};
use crate::config::{Config, ConfigWarning, Edit, KeySource, ProviderEdit, ProviderKind, Value};
use crate::core::Core;
use crate::error::{Error, Result};
use crate::model;

/// A provider as a person wants it.
#[derive(Debug, Clone)]
pub struct NewProvider {
    /// Its name now; a new one is added.
    pub name: String,
    /// Its name from now on.
    pub new_name: Option<String>,
    /// Which dialect.
    pub kind: ProviderKind,
    /// Where its API begins.
    pub base_url: String,
    /// Known models; empty = asked from the server.
    pub models: Vec<String>,
    /// Its key; absent = stays as it is.
    pub key: Option<ProviderKey>,
}

/// A key as a person gives it.
#[derive(Debug, Clone)]
pub enum ProviderKey {
    /// None is sent.
    None,
    /// In this environment variable.
    Env(String),
    /// The key itself, to be kept by us.
    Given(Secret<String>),
}

impl Settings {
    /// Sets one key; `None` takes it out.
    pub async fn set(&self, core: &Core, key: &str, value: Option<Value>) -> Result<()> {
        self.change(core, Some(key), |edit| edit.set(key, value)).await
    }

    /// Adds or changes a provider; says where its key went, if one was given.
    pub async fn put_provider(&self, core: &Core, new: NewProvider) -> Result<Option<KeyPlace>> {
        let name = new.new_name.as_deref().unwrap_or(&new.name).trim().to_owned();
        let base_url = if new.kind == ProviderKind::Embedded { "" } else { new.base_url.trim() };
        if new.kind == ProviderKind::Embedded {
            let wrong = |failure: CheckFailure| Error::Invalid(format!("{} {}", failure.message, failure.mend));
            core.engine.check(&new.models).await.map_err(wrong)?;
        } else {
            model::check_address(&name, base_url)?;
        }
        let before = self.config();
        let old = before.providers.iter().find(|p| p.name == new.name);
        let (source, place) = match &new.key {
            Some(key) => {
                let (source, place) = keep(core, &name, key).await?;
                (Some(source), place)
            }
            None => (renamed_key(core, old, &name).await?, None),
        };
        let edit = ProviderEdit { name: &name, kind: new.kind, base_url, models: &new.models, key: source.as_ref() };
        self.change(core, None, |text| text.put_provider(&new.name, edit)).await?;
        if matches!(new.key, Some(ProviderKey::Given(_))) && old.map(|p| &p.key) == source.as_ref() {
            // The file says the same as before, so nothing there tells that the key is another one.
            self.resolve(core).await;
            core.store.write(|tx| tx.touch_settings()).await?;
        }
        if let Some(model) = moved_model(&before, &new.name, &name) {
            self.set(core, "agent.model", Some(Value::Text(model))).await?;
        }
        if let Some(KeySource::Stored(kept)) =
            old.map(|p| &p.key).filter(|kept| source.as_ref().is_some_and(|s| s != *kept))
        {
            forget(core, kept).await;
        }
        Ok(place)
    }

    /// Takes a provider and its stored key away.
    pub async fn remove_provider(&self, core: &Core, name: &str) -> Result<()> {
        let before = self.config();
        let Some(old) = before.providers.iter().find(|p| p.name == name) else {
            return Err(Error::NotFound("provider"));
        };
        let chosen = before.model.as_deref().and_then(|m| m.split_once('/')).is_some_and(|(of, _)| of == name);
        self.change(core, None, |edit| {
            edit.remove_provider(name)?;
            if chosen { edit.set("agent.model", None) } else { Ok(()) }
        })
        .await?;
        if let KeySource::Stored(kept) = &old.key {
            forget(core, kept).await;
        }
        Ok(())
    }

    /// One change of the file. What the file as a whole says afterwards about `key` must be takeable.
    async fn change(
        &self,
        core: &Core,
        key: Option<&str>,
        change: impl FnOnce(&mut Edit) -> std::result::Result<(), String>,
    ) -> Result<()> {
        let _writing = self.writing.lock().await;
        let text = read(&self.path).0.map_err(Error::Invalid)?;
        let mut edit = Edit::begin(&text).map_err(Error::Invalid)?;
        change(&mut edit).map_err(Error::Invalid)?;
        let text = edit.finish();
        let (_, warnings) = Config::parse(&text, &self.held().said);
        // An unknown section is named without the keys in it.
        let about = |w: &ConfigWarning| key.is_some_and(|key| key == w.key || key.split('.').next() == Some(&w.key));
        if let Some(warning) = warnings.into_iter().find(about) {
            return Err(Error::Invalid(warning.words));
        }
        let path = self.path.clone();
        tokio::task::spawn_blocking(move || write(&path, &text)).await.map_err(|_| Error::ShuttingDown)?.map_err(
            |cause| Error::Invalid(format!("{} cannot be written: {cause}. Nothing was changed.", self.path.display())),
        )?;
        // As it lies there now: somebody may have saved it behind us.
        let (text, stamp) = read(&self.path);
        self.take(core, text, stamp).await
    }
}

async fn keep(core: &Core, name: &str, key: &ProviderKey) -> Result<(KeySource, Option<KeyPlace>)> {
    match key {
        ProviderKey::None => Ok((KeySource::None, None)),
        ProviderKey::Env(variable) => Ok((KeySource::Env(variable.trim().to_owned()), None)),
        ProviderKey::Given(secret) => {
            let secret = Secret::new(secret.expose().trim().to_owned());
            if secret.expose().is_empty() {
                return Err(Error::Invalid("The key is empty. Nothing was changed.".into()));
            }
            let place = core.keys.set(name, secret).await.map_err(|error| Error::Invalid(error.to_string()))?;
            core.settings.place.learn(&place);
            Ok((KeySource::Stored(name.to_owned()), Some(place)))
        }
    }
}

/// A key that is kept under the provider's old name moves with it.
async fn renamed_key(
    core: &Core,
    old: Option<&crate::config::ProviderConfig>,
    name: &str,
) -> Result<Option<KeySource>> {
    let Some(KeySource::Stored(kept)) = old.map(|p| &p.key) else { return Ok(None) };
    if kept == name {
        return Ok(None);
    }
    let failed = |error: gatehouse_keys::Error| Error::Invalid(error.to_string());
    if let Some(key) = core.keys.get(kept).await.map_err(failed)? {
        core.keys.set(name, key).await.map_err(failed)?;
    }
    Ok(Some(KeySource::Stored(name.to_owned())))
}

async fn forget(core: &Core, name: &str) {
    if let Err(error) = core.keys.remove(name).await {
        tracing::warn!("A key that nobody uses any more could not be removed: {error}");
    }
}

/// The chosen model keeps pointing at a provider whose name changed.
fn moved_model(before: &Config, old: &str, new: &str) -> Option<String> {
    let (provider, model) = before.model.as_deref()?.split_once('/')?;
    (provider == old && old != new).then(|| format!("{new}/{model}"))
}

/// Whole or not at all. A link is written through, not replaced: people keep such files elsewhere.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = target.with_extension("toml.new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, &target)?;
    target.parent().map_or(Ok(()), |dir| File::open(dir)?.sync_all())
}
