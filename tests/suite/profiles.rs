//! Several profiles served at once: each has its own sessions, jobs and words, and is asked for by its name.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, deltas, say};
use gatehouse_tests::{Gate, House, LIMIT, Mirror, Result, Rpc, Server, Setup, Window, strict};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use tokio::time::Instant;

const BACK: &str = "The gateway is back.";

/// A model that says what it was told.
pub(super) async fn echo() -> Result<Scripted> {
    let respond = |body: &Value| say(strict::last_text(body).lines().next().unwrap_or_default());
    Ok(Scripted::start(Script::responder(respond)).await?)
}

/// A server with a second profile.
pub(super) async fn two(setup: Setup, house: Arc<House>) -> Result<(Server, Rpc)> {
    let server = setup.start_in(house).await?;
    server.call("create_profile", json!({"name": "work"})).await?;
    let work = server.of("work");
    Ok((server, work))
}

async fn code(rpc: &Rpc, command: &str, params: Value) -> Option<String> {
    rpc.call(command, params).await.err().map(|refusal| refusal.code)
}

async fn names(rpc: &Rpc) -> Result<Vec<Value>> {
    let list = rpc.call("list_profiles", json!({})).await?;
    Ok(list["profiles"].as_array().into_iter().flatten().map(|profile| profile["name"].clone()).collect())
}

/// What a profile's rows answer.
pub(super) fn count(house: &House, profile: &str, sql: &str) -> Result<u32> {
    let file = house.profile_of(profile).join("gatehouse.db");
    let file = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    Ok(file.query_row(sql, [], |row| row.get(0))?)
}

/// Waits until every profile has begun so many times, and answers.
pub(super) async fn began(server: &Server, profiles: &[&str], times: u32) -> Result {
    // Only the files tell, and they give no event.
    let deadline = Instant::now() + LIMIT;
    let boots = |profile: &&&str| count(&server.house, profile, "SELECT count(*) FROM boot").is_ok_and(|n| n >= times);
    while Instant::now() < deadline {
        if profiles.iter().filter(boots).count() == profiles.len() {
            for profile in profiles {
                server.of(profile).call("get_health", json!({})).await?;
            }
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Err(format!("they did not begin {times} times:\n{}", std::fs::read_to_string(server.house.stderr())?).into())
}

#[tokio::test]
async fn each_profile_answers_in_its_own_sessions_and_nothing_crosses() -> Result {
    let lab = echo().await?;
    let (server, work) = two(Setup::with(&lab), Arc::new(House::new()?)).await?;
    let (mut at_home, mut at_work) = (Mirror::attach(&*server, "w"), Mirror::attach(Window::open(&work).await?, "w"));
    let (home, away) = (server.session().await?, work.session().await?);
    server.send(&home, "apples").await?;
    work.send(&away, "pears").await?;
    at_home.until("an answer", |m| (m.said(&home) == ["apples"] && m.rests(&home)).then_some(())).await?;
    at_work.until("an answer", |m| (m.said(&away) == ["pears"] && m.rests(&away)).then_some(())).await?;
    for (rpc, mirror, own, other, words) in
        [(&*server, &at_home, &home, &away, "pears"), (&work, &at_work, &away, &home, "apples")]
    {
        assert_eq!(mirror.sessions.keys().collect::<Vec<_>>(), [own]);
        assert!(mirror.items.values().all(|item| item["sessionId"] == json!(own)));
        let sessions = rpc.call("list_sessions", json!({})).await?["sessions"].clone();
        assert_eq!((sessions.as_array().map(Vec::len), &sessions[0]["sessionId"]), (Some(1), &json!(own)));
        assert_eq!(code(rpc, "list_items", json!({"sessionId": other})).await.as_deref(), Some("not_found"));
        let say = json!({"sessionId": other, "text": "let me in"});
        assert_eq!(code(rpc, "send_message", say).await.as_deref(), Some("not_found"));
        assert_eq!(rpc.call("search", json!({"query": words})).await?["hits"], json!([]));
    }
    let health = server.call("get_health", json!({})).await?;
    assert_eq!(health["profiles"], json!(["default", "work"]));
    let list = work.call("list_profiles", json!({})).await?;
    let row = |name: &str| json!({"name": name, "state": "running", "processes": 0, "unread": 0});
    assert_eq!(list["first"], "default");
    let mut rows = list["profiles"].clone();
    for row in rows.as_array_mut().into_iter().flatten() {
        assert!(row["unread"].is_u64(), "{row}");
        row["unread"] = json!(0);
    }
    assert_eq!(rows, json!([row("default"), row("work")]));
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_job_reports_in_its_own_profile() -> Result {
    let lab = echo().await?;
    let (server, work) = two(Setup::with(&lab), Arc::new(House::new()?)).await?;
    let mut jobs = Vec::new();
    for (rpc, exit) in [(&*server, 3), (&work, 4)] {
        let session = rpc.session().await?;
        let job = rpc.start(&session, &format!("echo done; exit {exit}"), true).await?;
        jobs.push((rpc.clone(), session, job, exit));
    }
    for (rpc, session, job, exit) in &jobs {
        let mut mirror = Mirror::attach(rpc, "window");
        mirror.until("the report", |m| (!m.units(session).is_empty() && m.rests(session)).then_some(())).await?;
        let units = mirror.units(session);
        assert_eq!((units.len(), &units[0]["exitCode"]), (1, &json!(exit)));
        assert_eq!(mirror.processes.keys().collect::<Vec<_>>(), [job]);
    }
    for (rpc, stranger) in [(&jobs[0].0, &jobs[1].2), (&jobs[1].0, &jobs[0].2)] {
        for command in ["read_output", "stop_process", "restart_process"] {
            let asked = code(rpc, command, json!({"processId": stranger})).await;
            assert_eq!(asked.as_deref(), Some("not_found"), "{command}");
        }
    }
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_provider_has_another_key_in_another_profile() -> Result {
    let lab = echo().await?;
    let (server, work) = two(Setup::bare(), Arc::new(House::new()?)).await?;
    // Both are set before either is asked.
    for (rpc, key) in [(&*server, "sk-at-home"), (&work, "sk-at-work")] {
        let put = json!({"name": "lab", "kind": "openai-compatible", "baseUrl": lab.url(), "models": ["small"],
            "key": {"kind": "stored", "value": key}});
        rpc.call("put_provider", put).await?;
        rpc.call("set_setting", json!({"key": "agent.model", "value": "lab/small"})).await?;
    }
    for (n, (rpc, key)) in [(&*server, "sk-at-home"), (&work, "sk-at-work")].into_iter().enumerate() {
        let session = rpc.session().await?;
        rpc.send(&session, "Hello").await?;
        let sent = lab.wait_for_request(n + 1).await;
        assert_eq!(sent.authorization, Some(format!("Bearer {key}")));
        let mut mirror = Mirror::attach(rpc, "window");
        mirror.until("the answer", |m| (m.said(&session) == ["Hello"] && m.rests(&session)).then_some(())).await?;
    }
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_restart_is_one_for_all_profiles() -> Result {
    let asked = Arc::new(AtomicUsize::new(0));
    let lab = Scripted::start(Script::responder({
        let asked = Arc::clone(&asked);
        move |_: &Value| match asked.fetch_add(1, Ordering::SeqCst) {
            0 => deltas(["thinking"]).ending(End::Hang),
            _ => say("Here I am."),
        }
    }))
    .await?;
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let (server, work) = two(Setup::with(&lab), house).await?;
    let (home, away) = (server.session().await?, work.session().await?);
    server.send(&home, "take your time").await?;
    lab.wait_for_request(1).await;
    let job = work.start(&away, &gate.wait(), true).await?;
    // Whoever asks in one profile does not wait for the turns of another either.
    work.send(&away, "/restart").await?;
    work.call("restart_gateway", json!({"now": true})).await?;
    began(&server, &["default", "work"], 2).await?;
    let log = std::fs::read_to_string(server.house.stderr())?;
    assert!(log.contains("Turns are not waited for."), "the other profile's turn was waited for:\n{log}");
    for profile in ["default", "work"] {
        assert_eq!(count(&server.house, profile, "SELECT count(planned) FROM boot")?, 1, "{profile}");
    }
    // It was everybody's plan: the turn that it cut off goes on.
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.until("the answer", |m| (m.said(&home) == ["Here I am."] && m.rests(&home)).then_some(())).await?;
    let told = |items: Vec<Value>| items.iter().filter(|item| item["text"] == BACK).count();
    assert_eq!((told(server.items(&home).await?), told(work.items(&away).await?)), (0, 1));
    assert_eq!(work.process(&away, &job).await?["state"], "running");
    gate.open(1)?;
    let mut mirror = Mirror::attach(&work, "window");
    mirror.reported(&away, 1).await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn an_end_by_a_keeper_is_written_down_in_every_profile() -> Result {
    let house = Arc::new(House::new()?);
    for profile in ["default", "work"] {
        std::fs::create_dir_all(house.profile_of(profile))?;
        let config = "[channel.slack]\nhome_channel = { chat = \"C1\" }\n";
        std::fs::write(house.profile_of(profile).join("config.toml"), config)?;
    }
    let mut server = Setup::bare().env("INVOCATION_ID", "0123").start_in(Arc::clone(&house)).await?;
    server.of("work").session().await?;
    assert!(server.term().await?.success());
    for profile in ["default", "work"] {
        let owed = "SELECT count(*) FROM notice_owed WHERE target = 'slack:C1' AND state = 'owed'";
        assert_eq!(count(&house, profile, owed)?, 1, "{profile}");
    }
    Ok(())
}

#[tokio::test]
async fn a_profile_that_is_not_served_is_refused_and_not_made() -> Result {
    let (server, _) = two(Setup::bare(), Arc::new(House::new()?)).await?;
    let stranger = server.of("stranger");
    let refusal = stranger.call("create_session", json!({})).await.unwrap_err();
    assert_eq!((refusal.status, refusal.code.as_str()), (404, "not_found"));
    assert!(refusal.message.contains("default, work"), "it names those who are there: {refusal}");
    let refused = Window::open(&stranger).await.unwrap_err().to_string();
    assert!(refused.contains("not_found") && refused.contains("default, work"), "{refused}");
    assert!(!server.house.profile_of("stranger").exists());
    Ok(())
}

#[tokio::test]
async fn a_profile_is_made_by_its_name_and_is_there_after_a_restart() -> Result {
    let mut server = Setup::bare().start().await?;
    let create = |name: &str| json!({"name": name});
    let long = "x".repeat(65);
    for odd in ["", "a b", "../up", "ä", ".", &long] {
        assert_eq!(code(&server, "create_profile", create(odd)).await.as_deref(), Some("invalid_request"), "{odd:?}");
    }
    server.call("create_profile", create("Work")).await?;
    for known in ["Work", "work", "DEFAULT"] {
        let refusal = server.call("create_profile", create(known)).await.unwrap_err();
        assert!(refusal.code == "invalid_request" && refusal.message.contains("already"), "{known}: {refusal}");
    }
    assert_eq!(names(&server).await?, ["default", "Work"]);
    let session = server.of("Work").session().await?;
    let mode = std::fs::metadata(server.house.profile_of("Work"))?.permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // What is no profile is left alone.
    std::fs::create_dir(server.house.profile_of("not one"))?;
    std::fs::write(server.house.profile_of("neither"), "")?;
    server.term().await?;
    server.restart().await?;
    assert_eq!(names(&server).await?, ["default", "Work"]);
    assert_eq!(server.of("Work").items(&session).await?.len(), 0);
    Ok(())
}

#[tokio::test]
async fn only_the_profiles_that_are_named_are_served_and_the_first_is_meant() -> Result {
    let (mut server, work) = two(Setup::bare(), Arc::new(House::new()?)).await?;
    let session = work.session().await?;
    server.term().await?;
    server.restart_with(Setup::bare().args(["--profile", "work", "--profile", "play", "--profile", "work"])).await?;
    assert_eq!(names(&server).await?, ["work", "play"]);
    assert_eq!(server.call("list_profiles", json!({})).await?["first"], "work");
    assert_eq!(server.items(&session).await?.len(), 0);
    server.of("play").session().await?;
    assert_eq!(code(&server.of("default"), "list_sessions", json!({})).await.as_deref(), Some("not_found"));
    assert_eq!(code(&server, "create_profile", json!({"name": "more"})).await.as_deref(), Some("invalid_request"));
    assert!(!server.house.profile_of("more").exists());
    Ok(())
}
