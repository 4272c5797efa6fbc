//! Notices, and who is silenced.

use gatehouse_domain::EpochMs;
use gatehouse_gateway::Gateway;

use super::{Command, session_id, within};
use crate::convert;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

const DEFAULT_NOTICES: u32 = 100;
const MAX_NOTICES: u32 = 500;

impl Command for wire::ListNotices {
    type Reply = wire::ListNoticesReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let limit = within("limit", self.limit.unwrap_or(DEFAULT_NOTICES), 1, MAX_NOTICES)?;
        let list = gateway.notices(limit)?;
        Ok(wire::ListNoticesReply {
            notices: list.notices.iter().map(convert::notice).collect(),
            unread: list.unread,
            quiet_until_ms: list.quiet_until.map(Into::into),
            muted: list.muted.into_iter().map(convert::muted).collect(),
        })
    }
}

impl Command for wire::MarkNoticesRead {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let parsed = self.notice_ids.map(|ids| ids.iter().map(|id| id.parse()).collect::<Result<Vec<_>, _>>());
        let ids = parsed.transpose().map_err(|_| ApiError::not_found("notice"))?;
        gateway.mark_notices_read(ids, self.and_older.unwrap_or(false)).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::SetQuiet {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let until = self.until_ms.map(|ms| EpochMs(ms.0));
        gateway.set_quiet(until).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::SetMuted {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.set_muted(session_id(&self.session_id)?, self.command, self.muted).await?;
        Ok(wire::Done {})
    }
}
