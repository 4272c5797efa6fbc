use std::time::Duration;

use gatehouse_domain::{Exit, ProcessId};
use gatehouse_process::rundir::{CHILD, ChildRecord, RunDir};
use gatehouse_process::tree::Signal;
use gatehouse_process::{Groups, ProcessEvent, StopMode};

use crate::group_room::GroupRoom;
use crate::support::{House, eventually, fixture, lives, number_after, signal, stopped};

async fn house() -> Option<(House, GroupRoom)> {
    let room = GroupRoom::open().await?;
    Some((House::with(Groups::Below(room.path().to_owned())), room))
}

fn groups_in(room: &GroupRoom) -> usize {
    std::fs::read_dir(room.path()).unwrap().flatten().filter(|entry| entry.path().is_dir()).count()
}

fn child_of(house: &House, id: ProcessId) -> ChildRecord {
    RunDir::open(&house.run_dir(id)).unwrap().record(CHILD).unwrap().unwrap()
}

#[tokio::test]
async fn a_job_has_a_group_of_its_own_from_its_first_moment_to_its_last() {
    let Some((mut house, room)) = house().await else { return };
    let (id, launched) = house.launch("cat /proc/self/cgroup; exit 5").await;
    assert!(child_of(&house, id).group.is_some());
    assert_eq!(house.ended(id).await.exit, Exit::Code(5));
    assert!(house.output(id).contains(&format!("/job-{id}\n")), "{}", house.output(id));
    house.emptied(id).await;
    assert!(!lives(launched.pid));
    assert_eq!(groups_in(&room), 0);
}

#[tokio::test]
async fn the_polite_phase_comes_before_the_group_is_killed() {
    let Some((mut house, room)) = house().await else { return };
    let (id, _) = house.launch("trap 'echo goodbye; exit 6' TERM; echo up; while :; do sleep 0.05; done").await;
    house.printed(id, "up").await;
    house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(6));
    house.emptied(id).await;
    assert!(house.output(id).contains("goodbye"));
    assert_eq!(groups_in(&room), 0);
}

#[tokio::test]
async fn a_deaf_tree_that_forks_on_dies_with_its_group() {
    let Some((mut house, room)) = house().await else { return };
    let (id, _) = house.launch("trap '' TERM; echo grows; while :; do sleep 60 & done").await;
    house.printed(id, "grows").await;
    let outcome = stopped(&house.supervisor, id).await;
    assert!(outcome.survivors.is_empty(), "{outcome:?}");
    house.emptied(id).await;
    assert_eq!(groups_in(&room), 0);
}

#[tokio::test]
async fn whoever_kept_nothing_of_their_past_is_found_after_the_shim_was_killed() {
    let Some((mut house, room)) = house().await else { return };
    let (id, launched) = house.launch(&format!("{} clean", fixture("daemon.sh"))).await;
    let daemon = number_after(&house.printed(id, "daemon").await, "daemon");
    signal(&house.shim_of(&launched), Signal::KILL);
    let report = house.ended(id).await;
    assert!(report.lost && !report.escape_possible, "{report:?}");
    assert!(report.survivors.contains(&daemon) && report.survivors.contains(&launched.pid), "{report:?}");
    let outcome = house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
    assert!(outcome.survivors.is_empty() && !lives(daemon) && !lives(launched.pid), "{outcome:?}");
    assert_eq!(groups_in(&room), 0);
}

#[tokio::test]
async fn groups_that_a_job_makes_in_its_own_go_with_it() {
    let Some((mut house, room)) = house().await else { return };
    let group = format!("{}/job-", room.path().display());
    let inner = format!(
        "own={group}$PROCESS_OF_GATEHOUSE; mkdir -p $own/a/b; (echo $BASHPID >$own/a/b/cgroup.procs; trap '' TERM; \
         echo inside; while :; do sleep 0.1; done) & wait"
    );
    let (id, _) = house.launch(&inner).await;
    house.printed(id, "inside").await;
    house.kill(id).await;
    house.emptied(id).await;
    assert_eq!(groups_in(&room), 0);
}

#[tokio::test]
async fn a_tree_is_not_empty_while_somebody_else_is_in_its_group() {
    let Some((mut house, _room)) = house().await else { return };
    #[expect(clippy::disallowed_methods, reason = "a process that is not below the shim")]
    let mut guest = tokio::process::Command::new("sleep").arg("60").kill_on_drop(true).spawn().unwrap();
    let pid = guest.id().unwrap();
    let (id, _) = house.launch("while [ ! -e go ]; do sleep 0.05; done; exit 3").await;
    let group = house_group(&house, id);
    std::fs::write(group.join("cgroup.procs"), pid.to_string()).unwrap();
    std::fs::write(house.home.path().join("go"), "").unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(3));
    let told = tokio::time::timeout(Duration::from_millis(300), house.emptied(id)).await;
    assert!(told.is_err(), "the guest is still there");
    guest.kill().await.unwrap();
    house.emptied(id).await;
    eventually("the group is gone", || !group.exists()).await;
}

fn house_group(house: &House, id: ProcessId) -> std::path::PathBuf {
    std::ffi::OsString::from(child_of(house, id).group.unwrap()).into()
}

#[tokio::test]
async fn without_a_place_for_groups_a_job_runs_all_the_same_and_says_why() {
    let mut house = House::with(Groups::Below("/no/such/directory".into()));
    let (id, _) = house.launch("exit 4").await;
    let record = child_of(&house, id);
    assert_eq!(record.group, None);
    assert!(record.ungrouped.is_some_and(|why| why.contains("/no/such/directory")));
    assert_eq!(house.ended(id).await.exit, Exit::Code(4));
    while !matches!(house.event().await, ProcessEvent::TreeEmpty { .. }) {}
}
