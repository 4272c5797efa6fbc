//! Every transcript becomes a request that a strict provider takes.

use proptest::prelude::*;

use super::*;

fn call(id: &str, result: Option<&str>) -> Entry {
    Entry::Call {
        call_id: CallId(id.to_owned()),
        tool: "terminal".to_owned(),
        arguments: "{\"command\":\"echo 1\"}".to_owned(),
        result: result.map(str::to_owned),
    }
}

fn built(history: &[Entry]) -> Vec<Message> {
    messages(history, &Veil::new(vec![Secret::new("hunter-two-2".to_owned())]))
}

#[test]
fn a_call_that_was_cut_off_gets_an_honest_result() {
    let history = [
        Entry::Human("run both".to_owned()),
        call("call_1", Some("1\n")),
        call("call_2", None),
        Entry::Failed { text: "it was interrupted".to_owned() },
        Entry::Human("hello?".to_owned()),
    ];
    let messages = built(&history);
    let Message::Assistant { calls, .. } = &messages[2] else { panic!("{messages:?}") };
    assert_eq!(calls.len(), 2);
    assert_eq!(messages[3], Message::ToolResult { call_id: CallId("call_1".to_owned()), text: "1\n".to_owned() });
    let Message::ToolResult { text, .. } = &messages[4] else { panic!("{messages:?}") };
    assert!(text.contains("interrupted") && text.contains("unknown"));
    let failed = "[This turn gave no answer: it was interrupted]".to_owned();
    assert_eq!(messages[5], Message::Assistant { text: failed, calls: Vec::new() });
    check(&messages).expect("a good request");
}

#[test]
fn people_and_machines_are_never_joined() {
    let note = Entry::Note { text: "process P ended".to_owned() };
    let messages = built(&[Entry::Human("a".to_owned()), Entry::Human("b".to_owned()), note.clone(), note]);
    assert_eq!(messages[1], Message::User("a\n\nb".to_owned()));
    assert_eq!(messages[3], Message::User(with_footer("process P ended")));
    assert_eq!(messages.iter().filter(|message| matches!(message, Message::Assistant { .. })).count(), 2);
}

#[test]
fn a_repeated_call_id_is_told_apart() {
    let history = [call("0", Some("a")), Entry::Model { text: "next".to_owned() }, call("0", Some("b"))];
    check(&built(&history)).expect("unique ids");
}

#[test]
fn secrets_and_forged_footers_do_not_travel() {
    let leak = "AKIAIOSFODNN7EXAMPLE and hunter-two-2\0";
    let arguments = serde_json::json!({ "command": leak, "n": 1 }).to_string();
    let history = [
        Entry::Human(format!("{leak} {FOOTER}")),
        Entry::Model { text: leak.to_owned() },
        Entry::Call { call_id: CallId("c".to_owned()), tool: "t".to_owned(), arguments, result: Some(leak.to_owned()) },
        Entry::Note { text: format!("{leak}\n{FOOTER}\n\nmore") },
        Entry::Failed { text: leak.to_owned() },
    ];
    let messages = built(&history);
    let all = format!("{messages:?}");
    for secret in ["AKIAIOSFODNN7EXAMPLE", "hunter-two-2", "\\0", "\\u{0}", "u0000"] {
        assert!(!all.contains(secret), "{secret} in {all}");
    }
    assert_eq!(all.matches(FOOTER).count(), 1);
    check(&messages).expect("a good request");
}

#[test]
fn the_live_round_reads_like_the_stored_one() {
    let veil = Veil::new(Vec::new());
    let history = [Entry::Human("go".to_owned()), Entry::Model { text: "on it".to_owned() }, call("a", Some("1"))];
    let mut live = messages(&history[..1], &veil);
    let wanted = ToolCall {
        id: CallId("a".to_owned()),
        name: "terminal".to_owned(),
        arguments: "{\"command\":\"echo 1\"}".to_owned(),
    };
    push_answer(&mut live, "on it", vec![(wanted, Some("1".to_owned()))], &veil);
    assert_eq!(live, messages(&history, &veil));
}

/// The rules of a strict provider.
fn check(messages: &[Message]) -> Result<(), String> {
    let mut open: Vec<&CallId> = Vec::new();
    let mut seen = HashSet::new();
    let mut last = ' ';
    for message in messages {
        if !matches!(message, Message::ToolResult { .. }) && !open.is_empty() {
            return Err(format!("calls without result: {open:?}"));
        }
        let role = match message {
            Message::System(_) => 's',
            Message::User(text) => {
                if text.trim().is_empty() || text.matches(FOOTER).count() > 1 {
                    return Err(format!("a bad user message: {text:?}"));
                }
                'u'
            }
            Message::Assistant { text, calls } => {
                if text.trim().is_empty() && calls.is_empty() {
                    return Err("an empty answer".to_owned());
                }
                for call in calls {
                    let object = serde_json::from_str::<Value>(&call.arguments).is_ok_and(|value| value.is_object());
                    if !object || call.name.is_empty() || call.id.0.is_empty() || !seen.insert(&call.id) {
                        return Err(format!("a bad call: {call:?}"));
                    }
                    open.push(&call.id);
                }
                'a'
            }
            Message::ToolResult { call_id, .. } => {
                let at = open.iter().position(|id| *id == call_id).ok_or("a result without a call")?;
                open.remove(at);
                't'
            }
        };
        if (role == last && role != 't') || format!("{message:?}").contains("\\0") {
            return Err(format!("{role} after {last}, or NUL: {message:?}"));
        }
        last = role;
    }
    if open.is_empty() { Ok(()) } else { Err("calls without result at the end".to_owned()) }
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let text = prop_oneof!["[a-z\0 \n]{0,12}", Just(format!("x {FOOTER}")), Just(FOOTER.to_owned())];
    let arguments = prop_oneof![Just("{}".to_owned()), Just("[1]".to_owned()), "[\"{}:a\0]{0,8}"];
    prop_oneof![
        text.clone().prop_map(Entry::Human),
        text.clone().prop_map(|text| Entry::Model { text }),
        text.clone().prop_map(|text| Entry::Note { text }),
        text.clone().prop_map(|text| Entry::Failed { text }),
        ("[ab\0]{0,2}", "[t]{0,1}", arguments, proptest::option::of(text))
            .prop_map(|(id, tool, arguments, result)| { Entry::Call { call_id: CallId(id), tool, arguments, result } }),
    ]
}

/// So many transcripts are tried; a longer run asks for more.
fn cases() -> u32 {
    std::env::var("GATEHOUSE_PROMISE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn every_transcript_makes_a_strict_request(history in proptest::collection::vec(any_entry(), 0..24)) {
        let messages = built(&history);
        prop_assert_eq!(check(&messages), Ok(()));
        prop_assert_eq!(&messages, &built(&history));
    }
}

#[test]
fn a_model_without_tools_is_told_of_none() {
    let veil = Veil::new(Vec::new());
    let mut told = messages(&[Entry::Human("Hi.".into())], &veil);
    only_chat(&mut told);
    assert_eq!(told.len(), 2);
    assert!(matches!(&told[0], Message::System(words) if !words.contains("terminal") && words.contains("no commands")));
    assert_eq!(told[1], Message::User("Hi.".into()));
}
