//! Typing to a process, by a person or by the agent: both go through one line, in the order in which they ask.

use std::sync::Arc;

use gatehouse_domain::ProcessId;
use gatehouse_process::{Then, WriteOutcome};

use super::launch::size;
use crate::core::Core;
use crate::error::{Error, Result};

/// Rows and columns of a terminal until somebody says otherwise.
pub const USUAL_SIZE: (u32, u32) = (30, 120);

/// Types to a process.
pub(crate) async fn write_input(core: &Arc<Core>, id: ProcessId, bytes: Vec<u8>, then: Then) -> Result<WriteOutcome> {
    lives(core, id)?;
    core.supervisor.write_input(id, bytes, then).await.map_err(closed)
}

/// Gives a process's terminal another size.
pub(crate) async fn resize(core: &Arc<Core>, id: ProcessId, rows: u32, cols: u32) -> Result<()> {
    lives(core, id)?;
    core.supervisor.resize(id, size((rows, cols))).await.map_err(closed)?;
    core.store.write(move |tx| tx.processes_mut().set_size(id, rows, cols)).await?;
    Ok(())
}

/// One that is over takes nothing.
fn lives(core: &Core, id: ProcessId) -> Result<()> {
    let row = core.store.read(|s| s.processes().get(id))?.ok_or(Error::NotFound("process"))?;
    if row.state.is_final() {
        return Err(Error::ProcessClosed("This process has ended.".into()));
    }
    Ok(())
}

fn closed(error: gatehouse_process::Error) -> Error {
    match error {
        gatehouse_process::Error::NotTyped { refusal, .. } => {
            let words = refusal.to_string();
            let mut letters = words.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            Error::ProcessClosed(format!("{first}{}.", letters.as_str()))
        }
        other => other.into(),
    }
}
