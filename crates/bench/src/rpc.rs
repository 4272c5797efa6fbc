//! Commands over HTTP, as a script would send them.

use std::sync::Arc;

use reqwest::Client;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;

use crate::error::{Doing, Error, Result};

/// One caller with connections of its own.
#[derive(Debug, Clone)]
pub(crate) struct Rpc {
    http: Client,
    url: String,
    token: String,
}

/// A client for loopback: no certificates, no proxy.
pub(crate) fn http_client() -> Result<Client> {
    let tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .doing("setting up HTTP")?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Client::builder().tls_backend_preconfigured(tls).no_proxy().tcp_nodelay(true).build().doing("setting up HTTP")
}

impl Rpc {
    /// Nothing is sent yet.
    pub fn new(url: &str, token: &str) -> Result<Self> {
        Ok(Self { http: http_client()?, url: url.to_owned(), token: token.to_owned() })
    }

    /// Another caller, with connections of its own.
    pub fn another(&self) -> Result<Self> {
        Self::new(&self.url, &self.token)
    }

    /// Sends a command, waits for its reply.
    pub async fn call(&self, command: &str, params: &Value) -> Result<Value> {
        let request = self.http.post(format!("{}/rpc/{command}", self.url)).bearer_auth(&self.token).json(params);
        let response = request.send().await.doing(command)?;
        let status = response.status();
        let reply = response.bytes().await.doing(command)?;
        if !status.is_success() {
            let words = String::from_utf8_lossy(&reply).into_owned();
            return Err(Error::Refused { command: command.to_owned(), words });
        }
        serde_json::from_slice(&reply).doing(command)
    }

    /// A new session's id.
    pub async fn create_session(&self) -> Result<String> {
        text(&self.call("create_session", &serde_json::json!({})).await?, "sessionId")
    }

    /// Starts a process, gives its id.
    pub async fn start_process(&self, session: &str, command: &str, notify: bool) -> Result<String> {
        let params = serde_json::json!({ "sessionId": session, "command": command, "notify": notify, "cwd": "/" });
        text(&self.call("start_process", &params).await?, "processId")
    }

    /// The operating system's id of a process's direct child.
    pub async fn pid_of(&self, session: &str, process: &str) -> Result<u32> {
        let params = serde_json::json!({ "sessionId": session, "includeFinished": true });
        let reply = self.call("list_processes", &params).await?;
        let processes = reply["processes"].as_array().ok_or_else(|| Error::Shape("processes".into()))?;
        let found = processes.iter().find(|p| p["processId"] == process);
        let pid = found.and_then(|p| p["pid"].as_u64()).and_then(|pid| u32::try_from(pid).ok());
        pid.ok_or_else(|| Error::Shape("the pid of a running process".into()))
    }
}

/// A text of a reply.
pub(crate) fn text(value: &Value, name: &str) -> Result<String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| Error::Shape(name.to_owned()))
}
