//! Where the data lies.

use std::path::PathBuf;

use directories::BaseDirs;

use crate::error::{Error, Result};

/// `GATEHOUSE_HOME`, what a command line said, or the platform's data directory; absolute.
pub fn home(said: Option<PathBuf>) -> Result<PathBuf> {
    let chosen = said.or_else(|| std::env::var_os("GATEHOUSE_HOME").filter(|v| !v.is_empty()).map(PathBuf::from));
    let path = chosen.or_else(|| BaseDirs::new().map(|dirs| dirs.data_dir().join("gatehouse"))).ok_or(Error::NoHome)?;
    std::path::absolute(&path).map_err(|cause| Error::Path { path, cause })
}

/// Where jobs run when nobody says where: the person's home folder.
pub(crate) fn work_dir() -> PathBuf {
    BaseDirs::new().map_or_else(|| PathBuf::from("/"), |dirs| dirs.home_dir().to_path_buf())
}
