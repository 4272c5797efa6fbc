//! Answers that are none, and answers that are hard to read: the person's message stays, the words say which.

use std::sync::{Arc, Mutex};

use gatehouse_provider::scripted::{Answer, End, Script, Scripted, deltas, raw, response, say};
use gatehouse_tests::{Mirror, Result, Server, Setup, nobody, strict};
use serde_json::{Value, json};

/// A provider that gives one answer until it is healed.
struct Patient {
    lab: Scripted,
    illness: Arc<Mutex<Option<Answer>>>,
}

impl Patient {
    async fn new(illness: Answer) -> Result<Self> {
        let illness = Arc::new(Mutex::new(Some(illness)));
        let now = Arc::clone(&illness);
        let lab = Scripted::start(Script::responder(move |_: &Value| {
            now.lock().unwrap().clone().unwrap_or_else(|| say("Healthy."))
        }))
        .await?;
        Ok(Self { lab, illness })
    }

    fn heal(&self) {
        *self.illness.lock().unwrap() = None;
    }
}

/// Sends a message to a provider that fails in this way, and tries again when it is healthy.
async fn fails(answer: Answer, code: &str, words: &[&str]) -> Result {
    let patient = Patient::new(answer).await?;
    let server = Setup::with(&patient.lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    failed_turn(&server, &session, &mut mirror, code, words).await?;
    patient.heal();
    again(&server, &session, &mut mirror).await?;
    strict::check_all(&patient.lab)
}

async fn failed_turn(server: &Server, session: &str, mirror: &mut Mirror, code: &str, words: &[&str]) -> Result {
    server.send(session, "are you there?").await?;
    mirror.until("the turn's end", |m| m.rests(session).then_some(())).await?;
    mirror.catch_up().await?;
    let failed = mirror.of_kind(session, "failed_turn");
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert_eq!(failed[0]["failure"]["code"], json!(code), "{:#}", failed[0]);
    assert_eq!(failed[0]["failure"]["retryable"], json!(true));
    let text = failed[0]["text"].as_str().unwrap_or_default();
    for word in words {
        assert!(text.contains(word), "no {word:?} in {text:?}");
    }
    assert_eq!(mirror.turns_of(session)[0]["state"], "failed");
    let human = mirror.transcript(session)[0];
    assert_eq!((&human["author"], &human["text"]), (&json!("human"), &json!("are you there?")));
    Ok(())
}

async fn again(server: &Server, session: &str, mirror: &mut Mirror) -> Result {
    let turn = mirror.turns_of(session)[0]["turnId"].clone();
    server.call("retry_turn", json!({"turnId": turn})).await?;
    let answered = |m: &Mirror| m.said(session).last() == Some(&"Healthy.") && m.rests(session);
    mirror.until("the answer", |m| answered(m).then_some(())).await?;
    let turns = mirror.turns_of(session);
    assert_eq!((&turns[1]["cause"], &turns[1]["state"]), (&json!("retry"), &json!("done")));
    let humans = mirror.transcript(session).into_iter().filter(|item| item["author"] == "human").count();
    assert_eq!(humans, 1, "a retry says nothing anew");
    Ok(())
}

#[tokio::test]
async fn a_web_page() -> Result {
    fails(response(200, "text/html", "<html><title>Router login</title></html>"), "not_a_stream", &[]).await
}

#[tokio::test]
async fn nothing() -> Result {
    fails(raw(""), "empty", &["empty"]).await
}

#[tokio::test]
async fn half_a_stream() -> Result {
    fails(deltas(["Hel", "lo wor"]).ending(End::Abort), "cut_off", &["broke off"]).await
}

#[tokio::test]
async fn a_stream_without_an_end() -> Result {
    fails(deltas(["Hel", "lo wor"]).ending(End::CleanEof), "cut_off", &["broke off"]).await
}

#[tokio::test]
async fn an_error_in_the_stream() -> Result {
    let body = "data: {\"error\":{\"message\":\"the card is out of memory\",\"code\":500}}\n\n";
    fails(raw(body), "provider_error", &["out of memory"]).await
}

#[tokio::test]
async fn an_error_of_the_server() -> Result {
    let answer = response(500, "application/json", r#"{"error":{"message":"try later"}}"#);
    fails(answer, "provider_error", &["try later"]).await
}

#[tokio::test]
async fn rubbish_in_the_stream() -> Result {
    fails(raw("data: {\"choices\": [{\"delta\"\n\n"), "malformed", &[]).await
}

#[tokio::test]
async fn a_key_that_is_refused() -> Result {
    let lab = Scripted::start(response(401, "application/json", r#"{"error":{"message":"bad key"}}"#)).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "hello?").await?;
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    let failed = mirror.of_kind(&session, "failed_turn");
    assert_eq!(failed[0]["failure"]["code"], "unauthorized");
    assert_eq!(lab.requests().len(), 1, "a refusal is not asked again");
    Ok(())
}

#[tokio::test]
async fn nobody_there() -> Result {
    let (_held, empty) = nobody()?;
    let mut server = Setup::at(&format!("http://{empty}/v1")).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    failed_turn(&server, &session, &mut mirror, "unreachable", &["reach", &empty.to_string()]).await?;
    let lab = Scripted::start(say("Healthy.")).await?;
    server.term().await?;
    server.restart_with(Setup::with(&lab)).await?;
    mirror.move_to(&*server);
    again(&server, &session, &mut mirror).await
}

#[tokio::test]
async fn no_model_at_all() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "hello?").await?;
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    assert_eq!(mirror.of_kind(&session, "failed_turn")[0]["failure"]["code"], "no_model");
    // Commands work without one, and their report needs no answer.
    server.bang(&session, "echo alone; exit 6").await?;
    mirror.reported(&session, 1).await?;
    assert_eq!(mirror.units(&session)[0]["exitCode"], 6);
    assert_eq!(mirror.of_kind(&session, "failed_turn").len(), 1);
    Ok(())
}

#[tokio::test]
async fn the_partial_answer_is_kept() -> Result {
    let lab = Scripted::start(deltas(["I will ", "begin"]).ending(End::Abort)).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "go").await?;
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.said(&session), ["I will begin"]);
    Ok(())
}

/// A stream whose call must never run, because the answer was not finished.
async fn never_runs(body: &[u8], end: End, code: &str) -> Result {
    let lab = Scripted::start(raw(body.to_vec()).ending(end)).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "clean up").await?;
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.of_kind(&session, "failed_turn")[0]["failure"]["code"], json!(code));
    assert_eq!(mirror.said(&session), ["I will clean up."], "the partial text is kept");
    assert!(mirror.processes.is_empty());
    assert!(!server.house.person().join("SHOULD_NOT_EXIST").exists());
    // The next request is one that a strict provider takes.
    server.send(&session, "and now?").await?;
    mirror.until("the next answer", |m| (m.said(&session).last() == Some(&"ok")).then_some(())).await?;
    strict::check_all(&lab)
}

macro_rules! case {
    ($path:literal) => {
        include_bytes!(concat!("../../crates/provider/tests/fixtures/", $path, "/body.sse"))
    };
}

#[tokio::test]
async fn a_call_is_not_run_when_the_connection_breaks() -> Result {
    never_runs(case!("PROV-06/cut"), End::Abort, "cut_off").await
}

#[tokio::test]
async fn a_call_is_not_run_when_the_stream_just_ends() -> Result {
    never_runs(case!("PROV-06/clean-eof"), End::CleanEof, "cut_off").await
}

#[tokio::test]
async fn a_call_with_half_its_arguments_is_not_run() -> Result {
    never_runs(case!("PROV-06/half-args"), End::Normal, "length_limit").await
}

#[tokio::test]
async fn a_finished_stream_without_a_reason_runs_its_call() -> Result {
    let lab = Scripted::start([raw(case!("PROV-06/done-no-finish").to_vec()), say("Cleaned up.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "clean up").await?;
    mirror.until("the answer", |m| (m.said(&session).last() == Some(&"Cleaned up.")).then_some(())).await?;
    assert!(server.house.person().join("SHOULD_NOT_EXIST").exists());
    Ok(())
}

/// Calls that a careless reader would glue together: all run, and each result goes to its own id.
async fn runs_each(body: &[u8], expected: &str) -> Result {
    let lab = Scripted::start([raw(body.to_vec()), say("Done.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "go").await?;
    mirror
        .until("the answer", |m| (m.said(&session).last() == Some(&"Done.") && m.rests(&session)).then_some(()))
        .await?;
    let expected: Vec<Value> = serde_json::from_str(expected)?;
    assert_eq!(mirror.of_kind(&session, "tool_call").len(), expected.len());
    let requests = lab.requests();
    for call in expected {
        let (id, command) = (call["id"].as_str().unwrap_or_default(), call["arguments"]["command"].as_str());
        let word = command.and_then(|command| command.strip_prefix("echo ")).ok_or("no echo")?;
        let result: Value = serde_json::from_str(&strict::result_of(&requests[1].body, id).ok_or("no result")?)?;
        assert_eq!(result["output"].as_str().map(str::trim_end), Some(word), "{id}");
    }
    strict::check_all(&lab)
}

#[tokio::test]
async fn calls_without_an_index() -> Result {
    let expected = include_str!("../../crates/provider/tests/fixtures/PROV-01/expected.json");
    runs_each(case!("PROV-01"), expected).await
}

#[tokio::test]
async fn calls_that_share_an_index() -> Result {
    let expected = include_str!("../../crates/provider/tests/fixtures/PROV-02/expected.json");
    runs_each(case!("PROV-02"), expected).await
}

/// A text that must arrive whole, in the feed, in the rows and in the file.
async fn reads(answer: Answer, expected: &str) -> Result {
    let expected: Value = serde_json::from_str(expected)?;
    let text = expected["text"].as_str().ok_or("no text")?;
    let lab = Scripted::start(answer).await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "go").await?;
    mirror.until("the turn's end", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.said(&session), [text]);
    assert_eq!(mirror.turns_of(&session)[0]["state"], "done");
    assert!(!text.contains('\u{FFFD}'));
    assert_eq!(server.items(&session).await?[1]["text"], json!(text));
    server.term().await?;
    let file = rusqlite::Connection::open(server.house.database())?;
    let count: u32 = file.query_row("SELECT count(*) FROM item WHERE text = ?1", [text], |row| row.get(0))?;
    assert_eq!(count, 1, "the file holds exactly these characters");
    Ok(())
}

#[tokio::test]
async fn chunks_without_choices() -> Result {
    let expected = include_str!("../../crates/provider/tests/fixtures/PROV-03/expected.json");
    reads(raw(case!("PROV-03").to_vec()), expected).await
}

#[tokio::test]
async fn every_framing_that_the_standard_allows() -> Result {
    let expected = include_str!("../../crates/provider/tests/fixtures/PROV-04/expected.json");
    reads(raw(case!("PROV-04").to_vec()).every(7), expected).await
}

#[tokio::test]
async fn characters_cut_by_the_network() -> Result {
    let expected = include_str!("../../crates/provider/tests/fixtures/PROV-05/expected.json");
    reads(raw(case!("PROV-05").to_vec()).every(1), expected).await
}
