//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use gatehouse_domain::{ApprovalMode, ProfileName};
use gatehouse_gateway::{Config, KeySource, ProviderConfig, ProviderKind};

/// The headless shell of Gatehouse.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// The data directory.
    #[arg(long)]
    pub home: Option<PathBuf>,
    /// The port on loopback; 0 picks a free one.
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// A profile to serve; may be given several times, and the first is meant where nobody says which. Without it every
    /// profile that exists is served, and `default` is the first.
    #[arg(long = "profile", value_name = "NAME", value_parser = profile_name)]
    pub profiles: Vec<ProfileName>,
    /// The name of a backup that is put in the place of the first profile's data before that is opened; what is there is
    /// kept aside.
    #[arg(long, value_name = "NAME")]
    pub restore_backup: Option<String>,
    /// An OpenAI-compatible provider without a key, up to and including its version: http://127.0.0.1:8080/v1. One with a
    /// key stands in config.toml.
    #[arg(long, requires = "model")]
    pub provider_url: Option<String>,
    /// The provider's name of the model that answers.
    #[arg(long, requires = "provider_url")]
    pub model: Option<String>,
    /// When a person is asked before a command of the agent runs.
    #[arg(long)]
    pub approvals: Option<Approvals>,
}

/// When a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Approvals {
    /// Before every command of the agent.
    Ask,
    /// Before what could do damage.
    Risky,
    /// Never; the hardline floor stays.
    Off,
}

/// A provider that was named on the command line.
const NAMED_HERE: &str = "provider";

impl Args {
    /// What the command line says wins over the file.
    pub fn apply(&self, config: &mut Config) {
        if let (Some(url), Some(model)) = (&self.provider_url, &self.model) {
            config.providers.insert(
                0,
                ProviderConfig {
                    name: NAMED_HERE.into(),
                    kind: ProviderKind::Compatible,
                    base_url: url.clone(),
                    key: KeySource::None,
                    models: vec![model.clone()],
                },
            );
            config.model = Some(format!("{NAMED_HERE}/{model}"));
        }
        match self.approvals {
            Some(Approvals::Ask) => config.approvals = ApprovalMode::Ask,
            Some(Approvals::Risky) => config.approvals = ApprovalMode::Risky,
            Some(Approvals::Off) => config.approvals = ApprovalMode::Off,
            None => {}
        }
    }
}

fn profile_name(text: &str) -> Result<ProfileName, &'static str> {
    ProfileName::new(text).map_err(|_| "a profile's name has letters, digits, - and _, at most 64 of them")
}
