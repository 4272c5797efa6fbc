//! Tracked background commands.

use serde::Serialize;
use specta::Type;

use super::Int53;

/// One tracked background command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Process {
    /// Its id.
    pub process_id: String,
    /// Its session.
    pub session_id: String,
    /// The revision that wrote it last.
    pub rev: Int53,
    /// The turn that started it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// That turn's number within its session, counted from 1.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_number: Option<Int53>,
    /// What runs.
    pub command: String,
    /// Where it runs.
    pub cwd: String,
    /// `starting | running | stopping | exited | killed | lost | failed_start`.
    pub state: String,
    /// `ready | quiet | needs_input`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attention: Option<String>,
    /// The operating system's id of the direct child.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// How it ended, if by itself.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The name of the signal that ended it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// `user | agent | turn_timeout | turn_stop | new_session | disconnect | limit | quit`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// Why it failed or was lost, for a person.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was asked for.
    pub started_at_ms: Int53,
    /// When it ended.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<Int53>,
    /// Bytes written so far.
    pub output_bytes: Int53,
    /// When it last wrote.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_output_at_ms: Option<Int53>,
    /// Living members of its tree besides the direct child.
    pub descendants: u32,
    /// Its end is told to the conversation.
    pub notify: bool,
    /// The system is told nothing of it.
    pub muted: bool,
    /// It runs under a terminal.
    pub pty: bool,
    /// Its input can be written to without a terminal.
    pub stdin: bool,
    /// It survives the sweeps that end a turn's processes.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist: Option<bool>,
    /// It reads without showing what is typed: a password.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_input: Option<bool>,
    /// The process that it took the place of.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_of: Option<String>,
    /// Ports that it serves on, as of the last time it was measured.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<Vec<u16>>,
    /// So many of its lines were found by what watches it, whether that was told or not. Absent as long as there are none.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Int53>,
    /// Some of its tree may live on where nobody can see it.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escape_possible: Option<bool>,
}
