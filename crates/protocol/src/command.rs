//! What each command calls in the gateway.

mod approval; // questions and rules
mod incident; // what was dropped or failed
mod notice; // notices, and who is silenced
mod queue; // messages that wait
mod settings; // what a person sets
pub(crate) mod storage; // backups, a restore, an export
mod view; // what windows remember and look at

use std::time::Duration;

use base64::Engine as _;
use gatehouse_domain::{ApprovalChoice, ApprovalId, ProcessId, Rev, SessionId};
use gatehouse_gateway::{FeedRequest, Gateway, Manner, NewProcessRequest, Reply, SendMode, USUAL_SIZE, WatchPatterns};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::convert;
use crate::dispatch::Caller;
use crate::error::ApiError;
use crate::wire::{self, Int53};

/// The version of the wire.
const PROTOCOL: u32 = 1;
const DEFAULT_ITEMS: u32 = 200;
const MAX_ITEMS: u32 = 1000;
const DEFAULT_OUTPUT: u32 = 64 * 1024;
const MAX_OUTPUT: u32 = 1024 * 1024;
const MAX_SIZE: u32 = 1_000;
const MAX_WAIT_MS: u32 = 600_000;
const DEFAULT_HITS: u32 = 20;
const MAX_HITS: u32 = 100;

/// A request that the gateway can carry out.
pub trait Command: DeserializeOwned + Send {
    /// What it answers.
    type Reply: Serialize + Send;

    /// Carries it out.
    fn run(self, gateway: &Gateway, caller: Caller) -> impl Future<Output = Result<Self::Reply, ApiError>> + Send;
}

impl Command for wire::CreateSession {
    type Reply = wire::CreateSessionReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let id = gateway.create_session(self.title, self.client_key).await?;
        Ok(wire::CreateSessionReply { session_id: id.to_string() })
    }
}

impl Command for wire::ListSessions {
    type Reply = wire::ListSessionsReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let now = gateway.now();
        let mut sessions: Vec<_> =
            gateway.sessions()?.iter().map(|(overview, reaping)| convert::session(overview, *reaping, now)).collect();
        sessions.sort_by_key(|s| convert::group_order(&s.group));
        Ok(wire::ListSessionsReply { sessions })
    }
}

impl Command for wire::SendMessage {
    type Reply = wire::SendMessageReply;

    async fn run(self, gateway: &Gateway, caller: Caller) -> Result<Self::Reply, ApiError> {
        let mode = match self.mode.unwrap_or_default() {
            wire::SendMode::Queue => SendMode::Queue,
            wire::SendMode::Interrupt => SendMode::Interrupt,
            wire::SendMode::Steer => SendMode::Steer,
        };
        // "Run anyway" is a person's word at a window; a script cannot say it.
        let run_anyway = caller == Caller::Window && self.run_anyway.unwrap_or(false);
        let session = session_id(&self.session_id)?;
        let sent = gateway.send(session, self.text, self.client_key, mode, run_anyway).await?;
        Ok(wire::SendMessageReply {
            admission_id: sent.admission.to_string(),
            turn_id: sent.turn.map(|t| t.to_string()),
            process_id: sent.process.map(|p| p.to_string()),
            next_session_id: sent.next.map(|s| s.to_string()),
        })
    }
}

impl Command for wire::StopTurn {
    type Reply = wire::StopTurnReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let turn = self.turn_id.map(|id| id.parse().map_err(|_| ApiError::not_found("turn"))).transpose()?;
        let stopped = gateway.stop_turn(session_id(&self.session_id)?, turn).await?;
        Ok(wire::StopTurnReply { stopped: stopped.stopped, reaping: stopped.reaping })
    }
}

impl Command for wire::RetryTurn {
    type Reply = wire::RetryTurnReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let turn = self.turn_id.parse().map_err(|_| ApiError::not_found("turn"))?;
        let sent = gateway.retry_turn(turn).await?;
        Ok(wire::RetryTurnReply { admission_id: sent.admission.to_string(), turn_id: sent.turn.map(|t| t.to_string()) })
    }
}

impl Command for wire::ListItems {
    type Reply = wire::ListItemsReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let limit = within("limit", self.limit.unwrap_or(DEFAULT_ITEMS), 1, MAX_ITEMS)?;
        let session = session_id(&self.session_id)?;
        let (after, before) = (self.after_seq.map(Int53::unsigned), self.before_seq.map(Int53::unsigned));
        let blocks = self.blocks.unwrap_or(false);
        let items = gateway.items(session, after, before, limit)?;
        Ok(wire::ListItemsReply { items: items.iter().map(|item| convert::item(item, blocks)).collect() })
    }
}

impl Command for wire::MarkRead {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        gateway.mark_read(session_id(&self.session_id)?, self.seq.unsigned()).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::AnswerApproval {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let approval: ApprovalId = self.approval_id.parse().map_err(|_| ApiError::not_found("approval"))?;
        let choice: ApprovalChoice = self.choice.parse().map_err(|_| {
            ApiError::invalid(format!(
                "{:?} is no answer; answer once, session, always, pattern or deny. Nothing was decided.",
                self.choice
            ))
        })?;
        let reply = Reply { choice, pattern: self.pattern, reason: self.reason };
        gateway.answer_approval(approval, reply).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::StartProcess {
    type Reply = wire::StartProcessReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let watch = WatchPatterns::parse(self.watch.unwrap_or_default())
            .map_err(|error| ApiError::invalid(format!("Not possible: {error}. Nothing was started.")))?;
        let manner = Manner {
            pty: self.pty.unwrap_or(false).then_some(USUAL_SIZE),
            stdin: self.stdin.unwrap_or(false),
            watch,
            heartbeat: seconds("heartbeatS", self.heartbeat_s)?,
            max_runtime: seconds("maxRuntimeS", self.max_runtime_s)?,
            ..Manner::default()
        };
        let request = NewProcessRequest {
            session: session_id(&self.session_id)?,
            command: self.command,
            cwd: self.cwd.map(Into::into),
            notify: self.notify.unwrap_or(false),
            persist: self.persist.unwrap_or(false),
            manner,
            client_key: self.client_key,
        };
        let (process, note) = gateway.start_process(request).await?;
        Ok(wire::StartProcessReply { process_id: process.to_string(), note })
    }
}

impl Command for wire::RestartProcess {
    type Reply = wire::RestartProcessReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let (process, force) = (process_id(&self.process_id)?, self.force.unwrap_or(false));
        let (process, note) = gateway.restart_process(process, force, self.client_key).await?;
        Ok(wire::RestartProcessReply { process_id: process.to_string(), note })
    }
}

impl Command for wire::ListProcesses {
    type Reply = wire::ListProcessesReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let session = self.session_id.as_deref().map(session_id).transpose()?;
        let rows = gateway.processes(session, self.include_finished.unwrap_or(false))?;
        Ok(wire::ListProcessesReply {
            processes: rows.iter().map(|row| convert::process(row, gateway.ports_of(row.id))).collect(),
        })
    }
}

impl Command for wire::ReadOutput {
    type Reply = wire::ReadOutputReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let process = process_id(&self.process_id)?;
        let max = within("max", self.max.unwrap_or(DEFAULT_OUTPUT), 1, MAX_OUTPUT)?;
        let slice = gateway.read_output(process, self.from.map(Int53::unsigned), max as usize)?;
        Ok(if self.raw.unwrap_or(false) {
            wire::ReadOutputReply {
                from: slice.from.into(),
                next: slice.next.into(),
                total: slice.total.into(),
                text: None,
                base64: Some(base64::engine::general_purpose::STANDARD.encode(&slice.bytes)),
            }
        } else {
            convert::output_text(&slice, self.from.is_none())
        })
    }
}

impl Command for wire::WriteInput {
    type Reply = wire::WriteInputReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let process = process_id(&self.process_id)?;
        let bytes = gateway.write_input(process, self.data.into_bytes(), self.eof.unwrap_or(false)).await?;
        Ok(wire::WriteInputReply { bytes: u32::try_from(bytes).unwrap_or(u32::MAX) })
    }
}

impl Command for wire::ResizeProcess {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let process = process_id(&self.process_id)?;
        let (rows, cols) = (within("rows", self.rows, 1, MAX_SIZE)?, within("cols", self.cols, 1, MAX_SIZE)?);
        gateway.resize_process(process, rows, cols).await?;
        Ok(wire::Done {})
    }
}

impl Command for wire::StopProcess {
    type Reply = wire::StopProcessReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let stopped = gateway.stop_process(process_id(&self.process_id)?, self.force.unwrap_or(false)).await?;
        Ok(wire::StopProcessReply { state: stopped.state.as_str().into(), survivors: stopped.survivors })
    }
}

impl Command for wire::NextFeed {
    type Reply = wire::Feed;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let blocks = self.blocks.unwrap_or(false);
        let request = FeedRequest {
            epoch: self.epoch,
            after: Rev(self.after_rev.unsigned()),
            wait: Duration::from_millis(u64::from(self.wait_ms.min(MAX_WAIT_MS))),
            client: self.client_id,
            blocks,
        };
        let batch = gateway.next_feed(request).await?;
        Ok(convert::feed(gateway, batch, blocks))
    }
}

impl Command for wire::Search {
    type Reply = wire::SearchReply;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        let limit = within("limit", self.limit.unwrap_or(DEFAULT_HITS), 1, MAX_HITS)?;
        let session = self.session_id.as_deref().map(session_id).transpose()?;
        let hits = gateway.search(&self.query, session, limit).await?;
        let hit = |hit: gatehouse_gateway::row::Hit| wire::SearchHit {
            session_id: hit.session.to_string(),
            seq: hit.seq.into(),
            snippet: hit.snippet,
        };
        Ok(wire::SearchReply { hits: hits.into_iter().map(hit).collect() })
    }
}

impl Command for wire::RestartGateway {
    type Reply = wire::Done;

    async fn run(self, gateway: &Gateway, _: Caller) -> Result<Self::Reply, ApiError> {
        // Asked for again, it is the same restart.
        gateway.restart(None, self.now.unwrap_or(false)).await?;
        Ok(wire::Done {})
    }
}

/// How the gateway is, and which profiles run beside it.
pub(crate) fn health(gateway: &Gateway, profiles: Vec<String>) -> Result<wire::GetHealthReply, ApiError> {
    let health = gateway.health()?;
    Ok(wire::GetHealthReply {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
        profiles,
        processes: wire::RunningCount { running: health.processes },
        turns: wire::RunningCount { running: health.turns },
        incidents: health.incidents,
        storage: health.trouble.as_ref().map(convert::trouble),
        model: health.model,
        model_local: health.model_local,
        model_chat_only: health.model_chat_only.then_some(true),
        approvals: health.approvals.as_str().into(),
    })
}

fn session_id(text: &str) -> Result<SessionId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("session"))
}

/// A span of whole seconds.
fn seconds(name: &str, asked: Option<u32>) -> Result<Option<Duration>, ApiError> {
    match asked {
        Some(0) => Err(ApiError::invalid(format!("{name} is at least 1. Nothing was started."))),
        Some(seconds) => Ok(Some(Duration::from_secs(seconds.into()))),
        None => Ok(None),
    }
}

fn process_id(text: &str) -> Result<ProcessId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("process"))
}

fn within(name: &str, value: u32, least: u32, most: u32) -> Result<u32, ApiError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(ApiError::invalid(format!("{name} must be between {least} and {most}; {value} is not.")))
}
