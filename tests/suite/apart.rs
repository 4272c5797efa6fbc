//! Two profiles in one program: what happens in one touches no row of the other.

use std::collections::BTreeMap;
use std::path::Path;

use gatehouse_tests::{Dice, Refusal, Result, Server, Setup};
use serde_json::{Value, json};

/// What happens in the second profile in one case.
const EVENTS: usize = 40;

async fn call(server: &Server, command: &str, params: Value) -> Result<Value, Refusal> {
    server.call(&format!("{command}?profile=other"), params).await
}

/// The data of a profile as it lies on the disk.
fn data(profile: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut all = BTreeMap::new();
    for name in ["gatehouse.db", "gatehouse.db-wal"] {
        all.insert(name.to_owned(), std::fs::read(profile.join(name))?);
    }
    Ok(all)
}

#[tokio::test]
async fn whatever_happens_in_one_profile_leaves_the_data_of_the_other_as_it_is() -> Result {
    let mut dice = Dice::new();
    let seed = dice.seed();
    let server = Setup::bare().start().await?;
    let first = server.session().await?;
    server.call("create_profile", json!({"name": "other"})).await?;
    let made = call(&server, "create_session", json!({})).await?;
    let mut sessions = vec![made["sessionId"].clone()];
    let before = data(&server.house.profile())?;
    for _ in 0..EVENTS {
        let at = usize::try_from(dice.below(sessions.len() as u64))?;
        let session = sessions[at].clone();
        let answered = match dice.below(6) {
            0 => call(&server, "create_session", json!({})).await,
            1 => call(&server, "send_message", json!({"sessionId": session, "text": "/help"})).await,
            2 => call(&server, "send_message", json!({"sessionId": session, "text": "!echo here"})).await,
            3 => call(&server, "search", json!({"query": "help"})).await,
            4 => call(&server, "update_session", json!({"sessionId": session, "title": "renamed"})).await,
            _ => call(&server, "send_message", json!({"sessionId": session, "text": "/new"})).await,
        };
        // What is refused has happened too, but not that nobody answered.
        let answered = match answered {
            Err(refusal) if refusal.status == 0 => return Err(format!("GATEHOUSE_TEST_SEED={seed}: {refusal}").into()),
            answered => answered.unwrap_or_default(),
        };
        sessions.extend(["sessionId", "nextSessionId"].iter().filter_map(|name| answered.get(*name)).cloned());
    }
    assert!(data(&server.house.profile())? == before, "GATEHOUSE_TEST_SEED={seed}: the other data was touched");
    let listed = server.call("list_sessions", json!({})).await?["sessions"].clone();
    assert_eq!(
        listed.as_array().map(|all| all.iter().map(|row| row["sessionId"].clone()).collect()),
        Some(vec![json!(first)])
    );
    // A session of one is nobody in the other.
    for session in &sessions {
        let refused = server.call("list_items", json!({"sessionId": session})).await.unwrap_err();
        assert_eq!(refused.code, "not_found", "{session}");
    }
    Ok(())
}
