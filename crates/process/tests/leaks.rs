//! Descriptors are counted in a program of its own, where no other test opens any.

#[cfg(test)]
#[path = "suite/support.rs"]
#[expect(dead_code, reason = "shared with a larger suite")]
mod support;

use support::{House, eventually, fixture};

#[tokio::test]
async fn fifty_jobs_with_holders_leave_no_descriptor_and_no_child() {
    let mut house = House::new();
    let (id, _) = house.launch("true").await;
    house.emptied(id).await;
    house.supervisor.acknowledge_end(id);
    let settled = || std::fs::read_to_string(format!("/proc/self/task/{}/children", std::process::id())).unwrap();
    eventually("the first shim is collected", || settled().is_empty()).await;
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = descriptors();
    for _ in 0..50 {
        let (id, _) = house.launch(&format!("{} all", fixture("holder.sh"))).await;
        house.ended(id).await;
        house.supervisor.acknowledge_end(id);
        house.kill(id).await;
        house.emptied(id).await;
    }
    eventually("every shim is collected", || settled().is_empty()).await;
    eventually("descriptors are back", || descriptors() <= before).await;
}
