//! Messages that wait.

use gatehouse_gateway::Gateway;

use super::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::EditQueued {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("edit_queued is not possible yet."))
    }
}

impl Command for wire::RemoveQueued {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("remove_queued is not possible yet."))
    }
}

impl Command for wire::MoveQueued {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("move_queued is not possible yet."))
    }
}

impl Command for wire::SendQueuedNow {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("send_queued_now is not possible yet."))
    }
}

impl Command for wire::ResumeQueue {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("resume_queue is not possible yet."))
    }
}
