//! The page begins anew in the middle of an answer.

use std::time::Duration;

use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_tests::{LIMIT, Result};

use crate::app::Setup;

#[tokio::test]
async fn nothing_is_doubled_or_lost() -> Result {
    let whole: Vec<_> = (1..=120).map(|n| format!("w{n:03}")).collect();
    let whole = whole.join(" ");
    // Half a minute, of which a busy machine needs some to begin the page anew.
    let lab = Scripted::start(say(&whole).paced(Duration::from_millis(250))).await?;
    let app = Setup::with("reload", &lab)?.open().await?;
    app.new_session().await?;
    app.send("Count, please").await?;
    app.says("[data-author=model][data-streaming=true]", "w010").await?;
    app.reload().await?;
    app.watch().await?;
    let back = "const row = document.querySelector('[data-session-id]');
        if (document.querySelector('[data-item-id]') === null) row?.click();
        return document.querySelector('[data-author=model][data-streaming=true]') !== null";
    app.until("the answer that still streams", back, &[]).await?;
    app.picture("again").await?;

    assert_eq!(app.answer_within(2 * LIMIT, 1).await?, whole);
    let seen = app.watched().await?;
    assert!(seen.len() > 3, "after the reload the answer did not grow before the eyes: {seen:?}");
    // A space behind the last word shows nothing, and the text that is drawn may have it or not.
    for words in seen.iter().map(|words| words.trim_end()) {
        assert!(whole.starts_with(words), "something else stood there for a moment: {words:?}");
    }
    assert!(seen.is_sorted_by_key(|words| words.trim_end().len()), "the answer became shorter: {seen:?}");
    app.picture("whole").await?;
    assert_eq!(app.shape().await?, ["human message", "model message"]);
    let page = app.run("return document.querySelector('[role=region]').textContent", &[]).await?;
    let page = page.as_str().unwrap_or_default();
    for word in whole.split(' ') {
        assert_eq!(page.matches(word).count(), 1, "{word}");
    }
    assert_eq!(lab.requests().len(), 1, "the turn was begun again");
    assert_eq!(lab.abandoned(), 0, "the turn was given up");

    // A page that begins anew at rest shows the same.
    app.reload().await?;
    app.seen("[data-session-id]").await?.click().await?;
    assert_eq!(app.answer(1).await?, whole);
    assert_eq!(app.shape().await?, ["human message", "model message"]);
    app.close().await
}
