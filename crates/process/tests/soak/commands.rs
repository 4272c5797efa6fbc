use std::collections::HashMap;

use gatehouse_domain::{Exit, ProcessId};
use gatehouse_process::{ProcessEvent, tree};
use tokio::time::Instant;

use crate::support::{House, eventually};

/// Side by side.
const AT_ONCE: usize = 10;

fn children() -> Vec<tree::Member> {
    let own = std::process::id();
    tree::table().unwrap().into_iter().filter(|member| member.parent == own).collect()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.split("VmRSS:").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap()
}

/// Starts some side by side and waits until each has ended and left nobody.
async fn some(house: &mut House, count: usize) -> Vec<ProcessId> {
    let specs: Vec<_> = (0..count).map(|_| house.spec("true")).collect();
    let ids: Vec<ProcessId> = specs.iter().map(|spec| spec.id).collect();
    let launches = specs.into_iter().map(|spec| {
        let supervisor = house.supervisor.clone();
        tokio::spawn(async move { supervisor.launch(spec).await.unwrap() })
    });
    for launch in launches.collect::<Vec<_>>() {
        launch.await.unwrap();
    }
    let (mut ends, mut empty) = (HashMap::new(), 0);
    while empty < count {
        match house.event().await {
            ProcessEvent::Ended { id, report } => {
                assert_eq!((report.exit, report.descendants), (Exit::Code(0), 0));
                assert_eq!(ends.insert(id, ()), None, "an end is told once");
                house.supervisor.acknowledge_end(id);
            }
            ProcessEvent::TreeEmpty { .. } => empty += 1,
            event @ (ProcessEvent::Descendants { .. } | ProcessEvent::Orphaned { .. }) => panic!("{event:?}"),
            ProcessEvent::Output { .. } | ProcessEvent::Attention { .. } => {}
        }
    }
    assert_eq!(ends.len(), count);
    ids
}

async fn many(count: usize) {
    let mut house = House::new();
    some(&mut house, AT_ONCE).await;
    eventually("the first shims are collected", || children().is_empty()).await;
    let (descriptors_before, kib_before, began) = (descriptors(), resident_kib(), Instant::now());
    for _ in 0..count / AT_ONCE {
        let ids = some(&mut house, AT_ONCE).await;
        assert_eq!(house.supervisor.members(&ids).unwrap(), [], "nobody is listed who has ended");
        eventually("every shim is collected", || children().is_empty()).await;
        // Whoever holds a run directory is a shim that lives on.
        ids.iter().for_each(|id| house.supervisor.remove_run(*id).unwrap());
    }
    let (seconds, kib) = (began.elapsed().as_secs_f64(), resident_kib());
    eprintln!(
        "{count} commands in {seconds:.1} s ({:.0} in a second); descriptors {descriptors_before} -> {}, \
         resident {kib_before} -> {kib} KiB",
        count as f64 / seconds,
        descriptors()
    );
    eventually("descriptors are back", || descriptors() <= descriptors_before).await;
    assert!(kib < kib_before + 16 * 1024, "{kib_before} KiB grew to {kib}");
}

#[tokio::test]
async fn three_hundred_commands_leave_nobody_and_nothing() {
    many(300).await;
}

#[tokio::test]
#[ignore = "takes minutes; `cargo test --release -p gatehouse-process --test soak -- --ignored --nocapture` runs it"]
async fn ten_thousand_commands_leave_nobody_and_nothing() {
    many(10_000).await;
}
