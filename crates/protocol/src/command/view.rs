//! What windows remember and look at.

use base64::Engine as _;
use gatehouse_domain::ItemId;
use gatehouse_gateway::{FileUse, Gateway, ProcessSample};

use super::{Command, process_id, session_id};
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::UpdateSession {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.update_session(session_id(&self.session_id)?, self.title, self.earlier).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::ExportSession {
    type Reply = wire::ExportSessionReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let markdown = gateway.export_session(session_id(&self.session_id)?).await?;
        Ok(wire::ExportSessionReply { markdown })
    }
}

impl Command for wire::GetUiState {
    type Reply = wire::GetUiStateReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let entries = gateway.ui_state()?.into_iter().map(|(key, value)| wire::UiEntry { key, value });
        Ok(wire::GetUiStateReply { entries: entries.collect() })
    }
}

impl Command for wire::SetUiState {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.set_ui_state(self.key, self.value).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::SampleProcesses {
    type Reply = wire::SampleProcessesReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let ids = self.process_ids.iter().map(|id| process_id(id)).collect::<Result<_, _>>()?;
        let sampled = gateway.sample_processes(ids).await?;
        Ok(wire::SampleProcessesReply { samples: sampled.into_iter().map(sample).collect() })
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

fn sample(sample: ProcessSample) -> wire::ProcessSample {
    wire::ProcessSample {
        process_id: sample.process.to_string(),
        cpu_percent: sample.cpu_percent,
        rss_bytes: sample.rss_bytes.into(),
        descendants: sample.descendants,
        ports: Some(sample.ports).filter(|ports| !ports.is_empty()),
    }
}

impl Command for wire::FindFile {
    type Reply = wire::FindFileReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let item: ItemId = self.item_id.parse().map_err(|_| ApiError::not_found("entry"))?;
        let wanted = if self.in_folder { FileUse::Folder } else { FileUse::Open };
        let path = gateway.file_of_answer(item, &self.path, wanted).await?;
        Ok(wire::FindFileReply { path: path.to_string_lossy().into_owned() })
    }
}
