//! To whom a report goes: the session that started the work, the one that carries it on, or nobody any more.

use gatehouse_domain::{EndReason, SessionId};

/// Work is handed on at most so often; a longer chain is taken for a circle.
pub const MOST_HOPS: usize = 16;

/// What there is to know about a session here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Why it takes no more turns.
    pub end: Option<EndReason>,
    /// The live transcript of its lineage; itself until it is compacted.
    pub tip: SessionId,
    /// Its lane.
    pub route: String,
    /// The session whose agent handed its work on to this one.
    pub delegated_from: Option<SessionId>,
}

/// Where sessions and lanes are looked up. An error means that nobody knows at the moment.
pub trait Lineage {
    /// Why it could not be looked up.
    type Error;

    /// What is known of a session.
    fn standing(&self, session: SessionId) -> Result<Option<Standing>, Self::Error>;

    /// The session that a lane leads to.
    fn current(&self, route: &str) -> Result<Option<SessionId>, Self::Error>;
}

/// To whom a report goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Into this session, with a turn that answers it.
    Deliver(SessionId),
    /// Into this session, which a person has closed: a note, and nothing is begun.
    Note(SessionId),
    /// To nobody: a person drew a line, or nobody can be shown to own it.
    Nobody,
    /// Its lineage is just being carried on: ask again.
    Later,
}

/// Follows the one who started the work to the one who is to be told. A person's line is never crossed, and who cannot
/// be shown to own a report is not told.
pub fn classify<L: Lineage>(lineage: &L, pin: SessionId) -> Result<Verdict, L::Error> {
    let Some((owner, standing)) = owner(lineage, pin)? else { return Ok(Verdict::Nobody) };
    match standing.end {
        None => Ok(Verdict::Deliver(owner)),
        Some(reason) if reason.is_boundary() => Ok(Verdict::Nobody),
        Some(EndReason::Closed) => Ok(Verdict::Note(owner)),
        Some(EndReason::Compaction) => carried_on(lineage, owner, &standing),
        Some(EndReason::Idle | EndReason::Daily | EndReason::NewSession) => follow_lane(lineage, owner, &standing),
    }
}

/// The person's own session behind a chain of sessions that work for each other.
fn owner<L: Lineage>(lineage: &L, pin: SessionId) -> Result<Option<(SessionId, Standing)>, L::Error> {
    let (mut session, mut seen) = (pin, Vec::new());
    while let Some(standing) = lineage.standing(session)? {
        let Some(from) = standing.delegated_from else { return Ok(Some((session, standing))) };
        seen.push(session);
        if standing.end.is_some_and(EndReason::is_boundary) || seen.contains(&from) || seen.len() > MOST_HOPS {
            return Ok(None);
        }
        session = from;
    }
    Ok(None)
}

/// A compacted session goes on at its tip, if its lane agrees.
fn carried_on<L: Lineage>(lineage: &L, owner: SessionId, standing: &Standing) -> Result<Verdict, L::Error> {
    let tip = standing.tip;
    if tip == owner {
        return Ok(Verdict::Later);
    }
    let Some(at_tip) = lineage.standing(tip)? else { return Ok(Verdict::Later) };
    let agrees = match lineage.current(&standing.route)? {
        None => true,
        Some(current) if current == owner || current == tip => true,
        Some(current) => {
            lineage.standing(current)?.is_some_and(|other| other.end == Some(EndReason::Compaction) && other.tip == tip)
        }
    };
    match at_tip.end {
        Some(EndReason::Closed) => Ok(Verdict::Note(tip)),
        Some(reason) if reason.is_boundary() => Ok(Verdict::Nobody),
        Some(EndReason::Compaction) => Ok(Verdict::Later),
        Some(EndReason::Idle | EndReason::Daily | EndReason::NewSession) => follow_lane(lineage, tip, &at_tip),
        None if agrees => Ok(Verdict::Deliver(tip)),
        None => Ok(Verdict::Nobody),
    }
}

/// A session that ended because time passed is followed by whatever its lane leads to.
fn follow_lane<L: Lineage>(lineage: &L, ended: SessionId, standing: &Standing) -> Result<Verdict, L::Error> {
    let Some(current) = lineage.current(&standing.route)? else { return Ok(Verdict::Later) };
    if current == ended {
        return Ok(Verdict::Deliver(ended));
    }
    let Some(next) = lineage.standing(current)? else { return Ok(Verdict::Later) };
    Ok(match next.end {
        None | Some(EndReason::Idle | EndReason::Daily) => Verdict::Deliver(current),
        Some(EndReason::Closed) => Verdict::Note(current),
        Some(EndReason::Compaction) => Verdict::Later,
        Some(EndReason::NewSession) => Verdict::Nobody,
    })
}

#[cfg(test)]
mod tests;
