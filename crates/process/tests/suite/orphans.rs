//! Jobs whose shim was killed, and strangers who look like theirs.

use std::collections::HashSet;
use std::process::Stdio;

use gatehouse_domain::ProcessId;
use gatehouse_process::rundir::{CHILD, ChildRecord, LOCK, RunDir, SPEC};
use gatehouse_process::tree::{self, Signal};
use gatehouse_process::{RecoveredState, StopMode};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;

use crate::support::{House, eventually, fixture, fresh_id, lives, number_after, signal};

/// Somebody who has nothing to do with the house: the script's shell leads a session of its own.
async fn stranger(script: &str) -> (Child, u32) {
    #[expect(clippy::disallowed_methods, reason = "a process that belongs to nobody here")]
    let mut child = tokio::process::Command::new("setsid")
        .args(["--wait", "bash", "-c", script])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let line = BufReader::new(child.stdout.take().unwrap()).lines().next_line().await.unwrap().unwrap();
    (child, line.trim().parse().unwrap())
}

fn end(pid: u32) {
    if let Some(member) = tree::member(pid).unwrap() {
        signal(&member, Signal::KILL);
    }
}

/// A run directory as a killed shim leaves it.
fn left_by_a_killed_shim(house: &House, child: &ChildRecord) -> ProcessId {
    let id = fresh_id();
    let run = RunDir::create(&house.run_dir(id)).unwrap();
    run.put(LOCK, b"").unwrap();
    run.put(SPEC, b"{}").unwrap();
    run.put(CHILD, &serde_json::to_vec(child).unwrap()).unwrap();
    id
}

fn record(pid: u32, start: u64) -> ChildRecord {
    let boot = gatehouse_process::rundir::boot_id().unwrap();
    ChildRecord { pid, start, boot, place: String::new(), group: None, ungrouped: None, pty_note: None }
}

async fn is_not_touched(house: &House, child: &ChildRecord, stranger: u32) {
    let id = left_by_a_killed_shim(house, child);
    let all = house.supervisor.recover(&[id]).await.unwrap();
    let RecoveredState::Ended(report) = &all[0].state else { panic!("{all:?}") };
    assert!(report.lost && report.survivors.is_empty(), "{report:?}");
    for mode in [StopMode::Graceful, StopMode::Force] {
        let outcome = house.supervisor.stop(id, mode).await.unwrap();
        assert!(outcome.already_ended, "{outcome:?}");
    }
    assert!(house.supervisor.members(&[id]).unwrap().is_empty());
    assert!(lives(stranger));
}

#[tokio::test]
async fn a_number_that_belongs_to_somebody_else_now_is_left_alone() {
    let house = House::new();
    let (_child, pid) = stranger("echo $$; exec sleep 60").await;
    let start = tree::member(pid).unwrap().unwrap().start;
    is_not_touched(&house, &record(pid, start - 1), pid).await;
    end(pid);
}

#[tokio::test]
async fn a_session_whose_number_was_used_again_is_left_alone() {
    let house = House::new();
    // Its leader has ended, so only the session's number is left to see.
    let (mut child, pid) = stranger("sleep 60 >/dev/null & echo $!").await;
    child.wait().await.unwrap();
    let member = tree::member(pid).unwrap().unwrap();
    assert!(tree::member(member.session).unwrap().is_none());
    is_not_touched(&house, &record(member.session, member.start - 1), pid).await;
    end(pid);
}

#[tokio::test]
async fn a_number_of_an_earlier_boot_means_nobody() {
    let house = House::new();
    let (_child, pid) = stranger("echo $$; exec sleep 60").await;
    let start = tree::member(pid).unwrap().unwrap().start;
    let earlier = ChildRecord { boot: "another boot".to_owned(), ..record(pid, start) };
    is_not_touched(&house, &earlier, pid).await;
    end(pid);
}

#[tokio::test]
async fn a_daemon_that_kept_its_variables_is_found_by_them() {
    let mut house = House::new();
    let (id, launched) = house.launch(&format!("{} marked", fixture("daemon.sh"))).await;
    let daemon = number_after(&house.printed(id, "daemon").await, "daemon");
    let (shim, job) = (house.shim_of(&launched), tree::member(launched.pid).unwrap().unwrap());
    signal(&shim, Signal::KILL);
    signal(&job, Signal::KILL);
    let report = house.ended(id).await;
    assert!(report.lost && report.escape_possible, "{report:?}");
    assert!(report.survivors.contains(&daemon), "{report:?}");
    let members = house.supervisor.members(&[id]).unwrap();
    assert!(members[0].members.iter().any(|member| member.pid == daemon), "{members:?}");
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.survivors.is_empty() && !lives(daemon), "{outcome:?}");
}

#[tokio::test]
async fn a_daemon_that_kept_nothing_cannot_be_found_and_that_is_told() {
    let mut house = House::new();
    let (id, launched) = house.launch(&format!("{} clean", fixture("daemon.sh"))).await;
    let daemon = number_after(&house.printed(id, "daemon").await, "daemon");
    signal(&house.shim_of(&launched), Signal::KILL);
    let report = house.ended(id).await;
    assert!(report.lost && report.escape_possible && !report.survivors.contains(&daemon), "{report:?}");
    house.supervisor.stop(id, StopMode::Force).await.unwrap();
    assert!(!lives(launched.pid));
    end(daemon);
}

#[tokio::test]
async fn a_member_that_was_proven_once_stays_proven_when_the_proof_is_gone() {
    let mut house = House::new();
    // Same session, no variables: only the leader proves that it belongs.
    let script =
        "env -i /bin/bash -c 'trap \"\" TERM; echo quiet $$; while :; do /bin/sleep 0.1; done' & echo up; sleep 60";
    let (id, launched) = house.launch(script).await;
    let quiet = number_after(&house.printed(id, "quiet").await, "quiet");
    signal(&house.shim_of(&launched), Signal::KILL);
    assert!(house.ended(id).await.survivors.contains(&quiet));
    signal(&tree::member(launched.pid).unwrap().unwrap(), Signal::KILL);
    eventually("the leader is gone", || !lives(launched.pid)).await;
    house.restart().await;
    let all = house.supervisor.recover(&[id]).await.unwrap();
    let RecoveredState::Ended(report) = &all[0].state else { panic!("{all:?}") };
    assert!(report.survivors.contains(&quiet), "{report:?}");
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.survivors.is_empty() && !lives(quiet), "{outcome:?}");
}

#[tokio::test]
async fn a_shim_killed_after_the_end_leaves_a_warning_beside_the_code() {
    let mut house = House::new();
    let (id, launched) = house.launch("read x < /proc/self/stat; sleep 60 & echo up; exit 7").await;
    let report = house.ended(id).await;
    assert!(!report.escape_possible && report.descendants == 1, "{report:?}");
    let sleeper = tree::member(report.survivors[0]).unwrap().unwrap();
    let shim = tree::member(sleeper.parent).unwrap().unwrap();
    assert_ne!(shim.pid, launched.pid);
    house.supervisor.shutdown().await;
    signal(&shim, Signal::KILL);
    eventually("the shim is gone", || !lives(shim.pid)).await;
    house.restart().await;
    let all = house.supervisor.recover(&[id]).await.unwrap();
    let RecoveredState::Ended(report) = &all[0].state else { panic!("{all:?}") };
    assert_eq!((report.exit, report.lost), (gatehouse_domain::Exit::Code(7), false));
    assert!(report.escape_possible && report.survivors == [sleeper.pid], "{report:?}");
    house.kill(id).await;
    assert!(!lives(sleeper.pid));
}

#[tokio::test]
async fn a_run_directory_that_cannot_be_read_keeps_no_other_from_being_found() {
    let mut house = House::new();
    let (living, _) = house.launch("sleep 60").await;
    let (file, torn) = (fresh_id(), fresh_id());
    std::fs::write(house.run_dir(file), "").unwrap();
    let run = RunDir::create(&house.run_dir(torn)).unwrap();
    run.put(SPEC, b"{\"command\": ").unwrap();
    let held = run.try_lock().unwrap();
    assert!(held.is_some());
    house.restart().await;
    let strays = house.supervisor.strays(&HashSet::new()).unwrap();
    assert_eq!(strays.iter().map(|stray| stray.id).collect::<Vec<_>>(), [living]);
    let all = house.supervisor.recover(&[living, file]).await.unwrap();
    assert!(matches!(all[0].state, RecoveredState::Adopted { .. }), "{all:?}");
    assert_eq!(all[1].state, RecoveredState::Unreachable);
    house.kill(living).await;
}

#[tokio::test]
async fn damaged_records_of_one_run_do_not_keep_others_from_being_found() {
    let mut house = House::new();
    let (living, _) = house.launch("sleep 60").await;
    let damaged = fresh_id();
    let run = RunDir::create(&house.run_dir(damaged)).unwrap();
    for name in [SPEC, CHILD, "exit.json"] {
        run.put(name, b"{\"pid\": 12").unwrap();
    }
    house.restart().await;
    let all = house.supervisor.recover(&[living, damaged]).await.unwrap();
    assert!(matches!(all[0].state, RecoveredState::Adopted { .. }), "{all:?}");
    assert_eq!(all[1].state, RecoveredState::NeverRan { reason: None });
    house.kill(living).await;
}
