//! What windows remember and look at.

use base64::Engine as _;
use gatehouse_gateway::Gateway;

use super::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::UpdateSession {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("update_session is not possible yet."))
    }
}

impl Command for wire::ExportSession {
    type Reply = wire::ExportSessionReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("export_session is not possible yet."))
    }
}

impl Command for wire::GetUiState {
    type Reply = wire::GetUiStateReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Ok(wire::GetUiStateReply { entries: Vec::new() })
    }
}

impl Command for wire::SetUiState {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("set_ui_state is not possible yet."))
    }
}

impl Command for wire::SampleProcesses {
    type Reply = wire::SampleProcessesReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("sample_processes is not possible yet."))
    }
}

impl Command for wire::FetchImage {
    type Reply = wire::FetchImageReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let image = gateway.fetch_image(&self.url).await?;
        let base64 = base64::engine::general_purpose::STANDARD.encode(&image.bytes);
        Ok(wire::FetchImageReply { mime: image.mime.into(), base64 })
    }
}
