//! Notices: what happened while nobody looked, written with the fact, and who is silenced.

use std::time::Duration;

use gatehouse_provider::scripted::{Script, Scripted, call, say};
use gatehouse_tests::{Gate, LIMIT, Mirror, Result, Rpc, Server, Setup, strict};
use serde_json::{Value, json};

async fn list(rpc: &Rpc) -> Result<Value> {
    Ok(rpc.call("list_notices", json!({})).await?)
}

fn notices(list: &Value) -> Vec<Value> {
    list["notices"].as_array().cloned().unwrap_or_default()
}

/// Notices as the feed told them last, by the order in which they came.
fn told(mirror: &Mirror) -> Vec<&Value> {
    let mut last: Vec<&Value> = Vec::new();
    for notice in mirror.log.iter().filter(|change| change["type"] == "notice").map(|change| &change["notice"]) {
        match last.iter_mut().find(|known| known["noticeId"] == notice["noticeId"]) {
            Some(known) => *known = notice,
            None => last.push(notice),
        }
    }
    last
}

async fn silent() -> Result<Scripted> {
    Ok(Scripted::start(Script::responder(|_: &Value| say("Noted."))).await?)
}

#[tokio::test]
async fn an_end_gives_one_notice_and_the_note_its_place() -> Result {
    let lab = silent().await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "!sleep 0.1; printf 'x\\033[31m\\n\\n'; exit 1").await?;
    mirror
        .until("the note", |m| (m.of_kind(&session, "machine_note").len() == 1 && m.rests(&session)).then_some(()))
        .await?;
    let note = mirror.of_kind(&session, "machine_note")[0]["seq"].clone();
    let process = mirror.processes.keys().next().cloned().ok_or("no process")?;
    let listed = list(&server).await?;
    let [notice] = notices(&listed).try_into().map_err(|all| format!("not one: {all:?}"))?;
    assert_eq!((&notice["kind"], &notice["tone"]), (&json!("process_ended"), &json!("fail")));
    assert_eq!(notice["title"], "sleep 0.1; printf 'x\\033[31m\\n\\n'; exit 1 exited 1");
    assert_eq!((&notice["body"], &notice["processId"]), (&json!("x"), &json!(process)));
    assert_eq!((&notice["seq"], &notice["sessionId"]), (&note, &json!(session)));
    assert_eq!((&notice["read"], &notice["muted"], &listed["unread"]), (&json!(false), &json!(false), &json!(1)));
    mirror.catch_up().await?;
    assert_eq!(told(&mirror), [&notice], "the feed tells what the list holds");
    let ended = mirror.processes[&process]["endedAtMs"].clone();
    assert_eq!(notice["atMs"], ended, "written with the fact");
    strict::check_all(&lab)
}

#[tokio::test]
async fn what_was_read_in_its_conversation_is_no_news_in_the_list() -> Result {
    let lab = silent().await?;
    let server = Setup::with(&lab).start().await?;
    let (here, there) = (server.session().await?, server.session().await?);
    let mut mirror = Mirror::attach(&*server, "window");
    for session in [&here, &there] {
        server.send(session, "!sleep 0.1; false").await?;
        mirror.until("the note", |m| (m.of_kind(session, "machine_note").len() == 1).then_some(())).await?;
    }
    let note = mirror.of_kind(&here, "machine_note")[0]["seq"].as_u64().ok_or("no number")?;
    server.call("mark_read", json!({"sessionId": here, "seq": note - 1})).await?;
    assert_eq!(list(&server).await?["unread"], 2, "the note itself was not read yet");
    server.call("mark_read", json!({"sessionId": here, "seq": note})).await?;
    let listed = list(&server).await?;
    let unread: Vec<_> = notices(&listed).into_iter().filter(|notice| notice["read"] == false).collect();
    assert_eq!((unread.len(), &unread[0]["sessionId"]), (1, &json!(there)));
    mirror.catch_up().await?;
    assert!(
        told(&mirror).iter().any(|notice| notice["sessionId"] == *here && notice["read"] == true),
        "nobody was told"
    );
    Ok(())
}

#[tokio::test]
async fn only_what_nobody_asked_for_is_news() -> Result {
    let lab =
        Scripted::start([call("call_1", "terminal", json!({"command": "echo foreground; false"})), say("Ran it.")])
            .await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "run it").await?;
    mirror.until("the answer", |m| m.rests(&session).then_some(())).await?;
    let start = |command: &str, notify: bool| json!({"sessionId": session, "command": command, "notify": notify});
    let quiet = server.call("start_process", start("exit 3", false)).await?["processId"].clone();
    let stopped = server.call("start_process", start("sleep 60", true)).await?["processId"].clone();
    server.call("stop_process", json!({"processId": stopped})).await?;
    let over = |m: &Mirror| {
        let state = |id: &Value| m.processes.get(id.as_str()?).map(|p| p["state"].clone());
        (state(&quiet)? == "exited" && state(&stopped)? == "killed").then_some(())
    };
    mirror.until("both to end", over).await?;
    let listed = list(&server).await?;
    assert_eq!(notices(&listed), Vec::<Value>::new(), "a foreground call, an end without a report, and a stop");
    Ok(())
}

#[tokio::test]
async fn a_question_is_read_once_it_is_answered() -> Result {
    let lab =
        Scripted::start([call("call_1", "terminal", json!({"command": "touch ran\necho two"})), say("Well.")]).await?;
    let server = Setup::with(&lab).asking().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "do it").await?;
    let asked = |m: &Mirror| m.of_kind(&session, "approval").first().map(|item| (*item).clone());
    let question = mirror.until("a question", asked).await?;
    let [notice] = notices(&list(&server).await?).try_into().map_err(|all| format!("not one: {all:?}"))?;
    assert_eq!(
        (&notice["kind"], &notice["tone"], &notice["read"]),
        (&json!("approval"), &json!("need"), &json!(false))
    );
    assert_eq!((&notice["title"], &notice["body"]), (&json!("Allow a command?"), &json!("touch ran")));
    assert_eq!((&notice["seq"], &notice["approvalId"]), (&question["seq"], &question["approvalId"]));
    server.call("answer_approval", json!({"approvalId": question["approvalId"], "choice": "deny"})).await?;
    mirror.until("the answer", |m| m.rests(&session).then_some(())).await?;
    let listed = list(&server).await?;
    assert_eq!((&notices(&listed)[0]["read"], &listed["unread"]), (&json!(true), &json!(0)));
    assert_eq!(told(&mirror)[0]["read"], true);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_stopped_turn_and_a_crash_close_their_questions_notices() -> Result {
    let ask = |_: &Value| call("call_1", "terminal", json!({"command": "touch ran"}));
    let lab = Scripted::start(Script::responder(ask)).await?;
    let mut server = Setup::with(&lab).asking().start().await?;
    for crash in [false, true] {
        let session = server.session().await?;
        let mut mirror = Mirror::attach(&*server, "window");
        server.send(&session, "do it").await?;
        let asked =
            |m: &Mirror| told(m).into_iter().find(|n| n["sessionId"] == json!(session) && n["read"] == false).cloned();
        let notice = mirror.until("a notice", asked).await?;
        if crash {
            server.kill9()?;
            server.restart().await?;
        } else {
            server.call("stop_turn", json!({"sessionId": session})).await?;
            mirror.until("the end", |m| m.rests(&session).then_some(())).await?;
        }
        let listed = notices(&list(&server).await?);
        let now = listed.iter().find(|n| n["noticeId"] == notice["noticeId"]).ok_or("it is gone")?;
        assert_eq!(now["read"], true, "crash: {crash}");
        // After a crash the turn asks again; a server does not go down in the middle of a turn without waiting for it.
        server.call("stop_turn", json!({"sessionId": session})).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_long_turn_is_told_and_a_short_or_stopped_one_is_not() -> Result {
    let lab = Scripted::start(Script::responder(|body: &Value| {
        let last = strict::messages(body).last().cloned().unwrap_or_default();
        match (last["role"].as_str(), last["content"].as_str()) {
            (Some("user"), Some("short")) => say("Quick."),
            (Some("user"), _) => call("call_1", "terminal", json!({"command": "sleep 10.2"})),
            _ => say("It took a while.\nBut here it is."),
        }
    }))
    .await?;
    let server = Setup::with(&lab).start().await?;
    let (long, short, stopped) = (server.session().await?, server.session().await?, server.session().await?);
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&short, "short").await?;
    server.send(&long, "the long one").await?;
    server.send(&stopped, "the stopped one").await?;
    let started = |m: &Mirror| m.card(&stopped, "call_1").filter(|card| card["status"] == "in_progress").map(|_| ());
    mirror.until("the call", started).await?;
    mirror.until("the answers", |m| (m.rests(&long) && m.rests(&short)).then_some(())).await?;
    // It may have ended by itself by now.
    let left = server.call("stop_turn", json!({"sessionId": stopped})).await?["stopped"] == true;
    mirror.until("all to rest", |m| m.rests(&stopped).then_some(())).await?;
    let listed = list(&server).await?;
    let of = |session: &str| notices(&listed).into_iter().filter(|n| n["sessionId"] == *session).collect::<Vec<_>>();
    let [notice] = of(&long).try_into().map_err(|all| format!("not one: {all:?}"))?;
    assert_eq!((&notice["kind"], &notice["tone"]), (&json!("turn_ended"), &json!("done")));
    assert_eq!((&notice["title"], &notice["body"]), (&json!("the long one"), &json!("It took a while.")));
    let answer = mirror.transcript(&long).last().map(|item| item["seq"].clone());
    assert_eq!(Some(notice["seq"].clone()), answer);
    assert!(of(&short).is_empty());
    assert_eq!(of(&stopped).len(), usize::from(!left), "a person who stopped it knows");
    Ok(())
}

#[tokio::test]
async fn mute_and_quiet_outlast_a_restart() -> Result {
    let lab = silent().await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.catch_up().await?;
    let until = 4_102_444_800_000_u64;
    server.call("set_quiet", json!({"untilMs": until})).await?;
    server.call("set_muted", json!({"sessionId": session, "command": "echo loud", "muted": true})).await?;
    let settings = |m: &Mirror| m.log.iter().filter(|change| change["type"] == "settings").count();
    mirror.until("the settings", |m| (settings(m) > 0).then_some(())).await?;
    server.term().await?;
    server.restart().await?;
    mirror.move_to(&*server);
    server.send(&session, "!echo loud").await?;
    server.send(&session, "!echo heard").await?;
    mirror.until("both notices", |m| (told(m).len() == 2 && m.units(&session).len() == 2).then_some(())).await?;
    let listed = list(&server).await?;
    assert_eq!(listed["quietUntilMs"], until);
    let muted = json!([{"sessionId": session, "command": "echo loud", "title": "echo loud"}]);
    assert_eq!(listed["muted"], muted);
    for notice in notices(&listed) {
        assert_eq!(notice["muted"], notice["title"] == "echo loud exited 0", "{notice}");
    }
    let of = |command: &str| mirror.processes.values().find(|p| p["command"] == command).map(|p| p["muted"].clone());
    assert_eq!((of("echo loud"), of("echo heard")), (Some(json!(true)), Some(json!(false))));
    server.call("set_muted", json!({"sessionId": session, "muted": true})).await?;
    mirror.until("the session to be muted", |m| (m.sessions[&session]["muted"] == true).then_some(())).await?;
    server.call("set_quiet", json!({})).await?;
    server.call("set_muted", json!({"sessionId": session, "muted": false})).await?;
    server.call("set_muted", json!({"sessionId": session, "command": "echo loud", "muted": false})).await?;
    let listed = list(&server).await?;
    assert_eq!((listed.get("quietUntilMs"), &listed["muted"]), (None, &json!([])));
    server.call("mark_notices_read", json!({"noticeIds": [notices(&listed)[0]["noticeId"]]})).await?;
    assert_eq!(list(&server).await?["unread"], 1);
    server.call("mark_notices_read", json!({})).await?;
    assert_eq!(list(&server).await?["unread"], 0);
    let odd = server.call("set_muted", json!({"sessionId": session, "command": " ", "muted": true})).await;
    assert_eq!(odd.unwrap_err().code, "invalid_request");
    Ok(())
}

#[tokio::test]
async fn an_exit_while_nobody_was_there_gives_one_notice() -> Result {
    let lab = silent().await?;
    let mut server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let gate = Gate::new(server.house.root(), "gate")?;
    server.send(&session, &format!("!{}; echo last; exit 4", gate.wait())).await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let runs =
        |m: &Mirror| m.processes.values().next().filter(|p| p["state"] == "running").and_then(|p| p["pid"].as_u64());
    let pid = u32::try_from(mirror.until("it to run", runs).await?)?;
    server.kill9()?;
    gate.open(1)?;
    gatehouse_tests::os::ended(pid).await?;
    for _ in 0..3 {
        server.restart().await?;
        server.kill9()?;
    }
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "judge");
    mirror.reported(&session, 1).await?;
    let [notice] = notices(&list(&server).await?).try_into().map_err(|all| format!("not one: {all:?}"))?;
    assert_eq!((&notice["body"], &notice["tone"]), (&json!("last"), &json!("fail")));
    assert!(notice["title"].as_str().is_some_and(|title| title.ends_with("exited 4")), "{notice}");
    assert_eq!(notice["seq"], mirror.of_kind(&session, "machine_note")[0]["seq"]);
    Ok(())
}

/// What two loops get at least; on a machine that is full, it is what others leave to them.
fn free() -> f64 {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.and_then(|load| load.split(' ').next()?.parse::<f64>().ok());
    let processors = std::thread::available_parallelism().ok().and_then(|n| u32::try_from(n.get()).ok()).unwrap_or(1);
    if load.is_some_and(|load| load > f64::from(processors)) { 5.0 } else { 50.0 }
}

/// Samples until a share is known, which the first answer lacks, and the whole tree stands.
async fn sampled(server: &Server, id: &str) -> Result<Value> {
    let ask = json!({"processIds": [id]});
    let first = server.call("sample_processes", ask.clone()).await?;
    assert_eq!(first["samples"][0].get("cpuPercent"), None, "{first}");
    let deadline = tokio::time::Instant::now() + LIMIT;
    loop {
        // Spent time gives no event.
        tokio::time::sleep(Duration::from_millis(300)).await;
        let sample = server.call("sample_processes", ask.clone()).await?["samples"][0].clone();
        let busy = sample["cpuPercent"].as_f64().is_some_and(|percent| percent > free());
        // Two loops under their timeouts, and one that left the session.
        if busy && sample["descendants"] == 5 {
            return Ok(sample);
        }
        if tokio::time::Instant::now() > deadline {
            return Err(format!("neither busy nor whole in time: {sample}").into());
        }
    }
}

#[tokio::test]
async fn a_busy_process_is_measured_with_its_whole_tree() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let busy = "for n in 1 2; do timeout 60 sh -c 'while :; do :; done' & done; setsid sleep 60 & wait";
    let start = json!({"sessionId": session, "command": busy});
    let id = server.call("start_process", start).await?["processId"].as_str().ok_or("no id")?.to_owned();
    let sample = sampled(&server, &id).await?;
    assert!(sample["rssBytes"].as_u64().is_some_and(|bytes| bytes > 0), "{sample}");
    server.call("stop_process", json!({"processId": id, "force": true})).await?;
    let gone = server.call("sample_processes", json!({"processIds": [id, id]})).await?;
    assert_eq!(gone["samples"], json!([]));
    let many = server.call("sample_processes", json!({"processIds": vec![id; 65]})).await;
    assert_eq!(many.unwrap_err().code, "invalid_request");
    Ok(())
}
