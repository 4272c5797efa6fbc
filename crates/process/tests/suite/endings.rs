use std::time::Duration;

use gatehouse_domain::Exit;
use gatehouse_process::rundir::RunDir;
use gatehouse_process::{ProcessEvent, StopMode};
use tokio::time::Instant;

use crate::support::{House, fixture, lives, number_after};

#[tokio::test]
async fn codes_signals_and_output_are_told_as_they_were() {
    let mut house = House::new();
    for (command, exit, output) in [
        ("true", Exit::Code(0), ""),
        ("echo out; echo err >&2; echo again; exit 7", Exit::Code(7), "out\nerr\nagain\n"),
        ("exit 255", Exit::Code(255), ""),
        ("no-such-program 2>/dev/null", Exit::Code(127), ""),
        ("kill -TERM $$", Exit::Signal(15), ""),
        ("printf 'no newline'", Exit::Code(0), "no newline"),
    ] {
        let (id, _) = house.launch(command).await;
        let report = house.ended(id).await;
        assert_eq!(report.exit, exit, "{command}");
        assert!(!report.stop_requested && !report.lost && report.descendants == 0, "{report:?}");
        assert_eq!(house.output(id), output, "{command}");
        assert_eq!(report.output_total, output.len() as u64);
        assert_eq!(house.emptied(id).await, output.len() as u64);
    }
}

#[tokio::test]
async fn a_holder_of_the_pipe_delays_no_end_and_is_listed() {
    let mut house = House::new();
    for variant in ["all", "stderr", "noisy", "subst"] {
        let (id, _) = house.launch(&format!("{} {variant}", fixture("holder.sh"))).await;
        let report = house.ended(id).await;
        assert_eq!(report.exit, Exit::Code(3), "{variant}");
        let output = house.output(id);
        assert!(output.contains("opened\n") && output.contains("shell is done\n"), "{variant}: {output}");
        assert!(report.descendants >= 1 && report.survivors.iter().all(|pid| lives(*pid)), "{variant}: {report:?}");
        let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
        assert_eq!((outcome.survivors.as_slice(), outcome.already_ended), (&[][..], false));
        assert!(report.survivors.iter().all(|pid| !lives(*pid)), "{variant}");
        house.emptied(id).await;
    }
}

#[tokio::test]
async fn a_chain_sent_to_the_background_does_not_hold_the_end_up() {
    let mut house = House::new();
    let (id, _) = house.launch("true && sleep 60 &").await;
    let report = house.ended(id).await;
    assert!(report.exit == Exit::Code(0) && report.descendants > 0, "{report:?}");
    house.kill(id).await;
}

#[tokio::test]
async fn whoever_is_left_behind_is_counted_before_the_end_is_told_although_they_change_all_the_time() {
    let mut house = House::new();
    // Each lives for a moment and leaves another one behind, so that no list of numbers is true for long.
    let relay = "step() { for ((i = 0; i < 400; i++)); do :; done; [ -e over ] || [ $SECONDS -gt 20 ] || step & }; step; exit 3";
    for _ in 0..8 {
        let (id, _) = house.launch(relay).await;
        let report = house.ended(id).await;
        assert!(report.exit == Exit::Code(3) && report.descendants > 0, "{report:?}");
        std::fs::write(house.home.path().join("over"), "").unwrap();
        house.emptied(id).await;
        std::fs::remove_file(house.home.path().join("over")).unwrap();
    }
}

#[tokio::test]
async fn a_command_that_is_over_before_its_shim_was_greeted_was_started_like_any_other() {
    let mut house = House::new();
    let spec = house.spec("echo short; exit 4");
    let (id, run) = (spec.id, house.run_dir(spec.id));
    // This thread is the only one, so nothing of the house moves while the shim comes and goes.
    let busy = async {
        while !run.join("shim.log").exists() {
            tokio::task::yield_now().await;
        }
        let is_gone = || run.join("exit.json").exists() && RunDir::open(&run).unwrap().try_lock().unwrap().is_some();
        let began = Instant::now();
        while !is_gone() {
            assert!(began.elapsed() < crate::support::LIMIT);
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let (launched, ()) = tokio::join!(house.supervisor.launch(spec), busy);
    assert_eq!(launched.unwrap().cwd, house.home.path());
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.lost, report.output_total), (Exit::Code(4), false, 6));
    assert_eq!(house.emptied(id).await, 6);
    assert_eq!(house.output(id), "short\n");
    assert!(house.supervisor.stop(id, StopMode::Graceful).await.unwrap().already_ended);
}

#[tokio::test]
async fn a_descendant_may_write_on_after_the_end() {
    let mut house = House::new();
    let (id, _) = house.launch("(sleep 0.2; echo late; sleep 0.1; echo later) & echo early").await;
    let report = house.ended(id).await;
    assert!(report.exit == Exit::Code(0) && report.descendants >= 1, "{report:?}");
    assert_eq!(house.emptied(id).await, "early\nlate\nlater\n".len() as u64);
    assert_eq!(house.output(id), "early\nlate\nlater\n");
}

#[tokio::test]
async fn a_closed_output_is_not_an_end() {
    let mut house = House::new();
    let (id, launched) = house.launch("exec >&- 2>&-; while [ ! -e go ]; do sleep 0.05; done; exit 9").await;
    assert!(lives(launched.pid));
    let told = tokio::time::timeout(Duration::from_millis(300), house.ended(id)).await;
    assert!(told.is_err(), "{told:?}");
    std::fs::write(house.home.path().join("go"), "").unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(9));
}

#[tokio::test]
async fn a_last_burst_is_complete() {
    let mut house = House::new();
    let (id, _) = house.launch("head -c 900000 /dev/zero | tr '\\0' x; exit 4").await;
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.output_total), (Exit::Code(4), 900_000));
    let slice = house.supervisor.read_output(id, Some(0), 1 << 20).unwrap();
    assert!(slice.bytes.len() == 900_000 && slice.bytes.iter().all(|byte| *byte == b'x'));
}

#[tokio::test]
async fn how_it_ended_is_told_by_whose_doing_it_was() {
    let mut house = House::new();
    let long = fixture("long.sh");
    for mode in [StopMode::Graceful, StopMode::Force] {
        let (id, _) = house.launch(&long).await;
        house.printed(id, "working").await;
        house.supervisor.stop(id, mode).await.unwrap();
        let report = house.ended(id).await;
        assert!(report.stop_requested, "{mode:?}");
        assert!(matches!(report.exit, Exit::Signal(9 | 15)), "{report:?}");
    }
    let (id, launched) = house.launch(&format!("exec {long}")).await;
    house.printed(id, "working").await;
    let stranger = gatehouse_process::tree::member(launched.pid).unwrap().unwrap();
    crate::support::signal(&stranger, gatehouse_process::tree::Signal::KILL);
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.stop_requested), (Exit::Signal(9), false));
    house.kill(id).await;

    let (id, _) = house.launch(&format!("exec {}", fixture("selfkill.sh"))).await;
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.stop_requested), (Exit::Signal(11), false));
    assert_eq!(house.output(id), "before\n");
}

#[tokio::test]
async fn the_moment_of_the_last_output_is_known() {
    let mut house = House::new();
    let (silent, _) = house.launch("sleep 60").await;
    assert_eq!(house.supervisor.last_output(silent).unwrap(), None);
    house.kill(silent).await;
    let before = gatehouse_process::rundir::wall_ms();
    let (id, _) = house.launch("echo word").await;
    house.emptied(id).await;
    let at = house.supervisor.last_output(id).unwrap().unwrap().0;
    // The file system's clock may lag behind by a tick.
    assert!((before - 20..=gatehouse_process::rundir::wall_ms()).contains(&at), "{before} {at}");
}

#[tokio::test]
async fn progress_is_told_at_once_and_then_in_bundles() {
    let mut house = House::new();
    let (id, _) = house.launch("echo first; for i in $(seq 2000); do echo line $i; done; sleep 30").await;
    house.printed(id, "first").await;
    house.printed(id, "line 2000").await;
    let mut told = 0;
    while let Ok(event) = house.events.try_recv() {
        told += usize::from(matches!(event, ProcessEvent::Output { .. }));
    }
    assert!(told < 50, "{told} events for 2000 lines");
    house.kill(id).await;
}

#[tokio::test]
async fn jobs_get_no_input_no_terminal_and_no_ignored_signals() {
    let mut house = House::new();
    let (id, launched) = house.launch("read x; echo code $?; grep SigIgn /proc/self/status; exec 3</dev/tty; sleep 30 & echo pid $$ child $!; ls /proc/self/fd | wc -w").await;
    house.ended(id).await;
    let output = house.output(id);
    assert!(output.contains("code 1\n"), "{output}");
    let ignored = output.split("SigIgn:\t").nth(1).unwrap().split('\n').next().unwrap();
    // 32 and 33 belong to the C library, which resets them itself when it needs them.
    assert_eq!(u64::from_str_radix(ignored, 16).unwrap() & !(0b11 << 31), 0, "{output}");
    assert!(output.contains("/dev/tty: "), "{output}");
    assert_eq!(number_after(&output, "pid "), launched.pid);
    assert!(output.trim_end().ends_with("\n4"), "three descriptors and the listing's own: {output}");
    house.kill(id).await;
}
