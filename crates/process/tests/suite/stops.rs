use std::time::Duration;

use gatehouse_domain::Exit;
use gatehouse_process::tree::{self, Signal};
use gatehouse_process::{Error, GRACE, StopMode};
use tokio::time::Instant;

use crate::support::{House, fixture, fresh_id, lives, number_after, signal};

#[tokio::test]
async fn a_polite_leader_does_not_save_its_stubborn_group() {
    let mut house = House::new();
    let (id, launched) = house.launch(&format!("exec {}", fixture("leader.sh"))).await;
    house.printed(id, "leader").await;
    let stubborn = number_after(&house.printed(id, "stubborn").await, "stubborn");
    let began = Instant::now();
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(began.elapsed() < GRACE + Duration::from_secs(2), "{:?}", began.elapsed());
    assert!(outcome.survivors.is_empty() && !outcome.already_ended);
    assert!(!lives(launched.pid) && !lives(stubborn));
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.stop_requested), (Exit::Code(0), true));
    assert!(house.output(id).contains("goodbye"));
}

#[tokio::test]
async fn a_deaf_tree_is_killed_when_the_grace_is_over() {
    let mut house = House::new();
    let (id, _) = house.launch(&format!("exec {} 1", fixture("deaf.sh"))).await;
    let output = house.printed(id, "level 3 is").await;
    let began = Instant::now();
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!((GRACE..GRACE + Duration::from_secs(1)).contains(&began.elapsed()), "{:?}", began.elapsed());
    for level in 1..=3 {
        assert!(!lives(number_after(&output, &format!("level {level} is"))));
    }
    assert_eq!(house.ended(id).await.exit, Exit::Signal(9));
}

#[tokio::test]
async fn a_second_press_skips_the_wait() {
    let mut house = House::new();
    let (id, _) = house.launch(&format!("exec {} 1", fixture("deaf.sh"))).await;
    house.printed(id, "level 3 is").await;
    let began = Instant::now();
    let (first, second) = tokio::join!(house.supervisor.stop(id, StopMode::Graceful), async {
        house.supervisor.stop(id, StopMode::Force).await
    });
    assert!(began.elapsed() < GRACE / 2, "{:?}", began.elapsed());
    assert!(first.unwrap().survivors.is_empty() && second.unwrap().survivors.is_empty());
}

#[tokio::test]
async fn a_supervisor_may_end_its_own_tree() {
    let mut house = House::new();
    let script = "bash -c 'trap \"echo signalled\" TERM; trap \"exit 0\" USR1; echo child $$; while :; do sleep 0.05; done' & \
                  trap 'kill -USR1 $!; wait $!; echo all done; exit 5' TERM; echo ready; while :; do wait; done";
    let (id, _) = house.launch(script).await;
    house.printed(id, "child").await;
    house.printed(id, "ready").await;
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(5));
    let output = house.output(id);
    assert!(output.contains("all done") && !output.contains("signalled"), "{output}");
}

#[tokio::test]
async fn a_daemon_with_its_own_session_dies_with_its_job() {
    let mut house = House::new();
    let daemon = "(setsid env -i /bin/bash -c 'echo daemon $$; exec /bin/sleep 60' </dev/null &) ; sleep 60";
    let (id, _) = house.launch(daemon).await;
    let pid = number_after(&house.printed(id, "daemon").await, "daemon");
    assert!(lives(pid));
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(!lives(pid));
    house.emptied(id).await;
}

#[tokio::test]
async fn a_tree_that_keeps_growing_is_caught() {
    let mut house = House::new();
    let (id, _) = house.launch("trap '' TERM; echo grows; while :; do sleep 60 & sleep 0.02; done").await;
    house.printed(id, "grows").await;
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.survivors.is_empty());
    house.emptied(id).await;
}

#[tokio::test]
async fn a_stopped_process_hears_the_request() {
    let mut house = House::new();
    let (id, launched) = house.launch("exec sleep 60").await;
    let job = tree::member(launched.pid).unwrap().unwrap();
    signal(&job, Signal::STOP);
    let began = Instant::now();
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(began.elapsed() < GRACE / 2, "{:?}", began.elapsed());
    assert_eq!(house.ended(id).await.exit, Exit::Signal(15));
}

#[tokio::test]
async fn the_end_of_a_whole_session_is_still_told() {
    let mut house = House::new();
    let (id, launched) = house.launch("trap 'echo asked; exit 8' TERM; echo up; while :; do sleep 0.05; done").await;
    house.printed(id, "up").await;
    let shim = house.shim_of(&launched);
    let job = tree::member(launched.pid).unwrap().unwrap();
    signal(&shim, Signal::TERM);
    signal(&shim, Signal::HUP);
    signal(&job, Signal::TERM);
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.stop_requested, report.lost), (Exit::Code(8), false, false));
    house.emptied(id).await;
}

#[tokio::test]
async fn strangers_and_neighbours_are_left_alone() {
    let mut house = House::new();
    let (neighbour, other) = house.launch("sleep 60").await;
    let (id, _) = house.launch("sleep 60 & sleep 60").await;
    house.supervisor.stop(id, StopMode::Force).await.unwrap();
    house.emptied(id).await;
    assert!(lives(other.pid) && lives(house.shim_of(&other).pid));
    house.kill(neighbour).await;
}

#[tokio::test]
async fn stopping_what_is_gone_says_so() {
    let mut house = House::new();
    let (id, _) = house.launch("true").await;
    house.emptied(id).await;
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.already_ended && outcome.survivors.is_empty());
    let unknown = house.supervisor.stop(fresh_id(), StopMode::Force).await;
    assert!(matches!(unknown, Err(Error::UnknownProcess(_))), "{unknown:?}");
}
