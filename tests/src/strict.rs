//! The chat-completions rules that a strict provider enforces, applied to every request that ours received.

use std::collections::HashSet;

use gatehouse_provider::scripted::Scripted;
use serde_json::Value;

use crate::Result;

/// Checks every request so far.
pub fn check_all(lab: &Scripted) -> Result {
    for (at, request) in lab.requests().iter().enumerate() {
        check(&request.body).map_err(|words| format!("request {}: {words}\n{:#}", at + 1, request.body))?;
    }
    Ok(())
}

/// The messages of a request.
pub fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map_or(&[], Vec::as_slice)
}

/// The last message's text.
pub fn last_text(body: &Value) -> &str {
    messages(body).last().and_then(|message| message["content"].as_str()).unwrap_or_default()
}

/// The result that a request gives for a call.
pub fn result_of(body: &Value, call: &str) -> Option<String> {
    let found = messages(body).iter().find(|message| message["role"] == "tool" && message["tool_call_id"] == call);
    found.and_then(|message| message["content"].as_str()).map(str::to_owned)
}

/// Checks one request.
pub fn check(body: &Value) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    if messages(body).is_empty() {
        return Err("no messages".into());
    }
    for (at, message) in messages(body).iter().enumerate() {
        let fail = |words: &str| Err(format!("message {at}: {words}"));
        keys(message).map_err(|words| format!("message {at}: {words}"))?;
        if message.to_string().contains("\\u0000") {
            return fail("a NUL");
        }
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            match open.iter().position(|call| *call == id) {
                Some(found) => drop(open.remove(found)),
                None => return fail("a result without an open call"),
            }
            continue;
        }
        if !open.is_empty() {
            return fail("calls before it have no result");
        }
        let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        for call in calls {
            let id = call["id"].as_str().unwrap_or_default();
            if id.is_empty() || !known.insert(id) {
                return fail("a call's id is empty or used again");
            }
            open.push(id);
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
                return fail("arguments are no JSON object");
            }
        }
        if calls.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
            return fail("it is empty");
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("calls without a result at the end: {open:?}")) }
}

/// Exactly these keys, so that nothing of ours leaks to a provider or trips it.
fn keys(message: &Value) -> Result<(), String> {
    let allowed: &[&str] = match message["role"].as_str() {
        Some("system" | "user") => &["role", "content"],
        Some("assistant") => &["role", "content", "tool_calls"],
        Some("tool") => &["role", "content", "tool_call_id"],
        other => return Err(format!("the role {other:?}")),
    };
    let found = message.as_object().into_iter().flat_map(|map| map.keys());
    let odd: Vec<_> = found.filter(|key| !allowed.contains(&key.as_str())).collect();
    if odd.is_empty() { Ok(()) } else { Err(format!("keys that do not belong there: {odd:?}")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn broken_requests_are_found() {
        let call =
            |id: &str| json!({"id": id, "type": "function", "function": {"name": "terminal", "arguments": "{}"}});
        let user = json!({"role": "user", "content": "x"});
        let asks = |id: &str| json!({"role": "assistant", "content": null, "tool_calls": [call(id)]});
        let gives = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "y"});
        let fine = [user.clone(), asks("a"), gives("a"), asks("b"), gives("b")];
        assert_eq!(check(&json!({"messages": fine})), Ok(()));
        for broken in [
            vec![user.clone(), asks("a")],
            vec![user.clone(), asks("a"), user.clone()],
            vec![user.clone(), gives("a")],
            vec![user.clone(), asks("a"), gives("a"), asks("a"), gives("a")],
            vec![json!({"role": "assistant", "content": ""})],
            vec![json!({"role": "user", "content": "x", "seq": 1})],
            vec![json!({"role": "user", "content": "a\u{0}b"})],
        ] {
            assert!(check(&json!({"messages": broken})).is_err(), "{broken:?}");
        }
    }
}
