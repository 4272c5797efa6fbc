//! Only `ui/src/bridge/` talks to the host of the window, so that the pages also run in a plain browser.

use regex::Regex;

use crate::tree::Source;
use crate::{Result, none, tree};

#[test]
fn only_the_bridge_knows_the_host() -> Result {
    let sources = tree::sources("ui/src", &[".ts", ".tsx"])?;
    assert!(sources.iter().any(is_bridge), "ui/src/bridge was not found: this check looks in the wrong place");
    let host = host()?;
    none(sources.iter().flat_map(|source| offences(&host, source)).collect())
}

#[test]
fn a_way_around_the_bridge_is_found() -> Result {
    let text = "import { invoke } from \"@tauri-apps/api/core\";\nimport type { Item } from '../bridge/bindings';\n\
                const more = await import(\"@tauri-apps/api/event\");\nimport { bridge } from \"../bridge\";\n";
    let mut source = Source { path: "ui/src/task/card.tsx".into(), text: text.into() };
    assert_eq!(offences(&host()?, &source).len(), 3);
    source.path = "ui/src/bridge/tauri.ts".into();
    assert!(offences(&host()?, &source).is_empty());
    Ok(())
}

fn host() -> Result<Regex> {
    Ok(Regex::new(r#"(from|import)\s*\(?\s*["'](@tauri-apps/|[^"']*/bindings(\.ts)?["'])"#)?)
}

fn is_bridge(source: &Source) -> bool {
    source.path.starts_with("ui/src/bridge/") || source.path == "ui/src/bridge.ts"
}

fn offences(host: &Regex, source: &Source) -> Vec<String> {
    if is_bridge(source) {
        return Vec::new();
    }
    let lines = source.text.lines().enumerate().filter(|(_, line)| host.is_match(line));
    lines.map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim())).collect()
}
