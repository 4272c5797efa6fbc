//! A server with the engine, and what is said to it.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_tests::{Mirror, Result, Server, os};
use serde_json::{Value, json};

use tokio::time::Instant;

use crate::place::Place;

/// A small model that does not find an end says two thousand tokens, on however busy a computer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(150);
/// One look at the feed.
const LOOK: Duration = Duration::from_secs(5);

/// A session with the built-in model, followed on the feed.
pub(crate) struct Talk {
    pub(crate) server: Server,
    pub(crate) mirror: Mirror,
    pub(crate) session: String,
    turns: usize,
}

impl Talk {
    /// Starts the server of this place; a question to it is answered on one thread.
    pub(crate) async fn begin(place: &Place) -> Result<Self> {
        let setup = gatehouse_tests::Setup::bare().program(place.programs.join("gatehouse-server"));
        let setup = setup.env("GATEHOUSE_ENGINE_THREADS", "1");
        let server = setup.start_in(Arc::clone(&place.house)).await?;
        let session = server.session().await?;
        let mirror = Mirror::attach(&*server, "talk");
        Ok(Self { server, mirror, session, turns: 0 })
    }

    /// Says something, and does not wait.
    pub(crate) async fn say(&mut self, words: &str) -> Result {
        self.turns += 1;
        self.server.send(&self.session, words).await?;
        Ok(())
    }

    /// Waits until the model speaks.
    pub(crate) async fn speaks(&mut self) -> Result {
        self.until("words of the model", |mirror| mirror.texts.values().any(|words| !words.is_empty())).await
    }

    async fn until(&mut self, what: &str, is_so: impl Fn(&Mirror) -> bool) -> Result {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(&self.mirror) {
            if Instant::now() > deadline {
                return Err(format!("not in time: {what}").into());
            }
            self.mirror.step(LOOK).await?;
        }
        // What was written with it comes right behind.
        self.mirror.catch_up().await
    }

    /// Waits until the turn is over, and gives the last row of the transcript.
    pub(crate) async fn end(&mut self) -> Result<Value> {
        let (session, turns) = (self.session.clone(), self.turns);
        let over = |mirror: &Mirror| mirror.turns_of(&session).len() >= turns && mirror.rests(&session);
        self.until("the end of a turn", over).await?;
        let last = self.mirror.transcript(&self.session).last().map(|row| (*row).clone());
        last.ok_or_else(|| "an empty transcript".into())
    }

    /// Stops the answer.
    pub(crate) async fn stop(&mut self) -> Result {
        self.server.call("stop_turn", json!({"sessionId": self.session})).await?;
        self.end().await.map(drop)
    }

    /// Says something and waits for the answer's words.
    pub(crate) async fn answer(&mut self, words: &str) -> Result<String> {
        self.say(words).await?;
        let row = self.end().await?;
        match (row["author"].as_str(), row["kind"].as_str(), row["text"].as_str()) {
            (Some("model"), Some("message"), Some(words)) if !words.trim().is_empty() => Ok(words.to_owned()),
            _ => Err(format!("no answer: {row}").into()),
        }
    }

    /// Says something that cannot be answered, and gives the words of that.
    pub(crate) async fn failure(&mut self, words: &str) -> Result<String> {
        self.say(words).await?;
        self.failed().await
    }

    /// Waits for a turn that gives no answer, and gives the words of that.
    pub(crate) async fn failed(&mut self) -> Result<String> {
        let row = self.end().await?;
        match (row["kind"].as_str(), row["text"].as_str()) {
            (Some("failed_turn"), Some(words)) => Ok(words.to_owned()),
            _ => Err(format!("no failure: {row}").into()),
        }
    }

    /// A command of the person's own still works.
    pub(crate) async fn echoes(&mut self) -> Result {
        let process = self.server.bang(&self.session, "echo still here").await?;
        let (session, id) = (self.session.clone(), process.clone());
        self.until("the end of a command", |mirror| {
            mirror.processes.get(&id).is_some_and(|row| row["state"] == "exited")
        })
        .await?;
        let noted = |mirror: &Mirror| mirror.units(&session).iter().any(|unit| unit["processId"] == *id);
        self.until("its note", noted).await?;
        let output = self.server.output(&process).await?;
        if output == "still here\n" { Ok(()) } else { Err(format!("it said {output:?}").into()) }
    }

    /// The engine: a child of the server that runs this place's program.
    pub(crate) fn engine(&self, place: &Place) -> Result<u32> {
        let runs = |seen: &os::Seen| seen.parent == self.server.pid() && seen.exe == Some(place.engine());
        let found = os::table()?.into_iter().find(runs);
        found.map(|seen| seen.pid).ok_or_else(|| "the server has no engine".into())
    }
}
