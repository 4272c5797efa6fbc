use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use gatehouse_domain::{Exit, ProcessId};
use gatehouse_process::rundir::{RunDir, SPEC, Spec, VOID};
use gatehouse_process::tree::{self, Signal};
use gatehouse_process::{PtySize, RecoveredState, Stdin, StopMode};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{House, eventually, fresh_id, lives, signal};

async fn recovered(house: &House, id: ProcessId) -> RecoveredState {
    let all = house.supervisor.recover(&[id]).await.unwrap();
    all.into_iter().find(|recovered| recovered.id == id).expect("it is found").state
}

#[tokio::test]
async fn what_ended_meanwhile_has_its_code_and_output() {
    let mut house = House::new();
    let go = house.home.path().join("go");
    let (id, launched) = house
        .launch(&format!("echo before; while [ ! -e '{}' ]; do sleep 0.01; done; echo after; exit 42", go.display()))
        .await;
    house.printed(id, "before").await;
    house.restart().await;
    std::fs::write(go, "").unwrap();
    eventually("the job ends", || !lives(launched.pid)).await;
    // Its shim waits a second for somebody to take note, then makes the disk promise.
    let exit_file = house.run_dir(id).join("exit.json");
    eventually("its end is on disk", || exit_file.exists()).await;
    let report = match recovered(&house, id).await {
        RecoveredState::Ended(report) => report,
        RecoveredState::Adopted { .. } => house.ended(id).await,
        other => panic!("{other:?}"),
    };
    assert_eq!((report.exit, report.lost, report.stop_requested), (Exit::Code(42), false, false));
    assert_eq!(house.output(id), "before\nafter\n");
}

#[tokio::test]
async fn what_lives_is_adopted_and_heard_and_stopped() {
    let mut house = House::new();
    let (id, launched) = house.launch("echo one; sleep 0.3; echo two; sleep 60").await;
    house.restart().await;
    let state = recovered(&house, id).await;
    let RecoveredState::Adopted { pid, start_ticks, .. } = state else { panic!("{state:?}") };
    assert_eq!((pid, start_ticks), (launched.pid, launched.start_ticks));
    house.printed(id, "two").await;
    assert!(house.supervisor.recover(&[id]).await.unwrap().is_empty(), "what is attended already is left alone");
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(house.ended(id).await.stop_requested);
    house.emptied(id).await;
}

#[tokio::test]
async fn an_end_with_descendants_is_told_to_the_next_gateway() {
    let mut house = House::new();
    let (id, _) = house.launch("sleep 60 & exit 3").await;
    house.ended(id).await;
    house.restart().await;
    assert!(matches!(recovered(&house, id).await, RecoveredState::Adopted { .. }));
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.descendants), (Exit::Code(3), 1));
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    house.emptied(id).await;
}

#[tokio::test]
async fn a_stop_finds_a_shim_that_nobody_listens_to() {
    let mut house = House::new();
    let (id, _) = house.launch("sleep 60 & echo left $!; exit 3").await;
    house.ended(id).await;
    let left = crate::support::number_after(&house.output(id), "left");
    house.restart().await;
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.survivors.is_empty() && !outcome.already_ended && !lives(left), "{outcome:?}");
    house.emptied(id).await;
}

#[tokio::test]
async fn a_shim_killed_in_the_middle_of_a_stop_is_no_word_that_nobody_is_left() {
    let mut house = House::new();
    let (id, launched) = house.launch("trap '' TERM; echo up; while :; do sleep 0.1; done").await;
    house.printed(id, "up").await;
    let shim = house.shim_of(&launched);
    let supervisor = house.supervisor.clone();
    let stop = std::thread::spawn(move || supervisor.stop_blocking(id));
    signal(&shim, Signal::KILL);
    let answer = tokio::task::spawn_blocking(move || stop.join().unwrap()).await.unwrap();
    assert!(answer.is_err() && lives(launched.pid), "{answer:?}");
    house.kill(id).await;
    assert!(!lives(launched.pid));
}

#[tokio::test]
async fn a_killed_shim_makes_its_job_lost_but_not_unstoppable() {
    let mut house = House::new();
    let (id, launched) = house.launch("sleep 60 & echo up; sleep 60").await;
    house.printed(id, "up").await;
    signal(&house.shim_of(&launched), Signal::KILL);
    let report = house.ended(id).await;
    assert!(report.lost && report.escape_possible && !report.stop_requested);
    assert_eq!((report.exit, report.descendants, report.output_total), (Exit::Unknown, 2, 3));
    assert!(report.survivors.contains(&launched.pid));
    assert!(house.run_dir(id).join(VOID).exists());

    house.restart().await;
    let again = recovered(&house, id).await;
    assert!(matches!(&again, RecoveredState::Ended(again) if again.survivors == report.survivors), "{again:?}");
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.survivors.is_empty() && !outcome.already_ended);
    assert!(report.survivors.iter().all(|pid| !lives(*pid)));
}

#[tokio::test]
async fn a_stop_outlives_the_shim_it_was_asked_of() {
    let mut house = House::new();
    let (id, launched) = house.launch("trap '' TERM; echo up; while :; do sleep 0.1; done").await;
    house.printed(id, "up").await;
    let shim = house.shim_of(&launched);
    let supervisor = house.supervisor.clone();
    let stop = tokio::spawn(async move { supervisor.stop(id, StopMode::Graceful).await });
    // Whether the shim has heard of it by now does not matter.
    signal(&shim, Signal::KILL);
    assert!(stop.await.unwrap().unwrap().survivors.is_empty());
    assert!(!lives(launched.pid));
    assert!(house.ended(id).await.lost);
}

#[tokio::test]
async fn whoever_cannot_find_out_what_became_of_a_shim_tries_again() {
    let mut house = House::new();
    let (id, launched) = house.launch_on_terminal("sleep 60").await;
    let run = RunDir::open(&house.run_dir(id)).unwrap();
    let lock = house.run_dir(id).join("lock");
    run.rename("lock", "held").unwrap();
    std::fs::create_dir(&lock).unwrap();
    // A shim lets the first of its listeners go when more come than it takes.
    let mut others = Vec::new();
    for _ in 0..4 {
        others.push(tokio::net::UnixStream::connect(run.short_path("s")).await.unwrap());
    }
    while house.supervisor.resize(id, PtySize::default()).await.is_ok() {}
    std::fs::remove_dir(&lock).unwrap();
    run.rename("held", "lock").unwrap();
    signal(&tree::member(launched.pid).unwrap().unwrap(), Signal::KILL);
    assert_eq!(house.ended(id).await.exit, Exit::Signal(9));
    house.emptied(id).await;
}

#[tokio::test]
async fn a_job_whose_shim_was_killed_and_whose_run_was_removed_is_lost() {
    let mut house = House::new();
    let (id, launched) = house.launch("sleep 60").await;
    let (shim, job) = (house.shim_of(&launched), tree::member(launched.pid).unwrap().unwrap());
    std::fs::remove_dir_all(house.run_dir(id)).unwrap();
    signal(&shim, Signal::KILL);
    assert!(house.ended(id).await.lost);
    signal(&job, Signal::KILL);
}

#[tokio::test]
async fn a_run_that_never_began_never_will() {
    let house = House::new();
    let id = fresh_id();
    let marker = house.home.path().join("ran");
    let run = RunDir::create(&house.run_dir(id)).unwrap();
    let spec = Spec {
        command: gatehouse_process::rundir::Raw::Text(format!("touch '{}'", marker.display())),
        cwd: house.home.path().into(),
        shell: PathBuf::from("/bin/bash").as_path().into(),
        env: Vec::new(),
        group: None,
        pty: None,
        stdin: Stdin::Null,
        max_runtime_ms: None,
        open_files: None,
        owner: String::new(),
    };
    run.put(SPEC, &serde_json::to_vec(&spec).unwrap()).unwrap();
    assert_eq!(recovered(&house, id).await, RecoveredState::NeverRan { reason: None });

    // The shim that was on its way.
    let status = shim_by_hand(&house, id).wait().await.unwrap();
    assert!(!status.success() && !marker.exists());
    std::fs::remove_file(house.run_dir(id).join(VOID)).unwrap();
    assert!(shim_by_hand(&house, id).wait().await.unwrap().success());
    assert!(marker.exists(), "nothing but the mark kept it from running");
}

fn shim_by_hand(house: &House, id: ProcessId) -> tokio::process::Child {
    #[expect(clippy::disallowed_methods, reason = "plays a shim that was started and then forgotten")]
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_gatehouse-shim"));
    command.current_dir(house.run_dir(id)).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

const CHILD_HOME: &str = "GATEWAY_THAT_IS_KILLED";

/// Not a test of its own: the gateway of the next one.
#[tokio::test]
#[ignore = "runs only as a child of another test"]
async fn gateway_that_is_killed() {
    let home = tempfile::Builder::new().disable_cleanup(true).tempdir_in(std::env::var(CHILD_HOME).unwrap()).unwrap();
    let mut house = House::below(home);
    let (id, launched) = house.launch("echo alive; while [ ! -e go ]; do sleep 0.01; done; echo done; exit 17").await;
    house.printed(id, "alive").await;
    println!("\nSTARTED {id} {} {}", launched.pid, house.home.path().display());
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_job_survives_its_gateway() {
    let outer = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a gateway that can be killed")]
    let mut gateway = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "restarts::gateway_that_is_killed"])
        .env(CHILD_HOME, outer.path())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(gateway.stdout.take().unwrap()).lines();
    let line = loop {
        let line = lines.next_line().await.unwrap().expect("the gateway speaks");
        if let Some(rest) = line.strip_prefix("STARTED ") {
            break rest.to_owned();
        }
    };
    let [id, pid, home]: [&str; 3] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    let (id, pid): (ProcessId, u32) = (id.parse().unwrap(), pid.parse().unwrap());
    gateway.kill().await.unwrap();
    let job = tree::member(pid).unwrap().expect("the job lives");
    assert_ne!(job.session, tree::member(job.parent).unwrap().unwrap().session);

    let adopted = tempfile::Builder::new().tempdir().unwrap();
    std::fs::remove_dir(adopted.path()).unwrap();
    std::fs::rename(home, adopted.path()).unwrap();
    let mut house = House::below(adopted);
    assert!(matches!(recovered(&house, id).await, RecoveredState::Adopted { .. }));
    std::fs::write(house.home.path().join("go"), "").unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(17));
    assert_eq!(house.output(id), "alive\ndone\n");
}

#[tokio::test]
async fn an_acknowledged_end_lets_the_shim_go_at_once() {
    let mut house = House::new();
    // What else the machine does makes some of them slower; unacknowledged, each of them would take a second.
    let mut took = Duration::MAX;
    for n in 1..=20 {
        let (id, launched) = house.launch(&format!("while [ ! -e go-{n} ]; do sleep 0.05; done")).await;
        let shim = house.shim_of(&launched);
        std::fs::write(house.home.path().join(format!("go-{n}")), "").unwrap();
        house.ended(id).await;
        house.supervisor.acknowledge_end(id);
        let began = tokio::time::Instant::now();
        house.emptied(id).await;
        eventually("the shim ends", || !lives(shim.pid)).await;
        took = began.elapsed();
        house.supervisor.remove_run(id).unwrap();
        assert!(!house.run_dir(id).exists());
        if took < Duration::from_millis(500) {
            return;
        }
    }
    panic!("none of them went at once: {took:?}");
}

#[tokio::test]
async fn a_shim_whose_run_was_removed_does_not_stay_for_ever() {
    let house = House::new();
    let (id, launched) = house.launch("sleep 0.2").await;
    let shim = house.shim_of(&launched);
    std::fs::remove_dir_all(house.run_dir(id)).unwrap();
    eventually("the shim ends", || !lives(shim.pid)).await;
}

#[tokio::test]
async fn a_living_job_that_nobody_knows_of_is_found_with_what_it_was_started_with() {
    let mut house = House::new();
    let (known, _) = house.launch("sleep 60").await;
    let (lost_of_sight, launched) = house.launch("echo here; sleep 61").await;
    let (over, _) = house.launch("exit 0").await;
    house.ended(over).await;
    house.emptied(over).await;
    house.restart().await;
    // The shim of one that is over goes a little later than what it ran.
    let found = || house.supervisor.strays(&[known].into()).unwrap();
    let is_found = || found().iter().map(|stray| stray.id).collect::<Vec<_>>() == [lost_of_sight];
    eventually("who lives and is not known is all that is found", is_found).await;
    let strays = found();
    assert_eq!((strays[0].command.as_str(), strays[0].owner.as_str()), ("echo here; sleep 61", "a test"));
    assert_eq!(PathBuf::from(&strays[0].cwd), house.home.path());
    let state = recovered(&house, lost_of_sight).await;
    assert!(matches!(state, RecoveredState::Adopted { pid, .. } if pid == launched.pid), "{state:?}");
    assert!(matches!(recovered(&house, known).await, RecoveredState::Adopted { .. }));
}
