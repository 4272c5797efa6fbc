//! Transcript entries.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ApprovalAnswer, Block, Int53};

/// One transcript entry. Which optional fields are there depends on `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The entry's id.
    pub item_id: String,
    /// Its session.
    pub session_id: String,
    /// Its place within the session, ascending, never reused.
    pub seq: Int53,
    /// The revision that wrote it last.
    pub rev: Int53,
    /// The turn that it belongs to.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// `human | model | tool | machine | system`.
    pub author: String,
    /// `message | steer | reasoning | tool_call | plan | machine_note | delegation | approval | question | notice |
    /// auto_continue | model_switch | failed_turn | compaction | hidden`.
    pub kind: String,
    /// Its words.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its words as a typed tree, for model messages whose text is complete.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<Block>>,
    /// Of a model's `message`: the files that it names, and those that it does not hand over.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<AnswerFile>>,
    /// When it was made.
    pub at_ms: Int53,
    /// Words are still coming; they arrive as deltas.
    pub streaming: bool,
    /// Of a `tool_call` or `plan`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// Of a `machine_note`: every report it holds.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Vec<NoteUnit>>,
    /// Of a `delegation`, where it was handed on: its tasks. Where a task is worked on, the `delegation` is its words.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<Task>>,
    /// Of an `approval`: the question's id.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// Of an `approval`: `pending | allowed | denied | expired | withdrawn`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Of an `approval`: what may be answered.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// Of an `approval`: no answer by then means no.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<Int53>,
    /// Of an `approval`: exactly what would run, with invisible characters made visible.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Of an `approval`: the folder it would run in.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Of an `approval`: the card that waits for it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<String>,
    /// Of an `approval`: why the agent wants it, in its own words.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Of an `approval`: what is dangerous about it, a sentence each.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dangers: Option<Vec<String>>,
    /// Of an `approval`: a pattern that could be allowed with it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_pattern: Option<String>,
    /// Of an `approval`: what was answered.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ApprovalAnswer>,
    /// Of a `failed_turn`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// A file that an answer names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerFile {
    /// Its name, for a person.
    pub name: String,
    /// Where it lies; of a refused one, as the answer wrote it.
    pub path: String,
    /// Its size when it was looked at.
    pub bytes: Int53,
    /// `image | audio | video | document`.
    pub kind: String,
    /// Why it does not go with the answer, as the end of a sentence.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Asks where a file of an answer lies, before it is opened: it is looked at again. Only the desktop asks.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FindFile {
    /// The answer.
    pub item_id: String,
    /// As the answer's `files` name it.
    pub path: String,
    /// To show it in its folder, rather than in the program that the system has for it.
    pub in_folder: bool,
}

/// It may be opened.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FindFileReply {
    /// Where it lies.
    pub path: String,
}

/// Why a turn gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// What a program branches on.
    pub code: String,
    /// Whether `retry_turn` is offered.
    pub retryable: bool,
}

/// The live view of one tool call, in Slack's vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// The call's id: unique within its turn.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// What it does, for a person.
    pub title: String,
    /// `pending | in_progress | complete | error`.
    pub status: String,
    /// `cancelled | needs_input | denied`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotation: Option<String>,
    /// More about the call.
    pub details: String,
    /// What came out, bounded.
    pub output: String,
    /// Bytes of output there are in all; `output` may show fewer.
    pub output_bytes: Int53,
    /// Links that back the result.
    pub sources: Vec<Source>,
    /// The process it runs or ran.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<String>,
    /// The command's exit code.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The name of the signal that ended it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// It goes on while the turn does other things.
    pub background: bool,
    /// When it began.
    pub started_at_ms: Int53,
    /// When it ended.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<Int53>,
}

/// A task that was handed on to a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// The session in which it is worked on.
    pub session_id: String,
    /// What is to be done, in a line.
    pub title: String,
    /// `running | completed | interrupted | unknown | error`.
    pub state: String,
    /// The sub-agent's last words, bounded; empty while it works.
    pub said: String,
    /// When it was handed on.
    pub started_at_ms: Int53,
    /// When it ended.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<Int53>,
}

/// A link that backs a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Source {
    /// Where it goes.
    pub url: String,
    /// What is shown.
    pub text: String,
}

/// One report within a machine note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NoteUnit {
    /// `process | watch | heartbeat | delegation | task_failure`.
    pub producer: String,
    /// The process that it is about.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<String>,
    /// The delegation that it is about: the item that shows it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegation_id: Option<String>,
    /// The process's state when the report was made; of a delegation, how its tasks ended.
    pub state: String,
    /// The command's exit code.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The name of the signal that ended it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Who stopped it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// How long it ran.
    pub duration_ms: Int53,
    /// The last whole lines of its output.
    pub output_tail: String,
    /// Bytes of output there are in all.
    pub output_bytes: Int53,
    /// What ran.
    pub command: String,
    /// The turn that started it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// That turn's number within its session, counted from 1.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_number: Option<Int53>,
    /// What a watch tells: `hit | too_often | spent | paused | resumed`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub news: Option<String>,
    /// The pattern that was seen.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Which hit or sign of life of its process it is, or which task has failed, counted from 1.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// How many lines were seen.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<u32>,
    /// How many were seen before and not told.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Int53>,
}
