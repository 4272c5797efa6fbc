//! Walking the sources: everything below the top of the checkout that a person wrote.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

/// One text file: its path from the top, with forward slashes, and what stands in it.
pub struct Source {
    pub path: String,
    pub text: String,
}

/// Made by programs, or not ours.
const SKIPPED: [&str; 6] = [".git", "node_modules", "target", "dist", "gen", "coverage"];

pub fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of one file that must be there.
pub fn read(path: &str) -> Result<String> {
    fs::read_to_string(top().join(path)).map_err(|error| format!("{path}: {error}").into())
}

/// All files below `dir` with one of these endings, in a stable order.
pub fn sources(dir: &str, endings: &[&str]) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    walk(&top().join(dir), dir, endings, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn walk(dir: &Path, shown: &str, endings: &[&str], found: &mut Vec<Source>) -> Result {
    for entry in fs::read_dir(dir).map_err(|error| format!("{shown}: {error}"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if shown.is_empty() { name.clone() } else { format!("{shown}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            walk(&entry.path(), &path, endings, found)?;
        } else if kind.is_file() && endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(Source { text: fs::read_to_string(entry.path()).map_err(|e| format!("{path}: {e}"))?, path });
        }
    }
    Ok(())
}
