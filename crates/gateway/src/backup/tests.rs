use super::*;

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;

fn hours(hours: i64) -> Duration {
    Duration::from_millis(u64::try_from(hours * HOUR).unwrap())
}

#[test]
fn one_is_due_a_day_after_the_newest_and_an_hour_after_a_failure() {
    let at = |ms| Some(EpochMs(ms));
    for (newest, failed, now, due) in [
        (None, None, 0, None),
        (at(0), None, HOUR, Some(hours(23))),
        (at(0), None, DAY, None),
        (at(0), None, 3 * DAY, None),
        (None, at(0), HOUR / 2, Some(hours(1) / 2)),
        (None, at(0), HOUR, None),
        (at(0), at(DAY), DAY + HOUR / 2, Some(hours(1) / 2)),
        // A clock that was set back: a copy from the future is no copy.
        (at(9 * DAY), None, DAY, None),
    ] {
        assert_eq!(due_in(newest, failed, EpochMs(now)), due, "{newest:?} {failed:?} {now}");
    }
}

/// Lets `days` go by on a clock that only moves while somebody sleeps; when backups were made, in hours.
fn week(first: Option<i64>, days: i64, works: impl Fn(i64) -> bool) -> Vec<i64> {
    let (mut now, mut made) = (0_i64, Vec::new());
    let (mut newest, mut failed) = (first.map(EpochMs), None);
    while now < days * DAY {
        match due_in(newest, failed, EpochMs(now)) {
            Some(left) => now += i64::try_from(left.min(LOOK).as_millis()).unwrap(),
            None => {
                made.push(now / HOUR);
                (newest, failed) = if works(now) { (Some(EpochMs(now)), None) } else { (newest, Some(EpochMs(now))) };
            }
        }
    }
    made
}

#[test]
fn a_week_has_seven() {
    assert_eq!(week(None, 7, |_| true), [0, 24, 48, 72, 96, 120, 144]);
    assert_eq!(week(Some(-DAY / 2), 3, |_| true), [12, 36, 60], "one that is half a day old is young enough");
    assert_eq!(week(Some(-9 * DAY), 2, |_| true), [0, 24], "one that is old is not waited for");
}

#[test]
fn what_does_not_work_is_tried_every_hour() {
    assert_eq!(week(None, 1, |now| now > 5 * HOUR / 2), [0, 1, 2, 3]);
}
