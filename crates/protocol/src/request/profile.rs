//! Which profiles there are, and how the gateway is that serves them.

use gatehouse_host::{House, Profile, ProfileState};

use super::Request;
use crate::command::health;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Request for wire::ListProfiles {
    type Reply = wire::ListProfilesReply;

    async fn carry_out(self, house: &House, _: Option<&str>, _: Caller) -> Result<Self::Reply, ApiError> {
        let profiles = house.profiles().iter().map(shown).collect();
        Ok(wire::ListProfilesReply { profiles, first: house.first().name().to_string() })
    }
}

fn shown(profile: &Profile) -> wire::Profile {
    let (state, problem, running) = match profile.state() {
        ProfileState::Starting => (wire::ProfileState::Starting, None, None),
        ProfileState::Running(gateway) => (wire::ProfileState::Running, None, Some(gateway)),
        ProfileState::Refused(error) => (wire::ProfileState::Refused, Some(error.to_string()), None),
    };
    // Its own commands say what is wrong with rows that cannot be read.
    let (processes, unread) = running.and_then(|gateway| gateway.glance().ok()).unzip();
    wire::Profile { name: profile.name().to_string(), state, problem, processes, unread }
}

impl Request for wire::CreateProfile {
    type Reply = wire::Done;

    async fn carry_out(self, house: &House, _: Option<&str>, _: Caller) -> Result<Self::Reply, ApiError> {
        house.create(&self.name)?;
        Ok(wire::Done {})
    }
}

impl Request for wire::GetHealth {
    type Reply = wire::GetHealthReply;

    async fn carry_out(self, house: &House, profile: Option<&str>, _: Caller) -> Result<Self::Reply, ApiError> {
        let gateway = house.profile(profile)?.gateway().await?;
        let running = house.profiles().into_iter().filter(|profile| profile.running().is_some());
        health(&gateway, running.map(|profile| profile.name().to_string()).collect())
    }
}
