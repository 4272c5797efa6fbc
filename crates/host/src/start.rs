//! From a home to a running gateway.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatehouse_gateway::{EngineFiles, Gateway, GatewayOptions, LastWord, ProviderConfig, SystemClock, SystemIds};

use crate::error::{Error, Result};
use crate::home;

/// Starts the gateway of a profile; the shell has the last word on what is set. The shim lies beside this program's own
/// executable.
pub async fn start(home: &Path, profile: &str, last_word: LastWord) -> Result<Gateway> {
    let engine = engine(home)?;
    let last_word = with_built_in(last_word, &engine);
    let options = GatewayOptions {
        home: home.to_path_buf(),
        profile: profile.to_owned(),
        shim: beside_us("gatehouse-shim")?,
        engine,
        last_word,
        work_dir: home::work_dir(),
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    };
    Ok(Gateway::start(options).await?)
}

/// The starter model's file.
const STARTER: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
/// On how many threads the engine computes, for tests and for computers that have other things to do.
const THREADS: &str = "GATEHOUSE_ENGINE_THREADS";

/// The engine lies beside this program's own executable, and the starter in the data directory or where its own package
/// puts it.
fn engine(home: &Path) -> Result<EngineFiles> {
    let program = Some(beside_us("gatehouse-engine")?).filter(|path| path.is_file());
    let packaged = beside_us("../share/gatehouse/models")?.join(STARTER);
    let starter = [home.join("models").join(STARTER), packaged].into_iter().find(|path| path.is_file());
    let threads = std::env::var(THREADS).ok().and_then(|threads| threads.parse().ok()).filter(|threads| *threads > 0);
    Ok(EngineFiles { program, starter, threads })
}

/// Where no provider is set up, the embedded engine answers, if it is there with its starter.
fn with_built_in(last_word: LastWord, engine: &EngineFiles) -> LastWord {
    let there = engine.program.is_some() && engine.starter.is_some();
    Arc::new(move |config| {
        last_word(config);
        if there && config.providers.is_empty() {
            config.providers.push(ProviderConfig::built_in());
        }
    })
}

fn beside_us(program: &str) -> Result<PathBuf> {
    let exe = std::env::current_exe().map_err(|cause| Error::Path { path: PathBuf::from(program), cause })?;
    Ok(exe.with_file_name(program))
}
