//! The engine through the product: a message over the wire, and words on the feed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gatehouse_engine_wire::{Event, Question, Request, Timings, read};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Moments, Speed, THREADS};
use crate::clock::{self, ms_between};
use crate::error::{Doing as _, Error, Result};
use crate::feed::{Feed, items};
use crate::house::{Home, Plan, Server};
use crate::program;

/// The starter model's file, as the product looks for it.
const STARTER: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
/// From the running turn to the middle of reading.
const INTO_READING: Duration = Duration::from_millis(150);
/// A small model that does not find an end says two thousand tokens.
const LONGEST: Duration = Duration::from_secs(300);
/// A clerk's note may come a moment after the answer.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(5);

/// When an answer is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    Reading,
    Speaking,
}

/// A server with the embedded engine and its clerks.
pub(super) struct Product {
    home: Home,
    server: Server,
    feed: Feed,
    session: String,
    engine: PathBuf,
    /// Answers that were finished so far.
    finished: usize,
}

impl Product {
    /// In a home of its own, with its programs beside each other.
    pub async fn start() -> Result<Self> {
        let engine = wanted(program::release("gatehouse-engine"))?;
        let (home, starter) = (Home::new()?, wanted(starter())?);
        let programs = home.path().join("programs");
        for directory in [&programs, &home.path().join("models")] {
            fs::create_dir_all(directory).doing("making a home")?;
        }
        link(&starter, &home.path().join("models").join(STARTER))?;
        for name in ["gatehouse-server", "gatehouse-shim"] {
            link(&program::release(name)?, &programs.join(name))?;
        }
        write_clerks(home.path(), &programs.join("gatehouse-engine"), &engine)?;
        let env = vec![("GATEHOUSE_ENGINE_THREADS", PathBuf::from(THREADS.to_string()))];
        let server = Server::start_from(&programs.join("gatehouse-server"), &home, &Plan { provider: None, env })?;
        let (feed, session) = (Feed::attach(&server.rpc).await?, server.rpc.create_session().await?);
        Ok(Self { home, server, feed, session, engine, finished: 0 })
    }

    /// The program.
    pub fn engine(&self) -> &Path {
        &self.engine
    }

    /// The model's file.
    pub fn starter(&self) -> PathBuf {
        self.home.path().join("models").join(STARTER)
    }

    /// What is asked next belongs to no conversation before.
    pub async fn new_session(&mut self) -> Result<()> {
        self.session = self.server.rpc.create_session().await?;
        Ok(())
    }

    /// Asks, and waits until the answer is in its row and the turn is over.
    pub async fn ask(&mut self, words: &str) -> Result<(Moments, Speed)> {
        let asked = self.send(words).await?;
        let (mut first, mut last, mut is_over) = (None, None, false);
        while last.is_none() || !is_over {
            let (at, answer) = self.next("an answer", asked).await?;
            if speaks(&answer) {
                first.get_or_insert(at);
            }
            if items(&answer).any(|item| is_whole(item, &self.session)) {
                last.get_or_insert(at);
            }
            is_over |= turn(&answer, &self.session).is_some_and(|state| state != "running");
            self.must_not_fail(&answer)?;
        }
        let (first, last) = (first.or(last).unwrap_or(asked), last.unwrap_or(asked));
        let moments = Moments { asked, first, last };
        let timings = self.timings().await?;
        let speed = Speed::of(timings.prompt_tokens - timings.reused, timings.answer_tokens, &moments);
        Ok((moments, speed))
    }

    /// Asks, takes it back, and says how many milliseconds later the turn was over.
    pub async fn cancel(&mut self, words: &str, moment: Moment) -> Result<f64> {
        self.new_session().await?;
        let asked = self.send(words).await?;
        loop {
            let (_, answer) = self.next("a turn", asked).await?;
            if speaks(&answer) {
                match moment {
                    Moment::Speaking => break,
                    Moment::Reading => return Err(Error::TookTooLong("a question that is read for a while".into())),
                }
            }
            if moment == Moment::Reading && turn(&answer, &self.session).is_some_and(|state| state == "running") {
                tokio::time::sleep(INTO_READING).await;
                break;
            }
        }
        let stopped = clock::now();
        self.server.rpc.call("stop_turn", &json!({ "sessionId": self.session })).await?;
        let over = self.over(stopped).await?;
        // The engine has said so as well before the next question is asked.
        self.timings().await?;
        Ok(ms_between(stopped, over))
    }

    /// What the product asked the engine last.
    pub async fn last_question(&self) -> Result<Question> {
        let asked: Vec<Request> = self.noted("asked")?;
        let mut questions = asked.into_iter().filter_map(|request| match request {
            Request::Generate(question) => Some(question),
            Request::Load(_) | Request::Cancel { .. } => None,
        });
        questions.next_back().ok_or_else(|| Error::Shape("a question to the engine".into()))
    }

    /// Asks the server to end and waits.
    pub fn end(self) -> Result<()> {
        self.server.end()
    }

    async fn send(&mut self, words: &str) -> Result<Instant> {
        let asked = clock::now();
        self.server.rpc.call("send_message", &json!({ "sessionId": self.session, "text": words })).await?;
        Ok(asked)
    }

    /// When the session's turn is over.
    async fn over(&mut self, since: Instant) -> Result<Instant> {
        loop {
            let (at, answer) = self.next("the end of a turn", since).await?;
            if turn(&answer, &self.session).is_some_and(|state| state != "running") {
                return Ok(at);
            }
        }
    }

    /// The next answer of the feed. A feed that stays still says so now and then, so what is waited for is bounded here.
    async fn next(&mut self, what: &str, since: Instant) -> Result<(Instant, Value)> {
        if clock::since(since) > LONGEST {
            return Err(Error::TookTooLong(what.to_owned()));
        }
        self.feed.next(what).await
    }

    fn must_not_fail(&self, answer: &Value) -> Result<()> {
        let failed = |item: &&Value| item["sessionId"] == *self.session && item["kind"] == "failed_turn";
        match items(answer).find(failed) {
            Some(item) => Err(Error::Refused { command: "a question".into(), words: item["text"].to_string() }),
            None => Ok(()),
        }
    }

    /// What the engine said of the answer that it finished last.
    async fn timings(&mut self) -> Result<Timings> {
        let begun = clock::now();
        self.finished += 1;
        loop {
            let said: Vec<Event> = self.noted("said")?;
            let mut ends = said.into_iter().filter_map(|event| match event {
                Event::Finished { timings, .. } => Some(timings),
                Event::Ready { .. } | Event::Loading { .. } | Event::Loaded(_) | Event::Delta { .. } => None,
                Event::Failed { .. } => None,
            });
            if let Some(timings) = ends.nth(self.finished - 1) {
                return Ok(timings);
            }
            if clock::since(begun) > PATIENCE {
                return Err(Error::TookTooLong("the engine's end of an answer".into()));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The whole lines that a clerk has written down so far.
    fn noted<T: DeserializeOwned>(&self, clerk: &str) -> Result<Vec<T>> {
        let notes = fs::read(self.home.path().join(clerk)).doing("reading a clerk's notes")?;
        Ok(notes.split_inclusive(|byte| *byte == b'\n').filter_map(|line| read(line).ok()).collect())
    }
}

/// The program in the engine's place: the engine between two clerks.
fn write_clerks(home: &Path, place: &Path, engine: &Path) -> Result<()> {
    let home = home.display();
    let script =
        format!("#!/bin/sh\n/usr/bin/tee -a '{home}/asked' | '{}' | /usr/bin/tee -a '{home}/said'\n", engine.display());
    fs::write(place, script).doing("writing the clerks")?;
    fs::set_permissions(place, Permissions::from_mode(0o755)).doing("writing the clerks")
}

fn starter() -> Result<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home).unwrap_or_default();
    let usual = cache.join("gatehouse").join("models").join(STARTER);
    let path = std::env::var_os("GATEHOUSE_STARTER").map_or(usual, PathBuf::from);
    if path.is_file() { Ok(path) } else { Err(Error::MissingFile(path)) }
}

/// Says how to get what is missing.
fn wanted(found: Result<PathBuf>) -> Result<PathBuf> {
    found.map_err(|error| Error::Failed {
        doing: "looking for the embedded engine".into(),
        words: format!("{error}. Run: npm run engine"),
    })
}

/// A link where the file system can.
fn link(from: &Path, to: &Path) -> Result<()> {
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop)).doing("laying programs beside each other")
}

fn speaks(answer: &Value) -> bool {
    let deltas = answer["deltas"].as_array().map(Vec::as_slice).unwrap_or_default();
    deltas.iter().any(|delta| delta["append"].as_str().is_some_and(|words| !words.is_empty()))
}

fn is_whole(item: &Value, session: &str) -> bool {
    item["sessionId"] == session && item["author"] == "model" && item["streaming"] == false
}

/// The last state of the session's turn that an answer tells.
fn turn<'a>(answer: &'a Value, session: &str) -> Option<&'a str> {
    let changes = answer["changes"].as_array()?;
    let mut turns = changes.iter().filter(|change| change["type"] == "turn" && change["turn"]["sessionId"] == session);
    turns.next_back()?["turn"]["state"].as_str()
}
