//! Every session of a profile in one file: a line of JSON for the profile, for each session, and for each of its entries.
//!
//! What programs wrote is masked as in the export of one transcript.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatehouse_domain::{Exit, ItemKind};
use gatehouse_store::{ApprovalRow, CardRow, ItemFull, SessionRow, Snapshot, UnitRow};
use serde::Serialize;
use serde_json::{Value, json};

use super::Leaving;
use crate::core::Core;
use crate::error::{Error, Result};
use crate::feed;
use crate::gateway::Gateway;

/// The number of this format.
const FORMAT: u32 = 1;
/// The directory in the profile's own.
const DIR: &str = "exports";
/// So many entries are read at once.
const PAGE: u32 = 500;

/// A file with everything that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileExport {
    /// Where it lies.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// How many sessions are in it.
    pub sessions: u64,
    /// How many entries.
    pub items: u64,
}

impl Gateway {
    /// Writes every session into one new file.
    pub async fn export_profile(&self) -> Result<ProfileExport> {
        let core = Arc::clone(self.core());
        let written = tokio::task::spawn_blocking(move || export(&core));
        written.await.map_err(|_| Error::ShuttingDown)?
    }
}

fn export(core: &Core) -> Result<ProfileExport> {
    let dir = core.profile_dir().join(DIR);
    let path = dir.join(format!("{}.jsonl", core.now().utc()));
    let half = path.with_extension("jsonl.part");
    let cannot = |error: io::Error| {
        Error::Invalid(format!("{} cannot be written: {error}. Check the space on its disk.", path.display()))
    };
    // Where the profile itself was taken away, nothing is made in its place.
    let made = match DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    };
    let file = made.and_then(|()| OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&half));
    let mut lines = Lines { to: BufWriter::new(file.map_err(cannot)?), sessions: 0, items: 0, failed: None };
    // All of one moment.
    core.store.read(|rows| lines.everything(core, rows))?;
    let bytes = lines.end(&half, &path).map_err(|error| {
        // Half an export is none; that it stays is told by its name.
        let _stays = fs::remove_file(&half);
        cannot(error)
    });
    Ok(ProfileExport { bytes: bytes?, sessions: lines.sessions, items: lines.items, path })
}

struct Lines {
    to: BufWriter<File>,
    sessions: u64,
    items: u64,
    /// Once a line could not be written, the rest is not tried.
    failed: Option<io::Error>,
}

impl Lines {
    fn everything(&mut self, core: &Core, rows: &Snapshot<'_>) -> gatehouse_store::Result<()> {
        let secrets = core.secrets();
        let leaving = Leaving { secrets: secrets.iter().map(|secret| secret.expose().as_str()).collect() };
        let mut sessions = rows.sessions().list()?;
        sessions.sort_by_key(|row| (row.created_at, row.id.uuid()));
        self.line(&json!({ "type": "profile", "format": FORMAT, "profile": core.profile, "atMs": core.now().0 }));
        for row in sessions {
            self.sessions += 1;
            self.line(&session(&row));
            let mut after = Some(0);
            while let Some(from) = after.take()
                && self.failed.is_none()
            {
                for entry in rows.items().page(row.id, Some(from), None, PAGE)? {
                    after = Some(entry.row.seq);
                    // What is for the model only is not shown to a person either.
                    if entry.row.kind != ItemKind::Hidden {
                        self.items += 1;
                        self.line(&item(&feed::with_live_words(core, entry), &leaving));
                    }
                }
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &impl Serialize) {
        if self.failed.is_some() {
            return;
        }
        let written = serde_json::to_writer(&mut self.to, line).map_err(io::Error::from);
        self.failed = written.and_then(|()| self.to.write_all(b"\n")).err();
    }

    /// Puts the whole file in its place; its size.
    fn end(&mut self, half: &Path, path: &Path) -> io::Result<u64> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.to.flush()?;
        self.to.get_ref().sync_all()?;
        fs::rename(half, path)?;
        Ok(fs::metadata(path)?.len())
    }
}

fn session(row: &SessionRow) -> Value {
    json!({
        "type": "session",
        "sessionId": row.id.to_string(),
        "title": row.title,
        "createdMs": row.created_at.0,
        "continues": row.parent.map(|parent| parent.to_string()),
        "ended": row.end_reason.map(|reason| reason.as_str()),
    })
}

fn item(item: &ItemFull, leaving: &Leaving<'_>) -> Value {
    let row = &item.row;
    json!({
        "type": "item",
        "sessionId": row.session.to_string(),
        "itemId": row.id.to_string(),
        "seq": row.seq,
        "author": row.author.as_str(),
        "kind": row.kind.as_str(),
        "atMs": row.at.0,
        "text": row.text,
        "failure": row.failure.map(|failure| failure.as_str()),
        "card": item.card.as_ref().map(|done| card(done, leaving)),
        "approval": item.approval.as_ref().map(|asked| approval(asked, leaving)),
        "units": item.units.iter().map(|told| unit(told, leaving)).collect::<Vec<_>>(),
    })
}

fn card(card: &CardRow, leaving: &Leaving<'_>) -> Value {
    json!({
        "tool": card.tool,
        "title": card.title,
        "details": leaving.text(&card.details),
        "arguments": leaving.text(&card.arguments),
        "status": card.status.as_str(),
        "output": leaving.text(&card.output),
        "outputBytes": card.output_bytes,
    })
}

fn approval(asked: &ApprovalRow, leaving: &Leaving<'_>) -> Value {
    json!({ "command": leaving.text(&asked.command), "cwd": asked.cwd, "state": asked.state.as_str() })
}

fn unit(told: &UnitRow, leaving: &Leaving<'_>) -> Value {
    json!({
        "producer": told.producer.as_str(),
        "command": leaving.text(&told.command),
        "state": told.outcome.map(|tasks| tasks.as_str()).or(told.state.map(|state| state.as_str())),
        "exit": told.exit.map(exit),
        "output": leaving.text(&told.output_tail),
    })
}

fn exit(exit: Exit) -> Value {
    match exit {
        Exit::Code(code) => json!({ "code": code }),
        Exit::Signal(signal) => json!({ "signal": signal }),
        Exit::Unknown => json!({}),
    }
}
