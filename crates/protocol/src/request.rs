//! Who carries a request out: the gateway of the profile that is meant, or the house.

mod profile; // which profiles there are
mod storage; // what a profile can be asked that could not be opened

use gatehouse_host::House;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::command::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;

/// A request as it comes in.
pub trait Request: DeserializeOwned + Send {
    /// What it is answered with.
    type Reply: Serialize + Send;

    /// Carries it out in a profile, the first one when none is said. While that still starts, it waits.
    fn carry_out(
        self,
        house: &House,
        profile: Option<&str>,
        caller: Caller,
    ) -> impl Future<Output = Result<Self::Reply, ApiError>> + Send;
}

impl<C: Command> Request for C {
    type Reply = C::Reply;

    async fn carry_out(self, house: &House, profile: Option<&str>, caller: Caller) -> Result<C::Reply, ApiError> {
        let gateway = house.profile(profile)?.gateway().await?;
        self.run(&gateway, caller).await
    }
}
