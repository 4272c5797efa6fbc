//! Notices.

use gatehouse_gateway::row::{NoticeFull, SilencedSource};

use crate::wire;

pub(crate) fn notice(full: &NoticeFull) -> wire::Notice {
    let row = &full.row;
    wire::Notice {
        notice_id: row.id.to_string(),
        rev: row.rev.0.into(),
        kind: row.kind.as_str().into(),
        tone: row.tone.as_str().into(),
        title: row.title.clone(),
        body: row.body.clone(),
        session_id: row.session.to_string(),
        session_title: full.session_title.clone(),
        seq: row.seq.map(Into::into),
        process_id: row.process.map(|p| p.to_string()),
        approval_id: row.approval.map(|a| a.to_string()),
        at_ms: row.at.into(),
        read: row.read,
        muted: full.muted,
    }
}

pub(crate) fn muted(source: SilencedSource) -> wire::Muted {
    wire::Muted { session_id: source.session.to_string(), command: source.command, title: source.title }
}
