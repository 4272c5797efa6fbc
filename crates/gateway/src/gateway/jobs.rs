//! What a person does with a process: starts it, looks at it, speaks to it, stops it, and runs it again.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_domain::{ConsumedBy, ProcessId, ProcessState, SessionId, StoppedBy};
use gatehouse_process::{OutputSlice, StopMode};
use gatehouse_store::ProcessRow;

use super::{Gateway, check_command};
use crate::core::Core;
use crate::error::{Error, Result};
use crate::process::{self, Manner, Start, StartCard, StartOrder, StopOrder};
use crate::session::Asked;

/// What is said when a watch is asked for together with the report of the end.
const WATCH_IGNORED: &str =
    "The watch patterns are ignored: the end of this process is reported, and with it what it wrote.";

/// A process that a person starts.
#[derive(Debug, Clone)]
pub struct NewProcessRequest {
    /// Whose.
    pub session: SessionId,
    /// What.
    pub command: String,
    /// Where.
    pub cwd: Option<PathBuf>,
    /// Its end is told to the conversation.
    pub notify: bool,
    /// Survives the sweeps that end a turn's processes.
    pub persist: bool,
    /// In which way it runs.
    pub manner: Manner,
    /// The same key again is the same process.
    pub client_key: Option<String>,
}

/// What a stop of a process left.
#[derive(Debug, Clone)]
pub struct StopOutcome {
    /// The process's state now.
    pub state: ProcessState,
    /// Members of its tree that still live.
    pub survivors: Vec<u32>,
}

impl Gateway {
    /// A person starts a process. Their own command is its own consent; the hardline floor stays. What was asked for in
    /// vain comes back beside the process.
    pub async fn start_process(&self, request: NewProcessRequest) -> Result<(ProcessId, Option<String>)> {
        self.core().require_session(request.session)?;
        let command = request.command.trim();
        check_command(command, false)?;
        let note = (request.notify && !request.manner.watch.is_empty()).then(|| WATCH_IGNORED.to_owned());
        // As it would be typed, which no words begin like.
        let ask = |key| Asked::new(self.core(), request.session, key, format!("!{command}"));
        let asked = request.client_key.map(ask);
        let order = StartOrder {
            session: request.session,
            turn: None,
            card: StartCard::None,
            command: command.to_owned(),
            cwd: request.cwd,
            notify: request.notify,
            persist: request.persist,
            manner: request.manner,
            asked,
        };
        Ok(match process::start(self.core(), order).await? {
            Start::Runs(row, launched) => (row.id, note.or(launched.pty_note)),
            Start::Known(id) => (id, note),
        })
    }

    /// Processes, the newest first, with output totals as of now.
    pub fn processes(&self, session: Option<SessionId>, include_finished: bool) -> Result<Vec<ProcessRow>> {
        if let Some(session) = session {
            self.core().require_session(session)?;
        }
        let rows = self.core().store.read(|s| s.processes().list(session, include_finished))?;
        Ok(rows.into_iter().map(|row| self.with_live_output(row)).collect())
    }

    /// A process's row with its output total as of now.
    pub fn with_live_output(&self, mut row: ProcessRow) -> ProcessRow {
        if let Some(live) = self.core().live.output(row.id) {
            row.output_bytes = row.output_bytes.max(live.total);
            row.last_output_at = Some(live.at);
        }
        row
    }

    /// Output by byte offset, raw.
    pub fn read_output(&self, process: ProcessId, from: Option<u64>, max: usize) -> Result<OutputSlice> {
        self.core().store.read(|s| s.processes().get(process))?.ok_or(Error::NotFound("process"))?;
        match self.core().supervisor.read_output(process, from, max) {
            Ok(slice) => Ok(slice),
            // It never ran, so it has no run directory.
            Err(gatehouse_process::Error::UnknownProcess(_)) => {
                Ok(OutputSlice { from: 0, next: 0, total: 0, bytes: Vec::new(), dropped_before: 0 })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A person ends a process and its tree; answered when verified.
    pub async fn stop_process(&self, process: ProcessId, force: bool) -> Result<StopOutcome> {
        let order = StopOrder {
            process,
            by: StoppedBy::User,
            mode: if force { StopMode::Force } else { StopMode::Graceful },
            consume: Some(ConsumedBy::Kill),
        };
        let stopped = process::stop(self.core(), order).await?;
        Ok(StopOutcome { state: stopped.state, survivors: stopped.survivors })
    }

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
    /// same restart. What the new one was asked to have in vain comes back beside it.
    pub async fn restart_process(
        &self,
        process: ProcessId,
        force: bool,
        client_key: Option<String>,
    ) -> Result<(ProcessId, Option<String>)> {
        let core = self.core();
        let (row, watch) = core.store.read(|s| Ok((s.processes().get(process)?, s.watches().get(process)?)))?;
        let row = row.ok_or(Error::NotFound("process"))?;
        let ask = |key| Asked::new(core, row.session, key, format!("restart {process}"));
        let asked = client_key.map(ask);
        if let Some(known) = process::known(core, asked.as_ref())? {
            return Ok((known, None));
        }
        check_command(&row.command, false)?;
        make_way(core, &row, force).await?;
        let manner = process::manner_of(&row, watch.as_ref());
        Ok(match process::start(core, again(row, manner, asked)).await? {
            Start::Runs(row, launched) => (row.id, launched.pty_note),
            Start::Known(id) => (id, None),
        })
    }

    /// Ends all of them, at the end of the gateway.
    pub(super) async fn stop_all(&self) {
        // Behind every start that is still being recorded; where nothing can be written, none is.
        if let Err(error) = self.core().store.write(|_| Ok(())).await {
            tracing::warn!("Processes are listed without waiting for the writer: {error:#}");
        }
        let live = self.core().store.read(|s| s.processes().unsettled()).unwrap_or_else(|error| {
            tracing::error!("Processes cannot be listed, so they are left running: {error:#}");
            Vec::new()
        });
        let stops = live.into_iter().map(|row| {
            let order = StopOrder {
                process: row.id,
                by: StoppedBy::Quit,
                mode: StopMode::Graceful,
                consume: Some(ConsumedBy::Kill),
            };
            process::stop(self.core(), order)
        });
        for stopped in futures_util::future::join_all(stops).await {
            if let Err(error) = stopped {
                tracing::warn!("A process could not be stopped: {error}");
            }
        }
    }
}

/// Ends what is left of a process.
async fn make_way(core: &Arc<Core>, row: &ProcessRow, force: bool) -> Result<()> {
    let mode = if force { StopMode::Force } else { StopMode::Graceful };
    let order = StopOrder { process: row.id, by: StoppedBy::User, mode, consume: Some(ConsumedBy::Kill) };
    let stopped = process::stop(core, order).await?;
    if stopped.survivors.is_empty() {
        return Ok(());
    }
    let pids = stopped.survivors.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    Err(Error::ProcessClosed(format!(
        "It was not started again: of the old one, {pids} still live and ignore every signal."
    )))
}

fn again(row: ProcessRow, manner: Manner, asked: Option<Asked>) -> StartOrder {
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
        asked,
    }
}
