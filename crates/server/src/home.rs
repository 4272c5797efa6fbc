//! Where the data lies.

use std::path::PathBuf;

use directories::BaseDirs;

/// The platform's data directory, where `GATEHOUSE_HOME` does not say otherwise; absent without a home folder.
pub fn default_home() -> Option<PathBuf> {
    BaseDirs::new().map(|dirs| dirs.data_dir().join("gatehouse"))
}

/// Where jobs run when nobody says where: the person's home folder.
pub(crate) fn work_dir() -> PathBuf {
    BaseDirs::new().map_or_else(|| PathBuf::from("/"), |dirs| dirs.home_dir().to_path_buf())
}
