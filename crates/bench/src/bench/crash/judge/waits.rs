use gatehouse_provider::scripted::Scripted;
use serde_json::Value;

use super::super::work::{WAIT, Work, started, waiting};
use super::{Found, Wrong, tells};

/// The agent hears the end of what it waited for once: as the result of its wait, or else as a note.
pub(super) fn judge(lab: &Scripted, work: &Work, found: &Found, wrong: &mut Wrong) {
    let requests: Vec<Value> = lab.requests().into_iter().map(|request| request.body).collect();
    for words in work.words.iter().filter(|words| words.text.starts_with(WAIT)) {
        let is_it = |row: &&Value| row["command"] == started(&words.key) && row["state"] == "exited";
        let Some(row) = found.rows.iter().find(is_it) else { continue };
        let id = row["processId"].as_str().unwrap_or_default();
        let notes = found.items.iter().filter(|item| tells(item, id)).count();
        let waited = requests.iter().any(|body| has_waited(body, &waiting(&words.key)));
        wrong.once(notes + usize::from(waited), || format!("the end that {:?} asked for", words.text));
    }
}

/// A request gives the end as the result of this call.
fn has_waited(body: &Value, call: &str) -> bool {
    let result = |said: &Value| serde_json::from_str::<Value>(said["content"].as_str()?).ok();
    let all = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().any(|said| said["tool_call_id"] == call && result(said).is_some_and(|told| told["status"] == "exited"))
}
