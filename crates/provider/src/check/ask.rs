//! The few requests of a check, each made once.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, RequestBuilder, Url};
use serde_json::json;
use tokio::time::Instant;

use super::{CONNECT, CheckCode, CheckFailure, Checked, failure, sort, trouble};
use crate::failure::Voice;
use crate::openai::{client, list};
use crate::{Endpoint, Failure, ModelInfo};

/// How much of a list of models is read.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;
/// How much of any other answer is read.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// One check of one provider.
#[derive(Debug)]
pub(super) struct Probe {
    pub voice: Voice,
    pub base: Url,
    /// Shows no key by itself.
    http: Client,
    key: HeaderMap,
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
        let key = client::headers(&voice).map_err(|_| {
            let message = format!("The key of {} holds characters that no key has.", voice.name);
            failure(CheckCode::WrongKey, message, "Enter the key again, then test again.")
        })?;
        let http = stranger(&voice, &base).map_err(|told| failure(CheckCode::Tls, told.message, "Then test again."))?;
        Ok(Self { voice, base, http, key })
    }

    pub async fn run(&self, model: Option<&str>) -> Result<Checked, CheckFailure> {
        let began = Instant::now();
        let reply = list_at(&self.http, &self.base, &self.key).await;
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
            if list_at(&self.http, &place, &self.key).await.is_ok_and(|reply| sort::is_model_server(&reply)) {
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
        if self.key.is_empty() || client::is_loopback(&self.base) {
            return true;
        }
        let shown = list_at(&self.http, &self.base, &HeaderMap::new()).await;
        !shown.is_ok_and(|reply| list::read(&reply.body).is_some())
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
        let post = self
            .http
            .post(url)
            .headers(self.key.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        match fetch(post, MAX_ANSWER_BYTES).await {
            Ok(reply) => sort::word(self, &reply, model, known),
            Err(error) => Err(trouble::explain(self, &error).await),
        }
    }
}

/// A client for `url` that has no key.
pub(super) fn stranger(voice: &Voice, url: &Url) -> Result<Client, Failure> {
    client::build(&Voice { key: None, ..voice.clone() }, url, CONNECT)
}

/// What is at the place of the list below `base`.
pub(super) async fn list_at(http: &Client, base: &Url, key: &HeaderMap) -> Result<Reply, reqwest::Error> {
    fetch(http.get(client::under(base, &["models"])).headers(key.clone()), MAX_LIST_BYTES).await
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gatehouse_domain::Secret;
    use rustls::crypto::ring;
    use rustls::{ClientConfig, RootCertStore};

    use super::*;
    use crate::scripted::{Answer, Scripted, response, say};

    impl Probe {
        /// A probe that speaks through `http`.
        pub fn through(http: Client, voice: Voice, base: Url) -> Self {
            let key = client::headers(&voice).unwrap();
            Self { voice, base, http, key }
        }
    }

    /// Checks a server that is not on this computer, as far as its name tells, and shows its list to everybody.
    async fn check(answer: Answer, key: Option<&str>) -> (Result<Checked, CheckFailure>, usize) {
        let lab = Scripted::start(answer).await.unwrap();
        let base = Url::parse(&lab.url().replace("127.0.0.1", "lab.example")).unwrap();
        let address = ([127, 0, 0, 1], base.port().unwrap()).into();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let tls = builder.with_safe_default_protocol_versions().unwrap();
        let tls = tls.with_root_certificates(RootCertStore::empty()).with_no_client_auth();
        let http = Client::builder().no_proxy().tls_backend_preconfigured(tls).resolve("lab.example", address);
        let voice = Voice { name: "lab".to_owned(), key: key.map(|key| Secret::new(key.to_owned())) };
        let checked = Probe::through(http.build().unwrap(), voice, base).run(Some("scripted")).await;
        (checked, lab.requests().len())
    }

    #[tokio::test]
    async fn a_list_for_everybody_does_not_prove_a_key() {
        let refuses = || response(401, "application/json", "{}");
        let (checked, asked) = check(refuses(), Some("sk-wrong")).await;
        assert_eq!((checked.unwrap_err().code, asked), (CheckCode::WrongKey, 1));
        let (checked, asked) = check(say("hi"), Some("sk-right")).await;
        assert_eq!((checked.unwrap().models.len(), asked), (1, 1));
        let (checked, asked) = check(refuses(), None).await;
        assert_eq!((checked.unwrap().models.len(), asked), (1, 0), "without a key there is none to prove");
    }

    #[test]
    fn versions_are_known() {
        let ends = |url: &str| ends_in_version(&Url::parse(url).unwrap());
        assert!(ends("http://lab/v1") && ends("http://lab/api/v1beta"));
        assert!(!ends("http://lab/") && !ends("http://lab/v") && !ends("http://lab/vault") && !ends("http://lab/v1/x"));
    }
}
