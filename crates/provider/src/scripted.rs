//! A provider on loopback that plays a script: real HTTP/1.1, real event streams, real broken connections.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use gatehouse_provider::scripted::{Scripted, call, say};
//! use serde_json::json;
//!
//! let lab = Scripted::start([call("call_1", "terminal", json!({"command": "ls"})), say("Two files.")]).await?;
//! println!("{}", lab.url());
//! # Ok(()) }
//! ```

mod answer; // what it says and how the connection behaves
mod server; // the HTTP side

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::Instant;

pub use answer::{Answer, AnswerFile, End, ParseEndError, call, calls, deltas, raw, response, say};
use server::Shared;

/// A running provider. It ends when it is dropped.
#[derive(Debug)]
pub struct Scripted {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

/// A request for an answer as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// Its body; a text when it was no JSON.
    pub body: Value,
    /// Its `authorization` header.
    pub authorization: Option<String>,
    /// When its last byte had arrived.
    pub at: Instant,
}

/// What is answered.
pub enum Script {
    /// One answer after the other; when none is left, the word `ok`.
    Answers(Vec<Answer>),
    /// Whatever the function makes of a request's body.
    Responder(Box<dyn Fn(&Value) -> Answer + Send + Sync>),
}

impl Script {
    /// Answers by function.
    pub fn responder(respond: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> Self {
        Self::Responder(Box::new(respond))
    }
}

impl From<Vec<Answer>> for Script {
    fn from(answers: Vec<Answer>) -> Self {
        Self::Answers(answers)
    }
}

impl<const N: usize> From<[Answer; N]> for Script {
    fn from(answers: [Answer; N]) -> Self {
        Self::Answers(answers.into())
    }
}

impl From<Answer> for Script {
    fn from(answer: Answer) -> Self {
        Self::Answers(vec![answer])
    }
}

impl Scripted {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start(script: impl Into<Script>) -> std::io::Result<Self> {
        Self::listen(Shared::new(script.into(), None)).await
    }

    /// The same, for those who show this key; everybody else is refused.
    pub async fn guarded(script: impl Into<Script>, key: &str) -> std::io::Result<Self> {
        Self::listen(Shared::new(script.into(), Some(format!("Bearer {key}")))).await
    }

    async fn listen(shared: Shared) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(shared);
        let task = tokio::spawn(server::serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, task })
    }

    /// Its port.
    pub const fn port(&self) -> u16 {
        self.address.port()
    }

    /// The base address, to be used as `base_url`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests for answers so far, oldest first. Lists of models are not counted.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.received.borrow().clone()
    }

    /// Waits for the `n`-th request, counted from 1.
    pub async fn wait_for_request(&self, n: usize) -> Received {
        let mut received = self.shared.received.subscribe();
        loop {
            if let Some(request) = received.borrow_and_update().get(n.saturating_sub(1)) {
                return request.clone();
            }
            if received.changed().await.is_err() {
                // The sender lives in `self`, so it cannot go away while we wait.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Lets every answer go on that [hangs](End::Hang), now and later.
    pub fn release(&self) {
        self.shared.released.send_replace(true);
    }

    /// How many clients went away before their answer was over.
    pub fn abandoned(&self) -> usize {
        *self.shared.abandoned.borrow()
    }

    /// Waits until `n` clients went away before their answer was over.
    pub async fn wait_for_abandoned(&self, n: usize) {
        let mut abandoned = self.shared.abandoned.subscribe();
        while *abandoned.borrow_and_update() < n {
            if abandoned.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}
