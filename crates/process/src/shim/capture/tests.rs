use std::fs::File;
use std::io::Write;

use gatehouse_process::output;
use proptest::prelude::*;

use super::*;

const QUESTION: &[u8] = b"\x1b[?2026$p";

struct Run {
    _home: tempfile::TempDir,
    run: RunDir,
    capture: Capture,
    job: File,
}

fn captured(is_terminal: bool) -> Run {
    let home = tempfile::tempdir().unwrap();
    let run = RunDir::create(&home.path().join("run")).unwrap();
    let (source, job) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
    rustix::pipe::fcntl_setpipe_size(&source, 1024 * 1024).unwrap();
    let capture = Capture::new(&run, source, is_terminal).unwrap();
    Run { _home: home, run, capture, job: job.into() }
}

impl Run {
    /// The newest bytes on disk, after everybody has left.
    fn finish(mut self) -> output::OutputSlice {
        drop(self.job);
        while self.capture.pull(&self.run).unwrap() != Pulled::Closed {}
        self.capture.let_go(&self.run);
        assert_eq!(output::Progress::read(&self.run).unwrap().total, self.capture.total());
        output::read(&self.run, None, 4 << 20).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Pieces of odd sizes meet the ends of segments and of reads at every place.
    #[test]
    fn no_byte_is_lost_or_doubled_for_any_cut(sizes in prop::collection::vec(1_usize..400_000, 1..24)) {
        let mut run = captured(false);
        let mut written = Vec::new();
        for size in sizes {
            let from = written.len();
            written.extend((from..from + size).map(|at| (at % 251) as u8));
            run.job.write_all(&written[from..]).unwrap();
            run.capture.pull(&run.run).unwrap();
        }
        let slice = run.finish();
        prop_assert_eq!(slice.total, written.len() as u64);
        prop_assert!(slice.bytes == written[usize::try_from(slice.from).unwrap()..]);
    }

    /// The same for a terminal, with questions at every place; a moment of silence may come in the middle of one.
    #[test]
    fn only_questions_are_taken_out(sizes in prop::collection::vec(1_usize..70_000, 1..60), cut in 0..QUESTION.len()) {
        let mut run = captured(true);
        let (mut kept, mut asked) = (Vec::new(), 0);
        for size in &sizes {
            let from = kept.len();
            kept.extend((from..from + size).map(|at| (at % 251) as u8).map(|byte| if byte == 0x1b { b'.' } else { byte }));
            run.job.write_all(&kept[from..]).unwrap();
            run.job.write_all(&QUESTION[..cut]).unwrap();
            run.capture.pull(&run.run).unwrap();
            run.job.write_all(&QUESTION[cut..]).unwrap();
            run.capture.pull(&run.run).unwrap();
            asked += run.capture.take_queries().len();
        }
        prop_assert_eq!(asked, sizes.len());
        let slice = run.finish();
        prop_assert_eq!(slice.total, kept.len() as u64);
        prop_assert!(slice.bytes == kept[usize::try_from(slice.from).unwrap()..]);
    }
}

#[test]
fn the_last_pull_takes_what_is_there_and_is_not_held_up() {
    let mut run = captured(true);
    run.job.write_all(&[b'x'; 100_000]).unwrap();
    run.capture.pull_last(&run.run).unwrap();
    assert_eq!(run.capture.total(), TERMINAL_HOLDS, "a terminal never holds as much");
    run.job.write_all(b"\x1b[6").unwrap();
    assert_eq!(run.finish().total, 100_003, "the beginning of a question counts in the end");
}

/// What somebody who writes a line at each look at the clock gets through, for so many lines; a look takes `ms`.
fn passed_on(lines: u64, ms: u64) -> u64 {
    let mut run = captured(false);
    let (mut now, mut left) = (0, lines);
    let mut job = run.job.try_clone().unwrap();
    let clock = || {
        if left > 0 {
            job.write_all(b"line").unwrap();
            left -= 1;
        }
        now += ms;
        now
    };
    run.capture.pull_until_quiet(&run.run, clock).unwrap();
    run.capture.total() / 4
}

#[test]
fn many_last_pieces_come_through_and_whoever_goes_on_is_not_waited_for() {
    assert_eq!(passed_on(100, 1), 100);
    let most = PATIENCE_MS / 30 + 1;
    assert!((2..=most).contains(&passed_on(100, 30)), "{}", passed_on(100, 30));
}
