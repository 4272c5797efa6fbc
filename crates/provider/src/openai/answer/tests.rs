use proptest::prelude::*;

use super::*;

type Outcome = (Vec<ModelEvent>, Result<Finished, Failure>);

fn read_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, end: End) -> Outcome {
    let voice = Voice { name: "lab".to_owned(), key: None };
    let mut answer = Answer::new(voice, 200, HashSet::new());
    let mut events = Vec::new();
    for piece in pieces {
        let fed = answer.feed(piece);
        events.extend(std::iter::from_fn(|| answer.next()));
        if let Err(failure) = fed {
            return (events, Err(failure));
        }
        if answer.is_done() {
            break;
        }
    }
    let (rest, finished) = answer.end(end);
    events.extend(rest);
    (events, finished)
}

fn read(body: &str) -> Outcome {
    read_pieces([body.as_bytes()], End::Clean)
}

fn code(body: &str) -> FailureCode {
    read(body).1.expect_err(body).code
}

fn chunk(delta: &str, finish: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n")
}

fn text(words: &str) -> String {
    chunk(&format!("{{\"content\":\"{words}\"}}"), "null")
}

fn call(arguments: &str) -> String {
    let delta =
        format!(r#"{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"t","arguments":"{arguments}"}}}}]}}"#);
    chunk(&delta, "null")
}

fn finish(reason: &str) -> String {
    chunk("{}", &format!("\"{reason}\""))
}

#[test]
fn calls_run_only_behind_a_finish_reason_or_done() {
    let whole = call(r#"{\"x\":1}"#);
    assert_eq!(code(&whole), FailureCode::CutOff);
    for end in [finish("tool_calls"), finish("stop"), "data: [DONE]\n\n".to_owned(), "data: [DONE]".to_owned()] {
        let finished = read(&format!("{whole}{end}")).1.unwrap();
        assert_eq!((finished.finish, finished.calls.len()), (Finish::ToolCalls, 1), "{end}");
    }
    assert_eq!(code(&format!("{}data: [DONE]\n\n", call(r#"{\"x\""#))), FailureCode::Malformed);
    assert_eq!(code(&format!("{}data: [DONE]\n\n", call(""))), FailureCode::Malformed, "arguments may have been lost");
    assert_eq!(read(&format!("{}{}", call(""), finish("tool_calls"))).1.unwrap().calls[0].arguments, "{}");
}

#[test]
fn a_length_limit_inside_a_call_is_told_from_one_after_it() {
    for cut in [r#"{\"x\""#, ""] {
        assert_eq!(code(&format!("{}{}", call(cut), finish("length"))), FailureCode::LengthLimit);
    }
    let finished = read(&format!("{}{}", call(r#"{\"x\":1}"#), finish("length"))).1.unwrap();
    assert_eq!((finished.finish, finished.calls.len()), (Finish::Length, 1));
    assert_eq!(read(&format!("{}{}", text("a"), finish("length"))).1.unwrap().finish, Finish::Length);
    assert_eq!(code(&finish("length")), FailureCode::LengthLimit);
}

#[test]
fn words_before_a_failure_are_kept() {
    for (rest, expect) in [
        (String::new(), FailureCode::CutOff),
        ("data: {\"error\":{\"message\":\"overloaded\"}}\n\n".to_owned(), FailureCode::ProviderError),
        ("data: {\"error\":{\"message\":\"slow down\",\"code\":429}}\n\n".to_owned(), FailureCode::RateLimited),
        ("event: error\ndata: overloaded\n\n".to_owned(), FailureCode::ProviderError),
        ("data: {\"choices\":\n\n".to_owned(), FailureCode::Malformed),
        ("data: nonsense\n\n".to_owned(), FailureCode::Malformed),
        (finish("content_filter"), FailureCode::Filtered),
        (finish("error"), FailureCode::ProviderError),
    ] {
        let (events, end) = read(&format!("{}{rest}", text("partial")));
        assert_eq!(events, [ModelEvent::Text("partial".to_owned())], "{rest}");
        assert_eq!(end.unwrap_err().code, expect, "{rest}");
    }
}

#[test]
fn an_error_in_the_stream_brings_the_providers_words() {
    let failure = read("data: {\"error\":{\"message\":\"The model is overloaded.\"}}\n\n").1.unwrap_err();
    assert_eq!(failure.message, "lab failed in the middle of the answer: The model is overloaded. Try again.");
}

#[test]
fn bodies_that_are_no_stream() {
    assert_eq!(code("<!doctype html><html>"), FailureCode::NotAStream);
    assert_eq!(code("\n <html>"), FailureCode::NotAStream);
    assert_eq!(code("Not Found"), FailureCode::NotAStream);
    assert_eq!(code(r#"{"ok":true}"#), FailureCode::NotAStream);
    assert_eq!(code(r#"{"ok":tr"#), FailureCode::NotAStream);
    assert_eq!(code(r#"{"error":{"message":"no"}}"#), FailureCode::ProviderError);
    for empty in ["", "\n\n", ": ping\n\n", "data:\n\n", "event: keepalive\n\n", "data: [DONE]\n\n"] {
        assert_eq!(code(empty), FailureCode::Empty, "{empty:?}");
    }
    assert_eq!(code(&finish("stop")), FailureCode::Empty);
    assert_eq!(code(&finish("tool_calls")), FailureCode::Empty);
}

#[test]
fn a_provider_that_does_not_stream_is_understood() {
    let body = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":[{"id":"a",
        "type":"function","function":{"name":"t","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
    let (events, finished) = read_pieces(body.as_bytes().chunks(5), End::Clean);
    assert_eq!(events[0], ModelEvent::Text("hi".to_owned()));
    let finished = finished.unwrap();
    assert_eq!((finished.calls.len(), finished.usage.unwrap().completion_tokens), (1, 4));
    assert_eq!(
        read_pieces([&body.as_bytes()[..40]], End::Cut("reset".to_owned())).1.unwrap_err().code,
        FailureCode::CutOff
    );
}

#[test]
fn a_broken_connection_after_the_finish_reason_loses_nothing() {
    let body = text("all") + &finish("stop");
    let (_, finished) = read_pieces([body.as_bytes()], End::Cut("reset".to_owned()));
    assert_eq!(finished.unwrap().finish, Finish::Stop);
}

#[test]
fn nothing_after_done_counts() {
    let body = text("a") + &finish("stop") + "data: [DONE]\n\n" + &text("b") + "data: rubbish\n\n";
    assert_eq!(read(&body).0, [ModelEvent::Text("a".to_owned())]);
}

#[test]
fn thoughts_are_apart_from_words() {
    let body = chunk(r#"{"reasoning_content":"hm","reasoning":"hm"}"#, "null") + &text("a") + &finish("stop");
    assert_eq!(read(&body).0, [ModelEvent::Reasoning("hm".to_owned()), ModelEvent::Text("a".to_owned())]);
}

#[test]
fn an_emoji_cut_into_escapes_is_whole_again() {
    let body = text(r"a\ud83d") + &text(r"\ude00") + &text(r"\ud83d") + &text(r"\ude00") + &finish("stop");
    let words: Vec<ModelEvent> = ["a", "😀", "😀"].map(|words| ModelEvent::Text(words.to_owned())).into();
    assert_eq!(read(&body).0, words);
}

#[test]
fn many_calls_side_by_side_stay_apart() {
    const CALLS: usize = 64;
    let arguments: Vec<String> = (0..CALLS).map(|n| format!(r#"{{"n":{n},"text":"{}"}}"#, "é".repeat(n % 7))).collect();
    let mut body = String::new();
    for n in 0..CALLS {
        let delta = serde_json::json!({"tool_calls": [{"index": n, "id": format!("c{n}"), "function": {"name": "terminal", "arguments": ""}}]});
        body += &chunk(&delta.to_string(), "null");
    }
    for at in 0..40 {
        for (n, text) in arguments.iter().enumerate() {
            if let Some(letter) = text.chars().nth(at) {
                let delta =
                    serde_json::json!({"tool_calls": [{"index": n, "function": {"arguments": letter.to_string()}}]});
                body += &chunk(&delta.to_string(), "null");
            }
        }
    }
    body += &finish("tool_calls");
    let calls = read(&body).1.unwrap().calls;
    assert_eq!(calls.iter().map(|call| call.arguments.clone()).collect::<Vec<_>>(), arguments);
}

/// A stream with everything in it that may be cut: marks, comments, calls, escapes, several line ends.
fn rich() -> String {
    "\u{feff}: hello\r\n\r\n".to_owned()
        + &text("naïve 你好 👩‍👧 ")
        + "data:{\"choices\":[{\"delta\":\r\ndata: {\"content\":\"data: [DONE]\"}}]}\r\rid: 7\n"
        + &call(r#"{\"x\""#)
        + &chunk(r#"{"tool_calls":[{"index":0,"function":{"arguments":":\"\u4f60\"}"}}]}"#, "null")
        + &finish("tool_calls")
        + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
}

fn pieces<'a>(body: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (body.len() + 1)).chain([0, body.len()]).collect();
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn cuts_change_nothing(cuts in prop::collection::vec(any::<usize>(), 0..60)) {
        let body = rich();
        let whole = read(&body);
        prop_assert!(whole.1.is_ok());
        prop_assert_eq!(read_pieces(pieces(body.as_bytes(), &cuts), End::Clean), whole);
    }

    #[test]
    fn a_stream_that_stops_anywhere_before_its_finish_runs_nothing(at in any::<prop::sample::Index>(), clean: bool) {
        let body = rich();
        let reason = body.find("\"tool_calls\"}]}").unwrap();
        let end = if clean { End::Clean } else { End::Cut("reset".to_owned()) };
        let (_, finished) = read_pieces([&body.as_bytes()[..at.index(reason)]], end);
        prop_assert!(finished.is_err());
    }

    #[test]
    fn any_bytes_end_and_never_panic(body in prop::collection::vec(any::<u8>(), 0..400), cuts in prop::collection::vec(any::<usize>(), 0..8)) {
        let (_, finished) = read_pieces(pieces(&body, &cuts), End::Clean);
        prop_assert!(finished.is_err());
    }

    #[test]
    fn shuffled_pieces_of_streams_never_panic_and_never_glue(
        picks in prop::collection::vec(prop::sample::select(vec![
            "data: ", "\n", "\r\n", "\n\n", "{", "}", "[DONE]", "event: error", ": c", "\u{feff}", "null", "<",
            "{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}", "{\"choices\":null}", "{\"error\":null}",
            "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"t\",\"arguments\":\"{\"}}]}}]}",
            "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]}}]}",
            "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"name\":\"u\"}}]}}]}",
            "{\"choices\":[{\"finish_reason\":\"stop\"}]}",
        ]), 0..40),
        cuts in prop::collection::vec(any::<usize>(), 0..8),
    ) {
        let body = picks.concat();
        let whole = read(&body);
        prop_assert_eq!(&read_pieces(pieces(body.as_bytes(), &cuts), End::Clean), &whole);
        for call in whole.1.iter().flat_map(|finished| &finished.calls) {
            prop_assert!(serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&call.arguments).is_ok());
        }
    }
}
