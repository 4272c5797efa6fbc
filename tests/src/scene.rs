//! A conversation at a gateway, with its model, a gate for its jobs, and a window that looks on.

use std::sync::Arc;

use gatehouse_provider::scripted::{Script, Scripted};
use serde_json::{Value, json};

use crate::{Gate, House, Mirror, Result, Server, Setup, strict};

/// What most tests of a conversation begin with.
#[derive(Debug)]
pub struct Scene {
    /// Lets jobs go on.
    pub gate: Gate,
    /// The model.
    pub lab: Scripted,
    /// The gateway.
    pub server: Server,
    /// The conversation.
    pub session: String,
    /// The window.
    pub mirror: Mirror,
}

impl Scene {
    /// The model is made of what a job does to wait.
    pub async fn set_up<S: Into<Script>>(model: impl FnOnce(String) -> S) -> Result<Self> {
        Self::in_house(Arc::new(House::new()?), model).await
    }

    /// The same in a house that was furnished.
    pub async fn in_house<S: Into<Script>>(house: Arc<House>, model: impl FnOnce(String) -> S) -> Result<Self> {
        let gate = Gate::new(house.root(), "gate")?;
        let lab = Scripted::start(model(gate.wait())).await?;
        let server = Setup::with(&lab).start_in(house).await?;
        Self::at(gate, lab, server).await
    }

    /// The same at a server that runs.
    pub async fn around(lab: Scripted, server: Server) -> Result<Self> {
        let gate = Gate::new(server.house.root(), "gate")?;
        Self::at(gate, lab, server).await
    }

    async fn at(gate: Gate, lab: Scripted, server: Server) -> Result<Self> {
        let session = server.session().await?;
        let mirror = Mirror::attach(&*server, "window");
        Ok(Self { gate, lab, server, session, mirror })
    }

    /// Says something in one of the ways in which it may meet a turn.
    pub async fn say(&self, mode: &str, text: &str) -> Result {
        self.server.call("send_message", json!({"sessionId": self.session, "text": text, "mode": mode})).await?;
        Ok(())
    }

    /// Waits until a call of the model is carried out.
    pub async fn begun(&mut self, call: &str) -> Result {
        let session = self.session.clone();
        let begun = |m: &Mirror| m.card(&session, call).filter(|card| card["status"] == "in_progress").map(|_| ());
        self.mirror.until(&format!("the call {call}"), begun).await
    }

    /// Waits until the model has said this, and nothing is at work.
    pub async fn answered(&mut self, words: &str) -> Result {
        let session = self.session.clone();
        let answered = |m: &Mirror| (m.said(&session).contains(&words) && m.rests(&session)).then_some(());
        self.mirror.until(words, answered).await
    }

    /// What the model was told as the result of a call.
    pub fn told(&self, call: &str) -> Result<Value> {
        let told = self.lab.requests().iter().rev().find_map(|request| strict::result_of(&request.body, call));
        Ok(serde_json::from_str(&told.ok_or("no result")?)?)
    }
}
