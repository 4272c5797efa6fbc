//! Answers that last: for a session, for good, as a pattern; and what they answer besides.

use gatehouse_provider::scripted::{Script, Scripted, calls, say};
use gatehouse_tests::{Mirror, Result, Rpc, Setup, strict};
use serde_json::{Value, json};

/// Runs what a person's message says, a call for each line, and says `Well.` to the results.
async fn lab() -> Result<Scripted> {
    let respond = |body: &Value| {
        let messages = strict::messages(body);
        let last = messages.last().cloned().unwrap_or_default();
        let text = last["content"].as_str().unwrap_or_default();
        if last["role"] != "user" {
            return say("Well.");
        }
        let ids: Vec<String> =
            (0..text.lines().count()).map(|line| format!("call_{}_{line}", messages.len())).collect();
        let arguments = |command: &str| json!({ "command": command, "purpose": "To see it\u{202e} run." });
        calls(text.lines().zip(&ids).map(|(line, id)| (id.as_str(), "terminal", arguments(line))))
    };
    Ok(Scripted::start(Script::responder(respond)).await?)
}

fn pending<'m>(mirror: &'m Mirror, session: &str) -> Vec<&'m Value> {
    mirror.of_kind(session, "approval").into_iter().filter(|item| item["state"] == "pending").collect()
}

async fn question(mirror: &mut Mirror, session: &str) -> Result<Value> {
    mirror.until("a question", |m| pending(m, session).first().map(|item| (*item).clone())).await
}

async fn answer(rpc: &Rpc, asked: &Value, choice: &str) -> Result {
    rpc.call("answer_approval", json!({ "approvalId": asked["approvalId"], "choice": choice })).await?;
    Ok(())
}

/// Says something, and waits until the agent has said its last word about it.
async fn run(rpc: &Rpc, mirror: &mut Mirror, session: &str, command: &str) -> Result {
    let before = mirror.said(session).len();
    rpc.send(session, command).await?;
    rests(mirror, session, before + 1).await
}

async fn rests(mirror: &mut Mirror, session: &str, said: usize) -> Result {
    mirror.until("the answer", |m| (m.said(session).len() == said && m.rests(session)).then_some(())).await
}

fn last_card<'m>(mirror: &'m Mirror, session: &str) -> &'m Value {
    mirror.of_kind(session, "tool_call").last().map_or(&Value::Null, |item| &item["card"])
}

async fn rules(rpc: &Rpc) -> Result<Vec<Value>> {
    Ok(rpc.call("list_rules", json!({})).await?["rules"].as_array().cloned().unwrap_or_default())
}

#[tokio::test]
async fn a_session_is_not_asked_twice_and_no_other_is_spared() -> Result {
    let lab = lab().await?;
    let mut server = Setup::with(&lab).asking().start().await?;
    let (here, there) = (server.session().await?, server.session().await?);
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&here, "touch ran").await?;
    let asked = question(&mut mirror, &here).await?;
    assert_eq!(asked["choices"], json!(["once", "session", "always", "pattern", "deny"]));
    assert_eq!((&asked["command"], &asked["purpose"]), (&json!("touch ran"), &json!("To see it\\u202E run.")));
    answer(&server, &asked, "session").await?;
    rests(&mut mirror, &here, 1).await?;
    let closed = mirror.of_kind(&here, "approval")[0].clone();
    assert_eq!((&closed["state"], &closed["answer"]["choice"]), (&json!("allowed"), &json!("session")));
    assert_eq!(closed["answer"]["by"], "person");
    assert!(closed["answer"]["atMs"].as_u64() >= closed["atMs"].as_u64());

    run(&server, &mut mirror, &here, "touch ran").await?;
    assert_eq!(mirror.of_kind(&here, "approval").len(), 1, "not asked again");
    let details = last_card(&mirror, &here)["details"].as_str().unwrap_or_default().to_owned();
    assert!(details.contains("Allowed by a rule"), "{details}");
    server.send(&here, "touch other").await?;
    let other = question(&mut mirror, &here).await?;
    answer(&server, &other, "deny").await?;
    rests(&mut mirror, &here, 3).await?;
    server.send(&there, "touch ran").await?;
    let strange = question(&mut mirror, &there).await?;
    answer(&server, &strange, "deny").await?;
    rests(&mut mirror, &there, 1).await?;

    server.term().await?;
    server.restart().await?;
    mirror.move_to(&*server);
    run(&server, &mut mirror, &here, "touch ran").await?;
    assert!(pending(&mirror, &here).is_empty());
    let rules = rules(&server).await?;
    assert_eq!(rules.len(), 1);
    assert_eq!((&rules[0]["kind"], &rules[0]["sessionId"]), (&json!("session"), &json!(here)));
    assert_eq!((&rules[0]["uses"], &rules[0]["text"]), (&json!(2), &json!("touch ran")));
    assert_eq!(rules[0]["cwd"], json!(server.house.person()));
    assert!(rules[0]["lastUsedAtMs"].as_u64() >= rules[0]["createdAtMs"].as_u64());
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_rule_that_is_taken_back_asks_again() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let (here, there) = (server.session().await?, server.session().await?);
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&here, "touch a && touch b").await?;
    let asked = question(&mut mirror, &here).await?;
    assert_eq!(asked["choices"], json!(["once", "session", "always", "deny"]), "no pattern fits two commands");
    answer(&server, &asked, "always").await?;
    rests(&mut mirror, &here, 1).await?;
    run(&server, &mut mirror, &there, "touch a && touch b").await?;
    assert!(mirror.of_kind(&there, "approval").is_empty(), "every session");
    let rule = rules(&server).await?[0].clone();
    assert_eq!((&rule["kind"], rule.get("sessionId")), (&json!("exact"), None));
    let left = server.call("remove_rule", json!({ "ruleId": rule["ruleId"] })).await?;
    assert_eq!(left, json!({ "rules": [] }));
    let again = server.call("remove_rule", json!({ "ruleId": rule["ruleId"] })).await;
    assert_eq!(again.unwrap_err().code, "not_found");
    server.send(&there, "touch a && touch b").await?;
    let asked = question(&mut mirror, &there).await?;
    answer(&server, &asked, "once").await?;
    rests(&mut mirror, &there, 2).await?;
    assert!(rules(&server).await?.is_empty(), "once makes no rule");
    Ok(())
}

#[tokio::test]
async fn a_pattern_is_checked_and_covers_plain_commands_only() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "git tag v1").await?;
    let asked = question(&mut mirror, &session).await?;
    assert_eq!(asked["suggestedPattern"], "git tag *");
    for (pattern, hint) in [
        (json!("git tag * ; x"), "no place in it"),
        (json!("*"), "begins with the name"),
        (json!("git push *"), "does not cover"),
        (json!(""), "at least one word"),
        (Value::Null, "at least one word"),
    ] {
        let params = json!({ "approvalId": asked["approvalId"], "choice": "pattern", "pattern": pattern });
        let refusal = server.call("answer_approval", params).await.unwrap_err();
        assert_eq!(refusal.code, "invalid_request", "{pattern}");
        assert!(refusal.message.contains(hint) && refusal.message.contains("still open"), "{refusal}");
    }
    assert!(rules(&server).await?.is_empty());
    let params = json!({ "approvalId": asked["approvalId"], "choice": "pattern", "pattern": "git tag *" });
    server.call("answer_approval", params).await?;
    rests(&mut mirror, &session, 1).await?;
    assert_eq!(mirror.of_kind(&session, "approval")[0]["answer"]["pattern"], "git tag *");
    run(&server, &mut mirror, &session, "git tag v2").await?;
    let details = last_card(&mirror, &session)["details"].as_str().unwrap_or_default().to_owned();
    assert!(details.contains("Allowed by a rule: git tag *"), "{details}");
    for (at, smuggled) in ["git tag v3; touch evil", "git tag $(touch evil)", "git tag v3 > evil"].iter().enumerate() {
        server.send(&session, smuggled).await?;
        let asked = question(&mut mirror, &session).await?;
        answer(&server, &asked, "deny").await?;
        rests(&mut mirror, &session, 3 + at).await?;
    }
    assert!(!server.house.person().join("evil").exists());
    strict::check_all(&lab)
}

#[tokio::test]
async fn an_answer_that_lasts_answers_who_asks_the_same() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let mut asked = Vec::new();
    for command in ["touch one", "touch one", "touch two"] {
        let session = server.session().await?;
        server.send(&session, command).await?;
        let question = question(&mut mirror, &session).await?;
        asked.push((session, question));
    }
    let listed = server.call("list_approvals", json!({})).await?;
    let listed: Vec<_> =
        listed["items"].as_array().into_iter().flatten().map(|item| item["approvalId"].clone()).collect();
    assert_eq!(
        listed,
        asked.iter().map(|(_, item)| item["approvalId"].clone()).collect::<Vec<_>>(),
        "the oldest first"
    );

    let [(first, one), (second, _), (third, two)] = asked.as_slice() else { return Err("three questions".into()) };
    answer(&server, one, "always").await?;
    rests(&mut mirror, first, 1).await?;
    rests(&mut mirror, second, 1).await?;
    let by: Vec<_> = [first, second].iter().map(|s| mirror.of_kind(s, "approval")[0]["answer"].clone()).collect();
    assert_eq!((&by[0]["by"], &by[1]["by"], &by[1]["choice"]), (&json!("person"), &json!("rule"), &json!("always")));
    assert_eq!(pending(&mirror, third).len(), 1, "another command still waits");
    assert_eq!(rules(&server).await?[0]["uses"], 1, "it answered once");
    answer(&server, two, "deny").await?;
    rests(&mut mirror, third, 1).await?;
    assert_eq!(server.call("list_approvals", json!({})).await?, json!({ "items": [] }));
    strict::check_all(&lab)
}

#[tokio::test]
async fn once_is_once_also_for_a_twin_in_the_same_turn() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "touch twin\ntouch twin").await?;
    mirror.until("both questions", |m| (pending(m, &session).len() == 2).then_some(())).await?;
    let first = pending(&mirror, &session)[0].clone();
    answer(&server, &first, "once").await?;
    mirror.until("the first to run", |m| m.processes.values().next().map(|_| ())).await?;
    let second = question(&mut mirror, &session).await?;
    assert_ne!(second["approvalId"], first["approvalId"]);
    answer(&server, &second, "deny").await?;
    rests(&mut mirror, &session, 1).await?;
    assert_eq!(mirror.processes.len(), 1);
    strict::check_all(&lab)
}

#[tokio::test]
async fn only_what_is_risky_asks_when_a_person_says_so() -> Result {
    let lab = lab().await?;
    let url = lab.url();
    let risky = ["--provider-url", url.as_str(), "--model", "scripted", "--approvals", "risky"];
    let server = Setup::bare().args(risky).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    run(&server, &mut mirror, &session, "touch plain").await?;
    assert!(mirror.of_kind(&session, "approval").is_empty() && server.house.person().join("plain").exists());
    server.send(&session, "rm -rf plain").await?;
    let asked = question(&mut mirror, &session).await?;
    assert!(asked["dangers"].as_array().is_some_and(|dangers| !dangers.is_empty()), "{asked}");
    answer(&server, &asked, "deny").await?;
    rests(&mut mirror, &session, 2).await?;
    assert!(server.house.person().join("plain").exists());
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_only_reads_asks_nobody() -> Result {
    let lab = lab().await?;
    let server = Setup::with(&lab).asking().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    run(&server, &mut mirror, &session, "ls -la").await?;
    assert!(mirror.of_kind(&session, "approval").is_empty());
    assert_eq!(last_card(&mirror, &session)["status"], "complete");
    strict::check_all(&lab)
}
