//! An attached client of the feed: asks again as soon as it was answered.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::clock;
use crate::error::{Error, Result};
use crate::rpc::Rpc;

/// Whatever a bench waits for comes within this time, or the run is over.
const PATIENCE: Duration = Duration::from_secs(30);

/// Answers with the moment at which each was there in full.
#[derive(Debug)]
pub(crate) struct Feed {
    answers: mpsc::UnboundedReceiver<Result<(Instant, Value)>>,
    task: JoinHandle<()>,
}

impl Feed {
    /// Attaches from the newest revision on.
    pub async fn attach(rpc: &Rpc) -> Result<Self> {
        let rpc = rpc.another()?;
        let first = ask(&rpc, &json!(u32::MAX), 0).await?;
        let (answered, answers) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            let mut rev = first["rev"].clone();
            loop {
                let answer = ask(&rpc, &rev, 20_000).await;
                let at = clock::now();
                let failed = answer.is_err();
                if let Ok(answer) = &answer {
                    rev = answer["rev"].clone();
                }
                if answered.send(answer.map(|answer| (at, answer))).is_err() || failed {
                    return;
                }
            }
        });
        Ok(Self { answers, task })
    }

    /// The next answer.
    pub async fn next(&mut self, what: &str) -> Result<(Instant, Value)> {
        match tokio::time::timeout(PATIENCE, self.answers.recv()).await {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => Err(Error::TookTooLong(what.to_owned())),
        }
    }

    /// The moment of the first answer with a change of an item that fits.
    pub async fn item(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Result<Instant> {
        loop {
            let (at, answer) = self.next(what).await?;
            if items(&answer).any(&fits) {
                return Ok(at);
            }
        }
    }

    /// Waits until the turn of a session has ended.
    pub async fn turn_ended(&mut self, session: &str) -> Result<()> {
        loop {
            let (_, answer) = self.next("the end of a turn").await?;
            let over = |change: &Value| {
                change["type"] == "turn"
                    && change["turn"]["sessionId"] == session
                    && change["turn"]["state"] != "running"
            };
            if answer["changes"].as_array().is_some_and(|changes| changes.iter().any(over)) {
                return Ok(());
            }
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The items among the changes of an answer.
pub(crate) fn items(answer: &Value) -> impl Iterator<Item = &Value> {
    let changes = answer["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
    changes.iter().filter(|change| change["type"] == "item").map(|change| &change["item"])
}

async fn ask(rpc: &Rpc, rev: &Value, wait_ms: u32) -> Result<Value> {
    rpc.call("next_feed", &json!({ "afterRev": rev, "waitMs": wait_ms, "clientId": "bench" })).await
}
