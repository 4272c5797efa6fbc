//! What a person does with a process besides looking at it and stopping it.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_domain::{ConsumedBy, ProcessId, StoppedBy};
use gatehouse_process::StopMode;
use gatehouse_store::ProcessRow;

use super::{Gateway, check_command};
use crate::core::Core;
use crate::error::{Error, Result};
use crate::process::{self, Start, StartCard, StartOrder, StopOrder};

impl Gateway {
    /// The ports on which a process was last seen to serve.
    pub fn ports_of(&self, process: ProcessId) -> Option<Vec<u16>> {
        self.core().live.ports(process)
    }

    /// Types to a process; how many bytes its input has taken.
    pub async fn write_input(&self, process: ProcessId, data: Vec<u8>, eof: bool) -> Result<u64> {
        let then = if eof { gatehouse_process::Then::End } else { gatehouse_process::Then::Nothing };
        Ok(process::write_input(self.core(), process, data, then).await?.bytes)
    }

    /// Gives a process's terminal another size.
    pub async fn resize_process(&self, process: ProcessId, rows: u32, cols: u32) -> Result<()> {
        process::resize(self.core(), process, rows, cols).await
    }

    /// Runs a process again in the same way, in its place: one that lives is stopped first. The same key again is the
    /// same restart.
    pub async fn restart_process(
        &self,
        process: ProcessId,
        force: bool,
        client_key: Option<String>,
    ) -> Result<ProcessId> {
        let core = self.core();
        let (row, watch) = core.store.read(|s| Ok((s.processes().get(process)?, s.watches().get(process)?)))?;
        let row = row.ok_or(Error::NotFound("process"))?;
        let known = |key: &String| core.store.read(|s| s.processes().by_client_key(row.session, key));
        if let Some(known) = client_key.as_ref().map(known).transpose()?.flatten() {
            return Ok(known.id);
        }
        check_command(&row.command, false)?;
        make_way(core, &row, force).await?;
        let manner = process::manner_of(&row, watch.as_ref());
        Ok(match process::start(core, again(row, manner, client_key)).await? {
            Start::Runs(row, _) | Start::Known(row) => row.id,
        })
    }
}

/// Ends what is left of a process. The end of one that had ended by itself is still reported to its conversation.
async fn make_way(core: &Arc<Core>, row: &ProcessRow, force: bool) -> Result<()> {
    let mode = if force { StopMode::Force } else { StopMode::Graceful };
    let consume = (!row.state.is_final()).then_some(ConsumedBy::Kill);
    let stopped = process::stop(core, StopOrder { process: row.id, by: StoppedBy::User, mode, consume }).await?;
    if stopped.survivors.is_empty() {
        return Ok(());
    }
    let pids = stopped.survivors.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    Err(Error::ProcessClosed(format!(
        "It was not started again: of the old one, {pids} still live and ignore every signal."
    )))
}

fn again(row: ProcessRow, manner: process::Manner, client_key: Option<String>) -> StartOrder {
    StartOrder {
        session: row.session,
        // It belongs to nobody's turn any more: a person wants it.
        turn: None,
        card: StartCard::None,
        command: row.command,
        cwd: Some(PathBuf::from(row.cwd)),
        notify: row.notify,
        persist: row.persist,
        manner,
        client_key,
    }
}
