//! Commands of the chat box: no model hears them, and a busy session carries them out.

use gatehouse_provider::scripted::{End, Script, Scripted, calls, say};
use gatehouse_tests::{Mirror, Result, Setup, strict};
use serde_json::{Value, json};

/// Asks to touch two files when it is told to work, hangs when it is told to, and repeats everything else.
async fn lab() -> Result<Scripted> {
    let respond = |body: &Value| {
        let last = strict::messages(body).last().cloned().unwrap_or_default();
        let touch = |file: &str| json!({ "command": format!("touch {file}") });
        match (last["role"].as_str(), last["content"].as_str().unwrap_or_default()) {
            (Some("user"), "work") => calls([("call_a", "terminal", touch("a")), ("call_b", "terminal", touch("b"))]),
            (Some("user"), "hang") => say("On it.").ending(End::Hang),
            (Some("user"), words) => say(words),
            _ => say("Well."),
        }
    };
    Ok(Scripted::start(Script::responder(respond)).await?)
}

fn notices<'m>(mirror: &'m Mirror, session: &str) -> Vec<&'m str> {
    mirror.of_kind(session, "notice").into_iter().filter_map(|item| item["text"].as_str()).collect()
}

fn states<'m>(mirror: &'m Mirror, session: &str) -> Vec<&'m str> {
    mirror.of_kind(session, "approval").into_iter().filter_map(|item| item["state"].as_str()).collect()
}

#[tokio::test]
async fn help_and_mistakes_are_answered_without_a_model() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for text in ["/help", "/frobnicate now", "/approve", "/deny because", "/stop", "/approve whatever"] {
        server.send(&session, text).await?;
    }
    mirror.catch_up().await?;
    let told = notices(&mirror, &session);
    let hints =
        ["/approve [once", "no command /frobnicate", "No question waits", "No question waits", "No turn", "takes"];
    assert_eq!(told.len(), hints.len(), "{told:?}");
    for (words, hint) in told.iter().zip(hints) {
        assert!(words.contains(hint), "{words}");
    }
    assert!(mirror.of_kind(&session, "message").is_empty() && mirror.turns_of(&session).is_empty());
    assert!(lab.requests().is_empty());
    server.send(&session, "/etc/hosts is wrong").await?;
    mirror.until("an answer", |m| (m.said(&session) == ["/etc/hosts is wrong"]).then_some(())).await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn words_are_taken_back_with_what_followed_and_notes_are_not_counted() -> Result {
    let lab = lab().await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for (at, text) in ["one", "two", "three"].into_iter().enumerate() {
        server.send(&session, text).await?;
        mirror.until(text, |m| (m.said(&session).len() == at + 1 && m.rests(&session)).then_some(())).await?;
    }
    server.bang(&session, "echo told-by-a-machine").await?;
    mirror.until("the note", |m| (m.said(&session).len() == 4 && m.rests(&session)).then_some(())).await?;
    server.send(&session, "/undo 2").await?;
    mirror.until("the word about it", |m| (!notices(m, &session).is_empty()).then_some(())).await?;
    let left = |m: &Mirror| -> Vec<String> {
        m.transcript(&session).iter().filter_map(|item| item["text"].as_str().map(str::to_owned)).collect()
    };
    let words = "Taken back, with everything since: 2 messages, from \"two\" on.";
    assert_eq!(left(&mirror), ["one", "one", words]);

    // Another window sees the same, also after a restart, and the model reads none of it.
    server.term().await?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "another window");
    mirror.catch_up().await?;
    assert_eq!(left(&mirror), ["one", "one", words]);
    server.send(&session, "hang").await?;
    let body = lab.wait_for_request(5).await.body;
    let read: Vec<_> = strict::messages(&body)[1..].iter().filter_map(|message| message["content"].as_str()).collect();
    assert_eq!(read, ["one", "one", "hang"]);
    server.send(&session, "/undo").await?;
    let refused =
        |m: &Mirror| notices(m, &session).last().filter(|words| words.contains("A turn is running")).map(|_| ());
    mirror.until("the refusal", refused).await?;
    assert!(left(&mirror).contains(&"hang".to_owned()));
    lab.release();
    mirror.until("the answer", |m| m.rests(&session).then_some(())).await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_question_is_answered_while_its_turn_waits_also_the_second_one() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "work").await?;
    mirror.until("both questions", |m| (states(m, &session) == ["pending", "pending"]).then_some(())).await?;
    let yes = json!({ "sessionId": session, "text": "/approve", "clientKey": "yes" });
    let first = server.call("send_message", yes.clone()).await?;
    mirror.until("the first answer", |m| (states(m, &session) == ["allowed", "pending"]).then_some(())).await?;
    assert_eq!(server.call("send_message", yes).await?, first, "the same one again answers nothing more");
    mirror.catch_up().await?;
    assert_eq!(states(&mirror, &session), ["allowed", "pending"]);
    server.send(&session, "words that wait").await?;
    server.send(&session, "/deny one is enough").await?;
    mirror.until("the rest", |m| (m.said(&session).len() == 2 && m.rests(&session)).then_some(())).await?;
    assert_eq!(states(&mirror, &session), ["allowed", "denied"]);
    assert_eq!(mirror.said(&session), ["Well.", "words that wait"]);
    let told = strict::result_of(&lab.requests()[1].body, "call_b").unwrap_or_default();
    assert!(told.contains("one is enough"), "{told}");
    assert!(server.house.person().join("a").exists() && !server.house.person().join("b").exists());

    server.send(&session, "work").await?;
    mirror.until("two more", |m| (states(m, &session)[2..] == ["pending", "pending"]).then_some(())).await?;
    server.send(&session, "/approve session all").await?;
    mirror.until("the end", |m| (m.said(&session).len() == 3 && m.rests(&session)).then_some(())).await?;
    let kinds = server.call("list_rules", json!({})).await?;
    assert_eq!(kinds["rules"].as_array().map(Vec::len), Some(2), "{kinds}");
    assert!(notices(&mirror, &session).is_empty());
    strict::check_all(&lab)
}

#[tokio::test]
async fn stop_is_heard_by_a_busy_session() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "hang").await?;
    lab.wait_for_request(1).await;
    server.send(&session, "later").await?;
    server.send(&session, "/stop").await?;
    mirror.until("the stop", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!(mirror.turns_of(&session)[0]["state"], "stopped");
    assert_eq!(mirror.sessions[&session]["queuePaused"], true);
    strict::check_all(&lab)
}
