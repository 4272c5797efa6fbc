//! What a profile can be asked that could not be opened: its data may be too damaged, and that is when a backup is looked
//! for.

use gatehouse_host::House;

use super::Request;
use crate::command::storage::{backups_now, listed};
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Request for wire::ListBackups {
    type Reply = wire::ListBackupsReply;

    async fn carry_out(self, house: &House, profile: Option<&str>, _: Caller) -> Result<Self::Reply, ApiError> {
        let profile = house.profile(profile)?;
        match profile.settled().await {
            Ok(gateway) => backups_now(&gateway),
            Err(_) => Ok(listed(profile.dir(), gatehouse_gateway::backups_of(profile.dir())?)),
        }
    }
}

impl Request for wire::RestoreBackup {
    type Reply = wire::Done;

    async fn carry_out(self, house: &House, profile: Option<&str>, _: Caller) -> Result<Self::Reply, ApiError> {
        let profile = house.profile(profile)?;
        match profile.settled().await {
            Ok(gateway) => gateway.restore_backup(&self.name)?,
            Err(_) => {
                gatehouse_gateway::order_restore(profile.dir(), &self.name)?;
                profile.try_again();
            }
        }
        Ok(wire::Done {})
    }
}
