//! Images of an answer: looking at it asks nobody for anything.

use gatehouse_provider::scripted::{Scripted, deltas};
use gatehouse_tests::{Result, Site};
use serde_json::json;

use crate::app::Setup;

const WORDS: &str = include_str!("../fixtures/images.md");

/// Images that are shown, by where their bytes come from, and how wide they are.
const SHOWN: &str = "return [...document.querySelectorAll('[data-author=model] img')].map((image) =>
    [image.src.slice(0, 5), image.complete && image.naturalWidth])";

#[tokio::test]
async fn nothing_is_fetched_before_a_press() -> Result {
    let site = Site::start().await?;
    let words = WORDS.replace("PORT", &site.port().to_string());
    let pieces: Vec<_> = words.split_inclusive(' ').collect();
    let lab = Scripted::start(deltas(pieces)).await?;
    let app = Setup::with("images", &lab)?.open().await?;
    app.new_session().await?;
    app.send("Show me").await?;
    app.answer(1).await?;
    app.until(
        "the image that came along",
        &format!("const all = (() => {{ {SHOWN} }})(); return all[0]?.[1] === 1"),
        &[],
    )
    .await?;
    assert_eq!(app.run(SHOWN, &[]).await?, json!([["data:", 1]]));
    app.says("[data-author=model] .md-image-box", "From 127.0.0.1, not loaded").await?;
    app.picture("not-loaded").await?;
    assert_eq!(site.asked(), [""; 0], "somebody was asked by looking");

    app.seen("[data-author=model] .md-image-box button").await?.click().await?;
    app.until(
        "both images",
        &format!("const all = (() => {{ {SHOWN} }})(); return all.length === 2 && all[0][1] === 2"),
        &[],
    )
    .await?;
    app.picture("one-loaded").await?;
    assert_eq!(site.asked(), ["/p.png?leak=SECRET-1"], "one press is one request");

    // What is looked at again is not asked for again.
    app.reload().await?;
    app.seen("[data-session-id]").await?.click().await?;
    app.answer(1).await?;
    app.seen("[data-author=model] .md-image-box button").await?;
    assert_eq!(site.asked().len(), 1);
    app.close().await
}
