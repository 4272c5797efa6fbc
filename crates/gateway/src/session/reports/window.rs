//! Reports that are being collected when the gateway goes down.

use std::sync::Arc;

use gatehouse_domain::{AbandonCause, Clock, EpochMs, Exit, ItemKind, Mono, SessionId, UnitId, Wants};
use tokio::sync::oneshot;

use crate::session::Message;
use crate::testing::{LIMIT, open, open_at, owed, report, until};
use crate::{Gateway, SystemClock};

/// A clock on which no time goes by, so that a window that is open stays open.
#[derive(Default)]
struct Still(SystemClock);

impl Clock for Still {
    fn wall(&self) -> EpochMs {
        self.0.wall()
    }

    fn mono(&self) -> Mono {
        Mono::default()
    }
}

/// So many reports come at once; more than anything of the house keeps of what is over.
const ENDED: usize = 60;

async fn owe(gateway: &Gateway, session: SessionId, has_ended: bool) {
    let (id, at) = (UnitId::from_uuid(gateway.core().ids.fresh()), gateway.core().now());
    let written = gateway.core().store.write(move |tx| {
        tx.units_mut().owe(&owed(id, session, Wants::Turn, at))?;
        if has_ended { tx.units_mut().finish(id, &report(Exit::Code(0), at)).map(drop) } else { Ok(()) }
    });
    written.await.unwrap();
}

/// How many reports are still owed, and how many each note tells.
fn stands(gateway: &Gateway, session: SessionId) -> (usize, Vec<usize>) {
    let read = gateway.core().store.read(|s| Ok((s.units().pending_of(session)?, s.items().transcript(session)?)));
    let (owed, items) = read.unwrap();
    let notes = items.iter().filter(|item| item.row.kind == ItemKind::MachineNote);
    (owed.len(), notes.map(|note| note.units.len()).collect())
}

#[tokio::test]
async fn a_shutdown_while_reports_are_collected_leaves_all_of_them_to_the_next_start() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open_at(home.path(), Arc::<Still>::default()).await;
    let session = gateway.create_session(None, None).await.unwrap();
    // Another one still runs, so these are waited with.
    owe(&gateway, session, false).await;
    for _ in 0..ENDED {
        owe(&gateway, session, true).await;
    }
    let core = gateway.core();
    core.actors.send(core, session, Message::ReportDue).await.unwrap();
    let (reply, answer) = oneshot::channel();
    core.actors.send(core, session, Message::Stop { turn: None, cause: AbandonCause::Stop, reply }).await.unwrap();
    assert_eq!(answer.await.unwrap(), None, "the actor has looked, and no turn runs");
    assert_eq!(stands(&gateway, session), (ENDED + 1, vec![]), "the window is open");
    let down = tokio::time::timeout(LIMIT, gateway.shutdown()).await;
    assert!(down.is_ok(), "nobody waits for a window");

    let gateway = open(home.path()).await;
    until(&gateway, "the reports", |s| Ok(s.units().pending_of(session)?.len() == 1)).await;
    until(&gateway, "the end of its turn", |s| Ok(s.turns().running(session)?.is_none())).await;
    assert_eq!(stands(&gateway, session), (1, vec![ENDED]));
    gateway.shutdown().await;
    let gateway = open(home.path()).await;
    assert_eq!(stands(&gateway, session), (1, vec![ENDED]));
    gateway.shutdown().await;
}
