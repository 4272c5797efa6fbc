use std::io;
use std::os::unix::fs::MetadataExt;

use gatehouse_domain::EpochMs;
use serde::de::DeserializeOwned;

use crate::output::{PROGRESS, Progress};
use crate::rundir::{CHILD, ChildRecord, EXIT, ExitRecord, RunDir, SPEC, VOID};

/// What a run directory says.
#[derive(Debug)]
pub enum Settled {
    /// Its shim lives.
    Alive,
    /// Its direct child ended.
    Ended(ExitRecord),
    /// Nothing ran, for this reason if there is one. Nothing will.
    NeverRan(Option<String>),
    /// Something ran; how it ended nobody knows.
    Lost(ChildRecord),
}

/// Reads it under the shim's lock. A run without an end is given up for good, so that a shim that comes late stops.
pub fn settle(run: &RunDir) -> io::Result<Settled> {
    let Some(_lock) = run.try_lock()? else { return Ok(Settled::Alive) };
    if let Some(exit) = whole::<ExitRecord>(run, EXIT)? {
        return Ok(match exit.failed {
            Some(reason) => Settled::NeverRan(Some(reason)),
            None => Settled::Ended(exit),
        });
    }
    run.put(VOID, b"")?;
    Ok(whole(run, CHILD)?.map_or(Settled::NeverRan(None), Settled::Lost))
}

/// A record that a power cut has torn counts as absent.
fn whole<T: DeserializeOwned>(run: &RunDir, name: &str) -> io::Result<Option<T>> {
    match run.record(name) {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
            tracing::warn!(name, %error, "A record of a run is damaged");
            Ok(None)
        }
        other => other,
    }
}

/// When anything was last heard of a run that left no end.
pub fn last_sign_of_life(run: &RunDir) -> io::Result<EpochMs> {
    let mut latest = EpochMs(0);
    for name in [SPEC, CHILD, PROGRESS] {
        latest = latest.max(written_at(run, name)?.unwrap_or(latest));
    }
    Ok(latest)
}

/// When the job last wrote anything, if it ever did.
pub fn last_output(run: &RunDir) -> io::Result<Option<EpochMs>> {
    if Progress::read(run)?.total == 0 { Ok(None) } else { written_at(run, PROGRESS) }
}

fn written_at(run: &RunDir, name: &str) -> io::Result<Option<EpochMs>> {
    match run.readable(name) {
        Ok(file) => {
            let meta = file.metadata()?;
            Ok(Some(EpochMs(meta.mtime() * 1000 + meta.mtime_nsec() / 1_000_000)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
