//! What a start leaves behind that does not succeed.

use super::*;
use crate::testing::{LIMIT, open, options};

#[tokio::test]
async fn a_start_that_fails_half_way_leaves_the_profile_to_the_next_one_in_the_same_program() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    let session = gateway.create_session(Some("Orders".into()), None).await.unwrap();
    let runs = gateway.profile_dir().join("runs");
    gateway.shutdown().await;

    // Where its processes write is no directory.
    std::fs::remove_dir_all(&runs).unwrap();
    std::fs::write(&runs, "").unwrap();
    for _ in 0..2 {
        let start = Gateway::start(options(home.path(), home.path().join("shim")));
        let refused = tokio::time::timeout(LIMIT, start).await.unwrap().map(drop);
        assert!(matches!(refused, Err(StartError::Process(_))), "{refused:?}");
    }
    std::fs::remove_file(&runs).unwrap();
    let gateway = open(home.path()).await;
    assert_eq!(gateway.sessions().unwrap().iter().map(|(row, _)| row.row.id).collect::<Vec<_>>(), [session]);
    gateway.shutdown().await;
}
