//! From the text of `config.toml` to values. A key that cannot be taken keeps what applied before, and is named.

use std::str::FromStr;
use std::time::Duration;

use gatehouse_domain::{Platform, ProcessNotices, UnknownWord};
use gatehouse_process::Groups;
use toml_edit::{Document, Item, TableLike};

use super::{ChannelConfig, Config, ConfigWarning, KeySource, OnQuit, ProviderConfig, ProviderKind};
use crate::session::SendMode;

/// More processes at once than this is a slip of the finger; measurements use some thousands.
const MOST_PROCESSES: u32 = 10_000;

/// A limit of more than a week is none.
const MOST_SECONDS: u64 = 7 * 24 * 3_600;

/// A pause of more than a year is none.
const MOST_MINUTES: u64 = 366 * 24 * 60;

/// What a `[[provider]]` holds.
const PROVIDER_KEYS: [&str; 5] = ["name", "kind", "base_url", "api_key", "models"];

/// All of them are asked at once.
const MOST_PORTS: usize = 16;

impl Config {
    /// Reads a text. What is not in it is the default; what cannot be taken is as it is in `before`.
    pub fn parse(text: &str, before: &Self) -> (Self, Vec<ConfigWarning>) {
        let document = match text.parse::<Document<String>>() {
            Ok(document) => document,
            Err(error) => {
                let line = error.span().map(|span| line_of(text, span.start));
                let words = format!("The file is not TOML: {}. What was set before applies.", error.message().trim());
                return (before.clone(), vec![ConfigWarning { key: String::new(), line, words }]);
            }
        };
        let mut reader = Reader { text, before, config: Self::default(), warnings: Vec::new() };
        reader.top(document.as_table());
        (reader.config, reader.warnings)
    }
}

struct Reader<'t> {
    text: &'t str,
    before: &'t Config,
    config: Config,
    warnings: Vec<ConfigWarning>,
}

impl Reader<'_> {
    fn top(&mut self, table: &toml_edit::Table) {
        for (key, item) in table.iter() {
            match key {
                "provider" => self.providers(item),
                "agent" | "gateway" | "desktop" | "display" | "process" | "limits" | "session" | "notifications"
                | "look" => {
                    self.section(key, item);
                }
                "channel" => self.channels(item),
                _ => {
                    let at = table.key(key).and_then(toml_edit::Key::span);
                    self.warn(key, at, "There is no such key.".into());
                }
            }
        }
    }

    fn providers(&mut self, item: &Item) {
        let Some(tables) = item.as_array_of_tables() else {
            self.config.providers.clone_from(&self.before.providers);
            return self.warn("provider", item.span(), "Write each provider as a [[provider]] table.".into());
        };
        for (index, table) in tables.iter().enumerate() {
            let read = provider(table).and_then(|new| match self.config.providers.iter().any(|p| p.name == new.name) {
                true => Err(format!("a provider named {:?} stands above", new.name)),
                false => Ok(new),
            });
            match read {
                Ok(provider) => self.config.providers.push(provider),
                Err(words) => self.warn(&format!("provider[{index}]"), table.span(), format!("Left out: {words}.")),
            }
            for (key, item) in table.iter().filter(|(key, _)| !PROVIDER_KEYS.contains(key)) {
                self.warn(&format!("provider[{index}].{key}"), item.span(), "There is no such key.".into());
            }
        }
    }

    fn channels(&mut self, item: &Item) {
        let Some(table) = item.as_table_like() else {
            return self.warn("channel", item.span(), "Write each channel as a [channel.name] table.".into());
        };
        for (name, item) in table.iter() {
            let key = format!("channel.{name}");
            let (Ok(platform), Some(table)) = (Platform::new(name), item.as_table_like()) else {
                self.warn(&key, item.span(), "Write each channel as a table named with small letters.".into());
                continue;
            };
            let mut warnings = Vec::new();
            let warn = &mut |field: &str, item: &Item, words: &str| {
                warnings.push((format!("{key}.{field}"), item.span(), format!("{words} What was set before applies.")));
            };
            let before = self.before.channels.iter().find(|channel| channel.platform == platform);
            self.config.channels.push(ChannelConfig::read(platform, table, before, warn));
            warnings.into_iter().for_each(|(key, at, words)| self.warn(&key, at, words));
        }
    }

    fn section(&mut self, section: &str, item: &Item) {
        let Some(table) = item.as_table_like() else {
            return self.warn(section, item.span(), format!("Write it as a [{section}] table."));
        };
        for (key, value) in table.iter() {
            let dotted = format!("{section}.{key}");
            let at = || table.key(key).and_then(toml_edit::Key::span).or_else(|| value.span());
            match set(&mut self.config, &dotted, value) {
                Ok(()) => {}
                Err(Refused::Unknown) => self.warn(&dotted, at(), "There is no such key.".into()),
                Err(Refused::Value(words)) => {
                    let kept = keep(&mut self.config, self.before, &dotted);
                    self.warn(&dotted, at(), format!("{words} {kept}"));
                }
            }
        }
    }

    fn warn(&mut self, key: &str, at: Option<std::ops::Range<usize>>, words: String) {
        let line = at.map(|span| line_of(self.text, span.start));
        self.warnings.push(ConfigWarning { key: key.to_owned(), line, words });
    }
}

enum Refused {
    Unknown,
    Value(String),
}

impl From<String> for Refused {
    fn from(words: String) -> Self {
        Self::Value(words)
    }
}

fn set(config: &mut Config, key: &str, value: &Item) -> Result<(), Refused> {
    match key {
        "agent.model" => config.model = Some(model(value)?),
        "agent.approvals" => config.approvals = word(value, "ask, risky, off")?,
        "agent.deny" => config.deny = texts(value)?,
        "agent.local_ports" => config.local_ports = ports(value)?,
        "gateway.on_quit" => config.on_quit = Some(on_quit(value)?),
        "gateway.inactivity_timeout_s" => config.inactivity_timeout = seconds(value)?,
        "desktop.keep_running" => config.keep_running = flag(value)?,
        "display.background_process_notifications" => config.process_notices = process_notices(value)?,
        "process.cgroup" => config.groups = groups(value)?,
        "limits.processes" => config.processes = count(value)?,
        "limits.processes_per_session" => config.processes_per_session = count(value)?,
        "session.reset" => config.session.reset = word(value, "none, idle, daily, both")?,
        "session.reset_idle_minutes" => config.session.reset_idle = minutes(value)?,
        "session.busy" => config.session.busy = busy(value)?,
        "notifications.completions" => config.notifications.completions = flag(value)?,
        "notifications.approvals" => config.notifications.approvals = flag(value)?,
        "notifications.turns" => config.notifications.turns = flag(value)?,
        "notifications.approve_from_toast" => config.notifications.approve_from_toast = flag(value)?,
        "notifications.quiet_from" => config.notifications.quiet_from = Some(text(value)?.parse().map_err(sentence)?),
        "notifications.quiet_to" => config.notifications.quiet_to = Some(text(value)?.parse().map_err(sentence)?),
        "look.theme" => config.look.theme = word(value, "system, light, dark")?,
        "look.contrast" => config.look.contrast = word(value, "system, normal, high")?,
        "look.density" => config.look.density = word(value, "verbose, normal, summary")?,
        "look.motion" => config.look.motion = word(value, "system, normal, reduced")?,
        // Read by later rooms of the house; known, so no warning.
        "limits.api_runs" => {}
        _ => return Err(Refused::Unknown),
    }
    Ok(())
}

/// Takes a key's value over from before, and says which one applies.
fn keep(config: &mut Config, before: &Config, key: &str) -> String {
    let still = |value: &str| format!("The old value, {value}, still applies.");
    match key {
        "agent.model" => {
            config.model.clone_from(&before.model);
            before.model.as_deref().map_or_else(|| "No model is chosen.".into(), still)
        }
        "agent.approvals" => {
            config.approvals = before.approvals;
            still(before.approvals.as_str())
        }
        "agent.deny" => {
            config.deny.clone_from(&before.deny);
            "The old list still applies.".into()
        }
        "agent.local_ports" => {
            config.local_ports.clone_from(&before.local_ports);
            "The old list still applies.".into()
        }
        "gateway.on_quit" => {
            config.on_quit = before.on_quit;
            before.on_quit.map_or_else(|| "The usual answer applies.".into(), |on_quit| still(on_quit.as_str()))
        }
        "gateway.inactivity_timeout_s" => {
            config.inactivity_timeout = before.inactivity_timeout;
            still(&before.inactivity_timeout.as_secs().to_string())
        }
        "desktop.keep_running" => {
            config.keep_running = before.keep_running;
            still(yes_or_no(before.keep_running))
        }
        "display.background_process_notifications" => {
            config.process_notices = before.process_notices;
            still(before.process_notices.as_str())
        }
        "process.cgroup" => {
            config.groups = before.groups.clone();
            "The old value still applies.".into()
        }
        "limits.processes" => {
            config.processes = before.processes;
            still(&before.processes.to_string())
        }
        "limits.processes_per_session" => {
            config.processes_per_session = before.processes_per_session;
            still(&before.processes_per_session.to_string())
        }
        _ if key.starts_with("session.") => keep_session(config, before, key),
        _ if key.starts_with("notifications.") => keep_notification(config, before, key),
        _ => keep_look(config, before, key),
    }
}

fn keep_session(config: &mut Config, before: &Config, key: &str) -> String {
    let (now, old) = (&mut config.session, before.session);
    match key {
        "session.reset" => now.reset = old.reset,
        "session.reset_idle_minutes" => now.reset_idle = old.reset_idle,
        _ => now.busy = old.busy,
    }
    "The old value still applies.".into()
}

fn keep_notification(config: &mut Config, before: &Config, key: &str) -> String {
    let (now, old) = (&mut config.notifications, &before.notifications);
    match key {
        "notifications.completions" => now.completions = old.completions,
        "notifications.approvals" => now.approvals = old.approvals,
        "notifications.turns" => now.turns = old.turns,
        "notifications.approve_from_toast" => now.approve_from_toast = old.approve_from_toast,
        "notifications.quiet_from" => now.quiet_from = old.quiet_from,
        _ => now.quiet_to = old.quiet_to,
    }
    "The old value still applies.".into()
}

fn keep_look(config: &mut Config, before: &Config, key: &str) -> String {
    let (now, old) = (&mut config.look, before.look);
    match key {
        "look.theme" => now.theme = old.theme,
        "look.contrast" => now.contrast = old.contrast,
        "look.density" => now.density = old.density,
        _ => now.motion = old.motion,
    }
    "The old value still applies.".into()
}

fn provider(table: &dyn TableLike) -> Result<ProviderConfig, String> {
    let required = |key: &str| table.get(key).ok_or(format!("{key} is missing")).and_then(plain_text);
    let name = required("name")?;
    check_name(&name)?;
    let models = table.get("models").map(plain_texts).transpose()?;
    let kind = ProviderKind::from_word(&required("kind")?).map_err(|words| words.trim_end_matches('.').to_owned())?;
    // The embedded engine is nowhere but here.
    let base_url = if kind == ProviderKind::Embedded { String::new() } else { required("base_url")? };
    Ok(ProviderConfig {
        name,
        kind,
        base_url,
        key: table.get("api_key").map_or(Ok(KeySource::None), key)?,
        models: models.unwrap_or_default(),
    })
}

/// A provider's name stands before the slash of `provider/model`.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let bad = name.trim().is_empty() || name.len() > 64 || name.contains('/') || name.chars().any(char::is_control);
    if bad { Err(format!("{name:?} cannot be a name: use 1 to 64 characters without a slash")) } else { Ok(()) }
}

fn key(item: &Item) -> Result<KeySource, String> {
    let table = item.as_table_like();
    let name = |key: &str| table.and_then(|t| t.get(key)).and_then(Item::as_str).map(str::to_owned);
    match (name("env"), name("keyring")) {
        (Some(variable), None) => Ok(KeySource::Env(variable)),
        (None, Some(stored)) => Ok(KeySource::Stored(stored)),
        _ => {
            Err("api_key wants { env = \"NAME\" } or { keyring = \"name\" }; the key itself never stands in it".into())
        }
    }
}

fn model(value: &Item) -> Result<String, String> {
    let choice = text(value)?;
    match choice.split_once('/') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok(choice),
        _ => Err(format!("{choice:?} names no model; write it as provider/model.")),
    }
}

fn on_quit(value: &Item) -> Result<OnQuit, String> {
    let word = text(value)?;
    [OnQuit::Ask, OnQuit::Leave, OnQuit::Stop]
        .into_iter()
        .find(|on_quit| on_quit.as_str() == word)
        .ok_or_else(|| format!("{word:?} is not one of ask, leave, stop."))
}

fn busy(value: &Item) -> Result<SendMode, String> {
    match text(value)?.as_str() {
        "interrupt" => Ok(SendMode::Interrupt),
        "queue" => Ok(SendMode::Queue),
        "steer" => Ok(SendMode::Steer),
        word => Err(format!("{word:?} is not one of interrupt, queue, steer.")),
    }
}

fn word<T: FromStr<Err = UnknownWord>>(value: &Item, known: &str) -> Result<T, String> {
    let word = text(value)?;
    word.parse().map_err(|_| format!("{word:?} is not one of {known}."))
}

/// `false` is a way to say off.
fn process_notices(value: &Item) -> Result<ProcessNotices, String> {
    match value.as_bool() {
        Some(false) => Ok(ProcessNotices::Off),
        Some(true) | None => word(value, "concise, all, result, error, off"),
    }
}

fn text(item: &Item) -> Result<String, String> {
    plain_text(item).map_err(sentence)
}

fn texts(item: &Item) -> Result<Vec<String>, String> {
    plain_texts(item).map_err(sentence)
}

fn plain_text(item: &Item) -> Result<String, String> {
    item.as_str().map(str::to_owned).ok_or_else(|| "a text in quotes is expected".to_owned())
}

fn plain_texts(item: &Item) -> Result<Vec<String>, String> {
    let refused = || "a list of texts in quotes is expected".to_owned();
    item.as_array().ok_or_else(refused)?.iter().map(|v| v.as_str().map(str::to_owned).ok_or_else(refused)).collect()
}

fn flag(item: &Item) -> Result<bool, String> {
    item.as_bool().ok_or_else(|| "Use true or false.".to_owned())
}

fn ports(item: &Item) -> Result<Vec<u16>, String> {
    let refused = || format!("Use a list of at most {MOST_PORTS} port numbers.");
    let list = item.as_array().filter(|list| list.len() <= MOST_PORTS).ok_or_else(refused)?;
    let port = |value: &toml_edit::Value| value.as_integer().and_then(|n| u16::try_from(n).ok()).filter(|n| *n > 0);
    list.iter().map(|value| port(value).ok_or_else(refused)).collect()
}

fn count(item: &Item) -> Result<u32, String> {
    item.as_integer()
        .and_then(|n| u32::try_from(n).ok())
        .filter(|n| (1..=MOST_PROCESSES).contains(n))
        .ok_or_else(|| format!("Use a number from 1 to {MOST_PROCESSES}."))
}

fn groups(item: &Item) -> Result<Groups, String> {
    match text(item)?.as_str() {
        "" => Ok(Groups::FromSystemd),
        "none" => Ok(Groups::None),
        path if path.starts_with('/') => Ok(Groups::Below(path.into())),
        _ => Err("Use the whole path of a delegated cgroup directory, none, or nothing to ask systemd.".into()),
    }
}

fn seconds(item: &Item) -> Result<Duration, String> {
    let seconds = item.as_integer().and_then(|n| u64::try_from(n).ok()).filter(|n| *n <= MOST_SECONDS);
    seconds.map(Duration::from_secs).ok_or_else(|| format!("Use seconds from 0 to {MOST_SECONDS}."))
}

fn minutes(item: &Item) -> Result<Duration, String> {
    let minutes = item.as_integer().and_then(|n| u64::try_from(n).ok()).filter(|n| (1..=MOST_MINUTES).contains(n));
    let minutes = minutes.ok_or_else(|| format!("Use minutes from 1 to {MOST_MINUTES}."))?;
    Ok(Duration::from_secs(minutes * 60))
}

fn sentence(words: impl AsRef<str>) -> String {
    let words = words.as_ref();
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

const fn yes_or_no(flag: bool) -> &'static str {
    if flag { "true" } else { "false" }
}

fn line_of(text: &str, at: usize) -> u32 {
    let newlines = text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}
