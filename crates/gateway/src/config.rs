//! `config.toml` of a profile: what a person set. Reading never fails as a whole: what cannot be taken is named, and what
//! applied before stays.

mod channel; // what is set for channels
mod edit; // changes to the file that leave everything else in it alone
mod read; // from the file's text to values
mod time; // a time of day

use std::time::Duration;

use gatehouse_delivery::owed::Home;
use gatehouse_domain::{ApprovalMode, Contrast, Density, Motion, Platform, ProcessNotices, ResetPolicy, Theme};
use gatehouse_process::Groups;

use crate::session::SendMode;

pub use channel::ChannelConfig;
pub use edit::Value;
pub(crate) use edit::{Edit, ProviderEdit};
pub use time::TimeOfDay;

/// The name of the model that comes with the program.
pub(crate) const STARTER: &str = "starter";

/// What a person set, with defaults where they said nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Model providers, in the order of the file.
    pub providers: Vec<ProviderConfig>,
    /// The model that answers: `provider/model`.
    pub model: Option<String>,
    /// When a person is asked.
    pub approvals: ApprovalMode,
    /// Patterns of commands that the agent may never run.
    pub deny: Vec<String>,
    /// Ports of this computer where model servers are looked for.
    pub local_ports: Vec<u16>,
    /// What happens to processes when the program ends; absent = the shell's default.
    pub on_quit: Option<OnQuit>,
    /// Closing the window keeps the gateway running.
    pub keep_running: bool,
    /// A turn in which nothing happens is given up after so long; zero means never.
    pub inactivity_timeout: Duration,
    /// Where processes get groups of their own in the kernel; read at the start.
    pub groups: Groups,
    /// Living processes allowed in one session.
    pub processes_per_session: u32,
    /// Living processes allowed in all.
    pub processes: u32,
    /// What a person is told of processes whose end is not reported to the agent.
    pub process_notices: ProcessNotices,
    /// How conversations over channels go.
    pub session: SessionConfig,
    /// What the system is told.
    pub notifications: NotificationConfig,
    /// How the window looks.
    pub look: LookConfig,
    /// What is set for channels, in the order of the file.
    pub channels: Vec<ChannelConfig>,
}

/// One model provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderConfig {
    /// Shown to people; unique.
    pub name: String,
    /// Which dialect it speaks.
    pub kind: ProviderKind,
    /// Where its OpenAI-compatible API begins; empty for the embedded engine, which has none.
    pub base_url: String,
    /// Where its key comes from.
    pub key: KeySource,
    /// Known models; empty = asked from the server.
    pub models: Vec<String>,
}

/// Which dialect a provider speaks. All servers speak the OpenAI chat-completions one at the given address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    /// Some server.
    Compatible,
    /// OpenAI itself.
    OpenAi,
    /// Ollama.
    Ollama,
    /// The engine that comes with the program. Its models are files: the starter, or paths.
    Embedded,
}

impl ProviderKind {
    /// The word in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Compatible => "openai-compatible",
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Embedded => "embedded",
        }
    }

    /// Whether its models are offered tools.
    pub const fn takes_tools(self) -> bool {
        match self {
            Self::Compatible | Self::OpenAi | Self::Ollama => true,
            Self::Embedded => false,
        }
    }

    /// The kind with this word; otherwise words for a person.
    pub fn from_word(word: &str) -> Result<Self, String> {
        let known = [Self::Compatible, Self::OpenAi, Self::Ollama, Self::Embedded];
        known.into_iter().find(|kind| kind.as_str() == word).ok_or_else(|| {
            format!(
                "kind {word:?} is not available here. Use openai-compatible with the provider's compatible address."
            )
        })
    }
}

/// Where a provider's key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// None is sent.
    None,
    /// This environment variable; jobs do not get to see it.
    Env(String),
    /// The key store, under this name.
    Stored(String),
}

/// What happens to running processes when the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnQuit {
    /// The person is asked, by a shell that can ask; where none does, they live on.
    Ask,
    /// They live on under their shims.
    Leave,
    /// They are stopped.
    Stop,
}

impl OnQuit {
    /// The word in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Leave => "leave",
            Self::Stop => "stop",
        }
    }
}

/// How conversations over channels go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionConfig {
    /// When one begins anew by itself.
    pub reset: ResetPolicy,
    /// A pause that is long enough for it.
    pub reset_idle: Duration,
    /// What a message does while a turn runs.
    pub busy: SendMode,
}

/// What the system is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationConfig {
    /// A process ended.
    pub completions: bool,
    /// A question waits.
    pub approvals: bool,
    /// A long turn ended while nobody looked.
    pub turns: bool,
    /// "Allow once" in the notification itself.
    pub approve_from_toast: bool,
    /// Nothing is told from here on.
    pub quiet_from: Option<TimeOfDay>,
    /// Until here; before `quiet_from` means on the next day.
    pub quiet_to: Option<TimeOfDay>,
}

/// How the window looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookConfig {
    /// Light or dark.
    pub theme: Theme,
    /// How strongly things stand out.
    pub contrast: Contrast,
    /// How much of a turn's work is open.
    pub density: Density,
    /// Whether things may move.
    pub motion: Motion,
}

/// Something in the file that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWarning {
    /// The key, dotted; empty when the file as a whole cannot be read.
    pub key: String,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// For a person: what is wrong, and what applies instead.
    pub words: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            model: None,
            approvals: ApprovalMode::Ask,
            deny: Vec::new(),
            local_ports: gatehouse_provider::usual_places().map(|place| place.port).to_vec(),
            on_quit: None,
            keep_running: true,
            inactivity_timeout: Duration::from_secs(1_800),
            groups: Groups::FromSystemd,
            processes_per_session: 32,
            processes: 64,
            process_notices: ProcessNotices::Concise,
            session: SessionConfig::default(),
            notifications: NotificationConfig::default(),
            look: LookConfig::default(),
            channels: Vec::new(),
        }
    }
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self { reset: ResetPolicy::None, reset_idle: Duration::from_secs(24 * 60 * 60), busy: SendMode::Interrupt }
    }
}

impl Default for NotificationConfig {
    fn default() -> Self {
        Self {
            completions: true,
            approvals: true,
            turns: true,
            approve_from_toast: false,
            quiet_from: None,
            quiet_to: None,
        }
    }
}

impl Default for LookConfig {
    fn default() -> Self {
        Self { theme: Theme::System, contrast: Contrast::System, density: Density::Normal, motion: Motion::System }
    }
}

impl Config {
    /// What is set for the channel of this platform.
    pub fn channel(&self, platform: &Platform) -> Option<&ChannelConfig> {
        self.channels.iter().find(|channel| channel.platform == *platform)
    }

    /// The chats that take words of the house.
    pub(crate) fn homes(&self) -> Vec<Home> {
        self.channels.iter().filter_map(ChannelConfig::home).collect()
    }

    /// The provider and the model's own name for `agent.model`, or for the first model that is named at all.
    pub fn chosen_model(&self) -> Option<(&ProviderConfig, &str)> {
        match &self.model {
            Some(choice) => {
                let (name, model) = choice.split_once('/')?;
                self.providers.iter().find(|p| p.name == name).map(|p| (p, model))
            }
            None => self.providers.iter().find_map(|p| p.models.first().map(|m| (p, m.as_str()))),
        }
    }
}

impl ProviderConfig {
    /// The embedded engine with the starter model: what answers where nothing is set up.
    pub(crate) fn built_in() -> Self {
        Self {
            name: "built-in".into(),
            kind: ProviderKind::Embedded,
            base_url: String::new(),
            key: KeySource::None,
            models: vec![STARTER.into()],
        }
    }

    /// Whether it runs on this computer.
    pub fn is_local(&self) -> bool {
        if self.kind == ProviderKind::Embedded {
            return true;
        }
        let after_scheme = self.base_url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let name = host
            .strip_prefix('[')
            .map_or_else(|| host.split(':').next().unwrap_or_default(), |v6| v6.split(']').next().unwrap_or_default());
        name == "localhost" || name == "::1" || name.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
    }
}

#[cfg(test)]
mod tests;
