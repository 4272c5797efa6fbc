use std::path::{Path, PathBuf};
use std::time::Duration;

use gatehouse_provider::scripted::{Answer, call, say};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::dice::Dice;
use crate::error::{Doing, Error, Result};
use crate::house::Server;
use crate::rpc::Rpc;

const SESSIONS: usize = 3;
/// A full queue takes no more for a while.
const MOST: usize = 300;
const PAUSE: Duration = Duration::from_millis(100);
/// What makes the agent hand tasks on.
pub(super) const HAND_ON: &str = "Delegate";
/// What makes it start something and wait for the end of that.
pub(super) const WAIT: &str = "Wait";
/// What is the beginning of a task that is answered, and of one that runs something first.
const TASKS: [&str; 2] = ["Say", "Run"];
/// What a start is answered that came to nothing.
const NOT_STARTED: &str = "start_failed";
/// Codes that a program may end with by itself; those above mean something to a shell.
const CODES: u64 = 120;

/// A command that somebody wants to run.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub key: String,
    pub session: String,
    pub command: String,
    pub code: u64,
    pub notify: bool,
    /// The process that it was said to be.
    pub process: Option<String>,
    /// Somebody was told what became of it, also where that is nothing.
    answered: bool,
}

/// What a person says.
#[derive(Debug, Clone)]
pub(super) struct Words {
    pub key: String,
    pub session: String,
    pub text: String,
    /// It was said to be kept.
    pub kept: bool,
}

/// One thing that is asked.
#[derive(Debug, Clone)]
pub(super) enum Wish {
    Job(Job),
    Words(Words),
}

/// What is under way.
pub(super) type Asked = JoinSet<Wish>;

/// All that was asked in one home.
#[derive(Debug)]
pub(super) struct Work {
    pub sessions: Vec<String>,
    pub jobs: Vec<Job>,
    pub words: Vec<Words>,
    dir: PathBuf,
    asked: usize,
}

impl Work {
    pub async fn begin(server: &Server, dir: &Path) -> Result<Self> {
        let mut sessions = Vec::new();
        for _ in 0..SESSIONS {
            sessions.push(server.rpc.create_session().await?);
        }
        Ok(Self { sessions, jobs: Vec::new(), words: Vec::new(), dir: dir.to_owned(), asked: 0 })
    }

    /// Asks for some jobs and says some words, all at once.
    pub fn ask(&mut self, rpc: &Rpc, dice: &mut Dice) -> Result<Asked> {
        let mut asked = Asked::new();
        for _ in 0..2 + dice.below(3) {
            asked.spawn(fulfil(rpc.another()?, Wish::Job(self.job(dice))));
        }
        for _ in 0..2 + dice.below(3) {
            asked.spawn(fulfil(rpc.another()?, Wish::Words(self.say(dice))));
        }
        Ok(asked)
    }

    /// Asks for everything that nobody has answered until somebody does. A word in each conversation comes with it:
    /// after many starts in a row the house waits for one before it goes on by itself.
    pub async fn insist(&mut self, rpc: &Rpc) -> Result<()> {
        for session in self.sessions.clone() {
            let key = self.key();
            self.words.push(Words { text: format!("Answer {key}"), key, session, kept: false });
        }
        for _ in 0..MOST {
            if self.ask_again(rpc).await? {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(Error::TookTooLong("an answer to what was asked again".into()))
    }

    /// Asks again under the same names; whether nothing is left to ask.
    async fn ask_again(&mut self, rpc: &Rpc) -> Result<bool> {
        let mut asked = Asked::new();
        for job in self.jobs.extract_if(.., |job| !job.answered) {
            asked.spawn(fulfil(rpc.another()?, Wish::Job(job)));
        }
        for words in self.words.extract_if(.., |words| !words.kept) {
            asked.spawn(fulfil(rpc.another()?, Wish::Words(words)));
        }
        self.answered(asked).await?;
        Ok(self.jobs.iter().all(|job| job.answered) && self.words.iter().all(|words| words.kept))
    }

    /// Notes what was answered and what was not.
    pub async fn answered(&mut self, mut asked: Asked) -> Result<()> {
        while let Some(wish) = asked.join_next().await {
            match wish.doing("asking")? {
                Wish::Job(job) => self.jobs.push(job),
                Wish::Words(words) => self.words.push(words),
            }
        }
        Ok(())
    }

    fn key(&mut self) -> String {
        self.asked += 1;
        format!("key{}x", self.asked)
    }

    fn session(&self, dice: &mut Dice) -> String {
        self.sessions[dice.below(SESSIONS as u64) as usize].clone()
    }

    fn job(&mut self, dice: &mut Dice) -> Job {
        let (key, session, code) = (self.key(), self.session(dice), dice.below(CODES));
        let (pause, notify) = (dice.below(150), dice.below(4) > 0);
        // It leaves a mark each time it runs, so that one that runs unknown is found.
        let mark = self.dir.join(format!("ran-{key}"));
        let command = format!(
            "echo run >> '{}'; sleep 0.{pause:03}; echo first; echo last of {key}; exit {code}",
            mark.display()
        );
        Job { key, session, command, code, notify, process: None, answered: false }
    }

    /// Some make the agent start something itself, and perhaps wait for it, and some make it hand tasks on.
    fn say(&mut self, dice: &mut Dice) -> Words {
        let (key, session) = (self.key(), self.session(dice));
        let what = ["Start", WAIT, HAND_ON, "Answer"][dice.below(4) as usize];
        Words { text: format!("{what} {key}"), key, session, kept: false }
    }

    /// How often a job has begun.
    pub fn ran(&self, key: &str) -> usize {
        std::fs::read_to_string(self.dir.join(format!("ran-{key}"))).map_or(0, |text| text.lines().count())
    }
}

async fn fulfil(rpc: Rpc, wish: Wish) -> Wish {
    match wish {
        Wish::Job(job) => {
            let params = json!({
                "sessionId": job.session, "command": job.command, "notify": job.notify, "clientKey": job.key, "cwd": "/",
            });
            let reply = rpc.call("start_process", &params).await;
            let failed = matches!(&reply, Err(Error::Refused { words, .. }) if words.contains(NOT_STARTED));
            let process = reply.ok().and_then(|reply| reply["processId"].as_str().map(str::to_owned));
            Wish::Job(Job { answered: failed || process.is_some(), process, ..job })
        }
        Wish::Words(words) => {
            let params = json!({ "sessionId": words.session, "text": words.text, "clientKey": words.key });
            let kept = rpc.call("send_message", &params).await.is_ok();
            Wish::Words(Words { kept, ..words })
        }
    }
}

/// What the agent starts itself.
pub(super) fn started(key: &str) -> String {
    format!("sleep 0.05; echo last of {key}")
}

/// What the call is named that waits.
pub(super) fn waiting(key: &str) -> String {
    format!("wait_{key}")
}

/// What the model says: it starts something or hands tasks on when a person asks for that, waits for what it has started
/// if they asked for that too, runs something when that is its task, and otherwise answers.
pub(super) fn answer(body: &Value) -> Answer {
    let last = body["messages"].as_array().and_then(|all| all.last());
    if let Some(wait) = last.filter(|last| last["role"] == "tool").and_then(|last| wait(body, last)) {
        return wait;
    }
    let text = last.filter(|last| last["role"] == "user").and_then(|last| last["content"].as_str());
    let mut words = text.unwrap_or_default().split_whitespace();
    let (what, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let call = |tool, arguments| call(&format!("call_{key}"), tool, arguments);
    match what {
        "Start" | WAIT => {
            call("terminal", json!({ "command": started(key), "background": true, "notify_on_complete": true }))
        }
        HAND_ON => {
            let tasks = TASKS.map(|what| json!({ "goal": format!("{what} {key}") }));
            call("delegate", json!({ "tasks": tasks }))
        }
        "Run" => call("terminal", json!({ "command": format!("echo last of {key}") })),
        _ => say("That is noted."),
    }
}

/// The call that follows a start, if a person asked to wait for its end.
fn wait(body: &Value, last: &Value) -> Option<Answer> {
    let key = last["tool_call_id"].as_str()?.strip_prefix("call_")?;
    let asked = format!("{WAIT} {key}");
    body["messages"].as_array()?.iter().find(|said| said["role"] == "user" && said["content"] == asked)?;
    let told: Value = serde_json::from_str(last["content"].as_str()?).ok()?;
    Some(call(&waiting(key), "process", json!({ "action": "wait", "process_id": told["process_id"].as_str()? })))
}
