//! In which way a command runs in the background, as a model asked for it.

use std::time::Duration;

use gatehouse_trigger::WatchPatterns;
use serde_json::json;

use super::Way;
use crate::ports::Manner;
use crate::tool::arguments::{Arguments, Complaint, WordsOrFlag};

/// A sign of life comes no more often than so.
const LEAST_HEARTBEAT: u64 = 60;

/// What was asked for, as it was written.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    notify: Option<bool>,
    watch: Vec<String>,
    heartbeat: u64,
    pty: bool,
    stdin: bool,
    persist: bool,
    max_runtime: Option<u64>,
}

impl Wishes {
    /// Some models know these arguments under other names; `notify` is a yes, a no, or the lines to watch for.
    pub(super) fn read(arguments: &mut Arguments) -> Result<Self, Complaint> {
        let mut wishes = Self {
            notify: arguments.flag("notify_on_complete")?,
            watch: arguments.texts("watch_patterns")?.unwrap_or_default(),
            ..Self::default()
        };
        match arguments.words_or_flag("notify")? {
            Some(WordsOrFlag::Flag(flag)) => wishes.notify = Some(flag),
            Some(WordsOrFlag::Words(words)) => (wishes.watch, wishes.notify) = (words, None),
            None => {}
        }
        let heartbeat = arguments.count("heartbeat", 0)?;
        wishes.heartbeat = arguments.count("heartbeat_seconds", 0)?.or(heartbeat).unwrap_or(0);
        wishes.pty = arguments.flag("pty")?.unwrap_or(false);
        wishes.stdin = arguments.flag("stdin")?.unwrap_or(false);
        let persist = arguments.flag("persist_on_release")?;
        wishes.persist = arguments.flag("persist")?.or(persist).unwrap_or(false);
        wishes.max_runtime = arguments.count("max_runtime_seconds", 1)?;
        Ok(wishes)
    }

    /// All of them are about a life in the background.
    pub(super) fn none_in_foreground(&self, command: &str) -> Result<(), Complaint> {
        let asked = [
            ("notify_on_complete", self.notify == Some(true)),
            ("watch_patterns", !self.watch.is_empty()),
            ("heartbeat_seconds", self.heartbeat > 0),
            ("pty", self.pty),
            ("stdin", self.stdin),
            ("persist", self.persist),
            ("max_runtime_seconds", self.max_runtime.is_some()),
        ];
        let Some((name, _)) = asked.iter().find(|(_, asked)| *asked) else { return Ok(()) };
        let value = match *name {
            "watch_patterns" => json!(self.watch),
            "heartbeat_seconds" => json!(self.heartbeat),
            "max_runtime_seconds" => json!(self.max_runtime),
            _ => json!(true),
        };
        let mut call = json!({ "command": command, "background": true });
        call[*name] = value;
        Err(format!(
            "`{name}` only works with `background`: true. A foreground command has no input and returns its end itself. \
             It has not run. Call terminal with {call}, or without `{name}`."
        ))
    }

    pub(super) fn background(self) -> Result<Way, Complaint> {
        let mut watch = WatchPatterns::parse(self.watch)
            .map_err(|error| format!("`watch_patterns` cannot be used: {error}. It has not run."))?;
        let mut remarks = Vec::new();
        let heartbeat = (self.heartbeat > 0).then(|| self.heartbeat.max(LEAST_HEARTBEAT));
        let notify = heartbeat.is_some() || self.notify.unwrap_or(watch.is_empty());
        if notify && !watch.is_empty() {
            watch = WatchPatterns::default();
            let why = if heartbeat.is_some() { "A heartbeat already reports" } else { "notify_on_complete reports" };
            remarks.push((
                "watch_patterns_ignored",
                format!(
                    "{why} the end, so no lines are watched for: both would tell the same thing twice. For lines instead, \
                     set notify_on_complete to false and heartbeat_seconds to 0."
                ),
            ));
        }
        if heartbeat.is_some_and(|seconds| seconds > self.heartbeat) {
            let note = format!("A heartbeat comes at most every {LEAST_HEARTBEAT} s.");
            remarks.push(("heartbeat_note", note));
        }
        let manner = Manner {
            pty: self.pty,
            stdin: self.stdin,
            watch,
            heartbeat: heartbeat.map(Duration::from_secs),
            persist: self.persist,
            max_runtime: self.max_runtime.map(Duration::from_secs),
        };
        Ok(Way::Background { notify, manner: Box::new(manner), remarks })
    }
}
