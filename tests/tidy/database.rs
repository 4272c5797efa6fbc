//! Only the store opens the database file: closing any other descriptor of it would drop SQLite's locks.

use crate::tree::Source;
use crate::{Result, none, tree};

/// Who looks into a database from outside: tests at what was written, benches at how long it took.
const OUTSIDE: [&str; 4] = ["crates/store/", "crates/bench/", "crates/gateway/tests/", "tests/"];

#[test]
fn only_the_store_opens_the_database() -> Result {
    let mut sources = tree::sources("crates", &[".rs"])?;
    sources.extend(tree::sources("src-tauri", &[".rs"])?);
    none(sources.iter().flat_map(offences).collect())
}

#[test]
fn another_opener_is_found() {
    let source = Source {
        path: "crates/gateway/src/copy.rs".into(),
        text: "fn a() {}\nlet db = rusqlite::Connection::open(path)?;\nfs::copy(dir.join(\"gatehouse.db\"), to)?;"
            .into(),
    };
    assert_eq!(offences(&source).len(), 2);
    let own = Source { path: "crates/store/src/open.rs".into(), text: source.text };
    assert!(offences(&own).is_empty());
}

fn offences(source: &Source) -> Vec<String> {
    if OUTSIDE.iter().any(|prefix| source.path.starts_with(prefix)) {
        return Vec::new();
    }
    let opens = |line: &str| {
        ["rusqlite::", "Connection::open", "\"gatehouse.db"].iter().any(|word| line.contains(word))
            && !line.trim_start().starts_with("//")
    };
    let lines = source.text.lines().enumerate().filter(|(_, line)| opens(line));
    lines.map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim())).collect()
}
