//! Commands over HTTP, as a script sends them.

use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;

/// No command takes so long, however busy the machine is.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);

/// A client of one server.
#[derive(Debug, Clone)]
pub struct Rpc {
    url: String,
    token: String,
    profile: Option<String>,
}

/// A command that was refused; status 0 and code `gone` or `silent` when there was no answer at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// What programs branch on.
    pub code: String,
    /// For a person.
    pub message: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.status, self.code, self.message)
    }
}

impl std::error::Error for Refusal {}

/// A fresh HTTP client that knows no proxy.
pub fn http() -> reqwest::Client {
    static PROVIDER: OnceLock<()> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        // Another test of this program may have set it already.
        let _already = rustls::crypto::ring::default_provider().install_default();
    });
    reqwest::Client::builder().no_proxy().build().unwrap_or_default()
}

impl Rpc {
    pub(crate) const fn new(url: String, token: String) -> Self {
        Self { url, token, profile: None }
    }

    /// The same server, asked for this profile.
    pub fn of(&self, profile: &str) -> Self {
        Self { profile: Some(profile.to_owned()), ..self.clone() }
    }

    /// The profile that is asked for; the first one when absent.
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// The server's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address without its scheme.
    pub fn host(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// The token of this run.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Runs one command.
    pub async fn call(&self, command: &str, params: Value) -> Result<Value, Refusal> {
        let gone = |error: reqwest::Error| {
            let code = if error.is_timeout() { "silent" } else { "gone" };
            Refusal { status: 0, code: code.into(), message: format!("{command}: {error}") }
        };
        let meant = self.profile.as_ref().map(|name| format!("?profile={name}")).unwrap_or_default();
        let request = client().post(format!("{}/rpc/{command}{meant}", self.url)).bearer_auth(&self.token);
        let request = request.timeout(LONGEST).json(&params);
        let response = request.send().await.map_err(gone)?;
        let status = response.status().as_u16();
        let body: Value = response.json().await.map_err(gone)?;
        if status == 200 {
            return Ok(body);
        }
        let word = |name: &str| body["error"][name].as_str().unwrap_or_default().to_owned();
        Err(Refusal { status, code: word("code"), message: word("message") })
    }

    /// Opens a session.
    pub async fn session(&self) -> Result<String> {
        let reply = self.call("create_session", json!({})).await?;
        text(&reply, "sessionId")
    }

    /// Says something, or starts a `!command`.
    pub async fn send(&self, session: &str, words: &str) -> Result<Value, Refusal> {
        self.call("send_message", json!({"sessionId": session, "text": words})).await
    }

    /// `/new`: the session that goes on.
    pub async fn begin_anew(&self, session: &str) -> Result<String> {
        let reply = self.send(session, "/new").await?;
        text(&reply, "nextSessionId")
    }

    /// Starts a `!command` and gives back its process.
    pub async fn bang(&self, session: &str, command: &str) -> Result<String> {
        let reply = self.send(session, &format!("!{command}")).await?;
        text(&reply, "processId")
    }

    /// Starts a process.
    pub async fn start(&self, session: &str, command: &str, notify: bool) -> Result<String> {
        let params = json!({"sessionId": session, "command": command, "notify": notify});
        text(&self.call("start_process", params).await?, "processId")
    }

    /// The whole transcript.
    pub async fn items(&self, session: &str) -> Result<Vec<Value>> {
        self.all_items(session, false).await
    }

    /// The whole transcript, with typed trees where `blocks` says so.
    pub async fn all_items(&self, session: &str, blocks: bool) -> Result<Vec<Value>> {
        let (mut items, mut after) = (Vec::new(), json!(0));
        loop {
            let params = json!({"sessionId": session, "afterSeq": after, "limit": 1000, "blocks": blocks});
            let page = self.call("list_items", params).await?["items"].as_array().cloned().unwrap_or_default();
            let Some(last) = page.last() else { return Ok(items) };
            after = last["seq"].clone();
            items.extend(page);
        }
    }

    /// Every process of a session, ended ones too.
    pub async fn processes(&self, session: &str) -> Result<Vec<Value>> {
        let params = json!({"sessionId": session, "includeFinished": true});
        Ok(self.call("list_processes", params).await?["processes"].as_array().cloned().unwrap_or_default())
    }

    /// One process.
    pub async fn process(&self, session: &str, id: &str) -> Result<Value> {
        let all = self.processes(session).await?;
        all.into_iter().find(|process| process["processId"] == id).ok_or_else(|| format!("no process {id}").into())
    }

    /// The first bytes of a process's output, as text.
    pub async fn output(&self, process: &str) -> Result<String> {
        let reply = self.call("read_output", json!({"processId": process, "from": 0, "max": 1_048_576})).await?;
        text(&reply, "text")
    }

    /// What a person is told that did not work.
    pub async fn incidents(&self) -> Result<Vec<Value>> {
        Ok(self.call("list_incidents", json!({})).await?["incidents"].as_array().cloned().unwrap_or_default())
    }

    /// Ends a process, verified.
    pub async fn stop(&self, process: &str) -> Result<Value, Refusal> {
        self.call("stop_process", json!({"processId": process})).await
    }
}

fn client() -> reqwest::Client {
    thread_local! {
        // One per test: a client belongs to the runtime that first used it.
        static CLIENT: reqwest::Client = http();
    }
    CLIENT.with(Clone::clone)
}

fn text(value: &Value, name: &str) -> Result<String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("no {name} in {value}").into())
}
