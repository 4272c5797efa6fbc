use proptest::prelude::*;

use super::*;

/// The byte at every offset, so that any slice can be checked against its own position.
fn byte_at(offset: u64) -> u8 {
    (offset.wrapping_mul(2_654_435_761) >> 13) as u8
}

fn pattern(from: u64, to: u64) -> Vec<u8> {
    (from..to).map(byte_at).collect()
}

/// Lays out files as a shim leaves them after `total` bytes.
fn written(total: u64) -> (tempfile::TempDir, RunDir) {
    let home = tempfile::tempdir().unwrap();
    let run = RunDir::create(&home.path().join("run")).unwrap();
    let newest = total.saturating_sub(1) / SEGMENT;
    for index in (newest + 1).saturating_sub(KEPT)..=newest {
        let start = index * SEGMENT;
        run.put(&segment_name(index), &pattern(start, total.min(start + SEGMENT))).unwrap();
    }
    if newest >= KEPT {
        run.put(HEAD_FILE, &pattern(0, HEAD)).unwrap();
    }
    run.put(PROGRESS, &Progress { total, ..Progress::default() }.to_bytes()).unwrap();
    (home, run)
}

#[test]
fn nothing_written_yet_is_an_empty_slice() {
    let home = tempfile::tempdir().unwrap();
    let run = RunDir::create(&home.path().join("run")).unwrap();
    let slice = read(&run, None, 100).unwrap();
    assert_eq!((slice.from, slice.next, slice.total, slice.dropped_before), (0, 0, 0, 0));
}

#[test]
fn the_middle_that_was_dropped_is_skipped_and_told() {
    let total = SEGMENT * 9 + 10;
    let (_home, run) = written(total);
    let resumes = SEGMENT * 5;
    let slice = read(&run, Some(HEAD), 100).unwrap();
    assert_eq!((slice.from, slice.dropped_before), (resumes, resumes - HEAD));
    assert_eq!(slice.bytes, pattern(resumes, resumes + 100));
    let head = read(&run, Some(HEAD - 10), 100).unwrap();
    assert_eq!(head.bytes, pattern(HEAD - 10, HEAD), "a slice never glues two sides of a hole together");
}

#[test]
fn bytes_that_the_disk_refused_are_skipped_and_told() {
    let (_home, run) = written(1000);
    run.put(PROGRESS, &Progress { total: 1000, gap_from: 400, gap_to: 600 }.to_bytes()).unwrap();
    let before = read(&run, Some(390), 100).unwrap();
    assert_eq!(before.bytes, pattern(390, 400));
    let inside = read(&run, Some(450), 100).unwrap();
    assert_eq!((inside.from, inside.dropped_before), (600, 150));
    assert_eq!(inside.bytes, pattern(600, 700));
}

#[test]
fn two_losses_count_as_one_until_the_older_one_is_out_of_reach() {
    let mut progress = Progress { total: 100, ..Progress::default() };
    progress.lose(10, 20);
    progress.lose(50, 60);
    assert_eq!((progress.gap_from, progress.gap_to), (10, 60));
    let mut progress = Progress { total: SEGMENT * 20, gap_from: HEAD, gap_to: HEAD + 5 };
    progress.lose(SEGMENT * 19, SEGMENT * 19 + 1);
    assert_eq!((progress.gap_from, progress.gap_to), (SEGMENT * 19, SEGMENT * 19 + 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_slice_is_what_was_written_at_its_offset(
        whole in 0..8_u64, part in 0..SEGMENT, ask in 0.0..1.1_f64, max in 0..300_000_usize, tail in any::<bool>(),
    ) {
        let total = whole * SEGMENT + part;
        let (_home, run) = written(total);
        let from = (!tail).then_some((ask * total as f64) as u64);
        let slice = read(&run, from, max).unwrap();
        prop_assert_eq!(&slice.bytes, &pattern(slice.from, slice.next));
        prop_assert_eq!(slice.total, total);
        prop_assert!(slice.next <= total && slice.bytes.len() <= max);
        let wanted = from.unwrap_or(total.saturating_sub(max as u64)).min(total);
        prop_assert_eq!(slice.from, wanted + slice.dropped_before);
        prop_assert!(!slice.bytes.is_empty() || max == 0 || slice.from == total, "a reader that goes on makes progress");
    }
}
