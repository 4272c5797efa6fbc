use std::sync::Arc;

use gatehouse_domain::{EpochMs, Exit, SessionId, UnitId, Wants};
use gatehouse_store::NewUnit;

use super::*;
use crate::Gateway;
use crate::testing::{open, owed, report, until};

const HOUR: i64 = 3_600_000;

/// Reports whose work ended that many hours ago, and that nobody was told.
async fn owe(gateway: &Gateway, session: SessionId, hours: &[i64]) {
    let (core, hours) = (Arc::clone(gateway.core()), hours.to_vec());
    let now = core.now();
    let write = move |tx: &Tx<'_>| {
        for ago in hours {
            let (id, at) = (UnitId::from_uuid(core.ids.fresh()), EpochMs(now.0 - ago * HOUR));
            let command = format!("ended {ago} h ago");
            tx.units_mut().owe(&NewUnit { command, ..owed(id, session, Wants::Notice, at) })?;
            tx.units_mut().finish(id, &report(Exit::Code(0), at))?;
        }
        Ok(())
    };
    gateway.core().store.write(write).await.unwrap();
}

/// Each open incident's cause, what it shows, and how many reports it stands for.
fn told(gateway: &Gateway) -> Vec<(String, String, u32)> {
    let mut told: Vec<_> = gateway
        .waiting()
        .unwrap()
        .incidents
        .into_iter()
        .map(|open| (open.row.cause, open.row.detail, open.reports))
        .collect();
    told.sort();
    told
}

#[tokio::test]
async fn what_nobody_could_be_told_for_two_days_is_one_incident_of_its_session_after_a_start() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    let many = gateway.create_session(None, None).await.unwrap();
    let one = gateway.create_session(None, None).await.unwrap();
    // More sessions than share a transaction.
    let mut others = Vec::new();
    for _ in 0..SESSIONS {
        others.push(gateway.create_session(None, None).await.unwrap());
    }
    owe(&gateway, many, &[70, 60, 50]).await;
    owe(&gateway, one, &[49, 47]).await;
    for session in &others {
        owe(&gateway, *session, &[80]).await;
    }
    gateway.shutdown().await;

    let gateway = open(home.path()).await;
    until(&gateway, "an incident of each", |rows| Ok(rows.incidents().open_count()? as usize == 2 + SESSIONS)).await;
    let told = self::told(&gateway);
    assert!(gateway.items(many, None, None, 10).unwrap().is_empty(), "nothing of it was told meanwhile");
    let of = |detail: &str| told.iter().filter(|(_, shown, _)| shown == detail).map(|(_, _, n)| *n).collect::<Vec<_>>();
    assert!(told.iter().all(|(cause, _, _)| cause == "report_dropped_expired"), "{told:?}");
    assert_eq!((told.len(), of("ended 50 h ago"), of("ended 49 h ago")), (2 + SESSIONS, vec![3], vec![1]));
    // What was still young enough is told as ever.
    until(&gateway, "the line", |rows| {
        let items = rows.items().page(one, None, None, 10)?;
        Ok(items.iter().any(|item| item.row.text.starts_with("ended 47 h ago")))
    })
    .await;

    // A person sends them on together.
    let incidents = gateway.waiting().unwrap().incidents;
    let three = incidents.iter().find(|open| open.reports == 3).unwrap();
    let unit = three.unit.as_ref().unwrap();
    assert_eq!((unit.session, three.row.subject.clone()), (many, unit.id.to_string()));
    gateway.deliver_unit(unit.id, one).await.unwrap();
    until(&gateway, "the note", |rows| {
        Ok(rows.items().page(one, None, None, 10)?.iter().any(|item| item.units.len() == 3))
    })
    .await;
    assert_eq!(self::told(&gateway).len(), 1 + SESSIONS);
    gateway.shutdown().await;
}
