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
    assert!(links.len() >= 7, "the web, mail and doubtful names are links: {}", links.len());
    let mut wanted = Vec::new();
    let mut asked = 0;
    for link in &links {
        let target = link.attr("title").await?.ok_or("a link without its target")?;
        assert!(["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)), "{target}");
        for way in [Way::Click, Way::Middle, Way::Enter] {
            if !press(&app, link, way).await? {
                continue;
            }
            if app.run(DOUBTFUL, &[serde_json::to_value(link)?]).await? == true {
                app.until("a question that can be answered", REACHABLE, &[]).await?;
                assert_eq!(app.opened(), wanted, "it was opened before it was allowed");
                asked += 1;
                if asked == 1 {
                    app.picture("asks").await?;
                }
                app.client.find(Locator::Css(OPEN)).await?.click().await?;
            }
            wanted.push(target.clone());
            opened(&app, &wanted).await?;
            assert_eq!(app.client.current_url().await?, address, "{target} by {way:?}");
        }
    }
    assert!(asked >= 4, "a foreign name and a name before the host ask first: {asked}");
    for words in ["same", "rel", "root", "file", "js", "cmd", "smb", "tauri", "ipc"] {
        assert_eq!(app.run(PRESSED, &[json!(words)]).await?, "words", "{words} became a link");
    }
    // The last one shows that whatever the others had begun would have arrived before it.
    press(&app, &links[0], Way::Click).await?;
    wanted.extend(wanted.first().cloned());
    opened(&app, &wanted).await?;
    assert_eq!(app.client.current_url().await?, address);
    assert_eq!(app.client.windows().await?.len(), 1);
    app.close().await
}

#[derive(Debug, Clone, Copy)]
enum Way {
    Click,
    Middle,
    Enter,
}

/// Presses a link; false when this way is no press for the page.
async fn press(app: &App, link: &Element, way: Way) -> Result<bool> {
    let element = serde_json::to_value(link)?;
    let listen =
        "window.pressed = 0; arguments[0].addEventListener('click', () => { window.pressed += 1 }, { once: true });
        arguments[0].scrollIntoView({ block: 'center' })";
    app.run(listen, std::slice::from_ref(&element)).await?;
    match way {
        Way::Click => link.click().await?,
        Way::Enter => {
            app.run("arguments[0].focus()", &[element]).await?;
            app.client.active_element().await?.send_keys(ENTER).await?;
            return Ok(true);
        }
        Way::Middle => {
            let mouse = MouseActions::new("mouse".to_owned())
                .then(PointerAction::MoveToElement { element: link.clone(), duration: None, x: 0.0, y: 0.0 })
                .then(PointerAction::Down { button: MOUSE_BUTTON_MIDDLE })
                .then(PointerAction::Up { button: MOUSE_BUTTON_MIDDLE });
            app.client.perform_actions(mouse).await?;
            // What a browser would make a new tab of.
            let aux = "arguments[0].dispatchEvent(new MouseEvent('auxclick', { bubbles: true, cancelable: true, button: 1 }))";
            app.run(aux, &[element]).await?;
        }
    }
    // Some versions of the driver end a press of the middle button as one of the first.
    Ok(app.run("return window.pressed > 0", &[]).await? == true)
}

/// Says "Open in browser".
const OPEN: &str = ".md-confirm button";

/// Whether a link's words and its target name different places, so that it must ask first.
const DOUBTFUL: &str = "return arguments[0].nextElementSibling?.classList.contains('md-host') ?? false";

/// The question can be pressed, and stands where it stood at the last look.
const REACHABLE: &str = "const button = document.querySelector('.md-confirm button');
    if (button === null) return false;
    button.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = button.getBoundingClientRect();
    const before = window.place;
    window.place = top;
    return before === top && document.elementFromPoint(left + width / 2, top + height / 2) === button";

/// Presses the words of a refused link, whatever they became, and says what that is.
const PRESSED: &str = "const row = document.querySelector('[data-author=model] article');
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const words = walker.currentNode.textContent.split(/\\s+/);
        const element = walker.currentNode.parentElement;
        if (!words.includes(arguments[0])) continue;
        element.click();
        return element.closest('a') === null ? 'words' : 'link';
    }
    return 'nothing'";

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
