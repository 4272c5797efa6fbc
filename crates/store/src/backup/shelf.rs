//! The copies that there are, by their names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gatehouse_domain::{EpochMs, Utc};

/// The directory beside the data file.
pub(crate) const DIR: &str = "backups";

/// How many are kept.
pub const BACKUPS_KEPT: usize = 7;
/// How many damaged ones, for whoever wants to look into them.
const DAMAGED_KEPT: usize = 2;

/// A whole copy of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The name of its file.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// When it was made.
    pub at: EpochMs,
    /// Its size.
    pub bytes: u64,
}

/// The name of the copy of a moment.
pub(crate) fn name(at: EpochMs) -> String {
    format!("{}.db", at.utc())
}

/// The moment in a name, if it is one of ours to the letter.
fn moment(name: &str) -> Option<EpochMs> {
    let mut numbers = name.strip_suffix("Z.db")?.split(['-', 'T']).map(str::parse);
    let mut next = || numbers.next()?.ok();
    let (year, month, day) = (next()?, next()?, next()?);
    let at = Utc { year, month, day, hour: next()?, minute: next()?, second: next()? }.moment()?;
    (self::name(at) == name).then_some(at)
}

/// Where the backups of a profile lie.
pub fn backups_dir(profile: &Path) -> PathBuf {
    profile.join(DIR)
}

/// The backups of a profile, the newest first. Nothing else in their directory counts.
pub fn backups(profile: &Path) -> io::Result<Vec<Backup>> {
    listed(&backups_dir(profile), moment)
}

/// Removes what is beyond those that are kept, after a copy of this moment was made. What lies after that moment is the
/// mistake of a clock: it goes before anything that is true, and before the new copy itself.
pub(crate) fn keep_newest(dir: &Path, at: EpochMs) {
    let damaged = |name: &str| moment(name.strip_prefix("damaged-")?);
    let surplus = listed(dir, moment).and_then(|good| {
        let bad = listed(dir, damaged)?;
        Ok(beyond(good, BACKUPS_KEPT, at).chain(beyond(bad, DAMAGED_KEPT, at)).collect::<Vec<_>>())
    });
    let removed = surplus.and_then(|surplus| surplus.iter().try_for_each(|old| fs::remove_file(&old.path)));
    if let Err(error) = removed {
        tracing::warn!(%error, "an old backup stays");
    }
}

fn beyond(mut listed: Vec<Backup>, kept: usize, at: EpochMs) -> impl Iterator<Item = Backup> {
    listed.sort_by_key(|backup| backup.at > at);
    listed.into_iter().skip(kept)
}

fn listed(dir: &Path, moment: impl Fn(&str) -> Option<EpochMs>) -> io::Result<Vec<Backup>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(at) = moment(&name) {
            found.push(Backup { name, path: entry.path(), at, bytes: entry.metadata()?.len() });
        }
    }
    found.sort_by_key(|backup| std::cmp::Reverse(backup.at));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_moment_to_the_second() {
        let at = EpochMs(1_772_357_401_000);
        assert_eq!(name(at), "2026-03-01T09-30-01Z.db");
        assert_eq!(moment(&name(at)), Some(at));
        for other in
            ["2026-02-30T00-00-00Z.db", "2026-03-01.db", "damaged-2026-03-01T09-30-01Z.db", "copy.part", "../x"]
        {
            assert_eq!(moment(other), None, "{other}");
        }
    }
}
