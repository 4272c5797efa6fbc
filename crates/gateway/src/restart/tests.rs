use gatehouse_domain::{EpochMs, TurnCause, TurnId};
use gatehouse_store::{BootRow, NewTurn};

use super::begin::{After, follows};
use super::{Restarting, now};
use crate::testing::open;

fn boot(at_s: i64, interrupted: u32, planned_s: Option<i64>) -> BootRow {
    let planned = planned_s.map(|s| EpochMs(s * 1_000));
    BootRow { number: u64::try_from(at_s).unwrap(), at: EpochMs(at_s * 1_000), interrupted, planned }
}

#[test]
fn a_start_knows_what_it_follows() {
    for (boots, after) in [
        (vec![], After::End),
        (vec![boot(100, 0, None)], After::End),
        (vec![boot(100, 1, None), boot(90, 0, Some(95))], After::Plan),
        (vec![boot(100, 0, None), boot(90, 0, None), boot(80, 0, Some(85))], After::End),
        (vec![boot(1_000, 1, None), boot(90, 0, Some(399))], After::End),
        (vec![boot(1_000, 1, None), boot(90, 0, Some(400))], After::Plan),
        (vec![boot(100, 1, None), boot(70, 2, None), boot(40, 1, None)], After::Loop),
        (vec![boot(100, 1, None), boot(70, 2, Some(90)), boot(40, 1, None)], After::Loop),
        (vec![boot(101, 1, None), boot(70, 2, None), boot(40, 1, None)], After::End),
        (vec![boot(100, 0, None), boot(70, 2, None), boot(40, 1, None)], After::End),
        (vec![boot(100, 1, None), boot(70, 0, None), boot(40, 1, None)], After::End),
        (vec![boot(100, 1, None), boot(70, 1, None)], After::End),
        // The clock was set back by a day since, or by a moment.
        (vec![boot(100, 1, None), boot(86_500, 2, None), boot(86_400, 1, None)], After::End),
        (vec![boot(100, 1, None), boot(101, 2, None), boot(90, 1, None)], After::Loop),
        (vec![boot(100, 1, None), boot(86_500, 0, Some(86_600))], After::End),
        (vec![boot(100, 1, None), boot(90, 0, Some(101))], After::Plan),
    ] {
        assert_eq!(follows(&boots), after, "{boots:?}");
    }
}

#[tokio::test]
async fn a_turn_that_nobody_begins_any_more_is_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    let worker = gateway.create_session(None, None).await.unwrap();
    let core = gateway.core();
    gateway.restart(None, false).await.unwrap();
    // A turn that still runs hands work on.
    let turn = NewTurn {
        id: TurnId::from_uuid(core.ids.fresh()),
        session: worker,
        cause: TurnCause::Delegation,
        retry_of: None,
        admission: None,
        at: core.now(),
    };
    core.store.write(move |tx| tx.turns_mut().insert(&turn)).await.unwrap();
    assert!(matches!(now(core).unwrap(), Some(Restarting { turns: 0, .. })));
    gateway.shutdown().await;
}
