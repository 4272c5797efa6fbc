//! The few requests of a check, each made once.

use std::time::Duration;

use gatehouse_domain::FailureCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, RequestBuilder, Url};
use serde_json::json;
use tokio::time::Instant;

use super::{CONNECT, CheckCode, CheckFailure, Checked, failure, sort, trouble};
use crate::failure::Voice;
use crate::openai::{client, list};
use crate::{Endpoint, ModelInfo};

/// How much of a list of models is read.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;
/// How much of any other answer is read.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// One check of one provider.
#[derive(Debug)]
pub(super) struct Probe {
    pub voice: Voice,
    pub base: Url,
    http: Client,
}

/// An answer as it came.
#[derive(Debug)]
pub(super) struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// False when there was more than is read.
    pub whole: bool,
}

impl Reply {
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }

    /// What a browser would show as a page.
    pub fn is_page(&self) -> bool {
        self.body.trim_ascii_start().starts_with(b"<")
    }
}

impl Probe {
    pub fn new(endpoint: &Endpoint) -> Result<Self, CheckFailure> {
        let voice = Voice::new(&endpoint.name, endpoint.key.as_ref());
        let base =
            client::base(&endpoint.base_url).map_err(|why| trouble::bad_address(&voice, &endpoint.base_url, &why))?;
        let http = client::build(&voice, &base, CONNECT).map_err(|told| match told.code {
            FailureCode::Unauthorized => {
                let message = format!("The key of {} holds characters that no key has.", voice.name);
                failure(CheckCode::WrongKey, message, "Enter the key again, then test again.")
            }
            _ => failure(CheckCode::Tls, told.message, "Then test again."),
        })?;
        Ok(Self { voice, base, http })
    }

    /// A probe that speaks through `http`.
    #[cfg(test)]
    pub fn through(http: Client, voice: Voice, base: Url) -> Self {
        Self { voice, base, http }
    }

    pub async fn run(&self, model: Option<&str>) -> Result<Checked, CheckFailure> {
        let began = Instant::now();
        let reply = self.list_at(&self.base, &self.http).await;
        let latency = began.elapsed();
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => return Err(trouble::explain(self, &error).await),
        };
        if reply.status == 400 && trouble::speaks_tls(self).await {
            return Err(trouble::plain_to_tls(self));
        }
        let models = match sort::list(self, &reply) {
            Ok(models) => models,
            Err(failure) => return self.without_list(&reply, failure, model, latency).await,
        };
        if let Some(model) = model
            && (models.iter().all(|known| known.id != model) || !self.list_proves_key().await)
        {
            self.ask(model, Some(&models)).await?;
        }
        Ok(Checked { latency, models })
    }

    /// There is no list: it may be somewhere else, or the server may have none, or something is wrong.
    async fn without_list(
        &self,
        reply: &Reply,
        failure: CheckFailure,
        model: Option<&str>,
        latency: Duration,
    ) -> Result<Checked, CheckFailure> {
        if matches!(failure.code, CheckCode::WrongPath | CheckCode::NotAnApi | CheckCode::Malformed)
            && let Some(place) = self.elsewhere().await
        {
            return Err(sort::wrong_path(self, reply.status, &place));
        }
        match model {
            Some(model) if matches!(reply.status, 404 | 405) => {
                self.ask(model, None).await?;
                Ok(Checked { latency, models: Vec::new() })
            }
            _ => Err(failure),
        }
    }

    /// Where on the same server a list of models is, if it is where servers usually have it.
    async fn elsewhere(&self) -> Option<Url> {
        let mut top = self.base.clone();
        top.set_path("");
        let mut tried = vec![self.base.clone()];
        for start in [&self.base, &top] {
            let place = client::under(start, &["v1"]);
            if ends_in_version(start) || tried.contains(&place) {
                continue;
            }
            if self.list_at(&place, &self.http).await.is_ok_and(|reply| sort::is_model_server(&reply)) {
                return Some(place);
            }
            tried.push(place);
        }
        None
    }

    /// Whether a list says anything about the key: many servers show theirs to everybody.
    ///
    /// Servers on this computer are taken at their word, because asking one may make it load a model for minutes.
    async fn list_proves_key(&self) -> bool {
        if self.voice.key.is_none() || client::is_loopback(&self.base) {
            return true;
        }
        let Some(stranger) = self.stranger(&self.base) else { return true };
        !self.list_at(&self.base, &stranger).await.is_ok_and(|reply| list::read(&reply.body).is_some())
    }

    /// A client for `url` that has no key.
    pub fn stranger(&self, url: &Url) -> Option<Client> {
        let voice = Voice { key: None, ..self.voice.clone() };
        client::build(&voice, url, CONNECT).ok()
    }

    pub async fn list_at(&self, base: &Url, http: &Client) -> Result<Reply, reqwest::Error> {
        fetch(http.get(client::under(base, &["models"])), MAX_LIST_BYTES).await
    }

    /// Asks `model` for one token.
    async fn ask(&self, model: &str, known: Option<&[ModelInfo]>) -> Result<(), CheckFailure> {
        let body = json!({
            "model": model,
            "messages": [{ "role": "user", "content": "Hi" }],
            "max_tokens": 1,
            "stream": false,
        });
        let url = client::under(&self.base, &["chat", "completions"]);
        let post = self.http.post(url).header(CONTENT_TYPE, "application/json").body(body.to_string());
        match fetch(post, MAX_ANSWER_BYTES).await {
            Ok(reply) => sort::word(self, &reply, model, known),
            Err(error) => Err(trouble::explain(self, &error).await),
        }
    }
}

async fn fetch(request: RequestBuilder, limit: usize) -> Result<Reply, reqwest::Error> {
    let mut response = request.send().await?;
    let mut reply = Reply {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: Vec::new(),
        whole: true,
    };
    while let Some(bytes) = response.chunk().await? {
        reply.body.extend_from_slice(&bytes);
        if reply.body.len() > limit {
            reply.body.truncate(limit);
            reply.whole = false;
            break;
        }
    }
    Ok(reply)
}

/// Whether the last part of a path is a version, such as `v1` or `v1beta`.
fn ends_in_version(url: &Url) -> bool {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
    last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
