//! Questions, answers and rules.

use gatehouse_domain::ApprovalChoice;
use gatehouse_gateway::row::{ApprovalRow, RuleRow};
use gatehouse_text::ansi::escape_invisible;

use crate::wire;

/// What may be answered; a pattern only where one can fit.
pub(super) fn choices(row: &ApprovalRow) -> Vec<String> {
    let offered = ApprovalChoice::ALL.iter().filter(|choice| **choice != ApprovalChoice::Pattern || row.takes_pattern);
    offered.map(|choice| choice.as_str().into()).collect()
}

/// A sentence each; none is no field.
pub(super) fn dangers(row: &ApprovalRow) -> Option<Vec<String>> {
    (!row.dangers.is_empty()).then(|| row.dangers.lines().map(str::to_owned).collect())
}

pub(super) fn answer(row: &ApprovalRow) -> Option<wire::ApprovalAnswer> {
    Some(wire::ApprovalAnswer {
        choice: row.choice?.as_str().into(),
        by: row.answered_by?.as_str().into(),
        at_ms: row.answered_at?.into(),
        pattern: row.pattern.clone(),
        reason: row.reason.clone(),
    })
}

/// Exactly what would run, with nothing hidden in it.
pub(super) fn command(row: &ApprovalRow) -> String {
    escape_invisible(&row.command)
}

pub(crate) fn rule(row: &RuleRow) -> wire::Rule {
    wire::Rule {
        rule_id: row.id.to_string(),
        kind: row.kind.as_str().into(),
        text: escape_invisible(&row.text),
        cwd: row.cwd.clone(),
        session_id: row.session.map(|session| session.to_string()),
        created_at_ms: row.created_at.into(),
        uses: row.uses.into(),
        last_used_at_ms: row.last_used_at.map(Into::into),
    }
}
