//! Approvals and what tools say.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gatehouse_agent::{Interjection, Outcome, Then, Verdict};
use gatehouse_domain::{ApprovalMode, CardAnnotation, CardStatus, ConsumedBy, Exit, StoppedBy};
use gatehouse_provider::ToolCall;
use serde_json::{Value, json};

use crate::house::{Asked, Fact, House, Program, call, done, program, says, terminal};

fn with(calls: Vec<ToolCall>, programs: &[(&'static str, Program)]) -> House {
    House::new(vec![vec![done(calls)], says("ok")], programs)
}

async fn run(house: House) -> Arc<House> {
    let house = Arc::new(house);
    assert!(matches!(house.run().await, Outcome::Done { .. }));
    house
}

async fn one(tool: &str, arguments: Value) -> (Arc<House>, Value) {
    let house = run(with(vec![call("c", tool, arguments)], &[])).await;
    let result = house.result();
    (house, result)
}

fn started(house: &House) -> usize {
    house.facts().iter().filter(|fact| matches!(fact, Fact::Started(_))).count()
}

#[tokio::test(start_paused = true)]
async fn only_a_yes_runs_a_command() {
    for (verdict, status, annotation) in [
        (Verdict::Denied { reason: None }, "denied", CardAnnotation::Denied),
        (Verdict::Expired, "expired", CardAnnotation::Denied),
        (Verdict::Withdrawn, "cancelled", CardAnnotation::Cancelled),
    ] {
        let mut house = with(vec![terminal("c", "make install")], &[]);
        house.approvals = ApprovalMode::Ask;
        *house.verdict.lock().expect("no panic") = Some(verdict);
        let house = run(house).await;
        assert_eq!(house.result()["status"], status);
        assert!(house.result()["error"].as_str().is_some_and(|words| words.to_lowercase().contains("not run")));
        let (_, end) = house.ends().remove(0);
        assert_eq!((end.status, end.annotation), (CardStatus::Error, Some(annotation)));
        assert_eq!(started(&house), 0);
        assert!(!house.facts().iter().any(|fact| matches!(fact, Fact::Begun(..))));
    }
}

#[tokio::test(start_paused = true)]
async fn the_question_shows_what_runs_without_its_secrets() {
    let command = "curl -H 'x: swordfish-9' http://h/\u{202e}";
    let mut house = with(vec![call("c", "terminal", json!({ "command": command, "workdir": "sub" }))], &[]);
    house.approvals = ApprovalMode::Ask;
    house.secrets = vec!["swordfish-9"];
    let house = run(house).await;
    let asked = house.facts().into_iter().find_map(|fact| match fact {
        Fact::Asked(asked) => Some(asked),
        _ => None,
    });
    let asked = asked.expect("a question");
    assert!(!asked.shown.contains("swordfish-9") && asked.shown.contains("\\u202E"), "{}", asked.shown);
    assert_eq!((asked.command.as_str(), asked.cwd.as_path()), (command, Path::new("/srv/sub")));
    assert_eq!((asked.suggested, asked.takes_pattern), (None, false), "a secret is no part of a pattern");
    let ran = house.facts().into_iter().find_map(|fact| match fact {
        Fact::Started(request) => Some(request.command),
        _ => None,
    });
    assert_eq!(ran.as_deref(), Some(command));
}

async fn asked(mode: ApprovalMode, deny: &[&'static str], arguments: Value) -> (Arc<House>, Option<Asked>) {
    let mut house = with(vec![call("c", "terminal", arguments)], &[]);
    (house.approvals, house.deny) = (mode, deny.to_vec());
    let house = run(house).await;
    let asked = house.facts().into_iter().find_map(|fact| match fact {
        Fact::Asked(asked) => Some(asked),
        _ => None,
    });
    (house, asked)
}

#[tokio::test(start_paused = true)]
async fn a_mode_says_what_is_asked_about() {
    use ApprovalMode::{Ask, Off, Risky};
    for (mode, command, is_asked) in [
        (Ask, "make install", true),
        (Ask, "ls -la", false),
        (Ask, "rm -rf build", true),
        (Risky, "touch notes", false),
        (Risky, "ls -la", false),
        (Risky, "rm -rf build", true),
        (Off, "rm -rf build", false),
    ] {
        let (house, asked) = asked(mode, &[], json!({ "command": command })).await;
        assert_eq!(asked.is_some(), is_asked, "{mode} {command}");
        assert_eq!(started(&house), 1, "{mode} {command}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_denial_and_a_guessed_password_hold_in_every_mode() {
    for mode in [ApprovalMode::Ask, ApprovalMode::Risky, ApprovalMode::Off] {
        for command in ["git push origin main", "true; git push", "echo hunter2 | sudo -S ls"] {
            let (house, asked) = asked(mode, &["git push *"], json!({ "command": command })).await;
            assert_eq!(asked, None, "{mode} {command}");
            assert_eq!((&house.result()["status"], started(&house)), (&json!("blocked"), 0), "{mode} {command}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_says_what_is_dangerous_and_why_it_is_wanted() {
    let arguments = json!({ "command": "rm -rf build", "purpose": "  To rebuild\nfrom\u{202e} scratch.\u{1b}[31m " });
    let (_, asked) = asked(ApprovalMode::Ask, &[], arguments).await;
    let asked = asked.expect("a question");
    assert!(!asked.dangers.is_empty());
    assert_eq!(asked.purpose.as_deref(), Some("To rebuild from\\u202E scratch. [31m"));
    let long = json!({ "command": "npm run build", "purpose": "x".repeat(500) });
    let (_, asked) = self::asked(ApprovalMode::Ask, &[], long).await;
    let asked = asked.expect("a question");
    assert_eq!(asked.purpose.map(|purpose| purpose.len()), Some(200));
    assert_eq!((asked.suggested.as_deref(), asked.takes_pattern), (Some("npm run *"), true));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_tells_the_persons_words() {
    let mut house = with(vec![terminal("c", "make install")], &[]);
    house.approvals = ApprovalMode::Ask;
    *house.verdict.lock().expect("no panic") = Some(Verdict::Denied { reason: Some("not on a Friday".into()) });
    let house = run(house).await;
    let words = house.result()["error"].as_str().unwrap_or_default().to_owned();
    assert!(words.contains("\"not on a Friday\"") && words.contains("another way"), "{words}");
}

#[tokio::test(start_paused = true)]
async fn a_rule_is_counted_where_the_call_begins() {
    let rule = gatehouse_domain::RuleId::from_uuid(uuid::Uuid::from_u128(9));
    let mut house = with(vec![terminal("c", "make install")], &[]);
    house.approvals = ApprovalMode::Ask;
    *house.verdict.lock().expect("no panic") = Some(Verdict::Allowed { rule: Some(rule) });
    let house = run(house).await;
    assert!(house.facts().iter().any(|fact| matches!(fact, Fact::Begun(_, Some(counted)) if *counted == rule)));
}

#[tokio::test(start_paused = true)]
async fn the_floor_holds_when_nobody_is_asked() {
    let (house, result) = one("terminal", json!({ "command": "sudo rm -rf /", "background": true })).await;
    assert_eq!(result["status"], "blocked");
    assert_eq!(house.ends()[0].1.annotation, Some(CardAnnotation::Denied));
    assert_eq!(started(&house), 0);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_call_is_answered_and_not_run() {
    for (tool, arguments, hint) in [
        ("browse", json!({}), "no tool `browse`"),
        ("terminal", json!({}), "`command`"),
        ("terminal", json!({ "command": 5 }), "must be a string"),
        ("terminal", json!({ "command": " " }), "`command`"),
        ("terminal", json!({ "command": "ls", "background": "yes" }), "true or false"),
        ("terminal", json!({ "command": "ls", "timeout": 0 }), "at least 1"),
        ("terminal", json!({ "command": "ls", "timeout": 1.5 }), "whole number"),
        ("terminal", json!({ "command": "ls", "code": "x" }), "no argument `code`"),
        ("terminal", json!({ "command": "ls", "workdir": "a;b" }), "';'"),
        ("terminal", json!({ "command": "ls", "notify": true }), "`background`"),
        ("terminal", json!({ "command": "a\0b" }), "NUL"),
        ("terminal", json!([1]), "JSON object"),
        ("terminal", json!({ "command": "npm run dev" }), "\"background\":true"),
        ("process", json!({}), "`action`"),
        ("process", json!({ "action": "dance" }), "list, poll, log, wait, kill, write, submit, close"),
        ("process", json!({ "action": "poll" }), "`process_id` for poll"),
        ("process", json!({ "action": "write", "process_id": "x" }), "`data` for write"),
        ("process", json!({ "action": "wait", "process_id": "abcd", "timeout": 0 }), "at least 1"),
    ] {
        let (house, result) = one(tool, arguments.clone()).await;
        assert_eq!(result["status"], "error", "{arguments}");
        assert!(result["error"].as_str().is_some_and(|words| words.contains(hint)), "{arguments}: {result}");
        assert_eq!(house.ends()[0].1.status, CardStatus::Error);
        assert_eq!(started(&house), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn an_end_is_told_as_it_was() {
    let signalled = Program { exit: Exit::Signal(11), ..program(5, 0, "before\n") };
    let left = Program { left_behind: vec![4242], ..program(5, 3, "started\nshell-done\n") };
    let programs = [("crash", signalled), ("leaver", left), ("grep x f", program(5, 1, ""))];
    let house = run(with(vec![terminal("c", "crash")], &programs)).await;
    let result = house.result();
    assert_eq!((&result["status"], &result["signal"]), (&json!("signalled"), &json!("SIGSEGV")));
    assert_eq!(result["exit_code"], json!(-11));

    let house = run(with(vec![terminal("c", "leaver")], &programs)).await;
    let result = house.result();
    assert_eq!((&result["exit_code"], &result["left_behind"]), (&json!(3), &json!([4242])));
    assert!(result["note"].as_str().is_some_and(|note| note.contains("still run")));
    assert_eq!(result["output"], "started\nshell-done\n");

    let house = run(with(vec![terminal("c", "grep x f")], &programs)).await;
    assert!(house.result()["exit_code_meaning"].as_str().is_some_and(|words| words.contains("nothing matched")));
}

#[tokio::test(start_paused = true)]
async fn output_is_masked_by_what_the_command_shows() {
    let programs = [
        ("env", program(1, 0, "DB_PASSWORD=correct-horse-1\n")),
        ("make", program(1, 0, "MAX_TOKENS=100 swordfish-9\n")),
    ];
    let house = run(with(vec![terminal("c", "env")], &programs)).await;
    assert!(!house.result().to_string().contains("correct-horse-1"));
    let mut house = with(vec![terminal("c", "make")], &programs);
    house.secrets = vec!["swordfish-9"];
    let result = run(house).await.result().to_string();
    assert!(result.contains("MAX_TOKENS=100") && !result.contains("swordfish-9"), "{result}");
}

#[tokio::test(start_paused = true)]
async fn a_foreground_command_has_a_limit() {
    let programs = [("sleep 9999", program(9_999_000, 0, "zzz\n"))];
    let calls = vec![call("c", "terminal", json!({ "command": "sleep 9999", "timeout": 5_000 }))];
    let before = tokio::time::Instant::now();
    let house = run(with(calls, &programs)).await;
    assert_eq!(before.elapsed(), Duration::from_secs(600));
    let result = house.result();
    assert_eq!(
        (&result["status"], &result["exit_code"], &result["output"]),
        (&json!("timeout"), &json!(124), &json!("zzz\n"))
    );
    assert!(house.facts().iter().any(|fact| matches!(fact, Fact::Stopped(_, StoppedBy::Limit))));
}

fn left(house: &House) -> usize {
    house.facts().iter().filter(|fact| matches!(fact, Fact::Left(_))).count()
}

#[tokio::test(start_paused = true)]
async fn words_into_a_turn_move_a_long_command_to_the_background_and_leave_a_short_one() {
    let programs = [("long", program(60_000, 0, "so far\n")), ("short", program(1_900, 3, "all\n"))];
    let spoken = |command, after, words| {
        let mut house = with(vec![terminal("c", command)], &programs);
        house.interjects = Some((Duration::from_secs(after), words));
        house
    };
    for (after, millis) in [(0, 2_000), (7, 7_000)] {
        let before = tokio::time::Instant::now();
        let house = run(spoken("long", after, Interjection::Joins)).await;
        assert_eq!(before.elapsed(), Duration::from_millis(millis));
        let result = house.result();
        assert_eq!(
            (&result["status"], &result["exit_code"], &result["output"], &result["notify_on_complete"]),
            (&json!("yielded_to_background"), &Value::Null, &json!("so far\n"), &json!(true))
        );
        assert!(
            result["process_id"].is_string() && result["note"].as_str().is_some_and(|note| note.contains("follow"))
        );
        let (_, end) = house.ends().remove(0);
        assert_eq!((end.status, end.keep_open, left(&house)), (CardStatus::InProgress, true, 1));
    }
    for (command, words, code) in [("short", Interjection::Joins, 3), ("long", Interjection::Waits, 0)] {
        let house = run(spoken(command, 0, words)).await;
        assert_eq!((&house.result()["exit_code"], left(&house)), (&json!(code), 0), "{command}");
    }
}

/// Starts `command` in the background, then makes `action` of it in the next round.
async fn after_start(command: &'static str, program: Program, action: Value) -> (Arc<House>, Value) {
    after_start_in(|_| {}, command, program, action).await
}

/// The same in a house of another kind.
async fn after_start_in(
    kind: impl FnOnce(&mut House),
    command: &'static str,
    program: Program,
    action: Value,
) -> (Arc<House>, Value) {
    let start = call("a", "terminal", json!({ "command": command, "background": true }));
    // The fake's third id is the process: item ids are 1 and so on, and the card is the first.
    let mut then = action;
    then["process_id"] = json!("00000002");
    let scripts = vec![vec![done(vec![start])], vec![done(vec![call("b", "process", then)])], says("ok")];
    let mut house = House::new(scripts, &[(command, program)]);
    kind(&mut house);
    let house = run(house).await;
    let ends = house.ends();
    let first: Value = serde_json::from_str(&ends[0].1.result).expect("JSON");
    assert_eq!(
        (&first["status"], &first["exit_code"], &first["notify_on_complete"]),
        (&json!("running"), &Value::Null, &json!(true))
    );
    assert!(ends[0].1.keep_open && ends[0].1.status == CardStatus::InProgress);
    let second = serde_json::from_str(&ends[1].1.result).expect("JSON");
    (house, second)
}

fn consumed(house: &House) -> Vec<ConsumedBy> {
    house.ends().into_iter().filter_map(|(_, end)| end.told).map(|(_, by)| by).collect()
}

#[tokio::test(start_paused = true)]
async fn looking_is_not_being_told() {
    let (house, result) = after_start("job", program(0, 0, "one\ntwo\n"), json!({ "action": "poll" })).await;
    assert_eq!((&result["status"], &result["exit_code"]), (&json!("exited"), &json!(0)));
    assert_eq!(consumed(&house), []);
    let (house, result) = after_start("job", program(0, 0, "one\ntwo\n"), json!({ "action": "list" })).await;
    assert_eq!(result["processes"][0]["status"], "exited");
    assert_eq!(consumed(&house), []);
}

#[tokio::test(start_paused = true)]
async fn a_log_tells_the_end_only_on_its_last_page() {
    let three = || program(0, 0, "0\n1\n2\n");
    let (house, result) = after_start("job", three(), json!({ "action": "log", "offset": 0, "limit": 2 })).await;
    assert_eq!(
        (&result["output"], &result["total_lines"], &result["showing"]),
        (&json!("0\n1"), &json!(3), &json!("lines 0 to 1, showing bytes 0-4 of 6"))
    );
    assert_eq!(consumed(&house), []);
    let (house, result) = after_start("job", three(), json!({ "action": "log", "limit": 2 })).await;
    assert_eq!(result["output"], "1\n2");
    assert_eq!(consumed(&house), [ConsumedBy::Log]);
    let (house, result) = after_start("job", three(), json!({ "action": "log", "offset": 7 })).await;
    assert_eq!((&result["showing"], consumed(&house)), (&json!("no lines, showing bytes 6-6 of 6"), vec![]));
    let (house, _) = after_start("job", program(0, 0, ""), json!({ "action": "log" })).await;
    assert_eq!(consumed(&house), [ConsumedBy::Log], "there is nothing to read");
    let unreadable = |house: &mut House| *house.broken.get_mut().expect("no panic") = Some("output");
    let (house, result) = after_start_in(unreadable, "job", three(), json!({ "action": "log" })).await;
    assert!(result["error"].as_str().is_some_and(|error| error.contains("cannot be read")), "{result}");
    assert_eq!(consumed(&house), []);
    let wide = program(0, 0, "x".repeat(60_000).leak());
    let (_, result) = after_start("job", wide, json!({ "action": "log" })).await;
    assert_eq!(
        (&result["omitted_bytes"], &result["showing"]),
        (&json!(10_000), &json!("lines 0 to 0, showing bytes 10000-60000 of 60000"))
    );
    let running = program(60_000, 0, "0\n");
    let (house, _) = after_start("job", running, json!({ "action": "log" })).await;
    assert_eq!(consumed(&house), []);
}

#[tokio::test(start_paused = true)]
async fn a_wait_tells_the_end_or_says_that_there_is_none() {
    let (house, result) = after_start("job", program(30_000, 2, "x\n"), json!({ "action": "wait" })).await;
    assert_eq!(
        (&result["status"], &result["exit_code"], &result["output"]),
        (&json!("exited"), &json!(2), &json!("x\n"))
    );
    assert_eq!(consumed(&house), [ConsumedBy::Wait]);
    let (house, result) =
        after_start("job", program(999_000, 0, "x\n"), json!({ "action": "wait", "timeout": 500 })).await;
    assert_eq!((&result["status"], &result["process_running"]), (&json!("timeout"), &json!(true)));
    assert!(result["timeout_note"].is_string());
    assert_eq!(consumed(&house), []);
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_a_person_speaks_and_says_so() {
    for (words, told) in [(Interjection::Joins, "follow"), (Interjection::Waits, "when this turn is over")] {
        let before = tokio::time::Instant::now();
        let kind = |house: &mut House| house.interjects = Some((Duration::from_secs(7), words));
        let (house, result) =
            after_start_in(kind, "job", program(999_000, 0, "x\n"), json!({ "action": "wait" })).await;
        assert_eq!(before.elapsed(), Duration::from_secs(7));
        assert_eq!(
            (&result["status"], &result["process_running"], &result["output"]),
            (&json!("interrupted"), &json!(true), &json!("x\n"))
        );
        assert!(result["note"].as_str().is_some_and(|note| note.contains(told) && note.contains("still runs")));
        assert_eq!(consumed(&house), []);
        assert!(!house.facts().iter().any(|fact| matches!(fact, Fact::Stopped(..))));
        let (_, end) = house.ends().remove(1);
        assert_eq!((end.status, end.annotation), (CardStatus::Complete, None));
    }
    // Who has ended at that very moment has ended.
    let at_once = |house: &mut House| house.interjects = Some((Duration::ZERO, Interjection::Joins));
    let (house, result) = after_start_in(at_once, "job", program(0, 4, "x\n"), json!({ "action": "wait" })).await;
    assert_eq!((&result["status"], &result["exit_code"]), (&json!("exited"), &json!(4)));
    assert_eq!(consumed(&house), [ConsumedBy::Wait]);
}

#[tokio::test(start_paused = true)]
async fn a_kill_by_the_agent_is_neither_success_nor_failure_and_is_told_once() {
    let (house, result) = after_start("job", program(999_000, 0, "x\n"), json!({ "action": "kill" })).await;
    assert_eq!(
        (&result["status"], &result["stopped_by"], &result["signal"], &result["exit_code"]),
        (&json!("killed"), &json!("agent"), &json!("SIGTERM"), &json!(-15))
    );
    assert_eq!(consumed(&house), [ConsumedBy::Kill]);
    let (house, result) = after_start("job", program(0, 0, "x\n"), json!({ "action": "kill" })).await;
    assert_eq!(result["status"], "already_exited");
    assert!(!house.facts().iter().any(|fact| matches!(fact, Fact::Stopped(..))));
}

#[tokio::test(start_paused = true)]
async fn another_conversation_s_process_is_unknown() {
    let (_, result) = one("process", json!({ "action": "kill", "process_id": "0000" })).await;
    assert_eq!(result["status"], "not_found");
}

fn typed(house: &House) -> Vec<(String, Then)> {
    let typed = |fact| match fact {
        Fact::Typed(_, text, then) => Some((text, then)),
        _ => None,
    };
    house.facts().into_iter().filter_map(typed).collect()
}

/// Starts `bash` with an input, then makes the actions of it.
async fn at_a_prompt(house: impl FnOnce(&mut House), actions: &[Value]) -> (Arc<House>, Vec<Value>) {
    let start = json!({ "command": "bash", "background": true, "stdin": true });
    let mut scripts = vec![vec![done(vec![call("a", "terminal", start)])]];
    for (index, action) in actions.iter().enumerate() {
        let mut action = action.clone();
        action["session_id"] = json!("00000002");
        scripts.push(vec![done(vec![call(&format!("c{index}"), "process_manage", action)])]);
    }
    scripts.push(says("ok"));
    let mut open = House::new(scripts, &[("bash", program(999_000, 0, "$ "))]);
    house(&mut open);
    let house = run(open).await;
    let results = house.ends().into_iter().skip(1).map(|(_, end)| serde_json::from_str(&end.result).expect("JSON"));
    let results = results.collect();
    (house, results)
}

#[tokio::test(start_paused = true)]
async fn input_is_written_submitted_and_closed() {
    let actions = [
        json!({ "action": "write", "data": "raw" }),
        json!({ "action": "submit", "data": "line" }),
        json!({ "action": "submit" }),
        json!({ "action": "close" }),
        json!({ "action": "write", "data": "y".repeat(5_000) }),
        json!({ "action": "write", "data": "x".repeat(64 * 1024 + 1) }),
        json!({ "action": "write" }),
    ];
    let (house, results) = at_a_prompt(|_| {}, &actions).await;
    let long = "y".repeat(5_000);
    let expect =
        [("raw", Then::Nothing), ("line", Then::Enter), ("", Then::Enter), ("", Then::End), (&long, Then::Nothing)];
    assert_eq!(typed(&house), expect.map(|(text, then)| (text.to_owned(), then)));
    assert_eq!(results[1], json!({ "status": "ok", "bytes_written": 4 }));
    assert_eq!((&results[4]["bytes_written"], &results[4]["bytes_waiting"]), (&json!(4_096), &json!(904)));
    assert!(results[5]["error"].as_str().is_some_and(|words| words.contains("65536")));
    assert!(results[6]["error"].as_str().is_some_and(|words| words.contains("`data`")));
}

#[tokio::test(start_paused = true)]
async fn without_an_input_nothing_is_written_and_it_is_said_why() {
    let (_, result) = after_start("job", program(9_000, 0, ""), json!({ "action": "submit", "data": "y" })).await;
    assert_eq!(result["status"], "error");
    assert!(result["error"].as_str().is_some_and(|words| words.contains("without an input")));
    let (_, result) = after_start("job", program(0, 3, ""), json!({ "action": "submit", "data": "y" })).await;
    assert_eq!((&result["status"], &result["exit_code"]), (&json!("already_exited"), &json!(3)));
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_is_judged_like_a_command_also_in_pieces() {
    let actions = [json!({ "action": "write", "data": "rm -rf " }), json!({ "action": "submit", "data": "/" })];
    let (house, results) = at_a_prompt(|_| {}, &actions).await;
    assert_eq!(results[1]["status"], "blocked");
    assert_eq!(typed(&house).len(), 1);
    let ask = |house: &mut House| house.approvals = ApprovalMode::Ask;
    let (house, results) = at_a_prompt(ask, &[json!({ "action": "submit", "data": "make install" })]).await;
    assert_eq!(results[0]["status"], "ok");
    let asked: Vec<Asked> = house
        .facts()
        .into_iter()
        .filter_map(|fact| if let Fact::Asked(asked) = fact { Some(asked) } else { None })
        .collect();
    assert_eq!(asked.last().map(|asked| asked.command.as_str()), Some("make install"));
    assert_eq!(asked.last().and_then(|asked| asked.purpose.as_deref()), Some("To be typed into: bash"));
}

#[tokio::test(start_paused = true)]
async fn a_password_that_is_typed_is_not_in_the_record() {
    let secrets = |house: &mut House| house.secrets = vec!["swordfish-9"];
    let (house, _) = at_a_prompt(secrets, &[json!({ "action": "submit", "data": "swordfish-9" })]).await;
    assert_eq!(typed(&house), [("swordfish-9".to_owned(), Then::Enter)]);
    let kept = house.facts().into_iter().filter_map(|fact| match fact {
        Fact::Answered(answer, _) => Some(format!("{answer:?}")),
        _ => None,
    });
    assert!(kept.last().is_some_and(|answer| !answer.contains("swordfish-9")));
}

#[tokio::test(start_paused = true)]
async fn a_short_or_ambiguous_id_is_not_found() {
    for id in ["000", "0", "nothing-like-it"] {
        let (_, result) = one("process", json!({ "action": "poll", "process_id": id })).await;
        assert_eq!(result["status"], "not_found", "{id}");
    }
    let (_, result) = one("process", json!({ "action": "poll", "process_id": 4242 })).await;
    assert_eq!(result["status"], "not_found");
    let (_, result) = one("process", json!({ "action": "poll" })).await;
    assert!(result["error"].as_str().is_some_and(|words| words.contains("poll")));
    let (_, result) = one("process", json!({ "action": "handoff" })).await;
    assert!(result["error"].as_str().is_some_and(|words| words.contains("write, submit, close")));
}

#[tokio::test(start_paused = true)]
async fn a_start_in_the_background_says_what_will_be_reported() {
    for (asked, word) in [
        (json!({}), "reported to this conversation by itself"),
        (json!({ "watch_patterns": ["READY"] }), "Its end is not reported"),
        (json!({ "notify_on_complete": false }), "Nothing of it is reported"),
    ] {
        let mut asked = asked;
        asked["command"] = json!("job");
        asked["background"] = json!(true);
        let (_, result) = one("terminal", asked).await;
        assert!(result["note"].as_str().is_some_and(|note| note.contains(word)), "{result}");
    }
    let both = json!({ "command": "job", "background": true, "watch_patterns": ["READY"], "notify_on_complete": true });
    let (house, result) = one("terminal", both).await;
    assert!(result["watch_patterns_ignored"].is_string() && result["watch_patterns"].is_null());
    let Some(Fact::Started(request)) = house.facts().into_iter().find(|fact| matches!(fact, Fact::Started(_))) else {
        panic!("it was started");
    };
    assert!(request.notify && request.manner.watch.is_empty());
}

#[tokio::test(start_paused = true)]
async fn binary_output_is_told_by_its_size_and_shown_by_its_first_bytes() {
    let output: &'static str = "\u{7f}ELF\u{2}\u{1}\0\0\0\0\u{3}\0".repeat(20).leak();
    let house = run(with(vec![terminal("c", "cat x")], &[("cat x", program(1, 0, output))])).await;
    assert_eq!(house.result()["output"], "[binary, 240 bytes]");
    assert_eq!(house.ends()[0].1.output.lines().last().map(|hex| &hex[..11]), Some("7f 45 4c 46"));
}
