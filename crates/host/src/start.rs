//! From a name to a running gateway.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatehouse_domain::ProfileName;
use gatehouse_gateway::{EnginePlaces, Gateway, GatewayOptions, Household, LastWord, SystemClock, SystemIds};

use crate::error::{Error, Result};
use crate::home;

/// What every gateway of a house is started with.
pub(crate) struct Common {
    /// The data directory.
    pub home: PathBuf,
    /// What the shell says to what is set.
    last_word: LastWord,
    /// What the gateways share.
    household: Household,
}

impl Common {
    /// The house in this data directory.
    pub fn of(home: PathBuf, last_word: LastWord) -> Result<Self> {
        let household = Household::new(engine(&home)?);
        Ok(Self { home, last_word, household })
    }

    /// Where the files of a profile lie.
    pub fn dir(&self, name: &ProfileName) -> PathBuf {
        self.profiles().join(name.as_str())
    }

    /// Where all profiles lie.
    pub fn profiles(&self) -> PathBuf {
        self.home.join("profiles")
    }

    /// Starts the gateway of a profile. The shim lies beside this program's own executable.
    pub async fn start(&self, name: &ProfileName) -> Result<Gateway> {
        let options = GatewayOptions {
            home: self.home.clone(),
            profile: name.to_string(),
            shim: beside_us("gatehouse-shim")?,
            household: self.household.clone(),
            last_word: Arc::clone(&self.last_word),
            work_dir: home::work_dir(),
            channels: Vec::new(),
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(SystemIds),
        };
        Ok(Gateway::start(options).await?)
    }
}

/// The starter model's file.
const STARTER: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
/// On how many threads the engine computes, for tests and for computers that have other things to do.
const THREADS: &str = "GATEHOUSE_ENGINE_THREADS";

/// The engine lies beside this program's own executable, and the starter in the data directory or where its own package
/// puts it. Both may come later: the gateway looks out for them.
fn engine(home: &Path) -> Result<EnginePlaces> {
    let packaged = beside_us("../share/gatehouse/models")?.join(STARTER);
    let threads = std::env::var(THREADS).ok().and_then(|threads| threads.parse().ok()).filter(|threads| *threads > 0);
    Ok(EnginePlaces {
        program: beside_us("gatehouse-engine")?,
        starters: vec![home.join("models").join(STARTER), packaged],
        threads,
    })
}

fn beside_us(program: &str) -> Result<PathBuf> {
    let exe = std::env::current_exe().map_err(|cause| Error::Path { path: PathBuf::from(program), cause })?;
    Ok(exe.with_file_name(program))
}
