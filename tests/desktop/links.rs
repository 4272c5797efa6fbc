//! Ways out of the window: the web and mail go to the system's own programs, and the window itself goes nowhere.

use fantoccini::actions::{InputSource as _, MOUSE_BUTTON_MIDDLE, MouseActions, PointerAction};
use fantoccini::{Locator, elements::Element};
use gatehouse_provider::scripted::{Scripted, deltas};
use gatehouse_tests::{LIMIT, Result};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::app::{App, LOOK, Setup};
use crate::page::ENTER;

const LINKS: &str = include_str!("../../crates/text/tests/fixtures/links.md");

#[tokio::test]
async fn no_link_moves_the_window() -> Result {
    let lab = Scripted::start(deltas([LINKS])).await?;
    let app = Setup::with("links", &lab)?.open().await?;
    let address = app.client.current_url().await?;
    app.new_session().await?;
    app.send("Links, please").await?;
    app.answer(1).await?;
    app.picture("shown").await?;
    // Nothing that a browser follows by itself: no addresses in the markup, and none of the refused kinds is a link.
    let bare = "return document.querySelectorAll('[data-item-id] :is([href], [src], [ping], [target])').length";
    assert_eq!(app.run(bare, &[]).await?, json!(0));

    let links = app.client.find_all(Locator::Css("[data-author=model] a")).await?;
    let mut wanted = Vec::new();
    let mut asked = 0;
    for link in &links {
        let target = link.attr("title").await?.ok_or("a link without its target")?;
        assert!(["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)), "{target}");
        app.run("arguments[0].scrollIntoView({ block: 'nearest' })", &[serde_json::to_value(link)?]).await?;
        app.run("window.ev=[]; for (const t of ['click','auxclick','mousedown','mouseup','keydown']) arguments[0].addEventListener(t, (e) => window.ev.push(t + e.button))", &[serde_json::to_value(link)?]).await?;
        middle_click(&app, link).await?;
        println!("{} {:?}", app.run("return window.ev", &[]).await?, app.opened());
        sleep(std::time::Duration::from_millis(500)).await;
        println!("{} {:?}", app.run("return window.ev", &[]).await?, app.opened());
        for _way in 0..2 {
            if _way == 0 {
                app.run("arguments[0].click()", &[serde_json::to_value(link)?]).await?;
            } else {
                link.send_keys(ENTER).await?;
            }
            if let Ok(open) = app.client.find(Locator::Css(".md-confirm button")).await {
                let opened = app.opened();
                assert_eq!(opened, wanted, "it was opened before it was allowed");
                if asked == 0 {
                    app.picture("asks").await?;
                }
                asked += 1;
                open.click().await?;
            }
            if !target.contains(".localhost") {
                wanted.push(target.clone());
                opened(&app, &wanted).await?;
            }
        }
        assert_eq!(app.client.current_url().await?, address, "{target}");
    }
    assert!(asked >= 4, "a foreign name and a name before the host ask first: {asked}");
    let words: Vec<_> = ["file", "js", "cmd", "smb", "tauri", "same", "rel", "root"].into_iter().collect();
    let inert = app.run(
        "return [...document.querySelectorAll('[data-author=model] .md-inert')].map((each) => each.innerText)",
        &[],
    );
    let inert = inert.await?;
    for word in words {
        let found = app.run(PRESSED, &[json!(word)]).await?;
        assert_ne!(found, "link", "{word}: {inert}");
    }
    assert_eq!(app.client.current_url().await?, address);
    assert_eq!(app.opened(), wanted);
    assert_eq!(app.client.windows().await?.len(), 1);
    app.close().await
}

/// Presses the words of a refused link, whatever they became, and says what that is.
const PRESSED: &str = "const row = document.querySelector('[data-author=model] article');
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const words = walker.currentNode.textContent.trim();
        const element = walker.currentNode.parentElement;
        if (words !== arguments[0]) continue;
        element.click();
        return element.closest('a') === null ? 'words' : 'link';
    }
    return 'nothing'";

async fn middle_click(app: &App, link: &Element) -> Result {
    let mouse = MouseActions::new("mouse".to_owned())
        .then(PointerAction::MoveToElement { element: link.clone(), duration: None, x: 0.0, y: 0.0 })
        .then(PointerAction::Down { button: MOUSE_BUTTON_MIDDLE })
        .then(PointerAction::Up { button: MOUSE_BUTTON_MIDDLE });
    Ok(app.client.perform_actions(mouse).await?)
}

/// Waits until exactly these were opened.
async fn opened(app: &App, wanted: &[String]) -> Result {
    let deadline = Instant::now() + LIMIT;
    while app.opened().len() < wanted.len() {
        if Instant::now() > deadline {
            return Err(format!("not opened: {:?}; opened: {:?}", wanted.last(), app.opened()).into());
        }
        sleep(LOOK).await;
    }
    assert_eq!(app.opened(), wanted);
    Ok(())
}
