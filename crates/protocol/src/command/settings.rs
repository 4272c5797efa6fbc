//! What a person sets.

use gatehouse_gateway::Gateway;

use super::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::GetSettings {
    type Reply = wire::Settings;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("get_settings is not possible yet."))
    }
}

impl Command for wire::SetSetting {
    type Reply = wire::Settings;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("set_setting is not possible yet."))
    }
}

impl Command for wire::PutProvider {
    type Reply = wire::PutProviderReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("put_provider is not possible yet."))
    }
}

impl Command for wire::RemoveProvider {
    type Reply = wire::Settings;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("remove_provider is not possible yet."))
    }
}

impl Command for wire::TestProvider {
    type Reply = wire::TestProviderReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("test_provider is not possible yet."))
    }
}

impl Command for wire::FindServers {
    type Reply = wire::FindServersReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("find_servers is not possible yet."))
    }
}

impl Command for wire::ListModels {
    type Reply = wire::ListModelsReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("list_models is not possible yet."))
    }
}
