//! What was dropped or failed, and conversations that end.

use gatehouse_domain::{IncidentId, ObligationId, UnitId};
use gatehouse_gateway::Gateway;

use super::{Command, session_id};
use crate::convert;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::CloseSession {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.close_session(session_id(&self.session_id)?).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::ListIncidents {
    type Reply = wire::ListIncidentsReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let waiting = gateway.waiting()?;
        let mut incidents: Vec<_> = waiting.incidents.iter().map(convert::incident).collect();
        incidents.extend(waiting.reports.iter().map(convert::held));
        incidents.extend(waiting.letters.iter().map(convert::held_letter));
        Ok(wire::ListIncidentsReply { incidents })
    }
}

impl Command for wire::ResolveIncident {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let id: IncidentId = self.incident_id.parse().map_err(|_| ApiError::not_found("incident"))?;
        gateway.resolve_incident(id).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::DeliverUnit {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let unit: UnitId = self.unit_id.parse().map_err(|_| ApiError::not_found("report"))?;
        gateway.deliver_unit(unit, session_id(&self.session_id)?).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::SendLetter {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let id: ObligationId = self.letter_id.parse().map_err(|_| ApiError::not_found("words that wait for you"))?;
        gateway.send_letter(id).await?;
        Ok(wire::Done {})
    }
}
