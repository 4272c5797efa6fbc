//! Requests and replies, one pair per command.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Int53, Item, Process, Session, StorageTrouble};

/// Starts the program again, once the turns that run have ended or had their time. What people say meanwhile is kept.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct RestartGateway {
    /// Waits for no turn.
    pub now: Option<bool>,
}

/// A reply that says nothing but "done".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Type)]
pub struct Done {}

/// Opens a session.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateSession {
    /// What it is called; otherwise its first message names it.
    pub title: Option<String>,
    /// The same key again is the same session.
    pub client_key: Option<String>,
}

/// The new session.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CreateSessionReply {
    /// Its id.
    pub session_id: String,
}

/// Lists every session.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct ListSessions {}

/// Every session, the one that needs somebody first.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ListSessionsReply {
    /// The sessions.
    pub sessions: Vec<Session>,
}

/// Says something. A text that begins with `!` starts the rest as a background process instead.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SendMessage {
    /// To whom.
    pub session_id: String,
    /// The words.
    pub text: String,
    /// The same key again is the same message.
    #[serde(default)]
    pub client_key: Option<String>,
    /// What to do while a turn runs.
    #[serde(default)]
    pub mode: Option<SendMode>,
    /// For a `!command` that the hardline floor holds back: the person has said "run anyway" in the window.
    #[serde(default)]
    pub run_anyway: Option<bool>,
}

/// What a message does while a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SendMode {
    /// Waits for the turn to end.
    #[default]
    Queue,
    /// Joins the turn before it asks the model again.
    Steer,
    /// Ends the turn, but not the processes that it started, and waits behind what was queued before.
    Interrupt,
}

/// The message is kept.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SendMessageReply {
    /// Its admission.
    pub admission_id: String,
    /// The turn that answers it, if it began at once.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The process that a `!command` started.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<String>,
    /// The conversation that goes on in place of this one, after `/new`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_session_id: Option<String>,
}

/// Stops the running turn and ends the processes that it started.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StopTurn {
    /// Whose turn.
    pub session_id: String,
    /// The turn that is meant; one that began after it is not stopped. Absent: whichever runs.
    pub turn_id: Option<String>,
}

/// What the stop found.
#[derive(Debug, Clone, Serialize, Type)]
pub struct StopTurnReply {
    /// A turn was running and is stopped.
    pub stopped: bool,
    /// Processes that are being ended.
    pub reaping: u32,
}

/// Tries a failed or interrupted turn again.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RetryTurn {
    /// The turn.
    pub turn_id: String,
}

/// The new attempt.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RetryTurnReply {
    /// Its admission.
    pub admission_id: String,
    /// Its turn, if it began at once.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
}

/// Reads a stretch of a transcript.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ListItems {
    /// Whose.
    pub session_id: String,
    /// Only later ones than this.
    #[serde(default)]
    pub after_seq: Option<Int53>,
    /// Only earlier ones than this.
    #[serde(default)]
    pub before_seq: Option<Int53>,
    /// At most so many: 1-1000, 200 unless told.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Model messages carry their typed tree.
    #[serde(default)]
    pub blocks: Option<bool>,
}

/// A stretch of a transcript, ascending.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ListItemsReply {
    /// The items.
    pub items: Vec<Item>,
}

/// Marks a transcript as seen up to an item.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MarkRead {
    /// Whose.
    pub session_id: String,
    /// The last item that was seen.
    pub seq: Int53,
}

/// Starts a background process on a person's behalf.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StartProcess {
    /// Whose.
    pub session_id: String,
    /// What runs, under the login shell.
    pub command: String,
    /// Where; the home folder unless told.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Under a terminal.
    #[serde(default)]
    pub pty: Option<bool>,
    /// Its input can be written to without a terminal; otherwise it is empty.
    #[serde(default)]
    pub stdin: Option<bool>,
    /// Tell its end to the conversation.
    #[serde(default)]
    pub notify: Option<bool>,
    /// Texts to watch for: at most 16 of 256 characters. Each is looked for as it stands, and as a regular expression if
    /// it shows signs of one. Not together with `notify`.
    #[serde(default)]
    pub watch: Option<Vec<String>>,
    /// A sign of life so often, while it writes: 60 seconds at least. Its end is told then.
    #[serde(default)]
    pub heartbeat_s: Option<u32>,
    /// It is stopped after so many seconds.
    #[serde(default)]
    pub max_runtime_s: Option<u32>,
    /// Survives the sweeps that end a turn's processes.
    #[serde(default)]
    pub persist: Option<bool>,
    /// The same key again is the same process.
    #[serde(default)]
    pub client_key: Option<String>,
}

/// The process, taken over by its helper.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StartProcessReply {
    /// Its id.
    pub process_id: String,
    /// What was asked for in vain, in words.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Runs a process again in the same way; one that lives is stopped first.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RestartProcess {
    /// Which.
    pub process_id: String,
    /// Stop the old one without asking it first.
    #[serde(default)]
    pub force: Option<bool>,
    /// The same key again is the same restart.
    #[serde(default)]
    pub client_key: Option<String>,
}

/// The process in its place.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RestartProcessReply {
    /// Its id.
    pub process_id: String,
    /// What was asked for in vain, in words.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Lists processes.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct ListProcesses {
    /// Only of this session.
    pub session_id: Option<String>,
    /// Ended ones too.
    pub include_finished: Option<bool>,
}

/// Processes, the newest first.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ListProcessesReply {
    /// The processes.
    pub processes: Vec<Process>,
}

/// Reads output by byte offset.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ReadOutput {
    /// Whose.
    pub process_id: String,
    /// The first byte wanted; the last ones unless told.
    #[serde(default)]
    pub from: Option<Int53>,
    /// At most so many bytes: 1-1,048,576, 65,536 unless told.
    #[serde(default)]
    pub max: Option<u32>,
    /// Bytes in base64 instead of text.
    #[serde(default)]
    pub raw: Option<bool>,
}

/// A stretch of output.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ReadOutputReply {
    /// The first byte really sent; later than asked where output was dropped.
    pub from: Int53,
    /// Ask again from here.
    pub next: Int53,
    /// Bytes written so far.
    pub total: Int53,
    /// The text, control sequences kept.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// Writes to a process's input.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WriteInput {
    /// Whose.
    pub process_id: String,
    /// What.
    pub data: String,
    /// And then nothing more.
    #[serde(default)]
    pub eof: Option<bool>,
}

/// What was written.
#[derive(Debug, Clone, Serialize, Type)]
pub struct WriteInputReply {
    /// Bytes taken.
    pub bytes: u32,
}

/// Gives a process's terminal another size.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ResizeProcess {
    /// Which.
    pub process_id: String,
    /// Lines: 1-1,000.
    pub rows: u32,
    /// Characters in a line: 1-1,000.
    pub cols: u32,
}

/// Ends a process and its whole tree.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StopProcess {
    /// Which.
    pub process_id: String,
    /// Without asking it first.
    #[serde(default)]
    pub force: Option<bool>,
}

/// What is left, verified.
#[derive(Debug, Clone, Serialize, Type)]
pub struct StopProcessReply {
    /// The process's state now.
    pub state: String,
    /// Members of its tree that still live.
    pub survivors: Vec<u32>,
}

/// Waits for changes.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct NextFeed {
    /// The epoch of what you have.
    pub epoch: Option<String>,
    /// The revision of what you have.
    pub after_rev: Int53,
    /// How long to wait when there is nothing: 0-600,000.
    pub wait_ms: u32,
    /// Deltas are kept per client; a new call with the same id ends the older one.
    pub client_id: Option<String>,
    /// Typed trees instead of text.
    pub blocks: Option<bool>,
}

/// Looks for words in transcripts.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Search {
    /// The words.
    pub query: String,
    /// Only of this session.
    #[serde(default)]
    pub session_id: Option<String>,
    /// At most so many: 1-100, 20 unless told.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Where the words were found.
#[derive(Debug, Clone, Serialize, Type)]
pub struct SearchReply {
    /// The places, best first.
    pub hits: Vec<SearchHit>,
}

/// One place.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// The session.
    pub session_id: String,
    /// The item.
    pub seq: Int53,
    /// The words around it.
    pub snippet: String,
}

/// How the gateway is.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct GetHealth {}

/// How the gateway is.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct GetHealthReply {
    /// The wire's version.
    pub protocol: u32,
    /// The program's version.
    pub version: String,
    /// Names of the profiles that are served and run.
    pub profiles: Vec<String>,
    /// Processes.
    pub processes: RunningCount,
    /// Turns.
    pub turns: RunningCount,
    /// Incidents that nobody has dealt with.
    pub incidents: u32,
    /// What is wrong with the data; absent when all is well.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageTrouble>,
    /// The model that answers, as `provider/model`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// It runs on this computer.
    pub model_local: bool,
    /// It is offered no tools.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_chat_only: Option<bool>,
    /// `ask | risky | off`.
    pub approvals: String,
}

/// How many are at work.
#[derive(Debug, Clone, Copy, Serialize, Type)]
pub struct RunningCount {
    /// So many.
    pub running: u32,
}
