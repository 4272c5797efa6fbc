//! What a person sets: `config.toml` of the profile, as one typed value, and the changes to it.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Int53;

/// Reads what is set.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct GetSettings {}

/// What is set, with defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// The file.
    pub path: String,
    /// The data directory.
    pub data_dir: String,
    /// The profile's name.
    pub profile: String,
    /// What in the file was not taken.
    pub warnings: Vec<SettingWarning>,
    /// Model providers, in the order of the file.
    pub providers: Vec<ProviderSetting>,
    /// The model that answers, as `provider/model`.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `ask | risky | off`.
    pub approvals: String,
    /// Patterns of commands that the agent may never run.
    pub deny: Vec<String>,
    /// `ask | leave | stop`: what a quit does to running processes.
    pub on_quit: String,
    /// Closing the window keeps the gateway running.
    pub keep_running: bool,
    /// Living processes allowed in all.
    pub processes: u32,
    /// Living processes allowed in one session.
    pub processes_per_session: u32,
    /// A turn in which nothing happens for so many seconds is given up; 0 = never.
    pub inactivity_timeout_s: u32,
    /// `concise | all | result | error | off`: what a person is told of processes that end without a report to the agent.
    pub process_notices: String,
    /// What the system is told.
    pub notifications: NotificationSettings,
    /// How the window looks.
    pub look: Look,
    /// Where keys are kept.
    pub keys: KeyPlace,
}

/// Something in the file that was not taken; what was set before still applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SettingWarning {
    /// The key, dotted; empty when the file as a whole cannot be read.
    pub key: String,
    /// The line in the file, counted from 1.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// For a person: what is wrong, and what applies instead.
    pub message: String,
}

/// One model provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProviderSetting {
    /// Shown to people; unique.
    pub name: String,
    /// `openai-compatible | openai | ollama | embedded`.
    pub kind: String,
    /// Where its API begins.
    pub base_url: String,
    /// `none | env | stored`.
    pub key: String,
    /// Of `env`: the variable.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Why its key cannot be had, for a person.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_problem: Option<String>,
    /// Known models; empty = asked from the server.
    pub models: Vec<String>,
    /// It is not in the file: it answers because nothing else is set up.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built_in: Option<bool>,
}

/// What the system is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NotificationSettings {
    /// A process ended.
    pub completions: bool,
    /// A question waits.
    pub approvals: bool,
    /// A long turn ended while nobody looked.
    pub turns: bool,
    /// "Allow once" in the notification itself.
    pub approve_from_toast: bool,
    /// Quiet hours begin, as `HH:MM` of this computer's time.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_from: Option<String>,
    /// And end.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_to: Option<String>,
}

/// How the window looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Look {
    /// `system | light | dark`.
    pub theme: String,
    /// `system | normal | high`.
    pub contrast: String,
    /// `verbose | normal | summary`.
    pub density: String,
    /// `system | normal | reduced`.
    pub motion: String,
}

/// Where keys are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct KeyPlace {
    /// `secret_service | file`.
    pub kind: String,
    /// Of `file`: why not in the Secret Service, for a person.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Sets one key of the file; comments and everything else in it stay as they are.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct SetSetting {
    /// The key, dotted, as in the file: `agent.approvals`.
    pub key: String,
    /// Its new value; absent takes the key out, so that the default applies.
    #[serde(default)]
    pub value: Option<SettingValue>,
}

/// A value of one key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
#[serde(untagged)]
pub enum SettingValue {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i32),
    /// Words.
    Text(String),
    /// Several words.
    List(Vec<String>),
}

/// Adds a provider, or changes the one of this name.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PutProvider {
    /// Its name now; a new one is added.
    pub name: String,
    /// Its name from now on.
    #[serde(default)]
    pub new_name: Option<String>,
    /// `openai-compatible | openai | ollama | embedded`.
    pub kind: String,
    /// Where its API begins.
    pub base_url: String,
    /// Known models; empty = asked from the server. Of `embedded`: `starter`, or whole paths of GGUF files.
    #[serde(default)]
    pub models: Vec<String>,
    /// Its key; absent = stays as it is.
    #[serde(default)]
    pub key: Option<ProviderKey>,
}

/// Where a provider's key comes from.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ProviderKey {
    /// None is sent.
    None,
    /// An environment variable.
    Env {
        /** Its name. */
        name: String,
    },
    /// Kept by us, in the Secret Service or its fallback.
    Stored {
        /** The key itself. */
        value: String,
    },
}

/// What is set now, and where the key went.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PutProviderReply {
    /// Everything that is set.
    pub settings: Settings,
    /// Where the key was put, if one was given.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_place: Option<KeyPlace>,
}

/// Takes a provider and its stored key away.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct RemoveProvider {
    /// Which.
    pub name: String,
}

/// Asks a provider whether it can be used; changes nothing.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct TestProvider {
    /// One that is set up; the other fields, where given, take the place of what is set.
    pub name: Option<String>,
    /// Where its API begins.
    pub base_url: Option<String>,
    /// Its key.
    pub key: Option<ProviderKey>,
    /// A model that it must have.
    pub model: Option<String>,
}

/// What came of the test.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TestProviderReply {
    /// How long it took.
    pub latency_ms: Int53,
    /// The models that it has.
    pub models: Vec<String>,
    /// What is wrong.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// What is wrong with a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Problem {
    /// `bad_address | name_not_found | refused | timed_out | tls | wrong_key | no_key | not_an_api | wrong_path |
    /// no_such_model | rate_limited | server_error | malformed`.
    pub code: String,
    /// What happened and why.
    pub message: String,
    /// What to do next.
    pub mend: String,
}

/// Looks for model servers on the usual ports of this computer.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct FindServers {}

/// The servers that answered.
#[derive(Debug, Clone, Serialize, Type)]
pub struct FindServersReply {
    /// The servers.
    pub servers: Vec<LocalServer>,
    /// The ports that were looked at.
    pub ports: Vec<u32>,
}

/// A model server on this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LocalServer {
    /// `ollama | lm_studio | llama_cpp | vllm | other`.
    pub kind: String,
    /// What it is called.
    pub name: String,
    /// Where its API begins.
    pub base_url: String,
    /// Its port.
    pub port: u32,
    /// The models that it has.
    pub models: Vec<String>,
}

/// Lists every model of every provider.
#[derive(Debug, Clone, Copy, Default, Deserialize, Type)]
pub struct ListModels {}

/// The models that can answer.
#[derive(Debug, Clone, Serialize, Type)]
pub struct ListModelsReply {
    /// The models.
    pub models: Vec<ModelChoice>,
    /// Providers that could not be asked.
    pub failures: Vec<ModelListFailure>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    /// `provider/model`.
    pub id: String,
    /// Its provider.
    pub provider: String,
    /// What the provider calls it.
    pub name: String,
    /// It runs on this computer.
    pub local: bool,
    /// It is offered no tools.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_only: Option<bool>,
}

/// A provider that could not be asked for its models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ModelListFailure {
    /// Which.
    pub provider: String,
    /// Why, for a person.
    pub message: String,
}
