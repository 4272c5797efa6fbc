use std::collections::HashMap;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Found, MARK, Wrong, asked, list, subject};
use crate::bench::crash::work::{HAND_ON, Words, Work};
use crate::error::{Doing, Result};
use crate::rpc::Rpc;

/// A report that nobody is told of: it was dropped, or taken for told, and why is known by then.
const UNTOLD: &str = "SELECT count(*) FROM unit WHERE identity = 'delegation:' || ?1 AND delivery <> 'delivered'";

/// Tasks that agents have handed on: each has ended, and what came of them was told once where they were handed on.
pub(super) async fn judge(rpc: &Rpc, rows: &Connection, work: &Work, found: &Found, wrong: &mut Wrong) -> Result<()> {
    for words in work.words.iter().filter(|words| words.text.starts_with(HAND_ON)) {
        handed_on(words, found, wrong);
    }
    for delegation in found.items.iter().filter(|item| item["kind"] == "delegation") {
        wrong.delegations += 1;
        told(rows, delegation, found, wrong)?;
        for task in tasks(delegation) {
            self::task(rpc, task, found, wrong).await?;
        }
    }
    Ok(())
}

fn tasks(delegation: &Value) -> &[Value] {
    delegation["tasks"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// What a person had handed on is handed on once, or their turn says why it is not.
fn handed_on(words: &Words, found: &Found, wrong: &mut Wrong) {
    let is_it = |item: &&Value| item["author"] == "human" && item["text"] == words.text;
    // That they are lost is said elsewhere.
    let Some(said) = found.items.iter().find(is_it) else { return };
    let named = |item: &&Value| {
        let key =
            |task: &Value| task["title"].as_str().is_some_and(|title| title.ends_with(&format!(" {}", words.key)));
        item["kind"] == "delegation" && tasks(item).iter().any(key)
    };
    let delegations: Vec<&Value> = found.items.iter().filter(named).collect();
    if delegations.iter().any(|item| item["turnId"] != said["turnId"] || item["sessionId"] != words.session) {
        wrong.misrouted(format!("what {:?} handed on", words.text));
    }
    let of_turn = |item: &&Value| item["turnId"] == said["turnId"];
    let says_why = |item: &Value| item["kind"] == "failed_turn" || item["card"]["status"] == "error";
    if !delegations.is_empty() || !found.items.iter().filter(of_turn).any(says_why) {
        wrong.once(delegations.len(), || format!("what {:?} hands on", words.text));
    }
}

/// One note in its conversation tells what came of all of it. A failure of a task is told once beside it.
fn told(rows: &Connection, delegation: &Value, found: &Found, wrong: &mut Wrong) -> Result<()> {
    let id = delegation["itemId"].as_str().unwrap_or_default();
    let mut times: HashMap<String, usize> = HashMap::new();
    let (mut whole, mut elsewhere) = (0, false);
    for note in found.items.iter().filter(|item| item["kind"] == "machine_note") {
        let units = note["units"].as_array().map(Vec::as_slice).unwrap_or_default();
        for unit in units.iter().filter(|unit| unit["delegationId"] == id) {
            *times.entry(subject(unit)).or_default() += 1;
            whole += usize::from(unit["producer"] == "delegation");
            elsewhere |= note["sessionId"] != delegation["sessionId"];
        }
    }
    if elsewhere {
        wrong.misrouted(format!("the report of the delegation {id}"));
    }
    for (subject, times) in times.into_iter().filter(|(_, times)| *times > 1) {
        wrong.doubled(format!("{subject} ({times} times)"));
    }
    let untold: u32 = rows.query_row(UNTOLD, [id], |row| row.get(0)).doing("looking for a report")?;
    if whole == 0 && untold == 0 {
        wrong.lost(format!("the report of the delegation {id}"));
    }
    Ok(())
}

/// A sub-agent was asked once for each time that is marked, and its end is known.
async fn task(rpc: &Rpc, task: &Value, found: &Found, wrong: &mut Wrong) -> Result<()> {
    let title = task["title"].as_str().unwrap_or_default();
    if task["state"] == "running" || task["endedAtMs"].is_null() {
        wrong.lost(format!("the end of the task {title:?}"));
    }
    let request = json!({ "sessionId": task["sessionId"], "afterSeq": 0, "limit": 1000 });
    let items = list(rpc, "list_items", "items", &request).await?;
    wrong.once(items.iter().filter(|item| item["kind"] == "delegation").count(), || format!("the task {title:?}"));
    asked(title, items.iter().filter(|item| item["text"] == MARK).count(), found, wrong);
    Ok(())
}
