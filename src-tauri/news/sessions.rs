//! Who needs somebody and what runs, from the sessions' rows.

use std::collections::HashMap;

use gatehouse_protocol::wire::{Session, Turn};

use crate::tray::{Told, Waiting};

/// Every session, as far as it matters here.
#[derive(Debug, Default)]
pub(super) struct Sessions(HashMap<String, Row>);

#[derive(Debug, Default)]
struct Row {
    needs: bool,
    last_at_ms: i64,
    running: u32,
    /// The last turn that ended was woken by the end of something.
    woken: bool,
}

impl Sessions {
    pub fn of(rows: Vec<Session>) -> Self {
        let mut sessions = Self::default();
        for row in rows {
            sessions.put(row);
        }
        sessions
    }

    pub fn put(&mut self, session: Session) {
        let row = self.0.entry(session.session_id).or_default();
        row.needs = session.group == "needs_you";
        row.last_at_ms = session.last_at_ms.0;
        row.running = session.running_processes;
    }

    pub fn turn(&mut self, turn: &Turn) {
        if turn.state != "running" {
            self.0.entry(turn.session_id.clone()).or_default().woken = turn.cause == "completion";
        }
    }

    pub fn remove(&mut self, session: &str) {
        self.0.remove(session);
    }

    pub fn was_woken(&self, session: &str) -> bool {
        self.0.get(session).is_some_and(|row| row.woken)
    }

    /// What the tray tells of them, as those of this profile.
    pub fn told(&self, profile: &str) -> Told {
        let needy = || self.0.iter().filter(|(_, row)| row.needs);
        let waiting = |(id, row): (&String, &Row)| Waiting {
            since_ms: row.last_at_ms,
            profile: profile.to_owned(),
            session_id: id.clone(),
        };
        Told {
            needed: u32::try_from(needy().count()).unwrap_or(u32::MAX),
            first: needy().min_by_key(|(_, row)| row.last_at_ms).map(waiting),
            running: self.0.values().map(|row| row.running).fold(0, u32::saturating_add),
        }
    }
}

#[cfg(test)]
mod tests {
    use gatehouse_protocol::wire::Int53;

    use super::*;

    fn session(id: &str, group: &str, at: i64, running: u32) -> Session {
        Session {
            session_id: id.into(),
            rev: Int53(1),
            title: id.into(),
            group: group.into(),
            unread: Int53(0),
            summary: String::new(),
            last_at_ms: Int53(at),
            running_turn_id: None,
            reaping: 0,
            pending_approvals: 0,
            running_processes: running,
            failed: false,
            queued: Vec::new(),
            queue_paused: false,
            muted: false,
            ended: None,
            next_session_id: None,
            last_seq: Int53(0),
            delegated_from: None,
            running_tasks: None,
        }
    }

    #[test]
    fn the_one_that_has_waited_longest_comes_first() {
        let mut sessions = Sessions::of(vec![
            session("a", "needs_you", 9, 1),
            session("b", "needs_you", 5, 0),
            session("c", "running", 1, 2),
        ]);
        let waiting = |since_ms, id: &str| Waiting { since_ms, profile: "work".into(), session_id: id.into() };
        assert_eq!(sessions.told("work"), Told { needed: 2, first: Some(waiting(5, "b")), running: 3 });
        sessions.put(session("b", "running", 10, 0));
        sessions.remove("c");
        assert_eq!(sessions.told("work"), Told { needed: 1, first: Some(waiting(9, "a")), running: 1 });
    }
}
