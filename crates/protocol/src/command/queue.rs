//! Messages that wait.

use gatehouse_domain::AdmissionId;
use gatehouse_gateway::Gateway;

use super::{Command, session_id};
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::EditQueued {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.edit_queued(admission_id(&self.admission_id)?, self.text).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::RemoveQueued {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.remove_queued(admission_id(&self.admission_id)?).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::MoveQueued {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let before = self.before.as_deref().map(admission_id).transpose()?;
        gateway.move_queued(admission_id(&self.admission_id)?, before).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::SendQueuedNow {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.send_queued_now(admission_id(&self.admission_id)?).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::ResumeQueue {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.resume_queue(session_id(&self.session_id)?).await?;
        Ok(wire::Done {})
    }
}

fn admission_id(text: &str) -> Result<AdmissionId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("waiting message"))
}
