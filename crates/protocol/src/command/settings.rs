//! What a person sets.

use gatehouse_domain::Secret;
use gatehouse_gateway::{Gateway, NewProvider, ProviderKey, ProviderKind, ProviderTest, Value};

use super::Command;
use crate::convert;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::GetSettings {
    type Reply = wire::Settings;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Ok(convert::settings(&gateway.settings().await?))
    }
}

impl Command for wire::SetSetting {
    type Reply = wire::Settings;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let value = self.value.map(|value| match value {
            wire::SettingValue::Flag(flag) => Value::Flag(flag),
            wire::SettingValue::Number(number) => Value::Number(number.into()),
            wire::SettingValue::Text(text) => Value::Text(text),
            wire::SettingValue::List(list) => Value::List(list),
        });
        gateway.set_setting(&self.key, value).await?;
        Ok(convert::settings(&gateway.settings().await?))
    }
}

impl Command for wire::PutProvider {
    type Reply = wire::PutProviderReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let new = NewProvider {
            name: self.name,
            new_name: self.new_name,
            kind: ProviderKind::from_word(&self.kind).map_err(ApiError::invalid)?,
            base_url: self.base_url,
            models: self.models,
            key: self.key.map(key),
        };
        let place = gateway.put_provider(new).await?;
        Ok(wire::PutProviderReply {
            settings: convert::settings(&gateway.settings().await?),
            key_place: place.as_ref().map(convert::key_place),
        })
    }
}

impl Command for wire::RemoveProvider {
    type Reply = wire::Settings;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.remove_provider(&self.name).await?;
        Ok(convert::settings(&gateway.settings().await?))
    }
}

impl Command for wire::TestProvider {
    type Reply = wire::TestProviderReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let key = self.key.map(key);
        let test = ProviderTest { name: self.name, base_url: self.base_url, key, model: self.model };
        let (checked, took) = gateway.test_provider(test).await?;
        Ok(convert::tested(checked, took))
    }
}

impl Command for wire::FindServers {
    type Reply = wire::FindServersReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let (found, ports) = gateway.find_servers().await;
        Ok(wire::FindServersReply {
            servers: found.into_iter().map(convert::local_server).collect(),
            ports: ports.into_iter().map(u32::from).collect(),
        })
    }
}

impl Command for wire::ListModels {
    type Reply = wire::ListModelsReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let (models, failures) = gateway.models().await;
        Ok(convert::models(models, failures))
    }
}

impl Command for wire::GetEngine {
    type Reply = wire::Engine;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Ok(convert::engine(gateway.engine()))
    }
}

fn key(key: wire::ProviderKey) -> ProviderKey {
    match key {
        wire::ProviderKey::None => ProviderKey::None,
        wire::ProviderKey::Env { name } => ProviderKey::Env(name),
        wire::ProviderKey::Stored { value } => ProviderKey::Given(Secret::new(value)),
    }
}
