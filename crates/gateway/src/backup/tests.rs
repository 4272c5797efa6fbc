use std::fs;

use gatehouse_store::backups_dir;

use super::*;
use crate::testing::open;

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;

fn hours(hours: i64) -> Duration {
    Duration::from_millis(u64::try_from(hours * HOUR).unwrap())
}

#[test]
fn one_is_due_a_day_after_the_newest_and_an_hour_after_a_failure() {
    let at = |ms| Some(EpochMs(ms));
    for (made, failed, now, due) in [
        (&[][..], None, 0, None),
        (&[0], None, HOUR, Some(hours(23))),
        (&[0], None, DAY, None),
        (&[0], None, 3 * DAY, None),
        (&[], at(0), HOUR / 2, Some(hours(1) / 2)),
        (&[], at(0), HOUR, None),
        (&[0], at(DAY), DAY + HOUR / 2, Some(hours(1) / 2)),
        // A clock that was set back: a copy from the future is no copy, and hides none that is one.
        (&[9 * DAY], None, DAY, None),
        (&[9 * DAY, 0], None, HOUR, Some(hours(23))),
        (&[9 * DAY, 8 * DAY, 0], None, DAY, None),
    ] {
        let made = made.iter().copied().map(EpochMs);
        assert_eq!(due_in(made.clone(), failed, EpochMs(now)), due, "{made:?} {failed:?} {now}");
    }
}

/// Lets `days` go by on a clock that only moves while somebody sleeps; when backups were made, in hours.
fn week(there: &[i64], days: i64, works: impl Fn(i64) -> bool) -> Vec<i64> {
    let (mut now, mut tried) = (0_i64, Vec::new());
    let (mut made, mut failed): (Vec<_>, _) = (there.iter().copied().map(EpochMs).collect(), None);
    while now < days * DAY {
        match due_in(made.iter().copied(), failed, EpochMs(now)) {
            Some(left) => now += i64::try_from(left.min(LOOK).as_millis()).unwrap(),
            None => {
                tried.push(now / HOUR);
                failed = (!works(now)).then_some(EpochMs(now));
                if failed.is_none() {
                    made.push(EpochMs(now));
                }
                assert!(i64::try_from(tried.len()).unwrap() <= 24 * days, "again and again: {tried:?}");
            }
        }
    }
    tried
}

#[test]
fn a_week_has_seven() {
    assert_eq!(week(&[], 7, |_| true), [0, 24, 48, 72, 96, 120, 144]);
    assert_eq!(week(&[-DAY / 2], 3, |_| true), [12, 36, 60], "one that is half a day old is young enough");
    assert_eq!(week(&[-9 * DAY], 2, |_| true), [0, 24], "one that is old is not waited for");
    assert_eq!(week(&[9 * DAY, -DAY / 2], 3, |_| true), [12, 36, 60], "one from the future changes nothing");
}

#[test]
fn what_does_not_work_is_tried_every_hour() {
    assert_eq!(week(&[], 1, |now| now > 5 * HOUR / 2), [0, 1, 2, 3]);
}

#[tokio::test]
async fn one_backup_is_made_beside_a_copy_from_the_future() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    let dir = backups_dir(&gateway.profile_dir());
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("2999-01-01T00-00-00Z.db"), "").unwrap();
    for _ in 0..3 {
        assert_eq!(look(gateway.core()).await, LOOK);
    }
    assert_eq!(gateway.backups().unwrap().backups.len(), 2);
    gateway.shutdown().await;
}

#[tokio::test]
async fn copies_that_cannot_be_listed_are_told_and_tried_again_later() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    fs::write(backups_dir(&gateway.profile_dir()), "a file in the way").unwrap();
    assert_eq!(look(gateway.core()).await, LOOK);
    let failure = gateway.core().backups.failure().unwrap();
    assert!(failure.words.contains("backups"), "{failure:?}");
    assert_eq!(gateway.waiting().unwrap().incidents.len(), 1);
    gateway.shutdown().await;
}
