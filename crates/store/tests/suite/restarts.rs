use gatehouse_domain::*;
use gatehouse_store::*;

use crate::support::*;

fn owed(target: &str, restart: u64, at: i64) -> NewNoticeOwed {
    let (target, cause, body) = (target.into(), String::new(), "back".into());
    NewNoticeOwed { kind: OwedKind::Home, target, restart, cause, body, at: EpochMs(at) }
}

impl House {
    fn owes(&self, target: &str, restart: u64, at: i64) -> bool {
        let new = owed(target, restart, at);
        self.write(move |tx| tx.notices_owed_mut().owe(&new))
    }

    fn notices_owed(&self) -> Vec<(String, u64, OwedState)> {
        let rows = self.store.read(|s| s.notices_owed().list()).unwrap();
        rows.into_iter().map(|row| (row.target, row.restart, row.state)).collect()
    }
}

#[test]
fn only_the_first_plan_of_a_start_counts() {
    let house = house();
    let first = house.write(|tx| tx.boots_mut().begin(EpochMs(10), 0));
    assert!(house.write(move |tx| tx.boots_mut().plan(first, EpochMs(20))));
    assert!(!house.write(move |tx| tx.boots_mut().plan(first, EpochMs(30))));
    let second = house.write(|tx| tx.boots_mut().begin(EpochMs(40), 2));
    assert!(second > first);
    let boots = house.store.read(|s| s.boots().newest(5)).unwrap();
    let seen: Vec<_> = boots.iter().map(|boot| (boot.number, boot.interrupted, boot.planned)).collect();
    assert_eq!(seen, [(second, 2, None), (first, 0, Some(EpochMs(20)))]);
}

#[test]
fn old_starts_are_forgotten() {
    let house = house();
    let last = house.write(|tx| (0..150).try_fold(0, |_, at| tx.boots_mut().begin(EpochMs(at), 0)));
    let boots = house.store.read(|s| s.boots().newest(1_000)).unwrap();
    assert_eq!((boots.len(), boots[0].number), (100, last));
}

#[test]
fn one_chat_is_owed_one_notice_of_one_restart() {
    let house = house();
    assert!(house.owes("slack:C", 1, 10));
    assert!(!house.owes("slack:C", 1, 11), "asked for twice");
    assert!(house.owes("slack:D", 1, 10));
    assert!(house.owes("slack:C", 2, 20));
    let (suppressed, owed) = (OwedState::Suppressed, OwedState::Owed);
    assert_eq!(
        house.notices_owed(),
        [("slack:C".into(), 1, suppressed), ("slack:D".into(), 1, owed), ("slack:C".into(), 2, owed)],
        "the later one says it for the earlier"
    );
}

#[test]
fn what_was_handed_over_is_not_handed_over_again() {
    let house = house();
    house.owes("slack:C", 1, 10);
    let open = |house: &House| house.store.read(|s| s.notices_owed().open()).unwrap();
    let id = open(&house)[0].id;
    assert!(house.write(move |tx| tx.notices_owed_mut().hand_over(id)));
    assert!(!house.write(move |tx| tx.notices_owed_mut().hand_over(id)));
    assert!(open(&house).is_empty());
    // The channel has refused it.
    assert!(house.write(move |tx| tx.notices_owed_mut().settle(id, OwedState::Owed, "too many letters")));
    let again = &open(&house)[0];
    assert_eq!((again.attempts, again.last_error.as_str()), (1, "too many letters"));
    assert!(house.write(move |tx| tx.notices_owed_mut().settle(id, OwedState::Expired, "")));
    assert!(!house.write(move |tx| tx.notices_owed_mut().settle(id, OwedState::Owed, "")), "final");
    house.write(|tx| tx.notices_owed_mut().forget(EpochMs(11)));
    assert!(house.notices_owed().is_empty());
}
