//! From a home to a running gateway.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatehouse_gateway::{Gateway, GatewayOptions, LastWord, SystemClock, SystemIds};

use crate::error::{Error, Result};
use crate::home;

/// Starts the gateway of a profile; the shell has the last word on what is set. The shim lies beside this program's own
/// executable.
pub async fn start(home: &Path, profile: &str, last_word: LastWord) -> Result<Gateway> {
    let options = GatewayOptions {
        home: home.to_path_buf(),
        profile: profile.to_owned(),
        shim: beside_us("gatehouse-shim")?,
        last_word,
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
