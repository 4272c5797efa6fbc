use gatehouse_domain::*;
use gatehouse_store::*;

use crate::support::*;

const LATER: EpochMs = EpochMs(9_000);

fn letter(session: SessionId, turn: TurnId, segment: u32) -> NewObligation {
    NewObligation {
        route: "default:slack:dm:D1::".into(),
        platform: "slack".into(),
        origin: "{}".into(),
        session,
        turn: Some(turn),
        segment,
        kind: if segment == 0 { SegmentKind::Text } else { SegmentKind::Media },
        payload: format!("part {segment}"),
        category: Category::Result,
        anchor: Some("17.1".into()),
        ledger: "17.5".into(),
        live_message: None,
        at: AT,
    }
}

fn to(state: OutboxState, fence: u64) -> Progress {
    Progress {
        kind: SegmentKind::Text,
        state,
        attempts: 1,
        not_before: (state == OutboxState::Failed).then_some(LATER),
        marker: Some(Marker::Reconnect),
        fence: Fence(fence),
        error: Some("no answer".into()),
        at: LATER,
    }
}

/// A turn that owes two parts.
fn owing(house: &House) -> (TurnId, [ObligationRow; 2]) {
    let (session, id) = (house.session(), house.turn_id());
    let rows = house.write(move |tx| {
        tx.turns_mut().insert(&turn(id, session))?;
        assert!(tx.outbox_mut().owe(&letter(session, id, 0))?);
        assert!(tx.outbox_mut().owe(&letter(session, id, 1))?);
        tx.outbox().by_turn(id)
    });
    (id, rows.try_into().unwrap())
}

#[test]
fn a_part_of_an_answer_is_owed_once_whatever_became_of_it() {
    let house = house();
    let (turn, [text, _]) = owing(&house);
    assert_eq!((text.state, text.fence, text.held), (OutboxState::Pending, Fence(0), false));
    let session = text.session;
    house.write(move |tx| {
        assert!(tx.outbox_mut().advance(text.id, Fence(0), &to(OutboxState::Delivered, 1))?);
        assert!(!tx.outbox_mut().owe(&NewObligation { payload: "other".into(), ..letter(session, turn, 0) })?);
        let kept = tx.outbox().get(text.id)?.unwrap();
        assert_eq!((kept.payload.as_str(), kept.state), ("part 0", OutboxState::Delivered));
        Ok(())
    });
}

#[test]
fn an_older_fence_changes_nothing_and_neither_does_an_end() {
    let house = house();
    let (_, [text, _]) = owing(&house);
    let states = house.write(move |tx| {
        let mut outbox = Vec::new();
        for (fence, next) in [
            (0, to(OutboxState::Sending, 1)),
            // Somebody has found the row since.
            (1, to(OutboxState::Sending, 2)),
            (1, to(OutboxState::Delivered, 1)),
            (2, to(OutboxState::Delivered, 2)),
            (2, to(OutboxState::Failed, 2)),
        ] {
            outbox.push((
                tx.outbox_mut().advance(text.id, Fence(fence), &next)?,
                tx.outbox().get(text.id)?.unwrap().state,
            ));
        }
        Ok(outbox)
    });
    use OutboxState::{Delivered, Sending};
    assert_eq!(states, [(true, Sending), (true, Sending), (false, Sending), (true, Delivered), (false, Delivered)]);
}

#[test]
fn an_end_without_a_delivery_is_an_incident_and_what_falls_with_it_is_none() {
    for (state, cause) in [(OutboxState::Declined, "outbox_declined"), (OutboxState::Abandoned, "outbox_abandoned")] {
        let house = house();
        let (_, [text, file]) = owing(&house);
        let (id, fallen) = (text.id, file.id);
        house.write(move |tx| {
            tx.outbox_mut().advance(id, Fence(0), &to(state, 1))?;
            assert!(tx.outbox_mut().fall(fallen, state, LATER)?);
            assert!(!tx.outbox_mut().fall(fallen, state, LATER)?);
            assert!(tx.outbox().open("slack", 9)?.is_empty() && tx.outbox().platforms()?.is_empty());
            Ok(())
        });
        let incidents = house.store.read(|s| s.incidents().open()).unwrap();
        let told: Vec<_> = incidents.iter().map(|i| (i.cause.as_str(), i.subject.clone(), i.detail.as_str())).collect();
        assert_eq!(told, [(cause, id.to_string(), "slack: no answer")]);
    }
}

#[test]
fn what_a_backup_owes_waits_for_a_person_and_says_that_it_may_be_known() {
    let house = house();
    let (_, [text, file]) = owing(&house);
    let (id, over) = (text.id, file.id);
    house.write(move |tx| tx.outbox_mut().advance(over, Fence(0), &to(OutboxState::Delivered, 1)));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let backup = runtime.block_on(house.store.back_up(EpochMs(5_000))).unwrap();
    house.store.clone().close();
    Store::restore(house.dir.path(), &backup.path, EpochMs(1_772_357_401_000), &*house.ids).unwrap();
    let again = open(house.dir.path(), &house.ids);
    let held: Vec<_> = again.read(|s| s.outbox().held()).unwrap().iter().map(|row| row.id).collect();
    assert_eq!(held, [id]);
    again
        .write_blocking(move |tx| {
            assert!(tx.outbox().platforms()?.is_empty() && tx.outbox().open("slack", 9)?.is_empty(), "nothing goes");
            assert!(tx.outbox_mut().send_again(id, LATER)? && !tx.outbox_mut().send_again(id, LATER)?);
            let open = tx.outbox().open("slack", 9)?;
            let row = (open[0].id, open[0].state, open[0].marker, open[0].not_before, open[0].created_at);
            assert_eq!(row, (id, OutboxState::Failed, Some(Marker::Restart), Some(LATER), LATER));
            Ok(())
        })
        .unwrap();
}

#[test]
fn what_was_given_up_goes_again_with_its_file_and_its_incident_is_closed() {
    for (fence, expected) in [(0, (OutboxState::Pending, None)), (1, (OutboxState::Failed, Some(Marker::Reconnect)))] {
        let house = house();
        let (_, [text, file]) = owing(&house);
        let (id, fallen) = (text.id, file.id);
        let again = house.write(move |tx| {
            tx.outbox_mut().advance(id, Fence(0), &to(OutboxState::Abandoned, fence))?;
            assert!(tx.outbox_mut().fall(fallen, OutboxState::Abandoned, LATER)?);
            assert!(!tx.outbox_mut().put_away(id, LATER)?, "it is not held");
            assert!(tx.outbox_mut().send_again(id, LATER)?);
            tx.outbox().open("slack", 9)
        });
        let stand: Vec<_> = again.iter().map(|row| (row.id, row.state, row.attempts, row.created_at)).collect();
        assert_eq!(stand, [(id, expected.0, 0, LATER), (fallen, OutboxState::Pending, 0, LATER)]);
        assert_eq!(again[0].marker, expected.1, "only what was claimed may have been seen");
        assert!(house.store.read(|s| s.incidents().open()).unwrap().is_empty());
    }
}

#[test]
fn a_declined_place_is_not_tried_again() {
    let house = house();
    let (_, [text, _]) = owing(&house);
    let id = text.id;
    let sent = house.write(move |tx| {
        tx.outbox_mut().advance(id, Fence(0), &to(OutboxState::Declined, 1))?;
        tx.outbox_mut().send_again(id, LATER)
    });
    assert!(!sent);
}

#[test]
fn what_is_over_is_forgotten_and_where_a_lane_leads_is_not() {
    let house = house();
    let (_, [text, file]) = owing(&house);
    let (id, session) = (text.id, text.session);
    let came = move |route: &str, key: &str, at: i64| IncomingRow {
        route: route.into(),
        key: key.into(),
        session,
        origin: format!("of {key}"),
        inbound: None,
        anchor: None,
        live: None,
        at: EpochMs(at),
    };
    house.write(move |tx| {
        tx.outbox_mut().advance(id, Fence(0), &to(OutboxState::Delivered, 1))?;
        assert_eq!((tx.outbox_mut().forget(LATER)?, tx.outbox_mut().forget(EpochMs(LATER.0 + 1))?), (0, 1));
        assert!(tx.outbox().get(file.id)?.is_some(), "it is still owed");
        for (route, key, at) in [("a", "1", 10), ("a", "2", 20), ("b", "1", 10)] {
            assert!(tx.incoming_mut().insert(&came(route, key, at))?);
        }
        assert!(!tx.incoming_mut().insert(&came("a", "1", 99))?, "it came in before");
        assert_eq!(tx.incoming_mut().forget(EpochMs(50))?, 1);
        let latest = |route: &str| tx.incoming().latest(route).map(|row| row.map(|row| row.origin));
        assert_eq!((latest("a")?, latest("b")?, latest("c")?), (Some("of 2".into()), Some("of 1".into()), None));
        assert_eq!(tx.incoming().get("a", "1")?, None);
        Ok(())
    });
}
