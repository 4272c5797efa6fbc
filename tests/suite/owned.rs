//! What a turn started, and what becomes of it: every way in which it can end, with and without the wish to persist.
//!
//! That a client goes away gives a turn up too, but nothing brings it about yet; it is tested with all other causes that
//! do where the gateway carries them out, in `crates/gateway`.

use std::collections::BTreeSet;
use std::sync::Arc;

use gatehouse_provider::scripted::{Answer, End, Script, calls, say};
use gatehouse_tests::{House, Mirror, Result, Scene, Server, os, strict};
use serde_json::{Value, json};

/// What brings the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// The turn ends by itself.
    Finish,
    /// A person stops the process.
    User,
    /// The agent does.
    Agent,
    /// A person stops the turn.
    TurnStop,
    /// Nothing happens in the turn for too long.
    Standstill,
    /// The time that the process was given is over.
    Limit,
    /// The gateway ends, and is set to leave processes alone.
    Leave,
    /// The gateway ends, and is set to stop them.
    Quit,
}

/// How a job ends that was started to persist, and one that was not: by whom, or not at all.
struct Row {
    cause: Cause,
    plain: Option<&'static str>,
    persisted: Option<&'static str>,
    /// Whether the end is reported, because nobody who heard of it has asked for it.
    reported: bool,
}

const fn row(cause: Cause, plain: Option<&'static str>, persisted: Option<&'static str>) -> Row {
    Row { cause, plain, persisted, reported: matches!(cause, Cause::Limit) }
}

const TABLE: [Row; 8] = [
    row(Cause::Finish, None, None),
    row(Cause::User, Some("user"), Some("user")),
    row(Cause::Agent, Some("agent"), Some("agent")),
    row(Cause::TurnStop, Some("turn_stop"), Some("turn_stop")),
    row(Cause::Standstill, Some("turn_timeout"), None),
    row(Cause::Limit, Some("limit"), Some("limit")),
    row(Cause::Leave, None, None),
    row(Cause::Quit, Some("quit"), Some("quit")),
];

impl Cause {
    /// What the settings say.
    const fn config(self) -> &'static str {
        match self {
            Self::Standstill => "[gateway]\ninactivity_timeout_s = 10\n",
            Self::Leave => "[gateway]\non_quit = \"leave\"\n",
            Self::Quit => "[gateway]\non_quit = \"stop\"\n",
            Self::Finish | Self::User | Self::Agent | Self::TurnStop | Self::Limit => "",
        }
    }

    /// What the model does once both jobs run.
    fn next(self, ids: &[Value; 2]) -> Answer {
        match self {
            Self::Agent => {
                let kill = |id: &Value| json!({"action": "kill", "process_id": id});
                calls([("kill_plain", "process", kill(&ids[0])), ("kill_persisted", "process", kill(&ids[1]))])
            }
            Self::User | Self::TurnStop | Self::Standstill => say("I take my time.").ending(End::Hang),
            Self::Finish | Self::Limit | Self::Leave | Self::Quit => say("Both run."),
        }
    }

    /// Brings the end about.
    async fn happen(self, server: &mut Server, session: &str, ids: &[String; 2]) -> Result {
        match self {
            Self::User => {
                for id in ids {
                    assert_eq!(server.stop(id).await?, json!({"state": "killed", "survivors": []}));
                }
                server.call("stop_turn", json!({"sessionId": session})).await?;
            }
            Self::TurnStop => {
                let stopped = server.call("stop_turn", json!({"sessionId": session})).await?;
                assert_eq!(stopped, json!({"stopped": true, "reaping": 2}));
            }
            Self::Leave | Self::Quit => {
                server.term().await?;
                server.restart().await?;
            }
            Self::Finish | Self::Agent | Self::Standstill | Self::Limit => {}
        }
        Ok(())
    }
}

/// Both jobs in one answer, then what the cause asks for; later one look at each.
fn model(cause: Cause, command: String) -> Script {
    Script::responder(move |body: &Value| {
        let told = |id: &str| strict::result_of(body, id).and_then(|told| serde_json::from_str::<Value>(&told).ok());
        let messages = strict::messages(body);
        let asked = messages.iter().rev().find(|message| message["role"] == "user");
        let asked = asked.and_then(|message| message["content"].as_str()).unwrap_or_default();
        if let Some(ids) = asked.strip_prefix("look at ") {
            let look = |id: &str| json!({"action": "poll", "process_id": id});
            let (plain, persisted) = ids.trim().split_once(' ').unwrap_or_default();
            return match told("look_plain") {
                None => calls([("look_plain", "process", look(plain)), ("look_persisted", "process", look(persisted))]),
                Some(_) => say("Seen."),
            };
        }
        match (told("plain"), told("persisted"), told("kill_plain")) {
            _ if asked != "work" => say("Noted."),
            (Some(plain), Some(persisted), None) => {
                cause.next(&[plain, persisted].map(|told| told["process_id"].clone()))
            }
            (Some(_), Some(_), Some(_)) => say("Both are stopped."),
            (_, _, _) => {
                let mut job = json!({"command": command, "background": true});
                if cause == Cause::Limit {
                    job["max_runtime_seconds"] = json!(1);
                }
                let mut persisted = job.clone();
                persisted["persist"] = json!(true);
                calls([("plain", "terminal", job), ("persisted", "terminal", persisted)])
            }
        }
    })
}

fn pid_of(process: &Value) -> Result<u32> {
    Ok(u32::try_from(process["pid"].as_u64().ok_or("no pid")?)?)
}

fn id_of(mirror: &Mirror, session: &str, call: &str) -> Option<String> {
    mirror.card(session, call)?["processId"].as_str().map(str::to_owned)
}

/// What the wire and the model are told of a job.
fn told_alike(row: &Value, result: &Value, by: Option<&str>, what: &str) {
    let word = |of: &Value, name: &str| of.get(name).cloned().unwrap_or_default();
    let wire = ["state", "stoppedBy", "signal", "exitCode"].map(|name| word(row, name));
    let tool = ["status", "stopped_by", "signal", "exit_code"].map(|name| word(result, name));
    let none = Value::Null;
    match by {
        None => {
            assert_eq!(wire, [json!("running"), none.clone(), none.clone(), none.clone()], "{what}: {row}");
            assert_eq!(tool, [json!("running"), none.clone(), none.clone(), none], "{what}: {result}");
        }
        // A signal is no code on the wire; a model reads it as one, the way shells of its kind tell it.
        Some(by) => {
            assert_eq!(wire, [json!("killed"), json!(by), json!("SIGTERM"), none], "{what}: {row}");
            assert_eq!(tool, [json!("killed"), json!(by), json!("SIGTERM"), json!(-15)], "{what}: {result}");
        }
    }
}

/// A turn that has started both jobs: the one that belongs to it, and the one that persists. The gate lets them end by
/// themselves, with 3.
async fn set_up(cause: Cause) -> Result<(Scene, [String; 2], [u32; 2])> {
    let house = Arc::new(House::new()?);
    std::fs::create_dir_all(house.profile())?;
    std::fs::write(house.profile().join("config.toml"), cause.config())?;
    let mut scene = Scene::in_house(house, |wait| model(cause, format!("{wait}; exit 3"))).await?;
    let Scene { lab, server, session, mirror, .. } = &mut scene;
    server.send(session, "work").await?;
    lab.wait_for_request(2).await;
    let both = |m: &Mirror| Some([id_of(m, session, "plain")?, id_of(m, session, "persisted")?]);
    let ids = mirror.until("both jobs", both).await?;
    let pids = [pid_of(&server.process(session, &ids[0]).await?)?, pid_of(&server.process(session, &ids[1]).await?)?];
    Ok((scene, ids, pids))
}

async fn play(Row { cause, plain, persisted, reported }: Row) -> Result {
    let (Scene { gate, lab, mut server, session, mut mirror }, ids, pids) = set_up(cause).await?;
    if matches!(cause, Cause::Leave | Cause::Quit) {
        mirror.until("the end of the turn", |m| m.rests(&session).then_some(())).await?;
    }
    cause.happen(&mut server, &session, &ids).await?;
    mirror.move_to(&*server);
    let fates = [plain, persisted];
    let as_expected = |m: &Mirror| {
        let ended = |id: &String| m.processes.get(id).is_some_and(|row| !row["endedAtMs"].is_null());
        let over = ids.iter().zip(fates).all(|(id, by)| by.is_none() || ended(id));
        (over && m.rests(&session)).then_some(())
    };
    mirror.until(&format!("the ends of {cause:?}"), as_expected).await?;

    server.send(&session, &format!("look at {} {}", ids[0], ids[1])).await?;
    let seen = |m: &Mirror| (m.said(&session).contains(&"Seen.") && m.rests(&session)).then_some(());
    mirror.until("the look", seen).await?;
    for (at, call) in ["look_plain", "look_persisted"].into_iter().enumerate() {
        let what = format!("{cause:?}, {call}");
        let told = lab.requests().iter().rev().find_map(|request| strict::result_of(&request.body, call));
        let told: Value = serde_json::from_str(&told.ok_or("no result")?)?;
        let row = server.process(&session, &ids[at]).await?;
        told_alike(&row, &told, fates[at], &what);
        assert_eq!(row["persist"] == true, at == 1, "{what}: {row}");
        assert_eq!(os::lives(pids[at]), fates[at].is_none(), "{what}: {row}");
    }

    // Who lives is as it was: it ends by itself, and its end is reported.
    let living: BTreeSet<&String> = ids.iter().zip(fates).filter(|(_, by)| by.is_none()).map(|(id, _)| id).collect();
    gate.open(living.len())?;
    let last = server.bang(&session, "echo the last one").await?;
    let told = |m: &Mirror| -> BTreeSet<String> {
        m.units(&session).iter().filter_map(|unit| unit["processId"].as_str().map(str::to_owned)).collect()
    };
    let reports = |m: &Mirror| {
        let told = told(m);
        (told.contains(&last) && living.iter().all(|id| told.contains(*id)) && m.rests(&session)).then_some(())
    };
    mirror.until(&format!("the reports after {cause:?}"), reports).await?;
    for (id, by) in ids.iter().zip(fates) {
        let units: Vec<_> = mirror.units(&session).into_iter().filter(|unit| unit["processId"] == json!(id)).collect();
        match by {
            None => assert!(units.len() == 1 && units[0]["exitCode"] == 3, "{cause:?}: {units:#?}"),
            Some(by) if reported => assert!(units.len() == 1 && units[0]["stoppedBy"] == by, "{cause:?}: {units:#?}"),
            Some(_) => assert!(units.is_empty(), "{cause:?}: whoever needs to know it knows: {units:#?}"),
        }
    }
    server.house.no_shims().await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn every_cause_ends_what_it_means_and_says_so_everywhere() -> Result {
    for row in TABLE {
        let cause = row.cause;
        play(row).await.map_err(|error| format!("{cause:?}: {error}"))?;
    }
    Ok(())
}

#[tokio::test]
async fn a_person_s_line_ends_the_jobs_of_the_turn_but_those_that_persist() -> Result {
    // The turn goes on until somebody ends it.
    let (Scene { gate, lab, server, session, mut mirror }, ids, pids) = set_up(Cause::TurnStop).await?;
    let next = server.begin_anew(&session).await?;
    let ended = |m: &Mirror, id: &str| m.processes.get(id).filter(|row| !row["endedAtMs"].is_null()).cloned();
    let row = mirror.until("the end of its job", |m| ended(m, &ids[0]).filter(|_| m.rests(&session))).await?;
    let told = ["state", "stoppedBy", "signal"].map(|name| row[name].clone());
    assert_eq!(told, [json!("killed"), json!("new_session"), json!("SIGTERM")], "{row}");
    assert!(!os::lives(pids[0]), "{row}");
    let row = server.process(&session, &ids[1]).await?;
    assert_eq!((&row["state"], row.get("stoppedBy"), os::lives(pids[1])), (&json!("running"), None, true), "{row}");

    // Who lives on ends by itself, and is told to nobody behind the line. That is an incident, the swept one is none.
    gate.open(1)?;
    let row = mirror.until("the other end", |m| ended(m, &ids[1])).await?;
    assert_eq!((&row["state"], &row["exitCode"]), (&json!("exited"), &json!(3)), "{row}");
    let dropped: Vec<_> =
        mirror.incidents(1).await?.iter().map(|i| (i["cause"].clone(), i["unit"]["processId"].clone())).collect();
    assert_eq!(dropped, [(json!("report_dropped_target_gone"), json!(ids[1]))]);
    mirror.catch_up().await?;
    assert_eq!(mirror.units(&session).len() + mirror.units(&next).len(), 0);
    server.house.no_shims().await?;
    strict::check_all(&lab)
}
