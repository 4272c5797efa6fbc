//! Providers that speak the OpenAI chat-completions dialect, which is nearly all of them.

mod answer; // reading an answer, without sockets
mod body; // what is sent
mod calls; // putting tool calls together
mod chunk; // one event on the wire
pub(crate) mod client; // the HTTP client and its TLS
pub(crate) mod list; // a server's list of its models
mod piece; // text cut where no text may be cut
pub(crate) mod refusal; // what is said instead of an answer

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use gatehouse_domain::{FailureCode, Secret};
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response, Url};
use tokio::time::timeout;

use self::answer::{Answer, End};
use crate::failure::{Voice, cause};
use crate::{Failure, Message, Model, ModelEvent, Request, retry};

/// How long a count of tokens may take after the answer is whole.
const TAIL: Duration = Duration::from_secs(5);
/// How much of an error body is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// How much of a list of models is read.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// Where a provider is and how it knows us.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The name that people see.
    pub name: String,
    /// The address up to and including the version, such as `https://lab.example/v1`.
    pub base_url: String,
    /// The key, for providers that want one.
    pub key: Option<Secret<String>>,
    /// How long to wait for it.
    pub patience: Patience,
}

/// How long to wait. A whole answer may take as long as it likes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the first byte of an answer: local models may read a long conversation for minutes.
    pub first: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), first: Duration::from_secs(600), idle: Duration::from_secs(120) }
    }
}

/// A client of one provider. Clones share their connections.
#[derive(Debug, Clone)]
pub struct OpenAi {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    voice: Voice,
    base: Url,
    http: reqwest::Client,
    patience: Patience,
}

impl OpenAi {
    /// A client of `endpoint`. Nothing is sent yet.
    pub fn new(endpoint: Endpoint) -> Result<Self, Failure> {
        let voice = Voice::new(&endpoint.name, endpoint.key.as_ref());
        let base = client::base(&endpoint.base_url).map_err(|why| voice.bad_address(&endpoint.base_url, &why))?;
        let http = client::build(&voice, &base, endpoint.patience.connect)?;
        Ok(Self { shared: Arc::new(Shared { voice, base, http, patience: endpoint.patience }) })
    }

    /// The names of the provider's models, in its order.
    pub async fn list_models(&self) -> Result<Vec<String>, Failure> {
        let shared = &self.shared;
        let url = client::under(&shared.base, &["models"]);
        let response = retry::request(|| shared.send(shared.http.get(url.clone()), None)).await?;
        let status = response.status().as_u16();
        let body = shared.read(response, MAX_LIST_BYTES).await?;
        let entries = list::read(&body)
            .ok_or_else(|| shared.voice.not_a_stream("something that is no list of models", status))?;
        Ok(entries.into_iter().map(|entry| entry.model.id).collect())
    }
}

impl Model for OpenAi {
    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, Failure>> {
        let start = State::Asking(Arc::clone(&self.shared), Box::new(request));
        stream::unfold(start, State::step).boxed()
    }

    fn name(&self) -> &str {
        &self.shared.voice.name
    }
}

/// Where an answer stands.
enum State {
    Asking(Arc<Shared>, Box<Request>),
    Reading(Box<Reading>),
    /// The bytes are over; these events are left, then the end.
    Ending(VecDeque<ModelEvent>, Box<Result<ModelEvent, Failure>>),
    Over,
}

struct Reading {
    shared: Arc<Shared>,
    response: Response,
    answer: Answer,
    begun: bool,
}

impl State {
    async fn step(mut self) -> Option<(Result<ModelEvent, Failure>, Self)> {
        loop {
            self = match self {
                Self::Asking(shared, request) => match shared.ask(&request).await {
                    Ok(response) => Self::Reading(Box::new(Reading::new(shared, response, &request))),
                    Err(failure) => return Some((Err(failure), Self::Over)),
                },
                Self::Reading(mut reading) => match reading.answer.next() {
                    Some(event) => return Some((Ok(event), Self::Reading(reading))),
                    None => reading.advance().await,
                },
                Self::Ending(mut events, end) => match events.pop_front() {
                    Some(event) => return Some((Ok(event), Self::Ending(events, end))),
                    None => return Some((*end, Self::Over)),
                },
                Self::Over => return None,
            };
        }
    }
}

impl Reading {
    fn new(shared: Arc<Shared>, response: Response, request: &Request) -> Self {
        let answer = Answer::new(shared.voice.clone(), response.status().as_u16(), taken(request));
        Self { shared, response, answer, begun: false }
    }

    /// Reads one piece.
    async fn advance(mut self: Box<Self>) -> State {
        let patience = self.shared.patience;
        let wait = if self.answer.is_ending() {
            TAIL
        } else if self.begun {
            patience.idle
        } else {
            patience.first
        };
        let end = match timeout(wait, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                self.begun = true;
                match self.answer.feed(&bytes) {
                    Ok(()) if self.answer.is_done() => End::Clean,
                    Ok(()) => return State::Reading(self),
                    Err(failure) => return self.fail(failure),
                }
            }
            Ok(Ok(None)) => End::Clean,
            Ok(Err(error)) => End::Cut(cause(&error)),
            Err(_) if self.answer.is_ending() => End::Clean,
            Err(_) => {
                let failure = self.shared.voice.silent(wait);
                return self.fail(failure);
            }
        };
        let (events, finished) = self.answer.end(end);
        State::Ending(events, Box::new(finished.map(ModelEvent::Finished)))
    }

    /// Ends with `failure`, behind the events that came before it.
    fn fail(mut self: Box<Self>, failure: Failure) -> State {
        let events = std::iter::from_fn(|| self.answer.next()).collect();
        State::Ending(events, Box::new(Err(failure)))
    }
}

impl Shared {
    /// Sends the request until there is an answer to read.
    async fn ask(&self, request: &Request) -> Result<Response, Failure> {
        let body = body::encode(request).map_err(|error| {
            let message = format!("The request to {} could not be written: {error}.", self.voice.name);
            self.voice.failure(FailureCode::Internal, message)
        })?;
        let body = bytes::Bytes::from(body);
        let url = client::under(&self.base, &["chat", "completions"]);
        retry::request(|| {
            let post = self.http.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body.clone());
            self.send(post, Some(&request.model))
        })
        .await
    }

    /// Sends once; anything but success is a failure.
    async fn send(&self, request: RequestBuilder, model: Option<&str>) -> Result<Response, Failure> {
        let host = client::place(&self.base);
        let response = match timeout(self.patience.first, request.send()).await {
            Ok(response) => response.map_err(|error| self.voice.unreachable(&host, &error))?,
            Err(_) => return Err(self.voice.silent(self.patience.first)),
        };
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        // The status says more than a body that breaks off.
        let body = self.read(response, MAX_ERROR_BYTES).await.unwrap_or_default();
        Err(refusal::refused(&self.voice, model, status, &headers, &String::from_utf8_lossy(&body)))
    }

    /// The body of `response`, at most about `limit` bytes of it.
    async fn read(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        while body.len() < limit {
            match timeout(self.patience.idle, response.chunk()).await {
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(self.voice.cut_off(&cause(&error))),
                Err(_) => return Err(self.voice.silent(self.patience.idle)),
            }
        }
        Ok(body)
    }
}

/// The call ids that the conversation uses already.
fn taken(request: &Request) -> HashSet<String> {
    let calls = request.messages.iter().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        Message::System(_) | Message::User(_) | Message::ToolResult { .. } => None,
    });
    calls.flatten().map(|call| call.id.0.clone()).collect()
}
