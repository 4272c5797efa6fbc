//! The bare twin: the same command, waited for; one durable transaction; one request to a provider that listens.

use std::path::{Path, PathBuf};

use gatehouse_provider::scripted::{Script, Scripted, say};
use rusqlite::Connection;
use serde_json::json;

use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::job::{Trigger, watch_end};
use crate::{program, rpc};

pub(super) struct Bare {
    dir: PathBuf,
    store: Connection,
    lab: Scripted,
    http: reqwest::Client,
    requests: usize,
}

impl Bare {
    pub async fn start(dir: &Path) -> Result<Self> {
        let store = Connection::open(dir.join("bare.db")).doing("opening a database")?;
        let set_up = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                      CREATE TABLE note(round INTEGER NOT NULL, text TEXT NOT NULL) STRICT;";
        store.execute_batch(set_up).doing("setting a database up")?;
        let lab = Scripted::start(Script::responder(|_| say("ok"))).await.doing("starting a provider")?;
        Ok(Self { dir: dir.to_path_buf(), store, lab, http: rpc::http_client()?, requests: 0 })
    }

    /// Milliseconds from a command's end to its request.
    pub async fn round(&mut self, round: usize) -> Result<f64> {
        let trigger = Trigger::new(&self.dir, &format!("bare-{round}"))?;
        let shell = std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into());
        let mut command = tokio::process::Command::from(program::command(shell));
        command.arg("-c").arg(trigger.command()).kill_on_drop(true);
        let mut child = command.spawn().doing("starting a bare command")?;
        let pid = child.id().ok_or_else(|| Error::Shape("a pid".into()))?;
        let ended = watch_end(pid)?;
        trigger.pull()?;
        child.wait().await.doing("waiting for a bare command")?;
        self.store
            .execute("INSERT INTO note(round, text) VALUES (?1, ?2)", (round as i64, "it ended"))
            .doing("committing")?;
        let body = json!({ "model": "scripted", "messages": [{ "role": "user", "content": "it ended" }] });
        let sent = self.http.post(format!("{}/chat/completions", self.lab.url())).json(&body).send().await;
        sent.doing("sending a bare request")?.bytes().await.doing("reading a bare answer")?;
        self.requests += 1;
        let request = self.lab.wait_for_request(self.requests).await;
        let ended = ended.await.doing("watching a process")??;
        Ok(clock::ms_between(ended, request.at.into_std()))
    }
}
