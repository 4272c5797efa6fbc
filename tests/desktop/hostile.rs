//! Words of a model that would like to be markup, scripts or the window itself.

use std::time::Duration;

use fantoccini::Locator;
use gatehouse_provider::scripted::{Scripted, deltas};
use gatehouse_tests::Result;
use serde_json::{Value, json};

use crate::app::{App, Setup};

const CORPUS: &str = include_str!("../../crates/text/tests/fixtures/markup.md");

/// Whatever sets the variable that the corpus tries to set is caught.
const TRAP: &str = "window.caught = [];
    Object.defineProperty(window, '__xss', { get: () => undefined, set: (value) => { window.caught.push(value) } });";

/// Elements and attributes that no words may become.
const MADE: &str = "const within = [...document.querySelectorAll('[data-item-id] *')];
    const tags = 'script iframe object embed form input style base meta link math details img animate frame'.split(' ');
    return within.flatMap((element) => [
        ...(tags.includes(element.localName) ? [element.outerHTML.slice(0, 80)] : []),
        ...[...element.attributes].map((each) => each.name).filter((name) => /^on|^href|^src|^action|^style$/.test(name)),
        ...(['root', '__TAURI_INTERNALS__'].includes(element.id) ? [element.id] : []),
    ])";

#[tokio::test]
async fn markup_stays_words_in_pieces_and_as_a_whole() -> Result {
    assert!(CORPUS.is_ascii(), "pieces of three bytes would cut letters");
    let pieces: Vec<_> = (0..CORPUS.len()).step_by(3).map(|at| &CORPUS[at..CORPUS.len().min(at + 3)]).collect();
    let lab = [deltas(pieces).paced(Duration::from_millis(1)), deltas([CORPUS])];
    let lab = Scripted::start(lab).await?;
    let app = Setup::with("hostile", &lab)?.open().await?;
    let address = app.client.current_url().await?;
    app.run(TRAP, &[]).await?;
    app.new_session().await?;
    for (n, words) in ["In pieces", "As a whole"].into_iter().enumerate() {
        app.send(words).await?;
        app.answer(n + 1).await?;
        app.picture(words.split(' ').next_back().unwrap_or_default()).await?;
        harmless(&app).await?;
    }
    let caught = app.run("return window.caught", &[]).await?;
    assert_eq!(caught, json!([]), "something of the corpus came alive");
    assert_eq!(app.refused().await?, [""; 0], "the page's policy had to refuse something");

    app.reload().await?;
    app.seen("[data-session-id]").await?.click().await?;
    app.answer(2).await?;
    harmless(&app).await?;
    assert_eq!(app.run("return window.__xss ?? null", &[]).await?, Value::Null);
    assert_eq!(app.client.current_url().await?, address);
    assert_eq!(app.opened(), [""; 0]);

    // The window still works.
    app.send("And now?").await?;
    assert_eq!(app.answer(3).await?, "ok");
    app.close().await
}

/// The check at the end of each journey can fail.
#[tokio::test]
async fn what_the_policy_refuses_is_noticed() -> Result {
    let lab = Scripted::start([]).await?;
    let app = Setup::with("refused", &lab)?.open().await?;
    app.run("document.body.setAttribute('style', 'color: red')", &[]).await?;
    assert_eq!(app.refused().await?, ["style-src-attr inline"]);
    // The driver is not always quick enough to watch a page from its beginning; one that it did is refused nothing.
    for _ in 0..20 {
        app.reload().await?;
        if app.run("return window.notedWhen", &[]).await? == "loading" {
            return app.close().await;
        }
    }
    Err("no page was watched from its beginning".into())
}

async fn harmless(app: &App) -> Result {
    assert_eq!(app.run(MADE, &[]).await?, json!([]), "words became more than words");
    let whole = app.run(
        "return [document.querySelectorAll('#root').length, getComputedStyle(document.body).display,
            typeof window.__TAURI_INTERNALS__, typeof window.__TAURI_INTERNALS__.invoke, document.querySelectorAll('iframe').length]",
        &[],
    );
    assert_eq!(whole.await?, json!([1, "block", "object", "function", 0]));
    let body = app.client.find(Locator::Css("body")).await?;
    assert!(body.is_displayed().await?);
    let made = "return [...document.querySelectorAll('[data-author=model]')].map((row) => [
        [...row.querySelectorAll('strong')].some((each) => each.textContent === 'bold stays'),
        [...row.querySelectorAll('code')].some((each) => each.textContent === 'code stays'),
        row.querySelector('pre')?.textContent.includes('<b>in code</b>') ?? false,
        row.querySelectorAll('.md-table td').length > 0,
        row.textContent.includes('<script>window.__xss=1</script>')])";
    for made in app.run(made, &[]).await?.as_array().into_iter().flatten() {
        assert_eq!(*made, json!([true, true, true, true, true]), "what is harmless is still shown");
    }
    Ok(())
}
