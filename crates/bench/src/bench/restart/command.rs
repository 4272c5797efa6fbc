use std::path::Path;

use serde_json::json;

use crate::error::{Error, Result};
use crate::job::Trigger;
use crate::rpc::Rpc;

/// Codes that a program may end with by itself; those above mean something to a shell.
const CODES: usize = 120;

/// A command that ends when it is told to, and what it is to leave behind.
#[derive(Debug)]
pub(super) struct Expected {
    /// Its id.
    pub process: String,
    /// What it ends with.
    pub code: usize,
    /// What it writes.
    pub output: String,
    trigger: Trigger,
}

impl Expected {
    /// Starts it; its number is its own in the whole run.
    pub async fn start(rpc: &Rpc, session: &str, dir: &Path, number: usize) -> Result<Self> {
        let trigger = Trigger::new(dir, &format!("trigger-{number}"))?;
        let code = number % CODES;
        let command = format!("echo begins {number}; {}; echo ends {number}; exit {code}", trigger.command());
        let process = rpc.start_process(session, &command, true).await?;
        Ok(Self { process, code, output: format!("begins {number}\nends {number}\n"), trigger })
    }

    /// Lets it end.
    pub fn end(&self) -> Result<()> {
        self.trigger.pull()
    }

    /// What is known of its output.
    pub async fn read(&self, rpc: &Rpc) -> Result<String> {
        let reply = rpc.call("read_output", &json!({ "processId": self.process, "from": 0 })).await?;
        reply["text"].as_str().map(str::to_owned).ok_or_else(|| Error::Shape("text".into()))
    }
}
