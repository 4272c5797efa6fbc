//! Hostile words of a model: they arrive as words, never as anything that a page could run.

use gatehouse_provider::scripted::{Scripted, deltas};
use gatehouse_tests::{Mirror, Result, Setup, http};
use serde_json::Value;

/// Script, styles, frames, forms and links of every bad kind, among harmless Markdown.
const CORPUS: &str = include_str!("../../crates/text/tests/fixtures/markup.md");

#[tokio::test]
async fn hostile_markdown_is_only_words() -> Result {
    let pieces: Vec<String> =
        CORPUS.chars().collect::<Vec<_>>().chunks(3).map(|piece| piece.iter().collect()).collect();
    let lab = Scripted::start(deltas(pieces.iter().map(String::as_str))).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window").with_blocks();
    server.send(&session, "<img src=x onerror=alert(1)> say it").await?;
    mirror.until("the answer", |m| m.rests(&session).then_some(())).await?;
    mirror.catch_up().await?;
    let item = mirror.transcript(&session).last().map(|item| (*item).clone()).ok_or("no answer")?;
    assert_eq!(item["text"].as_str(), Some(CORPUS), "the words are kept as they are");
    let blocks = item["blocks"].as_array().ok_or("no tree")?;
    let (mut addresses, mut kinds) = (Vec::new(), Vec::new());
    blocks.iter().for_each(|block| gather(block, &mut addresses, &mut kinds));
    for address in &addresses {
        let harmless = ["https://", "http://", "mailto:"].iter().any(|scheme| address.starts_with(scheme));
        assert!(harmless, "{address}");
    }
    for wanted in ["paragraph", "code", "table", "strong"] {
        assert!(kinds.iter().any(|kind| kind == wanted), "the harmless part has a {wanted}: {kinds:?}");
    }
    // There is no such thing as raw HTML in a tree.
    assert!(!kinds.iter().any(|kind| kind.contains("html")), "{kinds:?}");
    Ok(())
}

/// Addresses and kinds of everything in a tree.
fn gather(node: &Value, addresses: &mut Vec<String>, kinds: &mut Vec<String>) {
    match node {
        Value::Object(fields) => {
            addresses.extend(fields.get("url").and_then(Value::as_str).map(str::to_owned));
            kinds.extend(fields.get("type").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| gather(field, addresses, kinds));
        }
        Value::Array(nodes) => nodes.iter().for_each(|node| gather(node, addresses, kinds)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn pages_may_run_nothing_but_their_own_files() -> Result {
    let server = Setup::bare().start().await?;
    for path in ["/", "/index.html", "/nothing/here"] {
        let response = http().get(format!("{}{path}", server.url())).send().await?;
        let header =
            |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{path}: {policy}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert!(response.headers().get("set-cookie").is_none(), "{path}");
    }
    Ok(())
}
