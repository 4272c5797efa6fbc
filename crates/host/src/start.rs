//! From a home to a running gateway.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatehouse_gateway::{Config, Gateway, GatewayOptions, SystemClock, SystemIds};

use crate::error::{Error, Result};
use crate::home;

/// Reads `config.toml`, lets the shell have the last word on it, and starts the gateway. The shim lies beside this
/// program's own executable.
pub async fn start(home: &Path, profile: &str, last_word: impl FnOnce(&mut Config)) -> Result<Gateway> {
    let (mut config, warnings) = Config::read(&home.join("profiles").join(profile).join("config.toml"));
    for warning in warnings {
        tracing::warn!(key = warning.key, "config.toml: {}", warning.words);
    }
    last_word(&mut config);
    let options = GatewayOptions {
        home: home.to_path_buf(),
        profile: profile.to_owned(),
        shim: beside_us("gatehouse-shim")?,
        config,
        work_dir: home::work_dir(),
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    };
    Ok(Gateway::start(options).await?)
}

fn beside_us(program: &str) -> Result<PathBuf> {
    let exe = std::env::current_exe().map_err(|cause| Error::Path { path: PathBuf::from(program), cause })?;
    Ok(exe.with_file_name(program))
}
