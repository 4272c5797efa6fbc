//! Which model answers, and the client that reaches it.

use std::sync::Arc;

use gatehouse_provider::{Endpoint, Failure, Model, OpenAi, Patience};

use crate::config::Config;

/// The model that answers.
pub(crate) struct ChosenModel {
    pub client: Arc<dyn Model>,
    /// What the provider calls it.
    pub name: String,
    /// `provider/model`, for people.
    pub shown: String,
}

/// Nothing when no model is named; a failure when its provider cannot be used as it is set up.
pub(crate) fn choose(config: &Config) -> std::result::Result<Option<ChosenModel>, Failure> {
    let Some((provider, model)) = config.chosen_model() else { return Ok(None) };
    let client: Arc<dyn Model> = Arc::new(OpenAi::new(Endpoint {
        name: provider.name.clone(),
        base_url: provider.base_url.clone(),
        key: provider.api_key.clone(),
        patience: Patience::default(),
    })?);
    let shown = format!("{}/{model}", provider.name);
    Ok(Some(ChosenModel { client, name: model.to_owned(), shown }))
}
