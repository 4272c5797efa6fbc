//! Questions and rules.

use gatehouse_gateway::Gateway;

use super::Command;
use crate::convert;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::ListApprovals {
    type Reply = wire::ListApprovalsReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let items = gateway.approvals()?;
        Ok(wire::ListApprovalsReply { items: items.iter().map(|item| convert::item(item, false)).collect() })
    }
}

impl Command for wire::ListRules {
    type Reply = wire::ListRulesReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        rules(gateway)
    }
}

impl Command for wire::RemoveRule {
    type Reply = wire::ListRulesReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.remove_rule(self.rule_id.parse().map_err(|_| ApiError::not_found("rule"))?).await?;
        rules(gateway)
    }
}

fn rules(gateway: &Gateway) -> Result<wire::ListRulesReply, ApiError> {
    Ok(wire::ListRulesReply { rules: gateway.rules()?.iter().map(convert::rule).collect() })
}
