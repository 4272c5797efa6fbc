//! `config.toml` of a profile. A bad value refuses that key and keeps the rest; an unknown key is a warning.

use std::path::Path;

use gatehouse_domain::{ApprovalMode, Secret};
use toml_edit::{Document, Item, TableLike};

/// What a person set.
#[derive(Debug, Clone)]
pub struct Config {
    /// Model providers, in the order of the file.
    pub providers: Vec<ProviderConfig>,
    /// The model that answers: `provider/model`.
    pub model: Option<String>,
    /// When a person is asked.
    pub approvals: ApprovalMode,
    /// What happens to processes when the program ends; absent = the shell's default.
    pub on_quit: Option<OnQuit>,
    /// Living processes allowed in one session.
    pub processes_per_session: u32,
    /// Living processes allowed in all.
    pub processes: u32,
}

/// One model provider.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// Shown to people.
    pub name: String,
    /// Where its OpenAI-compatible API begins.
    pub base_url: String,
    /// Sent as a bearer token; absent = no key is sent.
    pub api_key: Option<Secret<String>>,
    /// The environment variable that held it; jobs do not get to see it.
    pub api_key_env: Option<String>,
    /// Known models; empty = asked from the server.
    pub models: Vec<String>,
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

/// Something in the file that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWarning {
    /// The key, dotted.
    pub key: String,
    /// Why, for a person.
    pub words: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            model: None,
            approvals: ApprovalMode::Ask,
            on_quit: None,
            processes_per_session: 32,
            processes: 64,
        }
    }
}

impl Config {
    /// Reads `config.toml`; a missing file is the default.
    pub fn read(path: &Path) -> (Self, Vec<ConfigWarning>) {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (Self::default(), Vec::new()),
            Err(error) => (Self::default(), vec![warning("", format!("{} cannot be read: {error}", path.display()))]),
        }
    }

    /// Reads the text of a `config.toml`.
    pub fn parse(text: &str) -> (Self, Vec<ConfigWarning>) {
        let mut reader = Reader { config: Self::default(), warnings: Vec::new() };
        match text.parse::<Document<String>>() {
            Ok(document) => reader.top(document.as_table()),
            Err(error) => reader.warn("", format!("the file is not TOML: {}", error.to_string().trim())),
        }
        (reader.config, reader.warnings)
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

struct Reader {
    config: Config,
    warnings: Vec<ConfigWarning>,
}

impl Reader {
    fn top(&mut self, table: &dyn TableLike) {
        for (key, item) in table.iter() {
            match key {
                "provider" => self.providers(item),
                "agent" | "gateway" | "limits" => self.section(key, item),
                // Read by later rooms of the house; known, so no warning.
                "display" | "process" | "channel" => {}
                _ => self.warn(key, "unknown key".into()),
            }
        }
    }

    fn providers(&mut self, item: &Item) {
        let Some(tables) = item.as_array_of_tables() else {
            return self.warn("provider", "expected [[provider]] tables".into());
        };
        for (index, table) in tables.iter().enumerate() {
            match provider(table) {
                Ok(provider) => self.config.providers.push(provider),
                Err(words) => self.warn(&format!("provider[{index}]"), words),
            }
        }
    }

    fn section(&mut self, section: &str, item: &Item) {
        let Some(table) = item.as_table_like() else {
            return self.warn(section, "expected a table".into());
        };
        for (key, value) in table.iter() {
            let dotted = format!("{section}.{key}");
            if let Err(words) = self.set(&dotted, value) {
                self.warn(&dotted, words);
            }
        }
    }

    fn set(&mut self, key: &str, value: &Item) -> Result<(), String> {
        match key {
            "agent.model" => self.config.model = Some(text(value)?),
            "agent.approvals" => {
                let word = text(value)?;
                self.config.approvals =
                    word.parse().map_err(|_| format!("{word:?} is not one of ask, off; the setting stays at ask"))?;
            }
            "gateway.on_quit" => {
                self.config.on_quit = Some(match text(value)?.as_str() {
                    "ask" => OnQuit::Ask,
                    "leave" => OnQuit::Leave,
                    "stop" => OnQuit::Stop,
                    other => return Err(format!("{other:?} is not one of ask, leave, stop")),
                });
            }
            "limits.processes_per_session" => self.config.processes_per_session = count(value)?,
            "limits.processes" => self.config.processes = count(value)?,
            // Read by later rooms of the house; known, so no warning.
            "gateway.inactivity_timeout_s" | "limits.api_runs" => {}
            _ => return Err("unknown key".into()),
        }
        Ok(())
    }

    fn warn(&mut self, key: &str, words: String) {
        self.warnings.push(warning(key, words));
    }
}

fn warning(key: &str, words: String) -> ConfigWarning {
    ConfigWarning { key: key.to_owned(), words }
}

fn provider(table: &dyn TableLike) -> Result<ProviderConfig, String> {
    let required = |key: &str| table.get(key).ok_or(format!("{key} is missing")).and_then(text);
    let kind = required("kind")?;
    if !matches!(kind.as_str(), "openai-compatible" | "openai" | "ollama") {
        return Err(format!("kind {kind:?} is not available here; use openai-compatible"));
    }
    let models = table.get("models").and_then(Item::as_array);
    let key_name = table.get("api_key").map(key_variable).transpose()?;
    Ok(ProviderConfig {
        name: required("name")?,
        base_url: required("base_url")?,
        api_key: key_name.as_deref().map(key).transpose()?,
        api_key_env: key_name,
        models: models.map(|m| m.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()).unwrap_or_default(),
    })
}

fn key_variable(item: &Item) -> Result<String, String> {
    let name = item.as_table_like().and_then(|t| t.get("env")).and_then(Item::as_str);
    Ok(name.ok_or("api_key wants { env = \"NAME\" }")?.to_owned())
}

fn key(name: &str) -> Result<Secret<String>, String> {
    std::env::var(name).map(Secret::new).map_err(|_| format!("the environment variable {name} is not set"))
}

fn text(item: &Item) -> Result<String, String> {
    item.as_str().map(str::to_owned).ok_or_else(|| "expected a text".to_owned())
}

fn count(item: &Item) -> Result<u32, String> {
    item.as_integer()
        .and_then(|n| u32::try_from(n).ok())
        .filter(|n| *n > 0)
        .ok_or_else(|| "expected a whole number above 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        colour = "red"
        [[provider]]
        name = "lab"
        kind = "openai-compatible"
        base_url = "http://127.0.0.1:1/v1"
        models = ["small"]
        [[provider]]
        name = "half"
        kind = "openai-compatible"
        [agent]
        approvals = "sometimes"
        [limits]
        processes = 7
        processes_per_session = 0
    "#;

    #[test]
    fn a_bad_value_refuses_its_key_and_keeps_the_rest() {
        let (config, warnings) = Config::parse(FILE);
        let keys: Vec<_> = warnings.iter().map(|w| w.key.as_str()).collect();
        assert_eq!(keys, ["colour", "provider[1]", "agent.approvals", "limits.processes_per_session"]);
        assert_eq!((config.processes, config.processes_per_session), (7, 32));
        assert_eq!(config.approvals, ApprovalMode::Ask);
        assert_eq!(config.chosen_model().map(|(p, m)| (p.name.as_str(), m)), Some(("lab", "small")));
    }

    #[test]
    fn a_file_that_is_not_toml_says_where() {
        let (config, warnings) = Config::parse("[agent\nmodel=1");
        assert!(config.providers.is_empty());
        assert!(warnings[0].words.contains("line 1"), "{}", warnings[0].words);
    }
}
