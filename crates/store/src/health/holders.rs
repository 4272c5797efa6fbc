//! Which programs have a file open, as far as the system lets us see.

use std::fs;
use std::path::{Path, PathBuf};

/// Other programs that have the database or what belongs to it open, as `name (pid n)`. Those of other people stay
/// unseen.
pub(crate) fn holders(file: &Path) -> Vec<String> {
    let wanted = [file.to_owned(), beside(file, "-wal"), beside(file, "-shm")];
    let wanted: Vec<Vec<u8>> = wanted.iter().map(|path| path.as_os_str().as_encoded_bytes().to_vec()).collect();
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let others = pids.filter(|pid| *pid != std::process::id());
    others.filter(|pid| holds(*pid, &wanted)).map(named).collect()
}

fn holds(pid: u32, wanted: &[Vec<u8>]) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| {
        let target = target.as_os_str().as_encoded_bytes();
        wanted.iter().any(|path| target == path || target.strip_suffix(b" (deleted)") == Some(path))
    })
}

fn named(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    if name.trim().is_empty() { format!("pid {pid}") } else { format!("{} (pid {pid})", name.trim()) }
}

/// The path of what SQLite keeps beside its file.
pub(crate) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
