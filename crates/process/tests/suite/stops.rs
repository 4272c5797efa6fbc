use gatehouse_domain::Exit;
use gatehouse_process::tree::{self, Signal};
use gatehouse_process::{Error, GRACE, StopMode};
use tokio::time::Instant;

use crate::support::{House, eventually, fixture, fresh_id, lives, number_after, signal};

#[tokio::test]
async fn a_polite_leader_does_not_save_its_stubborn_group() {
    let mut house = House::new();
    let (id, launched) = house.launch(&format!("exec {}", fixture("leader.sh"))).await;
    house.printed(id, "leader").await;
    let stubborn = number_after(&house.printed(id, "stubborn").await, "stubborn");
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
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
    assert!(began.elapsed() >= GRACE, "{:?}", began.elapsed());
    for level in 1..=3 {
        assert!(!lives(number_after(&output, &format!("level {level} is"))));
    }
    assert_eq!(house.ended(id).await.exit, Exit::Signal(9));
}

#[tokio::test]
async fn a_second_press_skips_the_wait() {
    let mut house = House::new();
    let (id, _) = house.launch("trap 'echo asked' TERM; echo up; while :; do sleep 0.05; done").await;
    house.printed(id, "up").await;
    let _asked = house.ask_without_end(id).await;
    house.printed(id, "asked").await;
    let (first, second) = tokio::join!(house.supervisor.stop(id, StopMode::Graceful), async {
        house.supervisor.stop(id, StopMode::Force).await
    });
    assert!(first.unwrap().survivors.is_empty() && second.unwrap().survivors.is_empty());
    assert_eq!(house.ended(id).await.exit, Exit::Signal(9));
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
async fn a_fork_storm_is_caught() {
    let mut house = House::new();
    // Whoever is born is as deaf as its parents and begins anew; the limit keeps the machine alive if this fails.
    let storm = "ulimit -u 4000; trap '' TERM; storm() { local n=$1; [ $n -gt 0 ] && { storm $((n-1)) & storm $((n-1)) & }; \
                 echo storms; while :; do sleep 0.2 & wait; done; }; storm 5";
    let (id, _) = house.launch(storm).await;
    house.printed(id, "storms").await;
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.survivors.is_empty(), "{outcome:?}");
    house.emptied(id).await;
}

#[tokio::test]
async fn nobody_gets_away_by_handing_on_to_somebody_else() {
    let mut house = House::new();
    // Each lives for a few milliseconds and leaves another one behind.
    let relay =
        "trap '' TERM; step() { for ((i = 0; i < 2000; i++)); do :; done; [ $SECONDS -gt 20 ] || step & }; step";
    for mode in [StopMode::Graceful, StopMode::Force] {
        let (id, _) = house.launch(relay).await;
        house.ended(id).await;
        let outcome = house.supervisor.stop(id, mode).await.unwrap();
        assert!(outcome.survivors.is_empty(), "{outcome:?}");
        house.emptied(id).await;
    }
}

#[tokio::test]
async fn stopped_children_of_a_deaf_tree_do_not_hold_it_up() {
    let mut house = House::new();
    let script = "for i in 1 2 3; do (echo child; kill -STOP $BASHPID; sleep 60) & done; trap 'exit 4' TERM; echo up; wait; wait";
    let (id, launched) = house.launch(script).await;
    house.printed(id, "up").await;
    let table = || tree::below(launched.pid, &tree::table().unwrap());
    eventually("three children", || table().len() == 3).await;
    let _asked = house.ask_without_end(id).await;
    assert_eq!(house.ended(id).await.exit, Exit::Code(4));
    house.emptied(id).await;
}

#[tokio::test]
async fn zombies_do_not_count_as_alive() {
    let mut house = House::new();
    let (id, launched) = house.launch("sleep 0.05 & echo up; exec sleep 60").await;
    house.printed(id, "up").await;
    let is_zombie = |member: &tree::Member| member.parent == launched.pid && member.is_zombie;
    eventually("a zombie", || tree::table().unwrap().iter().any(is_zombie)).await;
    let members = house.supervisor.members(&[id]).unwrap();
    assert_eq!(members[0].members.iter().map(|member| member.pid).collect::<Vec<_>>(), [launched.pid]);
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.survivors.is_empty(), "{outcome:?}");
    house.emptied(id).await;
}

#[tokio::test]
async fn twenty_deaf_trees_share_one_grace() {
    let mut house = House::new();
    let mut ids = Vec::new();
    for _ in 0..20 {
        let (id, _) = house.launch(&format!("exec {} 1", fixture("deaf.sh"))).await;
        house.printed(id, "level 3 is").await;
        ids.push(id);
    }
    let stops: Vec<_> = ids
        .into_iter()
        .map(|id| {
            let supervisor = house.supervisor.clone();
            tokio::spawn(async move { supervisor.stop(id, StopMode::Graceful).await })
        })
        .collect();
    for stop in stops {
        assert!(stop.await.unwrap().unwrap().survivors.is_empty());
    }
}

#[tokio::test]
async fn a_name_with_blanks_and_a_parenthesis_is_stopped_like_any_other() {
    let mut house = House::new();
    let (id, launched) = house.launch("cp $(command -v sleep) 'a b) c'; echo up; exec './a b) c' 60").await;
    house.printed(id, "up").await;
    eventually("it has its name", || {
        std::fs::read_to_string(format!("/proc/{}/comm", launched.pid)).is_ok_and(|name| name == "a b) c\n")
    })
    .await;
    assert_eq!(tree::member(launched.pid).unwrap().unwrap().start, launched.start_ticks);
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Signal(15));
}

#[tokio::test]
async fn whom_even_kill_does_not_end_is_named_and_stays_stoppable() {
    // A frozen process of the first version's freezer hears KILL when it thaws. Nothing else cannot be killed on demand.
    let freezer = format!("/sys/fs/cgroup/freezer/gatehouse-test-{}", std::process::id());
    let freezer = std::path::Path::new(&freezer);
    if std::fs::create_dir(freezer).is_err() {
        eprintln!("skipped: this machine has no freezer that this user may use");
        return;
    }
    let mut house = House::new();
    let (id, launched) = house.launch("sleep 60 & echo up; wait").await;
    house.printed(id, "up").await;
    std::fs::write(freezer.join("cgroup.procs"), launched.pid.to_string()).unwrap();
    std::fs::write(freezer.join("freezer.state"), "FROZEN").unwrap();
    let outcome = house.supervisor.stop(id, StopMode::Force).await.unwrap();
    assert_eq!((outcome.survivors.as_slice(), outcome.already_ended), (&[launched.pid][..], false));
    assert_eq!(house.supervisor.members(&[id]).unwrap()[0].members[0].pid, launched.pid, "it is still listed");
    let (again, ()) = tokio::join!(house.supervisor.stop(id, StopMode::Force), async {
        std::fs::write(freezer.join("freezer.state"), "THAWED").unwrap();
    });
    assert!(again.unwrap().survivors.is_empty());
    assert_eq!(house.ended(id).await.exit, Exit::Signal(9));
    house.emptied(id).await;
    std::fs::remove_dir(freezer).unwrap();
}

#[tokio::test]
async fn a_stopped_process_hears_the_request() {
    let mut house = House::new();
    let (id, launched) = house.launch("exec sleep 60").await;
    let job = tree::member(launched.pid).unwrap().unwrap();
    signal(&job, Signal::STOP);
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
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
