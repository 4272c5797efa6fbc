//! Looks a database through.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};
use tokio::time::Instant;

use super::cause::StorageCause;

/// After so many steps of SQLite's it is asked whether time is up.
const STEPS: i32 = 20_000;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing wrong.
    Whole,
    /// Nothing wrong so far, and then time was up.
    Unfinished,
    /// Only the search index is damaged.
    Index,
    /// Rows are.
    Damaged(String),
}

/// Looks for pages that make no sense, for `limit` at most: a gigabyte takes some seconds.
pub(crate) fn quick(conn: &Connection, limit: Duration) -> rusqlite::Result<Found> {
    let begun = Instant::now();
    let late = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&late);
    let is_over = move || {
        let over = begun.elapsed() > limit;
        if over {
            seen.store(true, Ordering::Relaxed);
        }
        over
    };
    conn.progress_handler(STEPS, Some(is_over))?;
    let looked = look(conn, "PRAGMA quick_check(4)");
    conn.progress_handler(0, None::<fn() -> bool>)?;
    match looked {
        Ok(Found::Whole | Found::Index) if late.load(Ordering::Relaxed) => Ok(Found::Unfinished),
        Err(rusqlite::Error::SqliteFailure(failure, _)) if failure.code == ErrorCode::OperationInterrupted => {
            Ok(Found::Unfinished)
        }
        other => other,
    }
}

/// Looks at everything, rows against indexes too.
pub(crate) fn whole(conn: &Connection) -> rusqlite::Result<Found> {
    look(conn, "PRAGMA integrity_check(4)")
}

fn look(conn: &Connection, sql: &str) -> rusqlite::Result<Found> {
    let mut statement = conn.prepare(sql)?;
    let lines: Vec<String> = match statement.query_map([], |row| row.get(0))?.collect() {
        // The damage may be such that it cannot even be looked at.
        Err(error) => match crate::health::trouble::Trouble::of(&error) {
            Some(trouble) if trouble.cause == StorageCause::Corrupt => return Ok(Found::Damaged(trouble.detail)),
            _ => return Err(error),
        },
        Ok(lines) => lines,
    };
    let of_rows: Vec<&str> = lines.iter().map(String::as_str).filter(|line| *line != "ok" && !of_index(line)).collect();
    Ok(match (of_rows.as_slice(), lines.iter().any(|line| of_index(line))) {
        ([], false) => Found::Whole,
        ([], true) => Found::Index,
        (rows, _) => Found::Damaged(rows.join("; ")),
    })
}

/// Both that it is malformed and that it could not be looked at.
fn of_index(line: &str) -> bool {
    let line = line.to_lowercase();
    line.contains("fts5") && line.contains("item_fts")
}
