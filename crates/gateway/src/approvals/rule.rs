//! Answers that last: which rule covers a command, and what an answer makes one of.

use gatehouse_agent::approval::rule::Pattern;
use gatehouse_domain::{AnsweredBy, ApprovalChoice, ApprovalId, EpochMs, RuleId, RuleKind, SessionId};
use gatehouse_store::{Answer, ApprovalRow, NewRule, Snapshot, Tx};

use super::{Reply, settle};
use crate::error::{Error, Result};

/// A rule's text is for eyes; a longer one is cut there, never where it is compared.
const NOTE_CHARS: usize = 200;

/// The rule that allows this command here, if one does.
pub(super) fn covering(
    rows: &Snapshot<'_>,
    session: SessionId,
    exact: &str,
    cwd: &str,
) -> gatehouse_store::Result<Option<RuleId>> {
    if let Some(rule) = rows.rules().for_command(session, exact, cwd)? {
        return Ok(Some(rule.id));
    }
    let fits = |text: &str| Pattern::parse(text).is_ok_and(|pattern| pattern.matches(exact));
    Ok(rows.rules().patterns()?.into_iter().find(|rule| fits(&rule.exact)).map(|rule| rule.id))
}

/// The rule that this answer makes, if it makes one. A pattern is read here, so that a bad one decides nothing.
pub(super) fn made_by(id: RuleId, reply: &Reply, asked: &ApprovalRow, at: EpochMs) -> Result<Option<NewRule>> {
    let exactly = |kind, session| NewRule {
        id,
        kind,
        text: asked.command.clone(),
        exact: asked.exact.clone(),
        cwd: Some(asked.cwd.clone()),
        session,
        at,
    };
    Ok(match reply.choice {
        ApprovalChoice::Once | ApprovalChoice::Deny => None,
        ApprovalChoice::Session => Some(exactly(RuleKind::Session, Some(asked.session))),
        ApprovalChoice::Always => Some(exactly(RuleKind::Exact, None)),
        ApprovalChoice::Pattern => {
            let pattern = fitting(reply.pattern.as_deref().unwrap_or_default(), &asked.exact)?;
            let text = pattern.as_str().to_owned();
            Some(NewRule { id, kind: RuleKind::Pattern, exact: text.clone(), text, cwd: None, session: None, at })
        }
    })
}

fn fitting(text: &str, command: &str) -> Result<Pattern> {
    let refused = |why: String| Error::Invalid(format!("{why}. Nothing was decided; the question is still open."));
    let pattern = Pattern::parse(text).map_err(|error| refused(error.to_string()))?;
    if !pattern.matches(command) {
        let why = format!("The pattern {:?} does not cover the command that is asked about", pattern.as_str());
        return Err(refused(why));
    }
    Ok(pattern)
}

/// Answers every other question that a rule covers by now, the oldest first; which ones.
pub(super) fn answer_covered(
    tx: &Tx<'_>,
    choice: ApprovalChoice,
    is_asked: impl Fn(ApprovalId) -> bool,
    at: EpochMs,
) -> gatehouse_store::Result<Vec<ApprovalId>> {
    let mut answered = Vec::new();
    for row in tx.approvals().all_pending()?.into_iter().filter(|row| is_asked(row.id)) {
        if let Some(rule) = covering(tx, row.session, &row.exact, &row.cwd)? {
            let answer = Answer { choice, by: AnsweredBy::Rule, pattern: None, reason: None, rule: Some(rule) };
            if tx.approvals_mut().answer(row.id, &answer, at)? {
                settle(tx, &row, at)?;
                answered.push(row.id);
            }
        }
    }
    Ok(answered)
}

/// What the card of a call says when a rule let it run.
pub(super) fn note(kind: RuleKind, text: &str) -> String {
    match kind {
        RuleKind::Session => "Allowed by a rule: this command in this folder, for this session".to_owned(),
        RuleKind::Exact => "Allowed by a rule: this command in this folder".to_owned(),
        RuleKind::Pattern => format!("Allowed by a rule: {}", text.chars().take(NOTE_CHARS).collect::<String>()),
    }
}
