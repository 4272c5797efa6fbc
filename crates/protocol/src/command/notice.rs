//! Notices, and who is silenced.

use gatehouse_gateway::Gateway;

use super::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::ListNotices {
    type Reply = wire::ListNoticesReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Ok(wire::ListNoticesReply { notices: Vec::new(), unread: 0, quiet_until_ms: None, muted: Vec::new() })
    }
}

impl Command for wire::MarkNoticesRead {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("mark_notices_read is not possible yet."))
    }
}

impl Command for wire::SetQuiet {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("set_quiet is not possible yet."))
    }
}

impl Command for wire::SetMuted {
    type Reply = wire::Done;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("set_muted is not possible yet."))
    }
}
