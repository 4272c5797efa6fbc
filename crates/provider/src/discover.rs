//! Model servers that already run on this computer, at the ports where they usually are.
//!
//! Nothing but the loopback interface is asked, no key is sent and no redirect is followed. What does not answer with a
//! list of models is not offered, whatever else it is.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Client, Response, Url};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::failure::Voice;
use crate::openai::{client, list};

/// How long one place may take for everything that it is asked while somebody waits for the list.
const PATIENCE: Duration = Duration::from_millis(800);
/// How much of an answer is read.
const MAX_BYTES: usize = 1024 * 1024;

/// The kinds of local servers that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalServer {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// The server of llama.cpp.
    LlamaCpp,
    /// vLLM.
    Vllm,
    /// Anything else that lists models.
    Other,
}

impl LocalServer {
    /// The stable text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::LmStudio => "lm_studio",
            Self::LlamaCpp => "llama_cpp",
            Self::Vllm => "vllm",
            Self::Other => "other",
        }
    }
}

/// A port of 127.0.0.1 to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The port.
    pub port: u16,
}

/// A server that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it says that it is.
    pub kind: LocalServer,
    /// Its address, ready for [`Endpoint::base_url`](crate::Endpoint).
    pub base_url: String,
    /// Its port.
    pub port: u16,
    /// The names of its models; empty when it has none loaded.
    pub models: Vec<String>,
}

/// Where Ollama, LM Studio, llama.cpp and vLLM usually listen.
pub const fn usual_places() -> [Place; 4] {
    [Place { port: 11_434 }, Place { port: 1_234 }, Place { port: 8_080 }, Place { port: 8_000 }]
}

/// Looks at all `places` at once; what is found comes in their order.
pub async fn discover(places: &[Place]) -> Vec<Found> {
    discover_within(PATIENCE, places).await
}

/// The same, where each place may take as long as `patience`.
pub async fn discover_within(patience: Duration, places: &[Place]) -> Vec<Found> {
    let voice = Voice { name: "This computer".to_owned(), key: None };
    join_all(places.iter().map(|place| look(patience, &voice, *place))).await.into_iter().flatten().collect()
}

async fn look(patience: Duration, voice: &Voice, place: Place) -> Option<Found> {
    let base = client::base(&format!("http://127.0.0.1:{}/v1", place.port)).ok()?;
    let http = client::build(voice, &base, patience).ok()?;
    let at = At { http, base, deadline: Instant::now() + patience };
    let (entries, says) = timeout_at(at.deadline, at.list()).await.ok()??;
    let owner = entries.iter().find_map(|entry| entry.owner.as_deref());
    let kind = match (owner, says.as_deref()) {
        (Some("vllm"), _) => LocalServer::Vllm,
        (Some("llamacpp"), _) | (_, Some("llama.cpp")) => LocalServer::LlamaCpp,
        // It lists models, so it is offered even if it does not get round to saying what it is.
        _ => timeout_at(at.deadline, at.kind()).await.unwrap_or(LocalServer::Other),
    };
    let models = entries.into_iter().map(|entry| entry.model.id).collect();
    Some(Found { kind, base_url: at.base.into(), port: place.port, models })
}

/// One place while it is looked at.
struct At {
    http: Client,
    base: Url,
    deadline: Instant,
}

impl At {
    /// The models, and what the server calls itself.
    async fn list(&self) -> Option<(Vec<list::Entry>, Option<String>)> {
        let response = self.get("/v1/models").await?;
        let says = response.headers().get("server").and_then(|says| says.to_str().ok()).map(str::to_owned);
        Some((list::read(&body(response).await?)?, says))
    }

    /// Asks what only one kind of server answers.
    async fn kind(&self) -> LocalServer {
        let (studio, ollama, props) =
            tokio::join!(self.json("/api/v0/models"), self.json("/api/version"), self.json("/props"));
        let has = |value: &Option<Value>, key: &str| value.as_ref().is_some_and(|value| value.get(key).is_some());
        match () {
            () if has(&studio, "data") => LocalServer::LmStudio,
            () if has(&props, "default_generation_settings") => LocalServer::LlamaCpp,
            () if has(&ollama, "version") => LocalServer::Ollama,
            () => LocalServer::Other,
        }
    }

    async fn json(&self, path: &str) -> Option<Value> {
        serde_json::from_slice(&body(self.get(path).await?).await?).ok()
    }

    /// The answer at `path`, if it is a success.
    async fn get(&self, path: &str) -> Option<Response> {
        let mut url = self.base.clone();
        url.set_path(path);
        self.http.get(url).send().await.ok().filter(|response| response.status().is_success())
    }
}

/// A whole body; `None` when it breaks off or is longer than any list.
async fn body(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.ok()? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_BYTES {
            return None;
        }
    }
    Some(body)
}
