//! Entries that a person has taken back. No transcript shows them and no model reads them; they are kept.

use gatehouse_domain::{EpochMs, ItemId, SessionId};

use super::item::ItemsMut;
use crate::error::Result;
use crate::sql::{args, change, values};

pub(crate) const ADDED: &str = "
CREATE TABLE undone (
    item      BLOB    PRIMARY KEY NOT NULL, -- the entry that it was
    session   BLOB    NOT NULL REFERENCES session (id),
    seq       INTEGER NOT NULL,
    turn      BLOB,
    author    TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    text      TEXT    NOT NULL, -- of a call: the call, and what came of it
    at        INTEGER NOT NULL,
    undone_at INTEGER NOT NULL
) STRICT;
";

/// Entries of a session from a place on. What is handed on stays in sight, because it may still be at work.
const FROM: &str = "FROM item LEFT JOIN card ON card.item = item.id
    WHERE item.session = ?1 AND item.seq >= ?2 AND item.kind <> 'delegation'";

impl ItemsMut<'_> {
    /// Takes a person's last messages back, with everything since the first of them; their words, in their order. What
    /// machines said is counted by nobody.
    pub fn undo(&self, session: SessionId, messages: u32, at: EpochMs) -> Result<Vec<String>> {
        let conn = self.tx.conn;
        let of_people = "FROM item WHERE session = ?1 AND kind = 'message' AND author = 'human'";
        let sql = format!("SELECT seq {of_people} ORDER BY seq DESC LIMIT ?2");
        let Some(from) = values::<u64>(conn, &sql, args![session, messages])?.pop() else { return Ok(Vec::new()) };
        let words = values(conn, &format!("SELECT text {of_people} AND seq >= ?2 ORDER BY seq"), args![session, from])?;
        let keep = format!(
            "INSERT INTO undone (item, session, seq, turn, author, kind, text, at, undone_at)
             SELECT item.id, item.session, item.seq, item.turn, item.author, item.kind,
                 item.text || coalesce(card.tool || ' ' || card.arguments || char(10)
                     || coalesce(card.result, card.output), ''),
                 item.at, ?3 {FROM}"
        );
        change(conn, &keep, args![session, from, at])?;
        let undone: Vec<ItemId> = values(conn, &format!("SELECT item.id {FROM}"), args![session, from])?;
        for item in undone {
            // A process that still runs puts a new line where its old one was.
            change(conn, "UPDATE process SET line = NULL WHERE line = ?1", args![item])?;
            self.remove(item)?;
        }
        Ok(words)
    }
}
