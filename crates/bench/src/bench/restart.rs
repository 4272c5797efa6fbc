//! A server is killed while commands run and others end, and started again: what is known of each afterwards, and how
//! often its conversation was told.

mod command; // one command, and what it is to leave behind

use std::collections::HashMap;
use std::time::Duration;

use gatehouse_provider::scripted::{Script, Scripted, say};
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::figure::Findings;
use crate::house::{Home, Plan, Server};
use crate::rpc::Rpc;
use crate::run::Scale;
use command::Expected;

const ROUNDS: usize = 50;
/// Commands that live through the kill, and as many that end around it.
const EACH: usize = 64;
/// Conversations among which the commands of a round are spread.
const SESSIONS: usize = 8;
/// Everything is told within this time.
const PATIENCE: Duration = Duration::from_secs(90);
const LOOK: Duration = Duration::from_millis(50);

/// What went wrong.
#[derive(Debug, Default)]
struct Wrong {
    codes: usize,
    outputs: usize,
    missing: usize,
    doubled: usize,
}

pub(crate) async fn run(scale: Scale) -> Result<Findings> {
    let mut found = Findings::of("restart");
    let rounds = scale.rounds.unwrap_or(ROUNDS);
    let lab = Scripted::start(Script::responder(|_| say("ok"))).await.doing("starting a provider")?;
    let url = lab.url();
    let home = Home::new()?;
    let mut wrong = Wrong::default();
    for round in 0..rounds {
        self::round(&home, &url, round, &mut wrong).await?;
    }
    let processes = rounds * EACH * 2;
    found.add("processes", processes as f64, rounds);
    found.add("codes_wrong", wrong.codes as f64, processes);
    found.add("outputs_wrong", wrong.outputs as f64, processes);
    found.add("notes_missing", wrong.missing as f64, processes);
    found.add("notes_doubled", wrong.doubled as f64, processes);
    Ok(found)
}

async fn round(home: &Home, url: &str, round: usize, wrong: &mut Wrong) -> Result<()> {
    let plan = Plan { provider: Some(url), env: Vec::new() };
    let server = Server::start(home, &plan)?;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(server.rpc.create_session().await?);
    }
    let mut commands = Vec::new();
    for number in 0..EACH * 2 {
        let session = &sessions[number % SESSIONS];
        commands.push(Expected::start(&server.rpc, session, home.path(), round * EACH * 2 + number).await?);
    }
    let (ending, running) = commands.split_at(EACH);
    // Each round kills at another moment: after as many ends as this.
    let seen = (round * 7 + 3) % EACH;
    ending.iter().take(seen).try_for_each(Expected::end)?;
    let killing = std::thread::spawn(move || server.kill());
    ending.iter().skip(seen).try_for_each(Expected::end)?;
    killing.join().map_err(|_| Error::Shape("the end of a server".into()))??;
    let server = Server::start(home, &plan)?;
    running.iter().try_for_each(Expected::end)?;
    settle(&server.rpc, &sessions, &commands, wrong).await?;
    server.end()
}

/// Waits until everything has ended and was told, and counts what is not as it should be.
async fn settle(rpc: &Rpc, sessions: &[String], commands: &[Expected], wrong: &mut Wrong) -> Result<()> {
    let began = clock::now();
    let mut told = notes(rpc, sessions).await?;
    while commands.iter().any(|command| !told.contains_key(&command.process)) && clock::since(began) < PATIENCE {
        tokio::time::sleep(LOOK).await;
        told = notes(rpc, sessions).await?;
    }
    let mut rows = HashMap::new();
    for session in sessions {
        let request = json!({ "sessionId": session, "includeFinished": true });
        let reply = rpc.call("list_processes", &request).await?;
        for row in reply["processes"].as_array().ok_or_else(|| Error::Shape("processes".into()))? {
            rows.insert(row["processId"].as_str().unwrap_or_default().to_owned(), row.clone());
        }
    }
    // A second note of the same end would come with the turn that the first one began.
    while is_busy(rpc, sessions).await? && clock::since(began) < PATIENCE {
        tokio::time::sleep(LOOK).await;
    }
    let told = notes(rpc, sessions).await?;
    for command in commands {
        let row = rows.get(&command.process).unwrap_or(&Value::Null);
        wrong.codes += usize::from(row["state"] != "exited" || row["exitCode"] != command.code);
        wrong.outputs += usize::from(command.read(rpc).await? != command.output);
        let notes = told.get(&command.process).copied().unwrap_or(0);
        wrong.missing += usize::from(notes == 0);
        wrong.doubled += notes.saturating_sub(1);
    }
    Ok(())
}

/// How many notes name each process.
async fn notes(rpc: &Rpc, sessions: &[String]) -> Result<HashMap<String, usize>> {
    let mut told = HashMap::new();
    for session in sessions {
        let reply = rpc.call("list_items", &json!({ "sessionId": session, "limit": 1000 })).await?;
        let items = reply["items"].as_array().ok_or_else(|| Error::Shape("items".into()))?;
        for unit in items.iter().filter_map(|item| item["units"].as_array()).flatten() {
            *told.entry(unit["processId"].as_str().unwrap_or_default().to_owned()).or_insert(0) += 1;
        }
    }
    Ok(told)
}

/// Whether an answer is still on its way.
async fn is_busy(rpc: &Rpc, sessions: &[String]) -> Result<bool> {
    let reply = rpc.call("list_sessions", &json!({})).await?;
    let all = reply["sessions"].as_array().ok_or_else(|| Error::Shape("sessions".into()))?;
    let ours = all.iter().filter(|session| sessions.iter().any(|id| session["sessionId"] == **id));
    Ok(ours.into_iter().any(|session| session["runningTurnId"].is_string()))
}
