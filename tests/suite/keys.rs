//! Names that clients give to what they hand in: the same again is done once, whatever became of the answer.

use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_tests::{Mirror, Result, Server, Setup, strict};
use serde_json::{Value, json};

use crate::limits::age;
use crate::unwritten::Refused;

fn said(session: &str, text: &str, key: &str) -> Value {
    json!({"sessionId": session, "text": text, "clientKey": key})
}

fn started(session: &str, command: &str, key: &str) -> Value {
    json!({"sessionId": session, "command": command, "clientKey": key})
}

fn runs(server: &Server, mark: &str) -> usize {
    std::fs::read_to_string(server.house.person().join(mark)).map_or(0, |text| text.lines().count())
}

#[tokio::test]
async fn a_command_does_not_run_again_when_its_process_is_forgotten() -> Result {
    let mut server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let typed = said(&session, "!echo run >> typed", "typed");
    let asked = started(&session, "echo run >> asked", "asked");
    let first = [
        server.call("send_message", typed.clone()).await?["processId"].clone(),
        server.call("start_process", asked.clone()).await?["processId"].clone(),
    ];
    let ids: Vec<&str> = first.iter().filter_map(Value::as_str).collect();
    let told = |m: &Mirror| {
        let over = |id: &&str| m.processes.get(*id).is_some_and(|row| row["state"] == "exited");
        let all_told = m.units(&session).len() == 1 && m.of_kind(&session, "notice").len() == 1;
        (ids.iter().all(over) && all_told && m.rests(&session)).then_some(())
    };
    mirror.until("both ends", told).await?;
    server.kill9()?;
    age(&server.house, &ids, 31)?;
    server.restart().await?;
    mirror.move_to(&*server);
    mirror.until("both to be forgotten", |m| m.processes.is_empty().then_some(())).await?;
    let again = [
        server.call("send_message", typed).await?["processId"].clone(),
        server.call("start_process", asked).await?["processId"].clone(),
    ];
    assert_eq!(again, first);
    assert_eq!(server.processes(&session).await?, Vec::<Value>::new());
    assert_eq!((runs(&server, "typed"), runs(&server, "asked")), (1, 1));
    Ok(())
}

#[tokio::test]
async fn one_name_is_one_thing_whether_it_is_words_or_a_command() -> Result {
    let lab = Scripted::start(say("Well.")).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    server.call("send_message", said(&session, "!echo run >> first", "command")).await?;
    server.call("start_process", started(&session, "echo run >> first", "process")).await?;
    server.call("send_message", said(&session, "some words", "words")).await?;
    server.call("send_message", said(&session, "/help", "slash")).await?;
    for key in ["command", "process", "words", "slash"] {
        for text in ["!echo run >> other", "other words", "/stop"] {
            let refused = server.call("send_message", said(&session, text, key)).await.unwrap_err();
            assert_eq!(refused.code, "invalid_request", "{key}, {text}: {refused}");
        }
        let other = started(&session, "echo run >> other", key);
        let refused = server.call("start_process", other).await.unwrap_err();
        assert_eq!(refused.code, "invalid_request", "{key}: {refused}");
    }
    assert_eq!(server.processes(&session).await?.len(), 2);
    Ok(())
}

#[tokio::test]
async fn a_start_that_failed_has_failed_when_it_is_asked_again() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    // Nothing can begin where a file stands.
    let runs = server.house.profile().join("runs");
    std::fs::remove_dir_all(&runs)?;
    std::fs::write(&runs, "")?;
    let start = started(&session, "true", "once");
    let first = server.call("start_process", start.clone()).await.unwrap_err();
    assert_eq!(first.code, "start_failed", "{first}");
    std::fs::remove_file(&runs)?;
    std::fs::create_dir(&runs)?;
    let again = server.call("start_process", start).await.unwrap_err();
    assert_eq!((again.code, again.message), (first.code, first.message));
    server.call("start_process", started(&session, "true", "another")).await?;
    Ok(())
}

#[tokio::test]
async fn what_runs_is_known_also_where_no_more_may_run() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut last = (Value::Null, Value::Null);
    for number in 0..32 {
        let start = started(&session, "exec sleep 300", &format!("start {number}"));
        last = (start.clone(), server.call("start_process", start).await?);
    }
    assert_eq!(server.send(&session, "!true").await.unwrap_err().code, "process_limit");
    assert_eq!(server.call("start_process", last.0).await?, last.1);
    Ok(())
}

#[tokio::test]
async fn no_command_begins_in_a_session_that_has_ended_and_one_opens_what_was_closed() -> Result {
    let lab = Scripted::start(say("Noted.")).await?;
    let server = Setup::with(&lab).start().await?;
    let (ended, closed) = (server.session().await?, server.session().await?);
    server.begin_anew(&ended).await?;
    let typed = server.send(&ended, "!true").await.unwrap_err();
    let asked = server.call("start_process", started(&ended, "true", "key")).await.unwrap_err();
    assert_eq!((typed.code.as_str(), asked.code.as_str()), ("session_ended", "session_ended"));
    assert_eq!(server.processes(&ended).await?, Vec::<Value>::new());

    let mut mirror = Mirror::attach(&*server, "window");
    server.call("close_session", json!({"sessionId": closed})).await?;
    server.bang(&closed, "echo here").await?;
    mirror.until("the answer", |m| (m.said(&closed) == ["Noted."] && m.rests(&closed)).then_some(())).await?;
    assert_eq!(mirror.sessions[&closed]["endReason"], Value::Null);
    assert_eq!(server.incidents().await?, Vec::<Value>::new());
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_command_that_could_not_be_carried_out_is_carried_out_when_it_comes_again() -> Result {
    let lab = Scripted::start(say("Well.")).await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let anew = said(&session, "/new", "anew");
    let refused = Refused::change(&server, "INSERT ON session")?;
    let broken = server.call("send_message", anew.clone()).await.unwrap_err();
    assert!(broken.message.contains("not now"), "{broken}");
    refused.no_more()?;
    let began = server.call("send_message", anew.clone()).await?;
    assert!(began["nextSessionId"].is_string(), "{began}");
    assert_eq!(server.call("send_message", anew.clone()).await?, began, "it is asked where the lane leads");
    server.kill9()?;
    server.restart().await?;
    assert_eq!(server.call("send_message", anew).await?, began);

    let next = began["nextSessionId"].as_str().ok_or("no session")?;
    server.send(next, "words").await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.until("the answer", |m| (m.said(next) == ["Well."] && m.rests(next)).then_some(())).await?;
    let undo = said(next, "/undo", "back");
    let refused = Refused::change(&server, "INSERT ON undone")?;
    assert!(server.call("send_message", undo.clone()).await.is_err());
    refused.no_more()?;
    server.call("send_message", undo).await?;
    let told = |m: &Mirror| m.of_kind(next, "notice").first().map(|item| item["text"].to_string());
    let told = mirror.until("the line about it", told).await?;
    assert!(told.contains("Taken back"), "{told}");
    strict::check_all(&lab)
}
