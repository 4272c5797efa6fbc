//! What waits for a person's word is read as of one moment, and put away for good.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatehouse_domain::{
    Category, DeliveryState, DropReason, EpochMs, Exit, Fence, IncidentId, OutboxState, Rev, SegmentKind, TurnId, Wants,
};
use gatehouse_store::{NewObligation, ObligationRow, Progress};

use super::*;
use crate::testing::{open, owed, report};
use crate::{FeedChange, FeedRequest};

async fn told_after(gateway: &Gateway, after: Rev) -> Vec<FeedChange> {
    let wait = Duration::from_secs(20);
    let request = FeedRequest { after, wait, client: Some("window".into()), ..FeedRequest::default() };
    gateway.next_feed(request).await.unwrap().changes
}

fn incidents_told(changes: &[FeedChange]) -> Option<u32> {
    changes.iter().find_map(|change| if let FeedChange::Incidents(count) = change { Some(*count) } else { None })
}

#[tokio::test]
async fn a_held_report_is_put_away_for_good() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    let session = gateway.create_session(Some("Orders".into()), None).await.unwrap();
    let unit = UnitId::from_uuid(gateway.core().ids.fresh());
    let owe = move |tx: &gatehouse_store::Tx<'_>| {
        tx.units_mut().owe(&owed(unit, session, Wants::Turn, EpochMs(1)))?;
        tx.units_mut().finish(unit, &report(Exit::Code(0), EpochMs(2))).map(drop)
    };
    gateway.core().store.write(owe).await.unwrap();
    let backup = gateway.backup_now().await.unwrap();
    gateway.restore_backup(&backup.name).unwrap();
    gateway.shutdown().await;

    let gateway = open(home.path()).await;
    let waiting = gateway.waiting().unwrap();
    let held: Vec<_> = waiting.reports.iter().map(|row| row.id).collect();
    assert_eq!((waiting.incidents.len(), held), (1, vec![unit]));
    let before = gateway.core().store.rev();
    gateway.resolve_incident(IncidentId::from_uuid(unit.uuid())).await.unwrap();
    assert_eq!(incidents_told(&told_after(&gateway, before).await), Some(1), "the restore itself is still told");
    let row = gateway.core().store.read(|s| s.units().get(unit)).unwrap().unwrap();
    assert_eq!((row.delivery, row.dropped), (DeliveryState::Dropped, Some(DropReason::Operator)));
    let again = gateway.resolve_incident(IncidentId::from_uuid(unit.uuid())).await;
    assert!(matches!(again, Err(Error::NotFound(_))), "{again:?}");
    gateway.resolve_incident(waiting.incidents[0].row.id).await.unwrap();
    assert_eq!(incidents_told(&told_after(&gateway, before).await), Some(0));
    gateway.shutdown().await;
}

/// Words that a turn of the session owes to a channel that is not there.
fn words(session: SessionId, turn: TurnId, at: EpochMs) -> NewObligation {
    NewObligation {
        route: String::new(),
        platform: "slack".into(),
        origin: String::new(),
        session,
        turn: Some(turn),
        segment: 0,
        kind: SegmentKind::Text,
        payload: "It is done.".into(),
        category: Category::Result,
        anchor: None,
        ledger: String::new(),
        live_message: None,
        at,
    }
}

fn given_up(row: &ObligationRow) -> Progress {
    Progress {
        kind: row.kind,
        state: OutboxState::Abandoned,
        attempts: 0,
        not_before: None,
        marker: None,
        fence: Fence(row.fence.0 + 1),
        error: None,
        at: EpochMs(2),
    }
}

/// So many looks of each kind.
const LOOKS: usize = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_that_are_given_up_meanwhile_are_never_listed_as_something_else() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    let session = gateway.create_session(None, None).await.unwrap();
    let turn = TurnId::from_uuid(gateway.core().ids.fresh());
    let owed = words(session, turn, gateway.now());
    gateway.core().store.write(move |tx| tx.outbox_mut().owe(&owed)).await.unwrap();
    let id = gateway.letters_of(turn).unwrap()[0].id;

    let (writing, seen) = (gateway.clone(), Arc::new(AtomicBool::new(false)));
    let enough = Arc::clone(&seen);
    let writer = tokio::spawn(async move {
        while !enough.load(Ordering::Relaxed) {
            let give_up = move |tx: &gatehouse_store::Tx<'_>| {
                let row = tx.outbox().get(id)?.expect("the words");
                tx.outbox_mut().advance(id, row.fence, &given_up(&row))
            };
            assert!(writing.core().store.write(give_up).await.unwrap());
            writing.send_letter(id).await.unwrap();
        }
    });
    // Looks that found it given up, and looks that found it on its way again.
    let (mut open, mut sent) = (0, 0);
    while open.min(sent) < LOOKS {
        assert!(!writer.is_finished(), "it is not given up any more");
        let waiting = gateway.waiting().unwrap();
        assert!(waiting.letters.is_empty(), "nothing is held: {waiting:#?}");
        match waiting.incidents.as_slice() {
            [] => sent += 1,
            [row] if row.letter.as_ref().is_some_and(|letter| letter.can_be_sent) => open += 1,
            other => panic!("it was given up, and not yet sent again: {other:#?}"),
        }
    }
    seen.store(true, Ordering::Relaxed);
    writer.await.unwrap();
    gateway.shutdown().await;
}
