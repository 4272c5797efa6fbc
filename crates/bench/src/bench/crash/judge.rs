mod delegations; // what became of tasks that were handed on
mod waits; // what the agent waited for

use std::collections::HashMap;
use std::time::Duration;

use gatehouse_provider::scripted::Scripted;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::work::{Job, Words, Work};
use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::house::{Home, Server};
use crate::rpc::Rpc;

/// Everything has ended and was told within this time.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);
/// What stands in a transcript where the model is asked once more.
const MARK: &str = "Asked again after a restart.";
/// What is still at work, and reports that somebody is owed or whose drop nobody can see: one look at one moment. Two
/// looks would miss what goes from the one to the other in between.
const STILL: &str = "SELECT
    (SELECT count(*) FROM turn WHERE state = 'running'),
    (SELECT count(*) FROM task WHERE state = 'running'),
    (SELECT count(*) FROM process WHERE state IN ('starting', 'running', 'stopping')),
    (SELECT count(*) FROM admission WHERE status IN ('queued', 'started')),
    (SELECT count(*) FROM unit WHERE delivery = 'pending' OR delivery = 'dropped' AND (dropped IS NULL
        OR NOT EXISTS (SELECT 1 FROM incident WHERE cause = 'report_dropped_' || dropped))
        OR delivery = 'consumed' AND consumed IS NULL)";

/// What was found, in all homes.
#[derive(Default)]
pub(super) struct Wrong {
    pub lost: usize,
    pub doubled: usize,
    pub misrouted: usize,
    pub jobs: usize,
    pub messages: usize,
    pub delegations: usize,
    /// A line for each.
    pub words: Vec<String>,
}

impl Wrong {
    fn lost(&mut self, words: String) {
        self.lost += 1;
        self.words.push(format!("lost: {words}"));
    }

    fn doubled(&mut self, words: String) {
        self.doubled += 1;
        self.words.push(format!("doubled: {words}"));
    }

    fn misrouted(&mut self, words: String) {
        self.misrouted += 1;
        self.words.push(format!("misrouted: {words}"));
    }

    /// Of what is to be there once.
    fn once(&mut self, count: usize, what: impl Fn() -> String) {
        match count {
            0 => self.lost(what()),
            1 => {}
            _ => self.doubled(format!("{} ({count} times)", what())),
        }
    }
}

/// What there is in the end.
struct Found {
    items: Vec<Value>,
    rows: Vec<Value>,
    /// The last words of each request whose last words are a person's or the house's.
    heard: Vec<String>,
}

/// Asks again for what was not answered, waits until everything has ended, and looks at all of it. `harmed`: shims
/// were ended, so jobs may be lost; that is then what must be told.
pub(super) async fn judge(
    server: Server,
    home: &Home,
    work: &Work,
    lab: &Scripted,
    harmed: bool,
    wrong: &mut Wrong,
) -> Result<()> {
    let file = home.path().join("profiles").join("default").join("gatehouse.db");
    let rows = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).doing("opening the rows")?;
    if let Some(still) = settle(&rows).await? {
        wrong.lost(format!("something never came to its end: {still}"));
    }
    let mut found = Found { items: Vec::new(), rows: Vec::new(), heard: heard(lab) };
    for session in &work.sessions {
        let request = json!({ "sessionId": session, "afterSeq": 0, "limit": 1000 });
        found.items.extend(list(&server.rpc, "list_items", "items", &request).await?);
        let request = json!({ "sessionId": session, "includeFinished": true });
        found.rows.extend(list(&server.rpc, "list_processes", "processes", &request).await?);
    }
    wrong.jobs += work.jobs.len();
    wrong.messages += work.words.len();
    for job in &work.jobs {
        self::job(&server.rpc, job, work, &found, harmed, wrong).await?;
    }
    work.words.iter().for_each(|words| self::words(words, &found, wrong));
    let notes: Vec<&Value> = found.items.iter().filter(|item| item["kind"] == "machine_note").collect();
    notes.iter().for_each(|note| self::note(note, &found, wrong));
    waits::judge(lab, work, &found, wrong);
    delegations::judge(&server.rpc, &rows, work, &found, wrong).await?;
    server.end()
}

async fn list(rpc: &Rpc, command: &str, name: &str, request: &Value) -> Result<Vec<Value>> {
    rpc.call(command, request).await?[name].as_array().cloned().ok_or_else(|| Error::Shape(name.into()))
}

fn heard(lab: &Scripted) -> Vec<String> {
    let last = |body: &Value| body["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    let said = lab.requests().into_iter().map(|request| last(&request.body)).filter(|last| last["role"] == "user");
    said.filter_map(|last| last["content"].as_str().map(str::to_owned)).collect()
}

/// What did not come to its end.
async fn settle(rows: &Connection) -> Result<Option<String>> {
    let (began, mut still) = (clock::now(), [0_u32; 5]);
    while clock::since(began) < PATIENCE {
        let counts = |row: &rusqlite::Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]);
        still = rows.query_row(STILL, [], counts).doing("looking at the rows")?;
        if still == [0; 5] {
            return Ok(None);
        }
        tokio::time::sleep(LOOK).await;
    }
    let [turns, tasks, processes, inputs, reports] = still;
    Ok(Some(format!("{turns} turns, {tasks} tasks, {processes} processes, {inputs} inputs, {reports} reports")))
}

async fn job(rpc: &Rpc, job: &Job, work: &Work, found: &Found, harmed: bool, wrong: &mut Wrong) -> Result<()> {
    let rows: Vec<&Value> = found.rows.iter().filter(|row| row["command"] == job.command).collect();
    wrong.once(rows.len(), || format!("the row of {}", job.key));
    let Some(row) = rows.first() else { return Ok(()) };
    let (id, ran) = (row["processId"].as_str().unwrap_or_default(), work.ran(&job.key));
    if row["sessionId"] != job.session {
        wrong.misrouted(format!("the row of {}", job.key));
    }
    if ran > 1 || job.process.as_deref().is_some_and(|answered| answered != id) {
        wrong.doubled(format!("{} ran {ran} times as {id}", job.key));
    }
    let truly = row["state"] == "exited" && row["exitCode"] == job.code && ran == 1;
    let never = row["state"] == "failed_start" && (ran == 0 || harmed);
    let ended = truly || never || row["state"] == "lost" && harmed;
    if !ended {
        wrong.lost(format!("the end of {}, which ran {ran} times: {row}", job.key));
    }
    if truly {
        let reply = rpc.call("read_output", &json!({ "processId": id, "from": 0 })).await?;
        if reply["text"] != format!("first\nlast of {}\n", job.key) {
            wrong.lost(format!("the output of {}: {reply}", job.key));
        }
    }
    let telling: Vec<&Value> = found.items.iter().filter(|item| tells(item, id)).collect();
    if telling.iter().any(|note| note["sessionId"] != job.session) {
        wrong.misrouted(format!("the note of {}", job.key));
    }
    // The answer to the one who asked has told a start that failed.
    if job.notify && truly || telling.len() > 1 {
        wrong.once(telling.len(), || format!("the note of {}", job.key));
    }
    Ok(())
}

fn tells(item: &Value, process: &str) -> bool {
    let units = item["units"].as_array().map(Vec::as_slice).unwrap_or_default();
    item["kind"] == "machine_note" && units.iter().any(|unit| unit["processId"] == process)
}

fn words(words: &Words, found: &Found, wrong: &mut Wrong) {
    let is_it = |item: &&Value| item["kind"] == "message" && item["author"] == "human" && item["text"] == words.text;
    let items: Vec<&Value> = found.items.iter().filter(is_it).collect();
    wrong.once(items.len(), || format!("the words {:?}", words.text));
    for item in items {
        if item["sessionId"] != words.session {
            wrong.misrouted(format!("the words {:?}", words.text));
        }
        answered(item, &words.text, &words.key, found, wrong);
    }
}

/// A note is answered like words of a person; what ends with it stands in it.
fn note(note: &Value, found: &Found, wrong: &mut Wrong) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let units = note["units"].as_array().map(Vec::as_slice).unwrap_or_default();
    for unit in units {
        *seen.entry(subject(unit)).or_default() += 1;
    }
    for (subject, times) in seen {
        wrong.once(times, || format!("{subject} in one note"));
    }
    answered(note, "a note", &units.first().map(subject).unwrap_or_default(), found, wrong);
}

/// What a unit of a note tells of.
fn subject(unit: &Value) -> String {
    let id = unit["processId"].as_str().or_else(|| unit["delegationId"].as_str()).unwrap_or_default();
    format!("the {} of {id} ({})", unit["producer"], unit["command"])
}

/// One answer, or a line that says why there is none; and the model was asked once for each time that is marked.
fn answered(cause: &Value, what: &str, key: &str, found: &Found, wrong: &mut Wrong) {
    let turn = &cause["turnId"];
    let of_turn = |kind: &str, author: &str| {
        let fits = |item: &&Value| item["turnId"] == *turn && item["kind"] == kind && item["author"] == author;
        found.items.iter().filter(fits).count()
    };
    let (answers, failures) = (of_turn("message", "model"), of_turn("failed_turn", "system"));
    if answers > 1 {
        wrong.doubled(format!("the answer to {what} ({key})"));
    }
    if answers + failures == 0 {
        wrong.lost(format!("the answer to {what} ({key})"));
    }
    if cause["kind"] != "message" {
        return;
    }
    let marked = found.items.iter().filter(|item| item["turnId"] == *turn && item["text"] == MARK).count();
    asked(what, marked, found, wrong);
}

/// A note can hold the same key: what ends with it was asked for by these words.
fn asked(what: &str, marked: usize, found: &Found, wrong: &mut Wrong) {
    let asked = found.heard.iter().filter(|last| last.as_str() == what).count();
    if asked > 1 + marked {
        wrong.doubled(format!("the question {what} was asked {asked} times, and {marked} of them are marked"));
    }
}
