//! Questions and rules.

use gatehouse_gateway::Gateway;

use super::Command;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire;

impl Command for wire::ListApprovals {
    type Reply = wire::ListApprovalsReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("list_approvals is not possible yet."))
    }
}

impl Command for wire::ListRules {
    type Reply = wire::ListRulesReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("list_rules is not possible yet."))
    }
}

impl Command for wire::RemoveRule {
    type Reply = wire::ListRulesReply;

    async fn run(self, _: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        Err(ApiError::invalid("remove_rule is not possible yet."))
    }
}
