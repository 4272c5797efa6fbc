//! Parallel calls of one tool: a card each, told apart by their ids.

use gatehouse_provider::scripted::{Scripted, raw, say};
use gatehouse_tests::{Mirror, Result, Setup, strict};
use serde_json::{Value, json};

#[tokio::test]
async fn three_parallel_calls_are_three_cards() -> Result {
    let body = include_bytes!("../../crates/provider/tests/fixtures/CARD-01/body.sse");
    let expected: Value =
        serde_json::from_str(include_str!("../../crates/provider/tests/fixtures/CARD-01/expected.json"))?;
    let lab = Scripted::start([raw(body.to_vec()), say("All three ran.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "three at once").await?;
    mirror.until("the answer", |m| (m.said(&session) == ["All three ran."] && m.rests(&session)).then_some(())).await?;

    let order: Vec<_> = mirror.of_kind(&session, "tool_call").iter().map(|item| item["card"]["id"].clone()).collect();
    assert_eq!(json!(order), expected["order_on_screen"]);
    for (id, wanted) in expected["by_call_id"].as_object().into_iter().flatten() {
        let card = mirror.card(&session, id).ok_or("a card is missing")?;
        let has = |field: &str, words: &Value| {
            card[field].as_str().unwrap_or_default().contains(words.as_str().unwrap_or_default())
        };
        assert!(has("title", &wanted["title_has"]) && has("output", &wanted["output_has"]), "{card:#}");
        assert_eq!(card["status"], wanted["status"], "{id}");
        assert_eq!(card["exitCode"], wanted.get("exit").cloned().unwrap_or(json!(0)), "{id}");
    }
    let (ended, back) = course(&mirror.log);
    assert_eq!(json!(ended), expected["finish_order"]);
    assert!(back.is_empty(), "cards that went back: {back:?}");

    let requests = lab.requests();
    for id in ["call_0", "call_1", "call_2"] {
        let result: Value = serde_json::from_str(&strict::result_of(&requests[1].body, id).ok_or("no result")?)?;
        assert_eq!(result["exit_code"], json!(if id == "call_1" { 9 } else { 0 }));
    }
    strict::check_all(&lab)
}

/// In which order cards ended, and which of them ever went back.
fn course(log: &[Value]) -> (Vec<String>, Vec<String>) {
    let rank = |status: &str| ["pending", "in_progress", "complete", "error"].iter().position(|s| *s == status);
    let (mut last, mut ended, mut back) = (std::collections::BTreeMap::new(), Vec::new(), Vec::new());
    for card in log.iter().map(|change| &change["item"]["card"]).filter(|card| card.is_object()) {
        let (id, status) = (card["id"].to_string(), card["status"].as_str().unwrap_or_default().to_owned());
        let id = id.trim_matches('"').to_owned();
        let before = last.insert(id.clone(), status.clone()).unwrap_or_else(|| "pending".to_owned());
        let was_final = matches!(before.as_str(), "complete" | "error");
        if rank(&status) < rank(&before) || (was_final && status != before) {
            back.push(id.clone());
        }
        if !was_final && matches!(status.as_str(), "complete" | "error") {
            ended.push(id);
        }
    }
    (ended, back)
}
