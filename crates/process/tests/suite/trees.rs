//! Trees of six kinds that do not want to end, sixty of them. Whoever lives on is found by a mark that the product does not
//! know: a descriptor of a file, which is inherited over every fork, session and clean environment.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use gatehouse_domain::{Exit, ProcessId};
use gatehouse_process::{EndReport, Groups, ProcessEvent, Supervisor};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;
use tokio::time::{Instant, sleep};

use crate::group_room::GroupRoom;
use crate::support::{House, lives, stopped};

const TREES: usize = 60;
/// Side by side; the machine has other tests to run.
const AT_ONCE: usize = 6;
/// A tree stands within this time, whatever else the machine does.
const GROWING: Duration = Duration::from_secs(60);
const MARK: &str = "/proc/self/fd/9";

const HEAD: &str = r#"
deaf() { trap '' TERM; [ $1 -gt 1 ] && deaf $(($1 - 1)) & echo >>"$READY"; while :; do sleep 0.2; done; }
storm() {
  trap '' TERM
  [ $1 -gt 0 ] && { storm $(($1 - 1)) & storm $(($1 - 1)) & }
  echo >>"$READY"
  while :; do sleep 0.07 & sleep 0.05; done
}
"#;

/// A part of a tree, and how many lines it adds to the list of those who are up.
const KINDS: [(&str, usize); 6] = [
    // Three levels that ignore TERM.
    ("deaf 3 &", 3),
    // A session of its own.
    (r#"setsid bash -c 'trap "" TERM HUP; echo >>"$0"; while :; do sleep 0.2; done' "$READY" &"#, 1),
    // No parent, no session, no variables.
    (r#"(setsid env -i /bin/bash -c 'trap "" TERM HUP; echo >>"$0"; while :; do /bin/sleep 0.2; done' "$READY" &)"#, 1),
    // Somebody who hears nothing until they are told to go on.
    (r#"(echo >>"$READY"; kill -STOP $BASHPID; exec sleep 300) &"#, 1),
    // Three who fork without an end.
    ("storm 1 &", 3),
    // Somebody who would go if asked.
    (r#"(echo >>"$READY"; exec sleep 300) &"#, 1),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leader {
    EndsFirst,
    Polite,
    Deaf,
}

#[derive(Debug, Clone)]
struct Tree {
    number: usize,
    leader: Leader,
    mark: PathBuf,
    ready: PathBuf,
    members: usize,
    words: String,
}

impl Tree {
    /// The `number`-th: each kind leads with each leader, in company of others.
    fn plant(home: &Path, number: usize) -> Self {
        let leader = [Leader::EndsFirst, Leader::Polite, Leader::Deaf][number / KINDS.len() % 3];
        let is_in = |kind: usize| kind == number % KINDS.len() || (number + 2 * kind).is_multiple_of(5);
        let kinds: Vec<_> = KINDS.iter().enumerate().filter(|(kind, _)| is_in(*kind)).map(|(_, kind)| *kind).collect();
        let last = match leader {
            Leader::EndsFirst => "exit 3",
            Leader::Polite => "exec sleep 300",
            Leader::Deaf => r#"trap '' TERM; echo >>"$READY"; while :; do sleep 0.2; done"#,
        };
        let (mark, ready) = (home.join(format!("mark-{number}")), home.join(format!("ready-{number}")));
        std::fs::write(&mark, "").unwrap();
        std::fs::write(&ready, "").unwrap();
        let parts: Vec<&str> = kinds.iter().map(|(words, _)| *words).chain([last]).collect();
        let words = format!("exec 9<'{}'\nREADY='{}'\n{HEAD}{}", mark.display(), ready.display(), parts.join("\n"));
        let members = kinds.iter().map(|(_, members)| members).sum::<usize>() + usize::from(leader == Leader::Deaf);
        Self { number, leader, mark, ready, members, words }
    }

    /// Waits until everybody is up, and gone who goes first.
    async fn grown(&self, leader: u32) {
        let deadline = Instant::now() + GROWING;
        let has_left = || self.leader != Leader::EndsFirst || !lives(leader);
        while std::fs::read(&self.ready).unwrap().len() < self.members || !has_left() {
            assert!(Instant::now() < deadline, "tree {} does not grow: {}", self.number, self.words);
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Who lives and bears the mark.
    fn bearers(&self) -> Vec<u32> {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let bears =
            |pid: &u32| std::fs::read_link(MARK.replace("self", &pid.to_string())).is_ok_and(|f| f == self.mark);
        pids.filter(bears).collect()
    }
}

/// Somebody beside the trees who does as they do and says every signal that reaches them.
async fn bystander() -> Child {
    let script = "for name in TERM CONT HUP INT QUIT USR1 USR2 WINCH; do trap \"echo heard $name\" $name; done; \
                  echo up; while :; do sleep 0.1; done";
    #[expect(clippy::disallowed_methods, reason = "a process that belongs to nobody here")]
    let mut child = tokio::process::Command::new("setsid")
        .args(["--wait", "bash", "-c", script])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("up"));
    tokio::spawn(async move { assert_eq!(lines.next_line().await.unwrap(), None, "a bystander was signalled") });
    child
}

/// How long the stop took.
async fn grow_and_stop(supervisor: Supervisor, id: ProcessId, leader: u32, tree: Tree) -> Duration {
    tree.grown(leader).await;
    assert!(!tree.bearers().is_empty());
    let began = Instant::now();
    let outcome = stopped(&supervisor, id).await;
    let took = began.elapsed();
    assert_eq!((outcome.survivors, tree.bearers()), (vec![], vec![]), "tree {} ({:?})", tree.number, tree.leader);
    took
}

/// The ends of all of them, each told once and before its tree was told to be empty.
async fn ends(house: &mut House, trees: &HashMap<ProcessId, Tree>) -> HashMap<ProcessId, EndReport> {
    let (mut ends, mut empty) = (HashMap::new(), 0);
    while empty < trees.len() {
        match house.event().await {
            ProcessEvent::Ended { id, report } => assert_eq!(ends.insert(id, report), None, "{:?}", trees[&id]),
            ProcessEvent::TreeEmpty { id, .. } => {
                assert!(ends.contains_key(&id), "{:?}", trees[&id]);
                empty += 1;
            }
            ProcessEvent::Output { .. } | ProcessEvent::Descendants { .. } | ProcessEvent::Attention { .. } => {}
            event @ ProcessEvent::Orphaned { .. } => panic!("{event:?}"),
        }
    }
    ends
}

async fn sixty(groups: Groups) {
    let mut house = House::with(groups);
    let mut bystander = bystander().await;
    let (mut trees, mut took) = (HashMap::new(), Vec::new());
    for first in (0..TREES).step_by(AT_ONCE) {
        let mut stops = tokio::task::JoinSet::new();
        for number in first..first + AT_ONCE {
            let tree = Tree::plant(house.home.path(), number);
            let (id, launched) = house.launch(&tree.words).await;
            stops.spawn(grow_and_stop(house.supervisor.clone(), id, launched.pid, tree.clone()));
            trees.insert(id, tree);
        }
        took.extend(stops.join_all().await);
    }
    for (id, report) in ends(&mut house, &trees).await {
        let is_first = trees[&id].leader == Leader::EndsFirst;
        let expected = if is_first { report.exit == Exit::Code(3) } else { report.stop_requested };
        assert!(expected && !report.lost && !report.escape_possible, "{report:?} of {:?}", trees[&id]);
        assert!(!is_first || report.descendants > 0, "{report:?} of {:?}", trees[&id]);
    }
    assert!(lives(bystander.id().unwrap()) && bystander.try_wait().unwrap().is_none());
    took.sort();
    let (median, last) = (took[TREES / 2], took[TREES - 1]);
    eprintln!("{TREES} trees were stopped: median {median:?}, longest {last:?}");
    // The polite phase is over for everybody after the grace; the rest is looking, on a machine with others on it.
    assert!(median <= Duration::from_secs(15), "{took:?}");
}

#[tokio::test]
async fn nobody_of_sixty_trees_lives_on_and_nobody_else_is_signalled() {
    sixty(Groups::None).await;
}

#[tokio::test]
async fn nobody_of_sixty_trees_in_groups_of_their_own_lives_on() {
    let Some(room) = GroupRoom::open().await else { return };
    sixty(Groups::Below(room.path().to_owned())).await;
    let left = std::fs::read_dir(room.path()).unwrap().flatten().filter(|entry| entry.path().is_dir()).count();
    assert_eq!(left, 0, "each group goes with its tree");
}
