//! Terminals and inputs: what is typed reaches the program, and who waits for it is shown.

use gatehouse_tests::{Mirror, Result, Server, Setup, os};
use serde_json::{Value, json};

const ASK: &str = "printf 'Password: '; read -r x || { echo 'eof on stdin'; exit 5; }; echo \"got ${#x} characters\"";

async fn start(server: &Server, session: &str, command: &str, manner: Value) -> Result<String> {
    let mut params = json!({"sessionId": session, "command": command});
    if let (Some(params), Value::Object(manner)) = (params.as_object_mut(), manner) {
        params.extend(manner);
    }
    Ok(server.call("start_process", params).await?["processId"].as_str().ok_or("no id")?.to_owned())
}

async fn write(server: &Server, id: &str, data: &str) -> Result<Value> {
    Ok(server.call("write_input", json!({"processId": id, "data": data})).await?)
}

async fn once(mirror: &mut Mirror, id: &str, what: &str, is: impl Fn(&Value) -> bool) -> Result<Value> {
    mirror.until(what, |m| m.processes.get(id).filter(|p| is(p)).cloned()).await
}

async fn exit(mirror: &mut Mirror, id: &str) -> Result<Value> {
    once(mirror, id, "its end", |p| !p["endedAtMs"].is_null()).await
}

#[tokio::test]
async fn without_a_terminal_a_question_ends_at_once() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let asks = start(&server, &session, ASK, json!({})).await?;
    assert_eq!(exit(&mut mirror, &asks).await?["exitCode"], 5);
    let tty =
        start(&server, &session, "if exec 3</dev/tty 2>/dev/null; then exit 9; else exit 4; fi", json!({})).await?;
    let row = exit(&mut mirror, &tty).await?;
    assert_eq!((&row["exitCode"], &row["pty"], &row["stdin"]), (&json!(4), &json!(false), &json!(false)));
    let closed = write(&server, &asks, "x").await.unwrap_err().to_string();
    assert!(closed.contains("process_closed"), "{closed}");
    let lives = start(&server, &session, "exec sleep 300", json!({})).await?;
    let refused = write(&server, &lives, "x").await.unwrap_err().to_string();
    assert!(refused.contains("process_closed") && refused.contains("takes no input"), "{refused}");
    let size = json!({"processId": lives, "rows": 10, "cols": 10});
    assert_eq!(server.call("resize_process", size).await.unwrap_err().code, "process_closed");
    server.stop(&lives).await?;
    Ok(())
}

#[tokio::test]
async fn a_prompt_is_shown_as_waiting_and_an_answer_goes_through() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let command = format!("stty -echo; {ASK}; stty echo");
    let id = start(&server, &session, &command, json!({"pty": true})).await?;
    let row = once(&mut mirror, &id, "it to wait", |p| p["attention"] == "needs_input").await?;
    assert_eq!((&row["pty"], &row["hiddenInput"]), (&json!(true), &json!(true)), "{row}");
    assert!(server.output(&id).await?.contains("Password: "));
    assert_eq!(write(&server, &id, "secret\n").await?["bytes"], 7);
    let row = exit(&mut mirror, &id).await?;
    assert_eq!((&row["exitCode"], row.get("attention"), row.get("hiddenInput")), (&json!(0), None, None), "{row}");
    let output = server.output(&id).await?;
    assert!(output.contains("got 6 characters") && !output.contains("secret"), "{output}");
    let late = json!({"processId": id, "rows": 40, "cols": 100});
    assert_eq!(server.call("resize_process", late).await.unwrap_err().code, "process_closed");
    Ok(())
}

#[tokio::test]
async fn a_session_needs_a_person_for_as_long_as_one_of_its_processes_waits_for_input() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let answered = start(&server, &session, "read -r x; echo \"got $x\"; exec sleep 300", json!({"pty": true})).await?;
    let stopped = start(&server, &session, "read -r x", json!({"pty": true})).await?;
    for id in [&answered, &stopped] {
        once(&mut mirror, id, "it to wait", |p| p["attention"] == "needs_input").await?;
    }
    let group = |m: &Mirror| m.sessions[&session]["group"].clone();
    assert_eq!(group(&mirror), "needs_you");
    let listed = server.call("list_sessions", json!({})).await?;
    assert_eq!(listed["sessions"][0]["group"], "needs_you");
    write(&server, &answered, "yes\n").await?;
    once(&mut mirror, &answered, "it to go on", |p| p.get("attention").is_none()).await?;
    assert_eq!(group(&mirror), "needs_you", "the other one still waits");
    server.stop(&stopped).await?;
    mirror.until("nobody to be needed", |m| (group(m) == "running").then_some(())).await?;
    server.stop(&answered).await?;
    mirror.until("nothing to run", |m| (group(m) == "done_today").then_some(())).await?;
    Ok(())
}

#[tokio::test]
async fn a_terminal_takes_another_size_and_a_pipe_takes_its_end() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let terminal = start(&server, &session, "read -r _; stty size", json!({"pty": true})).await?;
    server.call("resize_process", json!({"processId": terminal, "rows": 41, "cols": 101})).await?;
    write(&server, &terminal, "\n").await?;
    exit(&mut mirror, &terminal).await?;
    assert!(server.output(&terminal).await?.contains("41 101"));
    for (rows, cols) in [(0, 10), (10, 1_001)] {
        let params = json!({"processId": terminal, "rows": rows, "cols": cols});
        assert_eq!(server.call("resize_process", params).await.unwrap_err().code, "invalid_request");
    }
    let pipe = start(&server, &session, "wc -c", json!({"stdin": true})).await?;
    assert_eq!(write(&server, &pipe, "four").await?["bytes"], 4);
    server.call("write_input", json!({"processId": pipe, "data": "more", "eof": true})).await?;
    let row = exit(&mut mirror, &pipe).await?;
    assert_eq!((&row["exitCode"], &row["stdin"]), (&json!(0), &json!(true)));
    assert_eq!(server.output(&pipe).await?.trim(), "8");
    Ok(())
}

#[tokio::test]
async fn a_process_ends_with_the_time_that_it_was_given() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let id = start(&server, &session, "exec sleep 300", json!({"maxRuntimeS": 1, "notify": true})).await?;
    let row = exit(&mut mirror, &id).await?;
    assert_eq!((&row["state"], &row["stoppedBy"]), (&json!("killed"), &json!("limit")), "{row}");
    mirror.until("its report", |m| (m.units(&session).len() == 1).then_some(())).await?;
    let unit = mirror.units(&session)[0].clone();
    assert_eq!((&unit["state"], &unit["stoppedBy"]), (&json!("killed"), &json!("limit")), "{unit}");
    assert!(!os::lives(u32::try_from(row["pid"].as_u64().ok_or("no pid")?)?));
    Ok(())
}

/// Writes 200 KiB to its terminal as fast as it can, and is gone before anybody has read them.
const BURST: &str = "exec python3 -c 'import os\ntext = b\"\".join(b\"line %04d %s\\n\" % (n, b\"-\" * 54) \
                     for n in range(3200))\nwhile text:\n    text = text[os.write(1, text):]\nos._exit(7)'";

#[tokio::test]
async fn the_last_words_on_a_terminal_are_kept_whatever_its_size_does() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let whole: String = (0..3200).map(|n| format!("line {n:04} {}\r\n", "-".repeat(54))).collect();
    let mut resized = 0;
    for round in 0..20 {
        let id = start(&server, &session, BURST, json!({"pty": true})).await?;
        let size = |rows: u32| json!({"processId": id, "rows": rows, "cols": 60 + rows});
        // From its first moment to behind its last.
        let resizes = async {
            for rows in (5..200).cycle() {
                match server.call("resize_process", size(rows)).await {
                    Ok(_) => resized += 1,
                    Err(refusal) if refusal.code == "process_closed" => break,
                    Err(refusal) => return Err(refusal),
                }
            }
            Ok(())
        };
        let (closed, row) = tokio::join!(resizes, exit(&mut mirror, &id));
        let row = row?;
        closed?;
        assert_eq!((&row["state"], &row["exitCode"]), (&json!("exited"), &json!(7)), "round {round}: {row}");
        let output = server.output(&id).await?;
        assert_eq!(output.len(), whole.len(), "round {round}: it ends with {:?}", output.lines().last());
        assert!(output == whole, "round {round}: the lines are not those that were written");
        assert_eq!(server.call("resize_process", size(10)).await.unwrap_err().code, "process_closed");
        assert_eq!(server.process(&session, &id).await?["exitCode"], 7, "round {round}");
    }
    assert!(resized > 0, "no terminal was resized while it was written to");
    Ok(())
}
