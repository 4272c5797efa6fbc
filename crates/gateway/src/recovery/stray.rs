//! Jobs that live and have no row: a backup was put in the place of the data, and they were started after it was made.
//! Each gets a row, so that it can be seen and stopped, and a line says where it comes from. Nobody is owed a turn for
//! its end: who asked for that is not in the data any more.

use std::collections::HashSet;
use std::sync::Arc;

use gatehouse_domain::{EpochMs, ItemId, ProcessId, Producer, SessionId, UnitId, Wants};
use gatehouse_process::{Stdin, Stray};
use gatehouse_store::{NewItem, NewProcess, NewSession, NewUnit, Tx};

use crate::core::Core;
use crate::error::{Error, Result};
use crate::notice::command_name;

/// What the conversation is called that takes them where their own one is not in the data either.
const TITLE: &str = "Processes newer than the restored backup";

/// One transaction for all. What is taken in is found again like everything else.
pub(super) async fn take_in(core: &Arc<Core>) -> Result<()> {
    let known = core.store.read(|s| s.processes().list(None, true))?.into_iter().map(|row| row.id).collect();
    let strays = find(core, known).await?;
    if strays.is_empty() {
        return Ok(());
    }
    tracing::warn!(count = strays.len(), "Jobs live that no row tells of; they are taken in.");
    let task = Arc::clone(core);
    core.store.write(move |tx| Taking { core: &task, tx, at: task.now() }.all(&strays)).await?;
    Ok(())
}

async fn find(core: &Core, known: HashSet<ProcessId>) -> Result<Vec<Stray>> {
    let supervisor = core.supervisor.clone();
    let found = tokio::task::spawn_blocking(move || supervisor.strays(&known)).await;
    Ok(found.map_err(|_| Error::ShuttingDown)??)
}

struct Taking<'a, 'c> {
    core: &'a Core,
    tx: &'a Tx<'c>,
    at: EpochMs,
}

impl Taking<'_, '_> {
    fn all(&self, strays: &[Stray]) -> gatehouse_store::Result<()> {
        let mut shelter = None;
        for stray in strays {
            let own = stray.owner.parse::<SessionId>().ok();
            let session = match own.map(|id| self.tx.sessions().get(id)).transpose()?.flatten() {
                Some(session) => session.id,
                None => match shelter {
                    Some(session) => session,
                    None => *shelter.insert(self.open()?),
                },
            };
            self.one(stray, session)?;
        }
        Ok(())
    }

    fn open(&self) -> gatehouse_store::Result<SessionId> {
        let id = SessionId::from_uuid(self.core.ids.fresh());
        self.tx.sessions_mut().insert(&NewSession {
            id,
            title: TITLE.into(),
            client_key: None,
            route: format!("desktop:{id}"),
            delegated_from: None,
            at: self.at,
        })?;
        Ok(id)
    }

    fn one(&self, stray: &Stray, session: SessionId) -> gatehouse_store::Result<()> {
        let at = started(stray.id).unwrap_or(self.at);
        self.tx.processes_mut().insert(&NewProcess {
            id: stray.id,
            session,
            turn: None,
            card: None,
            command: stray.command.clone(),
            cwd: stray.cwd.clone(),
            notify: false,
            persist: false,
            pty: stray.pty.map(|size| (size.rows.into(), size.cols.into())),
            stdin: stray.pty.is_none() && stray.stdin == Stdin::Pipe,
            max_runtime_ms: stray.max_runtime.map(|most| u64::try_from(most.as_millis()).unwrap_or(u64::MAX)),
            restart_of: None,
            at,
        })?;
        self.tx.units_mut().owe(&NewUnit {
            id: UnitId::from_uuid(self.core.ids.fresh()),
            producer: Producer::Process,
            identity: format!("process:{}", stray.id),
            session,
            process: Some(stray.id),
            turn: None,
            command: stray.command.clone(),
            wants: Wants::Notice,
            at,
        })?;
        let words = format!(
            "{} runs. It was started after the restored backup was made, so nothing here tells why. You can look at it and \
             stop it; its end is told here.",
            command_name(&stray.command)
        );
        let line = NewItem::notice(ItemId::from_uuid(self.core.ids.fresh()), session, words, self.at);
        self.tx.items_mut().insert(&line)?;
        Ok(())
    }
}

/// Ids hold the time at which they were made.
fn started(id: ProcessId) -> Option<EpochMs> {
    let (seconds, nanos) = id.uuid().get_timestamp()?.to_unix();
    Some(EpochMs(i64::try_from(seconds).ok()? * 1_000 + i64::from(nanos / 1_000_000)))
}
