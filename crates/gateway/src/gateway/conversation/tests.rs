//! What waits for a person's word after a restore.

use std::time::Duration;

use gatehouse_domain::{DeliveryState, DropReason, EpochMs, Exit, IncidentId, Rev, Wants};

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
    let (restored, held) = gateway.incidents().unwrap();
    assert_eq!((restored.len(), held.iter().map(|row| row.id).collect::<Vec<_>>()), (1, vec![unit]));
    let before = gateway.core().store.rev();
    gateway.resolve_incident(IncidentId::from_uuid(unit.uuid())).await.unwrap();
    assert_eq!(incidents_told(&told_after(&gateway, before).await), Some(1), "the restore itself is still told");
    let row = gateway.core().store.read(|s| s.units().get(unit)).unwrap().unwrap();
    assert_eq!((row.delivery, row.dropped), (DeliveryState::Dropped, Some(DropReason::Operator)));
    let again = gateway.resolve_incident(IncidentId::from_uuid(unit.uuid())).await;
    assert!(matches!(again, Err(Error::NotFound(_))), "{again:?}");
    gateway.resolve_incident(restored[0].0.id).await.unwrap();
    assert_eq!(incidents_told(&told_after(&gateway, before).await), Some(0));
    gateway.shutdown().await;
}
