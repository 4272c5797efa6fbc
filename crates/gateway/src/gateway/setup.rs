//! What a person sets up: settings, providers, models, and one image at a time.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use gatehouse_keys::KeyPlace;
use gatehouse_provider::{CheckFailure, Checked, Endpoint, Found, Patience, Place};
use gatehouse_web::Image;

use super::Gateway;
use crate::config::{Config, ConfigWarning, KeySource, ProviderConfig, ProviderKind, Value};
use crate::error::{Error, Result};
use crate::model;
use crate::settings::{NewProvider, ProviderKey, key_of};

/// Everything that is set.
#[derive(Debug, Clone)]
pub struct SettingsView {
    /// The file.
    pub path: PathBuf,
    /// The data directory.
    pub data_dir: PathBuf,
    /// The profile.
    pub profile: String,
    /// What applies.
    pub config: Arc<Config>,
    /// What in the file was not taken.
    pub warnings: Arc<[ConfigWarning]>,
    /// Why a provider's key cannot be had, by the provider's name.
    pub key_problems: Vec<(String, String)>,
    /// Its provider is not in the file: the embedded engine answers because nothing else is set up.
    pub built_in: bool,
    /// Where keys are kept.
    pub key_place: KeyPlace,
}

/// What to ask whether it can be used: a provider that is set up, an address, or one in the place of the other.
#[derive(Debug, Clone, Default)]
pub struct ProviderTest {
    /// One that is set up.
    pub name: Option<String>,
    /// Where its API begins.
    pub base_url: Option<String>,
    /// Its key.
    pub key: Option<ProviderKey>,
    /// A model that it must have.
    pub model: Option<String>,
}

/// A model that can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    /// Its provider.
    pub provider: String,
    /// What the provider calls it.
    pub name: String,
    /// It runs on this computer.
    pub local: bool,
    /// It is offered no tools.
    pub chat_only: bool,
}

/// A provider that could not be asked for its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelListFailure {
    /// Which.
    pub provider: String,
    /// Why, for a person.
    pub words: String,
}

impl Gateway {
    /// What is set now.
    pub fn config(&self) -> Arc<Config> {
        self.0.config()
    }

    /// Everything that is set, the file read again if it was written since.
    pub async fn settings(&self) -> Result<SettingsView> {
        self.0.settings.reload(&self.0).await?;
        self.0.settings.look_at_engine(&self.0).await?;
        let ready = self.0.settings.ready_now();
        let problems = ready.iter().flat_map(|ready| &ready.keys);
        let problems = problems.filter_map(|(name, key)| Some((name.clone(), key.as_ref().err()?.clone())));
        Ok(SettingsView {
            path: self.0.settings.path().to_path_buf(),
            data_dir: self.0.home.clone(),
            profile: self.0.profile.clone(),
            config: self.0.config(),
            warnings: self.0.settings.warnings(),
            key_problems: problems.collect(),
            built_in: self.0.settings.is_built_in(),
            key_place: self.0.settings.place.get(&self.0).await,
        })
    }

    /// Sets one key of `config.toml`; `None` takes it out.
    pub async fn set_setting(&self, key: &str, value: Option<Value>) -> Result<()> {
        self.0.settings.set(&self.0, key, value).await
    }

    /// Adds or changes a provider; says where its key went, if one was given.
    pub async fn put_provider(&self, new: NewProvider) -> Result<Option<KeyPlace>> {
        self.0.settings.put_provider(&self.0, new).await
    }

    /// Takes a provider and its stored key away.
    pub async fn remove_provider(&self, name: &str) -> Result<()> {
        self.0.settings.remove_provider(&self.0, name).await
    }

    /// Asks a provider whether it can be used; changes nothing. The outer error is about the request itself.
    pub async fn test_provider(
        &self,
        test: ProviderTest,
    ) -> Result<(std::result::Result<Checked, CheckFailure>, Duration)> {
        let config = self.0.config();
        let known = match &test.name {
            Some(name) => config.providers.iter().find(|p| p.name == *name),
            None => None,
        };
        if let Some(embedded) = known.filter(|p| p.kind == ProviderKind::Embedded) {
            let begun = self.0.clock.mono();
            let models = test.model.map_or_else(|| embedded.models.clone(), |model| vec![model]);
            let checked = self.0.engine.check(&models).await;
            return Ok((checked, self.0.clock.mono().0.saturating_sub(begun.0)));
        }
        let base_url = test.base_url.or_else(|| known.map(|p| p.base_url.clone()));
        let base_url = base_url.ok_or(Error::NotFound("provider"))?;
        let source = match test.key {
            Some(ProviderKey::Given(secret)) => Given::Key(secret),
            Some(ProviderKey::Env(variable)) => Given::Source(KeySource::Env(variable)),
            Some(ProviderKey::None) => Given::Source(KeySource::None),
            None => Given::Source(known.map_or(KeySource::None, |p| p.key.clone())),
        };
        let key = match source {
            Given::Key(secret) => Some(secret),
            Given::Source(source) => key_of(&self.0, &source).await.transpose().map_err(Error::Invalid)?,
        };
        let name = test.name.or_else(|| known.map(|p| p.name.clone())).unwrap_or_else(|| "The provider".into());
        let endpoint = Endpoint { name, base_url, key, patience: Patience::default() };
        let begun = self.0.clock.mono();
        let checked = gatehouse_provider::check(&endpoint, test.model.as_deref()).await;
        Ok((checked, self.0.clock.mono().0.saturating_sub(begun.0)))
    }

    /// Looks for model servers on this computer; says on which ports.
    pub async fn find_servers(&self) -> (Vec<Found>, Vec<u16>) {
        let ports = self.0.config().local_ports.clone();
        let places: Vec<_> = ports.iter().map(|port| Place { port: *port }).collect();
        (gatehouse_provider::discover(&places).await, ports)
    }

    /// Every model that can answer; providers that name none are asked, all at once.
    pub async fn models(&self) -> (Vec<ModelChoice>, Vec<ModelListFailure>) {
        let config = self.0.config();
        let lists = join_all(config.providers.iter().map(|provider| self.models_of(provider))).await;
        let (mut models, mut failures) = (Vec::new(), Vec::new());
        for (provider, list) in config.providers.iter().zip(lists) {
            let choice = |name| ModelChoice {
                provider: provider.name.clone(),
                name,
                local: provider.is_local(),
                chat_only: !provider.kind.takes_tools(),
            };
            match list {
                Ok(names) => models.extend(names.into_iter().map(choice)),
                Err(words) => failures.push(ModelListFailure { provider: provider.name.clone(), words }),
            }
        }
        (models, failures)
    }

    async fn models_of(&self, provider: &ProviderConfig) -> std::result::Result<Vec<String>, String> {
        if !provider.models.is_empty() {
            return Ok(provider.models.clone());
        }
        if provider.kind == ProviderKind::Embedded {
            return self.0.engine.models();
        }
        let key = key_of(&self.0, &provider.key).await.transpose()?;
        let checked = gatehouse_provider::check(&model::endpoint(provider, key), None).await;
        checked.map(|c| c.models.into_iter().map(|m| m.id).collect()).map_err(|failure| failure.to_string())
    }

    /// Fetches one remote image, because a person asked for exactly this one.
    pub async fn fetch_image(&self, url: &str) -> Result<Image> {
        gatehouse_web::image(url).await.map_err(|error| Error::Invalid(error.to_string()))
    }
}

enum Given {
    Key(gatehouse_domain::Secret<String>),
    Source(KeySource),
}
