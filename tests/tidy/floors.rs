//! A crate uses lower floors only, and crates of one floor do not know each other.

use toml_edit::{DocumentMut, Item};

use crate::{Result, none, tree};

/// For each crate, which others of ours it may use. `*` is everything but the desktop app.
const MAY_USE: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("fault", &[]),
    ("text", &[]),
    ("engine-wire", &[]),
    ("gguf", &[]),
    ("store", &["domain", "text", "fault"]),
    ("process", &["domain", "text", "fault"]),
    ("provider", &["domain", "text", "engine-wire"]),
    ("web", &["domain"]),
    ("turn", &["domain", "text"]),
    ("trigger", &["domain", "text"]),
    ("channel", &["domain", "text"]),
    ("engine", &["engine-wire", "gguf"]),
    ("keys", &["domain"]),
    ("agent", &["domain", "text", "process", "provider", "turn", "trigger"]),
    ("delivery", &["domain", "text", "channel"]),
    (
        "gateway",
        &[
            "domain", "text", "fault", "gguf", "store", "process", "provider", "keys", "web", "turn", "trigger",
            "channel", "agent", "delivery",
        ],
    ),
    ("host", &["domain", "text", "gateway"]),
    // A request says which profile it means, and only the house knows which there are.
    ("protocol", &["domain", "text", "gateway", "host"]),
    ("server", &["domain", "text", "fault", "gateway", "protocol", "host"]),
    ("app", &["domain", "text", "gateway", "protocol", "host"]),
    ("bench", &["*"]),
    ("tests", &["*"]),
];

/// Libraries that would break a crate's promise, and who alone may ship with them. Tests of a crate may use what they like.
const WALLS: &[(&str, &[&str])] = &[
    ("tauri", &["app"]),
    ("axum", &["server", "bench", "tests"]),
    ("rusqlite", &["store", "bench", "tests"]),
    ("reqwest", &["provider", "web", "bench", "tests"]),
];

/// Crates that never await, not even in their tests.
const SANS_IO: [&str; 5] = ["domain", "text", "turn", "trigger", "delivery"];

#[test]
fn crates_use_lower_floors_only() -> Result {
    let mut offences = Vec::new();
    for (name, path) in manifests()? {
        offences.extend(offences_of(&name, &tree::read(&path)?)?);
    }
    none(offences)
}

#[test]
fn an_edge_upwards_is_found() -> Result {
    let manifest = "[dependencies]\ngatehouse-domain.workspace = true\n[dev-dependencies]\ngatehouse-gateway = {}\n";
    assert_eq!(offences_of("store", manifest)?, ["store may not use gatehouse-gateway"]);
    Ok(())
}

#[test]
fn an_edge_sideways_is_found() -> Result {
    let manifest = "[target.'cfg(unix)'.dependencies]\nhidden = { package = \"gatehouse-store\", path = \"x\" }\n";
    assert_eq!(offences_of("process", manifest)?, ["process may not use gatehouse-store"]);
    Ok(())
}

#[test]
fn a_library_behind_a_wall_is_found() -> Result {
    let manifest = "[dependencies]\ntauri-plugin-opener = \"2\"\ntokio = \"1\"\n";
    assert_eq!(offences_of("turn", manifest)?, ["turn may not use tauri-plugin-opener", "turn may not use tokio"]);
    Ok(())
}

#[test]
fn a_crate_without_a_floor_is_found() -> Result {
    assert_eq!(offences_of("helpers", "")?, ["helpers stands on no floor: give it one in MAY_USE"]);
    Ok(())
}

/// Each member of the workspace: its short name and where its manifest lies.
fn manifests() -> Result<Vec<(String, String)>> {
    let mut found = vec![("app".into(), "Cargo.toml".into()), ("tests".into(), "tests/Cargo.toml".into())];
    for source in tree::sources("crates", &["Cargo.toml"])? {
        let short = source.path.trim_start_matches("crates/").trim_end_matches("/Cargo.toml").to_owned();
        // A package further down, such as the bench's blank window, is a workspace of its own and part of no floor.
        if !short.contains('/') {
            found.push((short, source.path));
        }
    }
    Ok(found)
}

fn offences_of(name: &str, manifest: &str) -> Result<Vec<String>> {
    let Some((_, allowed)) = MAY_USE.iter().find(|(of, _)| *of == name) else {
        return Ok(vec![format!("{name} stands on no floor: give it one in MAY_USE")]);
    };
    let used = dependencies(&manifest.parse::<DocumentMut>()?);
    let offending = used.iter().filter(|used| !may_use(name, allowed, used));
    Ok(offending.map(|used| format!("{name} may not use {}", used.package)).collect())
}

fn may_use(name: &str, allowed: &[&str], used: &Dependency) -> bool {
    let package = used.package.as_str();
    if package == "gatehouse" {
        return false; // nothing links the desktop app: it would bring WebKit along
    }
    if let Some(floor) = package.strip_prefix("gatehouse-") {
        // A crate may name itself to turn a feature on for its own tests.
        return allowed.contains(&"*") || allowed.contains(&floor) || (floor == name && !used.ships);
    }
    if SANS_IO.contains(&name) && package.starts_with("tokio") {
        return false;
    }
    !used.ships || WALLS.iter().all(|(library, owners)| !is_of_family(package, library) || owners.contains(&name))
}

/// `rusqlite_migration` and `tauri-plugin-opener` belong to `rusqlite` and `tauri`.
fn is_of_family(package: &str, library: &str) -> bool {
    package.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// One dependency by the name of its package; `ships` where it is not for tests only.
struct Dependency {
    package: String,
    ships: bool,
}

/// Every dependency of a manifest, whatever section it stands in.
fn dependencies(manifest: &DocumentMut) -> Vec<Dependency> {
    let mut found = dependencies_in(manifest.as_item());
    if let Some(targets) = manifest.get("target").and_then(Item::as_table_like) {
        found.extend(targets.iter().flat_map(|(_, target)| dependencies_in(target)));
    }
    found
}

fn dependencies_in(item: &Item) -> Vec<Dependency> {
    let mut found = Vec::new();
    for (section, ships) in [("dependencies", true), ("build-dependencies", true), ("dev-dependencies", false)] {
        let Some(section) = item.get(section).and_then(Item::as_table_like) else { continue };
        for (key, value) in section.iter() {
            let package = value.get("package").and_then(Item::as_str).unwrap_or(key).to_owned();
            found.push(Dependency { package, ships });
        }
    }
    found
}
