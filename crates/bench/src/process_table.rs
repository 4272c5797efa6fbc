//! What the kernel counts about processes.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Doing, Error, Result};

/// The processor time of all threads that live, in nanoseconds.
pub(crate) fn cpu_ns(pid: u32) -> Result<u64> {
    let mut sum = 0;
    for task in tasks(pid)? {
        // A thread may end meanwhile.
        let Ok(stat) = fs::read_to_string(task.join("schedstat")) else { continue };
        sum += stat.split(' ').next().and_then(|ns| ns.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(sum)
}

/// How often each thread of this process went to sleep by itself so far: each time it was woken once.
pub(crate) fn voluntary_switches(pid: u32) -> Result<HashMap<PathBuf, u64>> {
    let mut threads = HashMap::new();
    for task in tasks(pid)? {
        let Ok(status) = fs::read_to_string(task.join("status")) else { continue };
        threads.insert(task, field(&status, "voluntary_ctxt_switches:").unwrap_or(0));
    }
    Ok(threads)
}

/// The threads of a process by their numbers.
pub(crate) fn threads(pid: u32) -> Result<Vec<u32>> {
    let number = |task: PathBuf| task.file_name()?.to_str()?.parse().ok();
    Ok(tasks(pid)?.into_iter().filter_map(number).collect())
}

fn tasks(pid: u32) -> Result<Vec<PathBuf>> {
    let dir = fs::read_dir(format!("/proc/{pid}/task")).doing("reading a process's threads")?;
    Ok(dir.flatten().map(|entry| entry.path()).collect())
}

/// A memory field of `/proc/<pid>/status` in MiB.
pub(crate) fn memory_mib(pid: u32, name: &str) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).doing("reading a process's memory")?;
    let kib = field(&status, name).ok_or_else(|| Error::Shape(name.to_owned()))?;
    Ok(kib as f64 / 1024.0)
}

/// The proportional set size in MiB.
pub(crate) fn pss_mib(pid: u32) -> Result<f64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).doing("reading a process's memory")?;
    let kib = field(&rollup, "Pss:").ok_or_else(|| Error::Shape("Pss".to_owned()))?;
    Ok(kib as f64 / 1024.0)
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Shims whose run directory lies below `home`.
pub(crate) fn shims(home: &Path) -> Vec<u32> {
    all().into_iter().filter(|pid| is_shim(*pid) && works_below(*pid, home)).collect()
}

fn is_shim(pid: u32) -> bool {
    is_named(pid, "gatehouse-shim")
}

/// Whether the program that it runs bears this name.
pub(crate) fn is_named(pid: u32, name: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim_end() == name)
}

fn works_below(pid: u32, dir: &Path) -> bool {
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(dir))
}

/// A process and everything that descends from it.
pub(crate) fn tree(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = all().into_iter().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut tree = vec![root];
    let mut next = 0;
    while let Some(pid) = tree.get(next).copied() {
        tree.extend(parents.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child));
        next += 1;
    }
    tree
}

/// Who has a file open under this number that fits.
pub(crate) fn with_descriptor(number: u32, fits: impl Fn(&Path) -> bool) -> Vec<u32> {
    all().into_iter().filter(|pid| holds(*pid, number, &fits)).collect()
}

/// Whether a process lives and has a file open under this number that fits.
pub(crate) fn holds(pid: u32, number: u32, fits: impl Fn(&Path) -> bool) -> bool {
    fs::read_link(format!("/proc/{pid}/fd/{number}")).is_ok_and(|file| fits(&file))
}

fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    u32::try_from(field(&status, "PPid:")?).ok()
}

/// Whether somebody traces it.
pub(crate) fn is_traced(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    field(&status, "TracerPid:").is_some_and(|tracer| tracer != 0)
}

fn all() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
