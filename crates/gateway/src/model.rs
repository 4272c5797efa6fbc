//! Which model answers, and the client that reaches it.

use std::collections::HashMap;
use std::sync::Arc;

use gatehouse_domain::{FailureCode, Secret};
use gatehouse_provider::{Endpoint, Failure, Model, OpenAi, Patience};

use crate::config::{Config, ProviderConfig, ProviderKind};
use crate::engine::{self, EngineRoom};
use crate::error::{Error, Result};

/// The model that answers.
pub(crate) struct ChosenModel {
    pub client: Arc<dyn Model>,
    /// What the provider calls it.
    pub name: String,
}

/// A provider's keys, or why one cannot be had.
pub(crate) type Keys = HashMap<String, std::result::Result<Secret<String>, String>>;

/// Nothing when no model is named; a failure when its provider cannot be used as it is set up.
pub(crate) fn choose(
    config: &Config,
    keys: &Keys,
    room: &EngineRoom,
) -> std::result::Result<Option<ChosenModel>, Failure> {
    let Some((provider, model)) = config.chosen_model() else {
        // What answered until now is not there any more: that is another thing than nothing set up.
        let gone = if config.providers.is_empty() { room.gone() } else { None };
        return gone.map_or(Ok(None), |words| Err(engine::failure(words.into())));
    };
    if provider.kind == ProviderKind::Embedded {
        let client = room.model(&provider.name, model)?;
        return Ok(Some(ChosenModel { client, name: model.to_owned() }));
    }
    let key = match keys.get(&provider.name) {
        Some(Ok(key)) => Some(key.clone()),
        Some(Err(words)) => return Err(no_key(words)),
        None => None,
    };
    let client: Arc<dyn Model> = Arc::new(OpenAi::new(endpoint(provider, key))?);
    Ok(Some(ChosenModel { client, name: model.to_owned() }))
}

/// Where a provider is, and the key that it gets.
pub(crate) fn endpoint(provider: &ProviderConfig, key: Option<Secret<String>>) -> Endpoint {
    Endpoint { name: provider.name.clone(), base_url: provider.base_url.clone(), key, patience: Patience::default() }
}

/// Refuses what can be no address at all.
pub(crate) fn check_address(name: &str, base_url: &str) -> Result<()> {
    let endpoint =
        Endpoint { name: name.to_owned(), base_url: base_url.to_owned(), key: None, patience: Patience::default() };
    OpenAi::new(endpoint).map(|_| ()).map_err(|failure| Error::Invalid(failure.message))
}

fn no_key(words: &str) -> Failure {
    Failure { code: FailureCode::Unauthorized, message: words.to_owned(), retry_after: None, retryable: false }
}
