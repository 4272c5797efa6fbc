//! What stands on the page, and what a person does there.

use std::time::Duration;

use fantoccini::Locator;
use fantoccini::elements::Element;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::app::{App, LOOK};
use crate::{LIMIT, Result};

/// The key that sends.
pub const ENTER: &str = "\u{e007}";
/// The key that puts away what is open.
pub const ESCAPE: &str = "\u{e00c}";
const CONTROL: &str = "\u{e009}";
/// Lets go of what is held.
const RELEASE: &str = "\u{e000}";

/// The session that is open.
const OPEN_SESSION: &str =
    "return document.querySelector('[data-session-id][aria-current=true]')?.dataset.sessionId ?? null";

/// Rows of the transcript in their order: kind, author, whether it streams, words.
const ROWS: &str = "return [...document.querySelectorAll('[data-item-id]')].map((row) => ({
    id: row.dataset.itemId, kind: row.dataset.kind, author: row.dataset.author,
    streaming: row.dataset.streaming === 'true', text: row.innerText }))";

/// Keeps each state of a streaming answer that the page shows, as it shows it.
const WATCH: &str = "window.seen = []; window.watcher = new MutationObserver(() => {
    const row = document.querySelector('[data-author=model][data-kind=message][data-streaming=true]');
    if (row !== null && window.seen.at(-1) !== row.textContent) window.seen.push(row.textContent);
}); window.watcher.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });";

impl App {
    /// Runs a script on the page.
    pub async fn run(&self, script: &str, args: &[Value]) -> Result<Value> {
        Ok(self.client.execute(script, args.to_vec()).await?)
    }

    /// Waits until a script gives something that is neither nothing nor false.
    pub async fn until(&self, what: &str, script: &str, args: &[Value]) -> Result<Value> {
        self.until_within(LIMIT, what, script, args).await
    }

    /// The same, for what may take longer than anything usual.
    pub async fn until_within(&self, limit: Duration, what: &str, script: &str, args: &[Value]) -> Result<Value> {
        let deadline = Instant::now() + limit;
        loop {
            // While the page is loaded anew there is nothing to ask.
            let found = self.run(script, args).await;
            match &found {
                Ok(Value::Null | Value::Bool(false)) | Err(_) => {}
                Ok(_) => return found,
            }
            if Instant::now() > deadline {
                self.picture("not-in-time").await?;
                let words = self.run("return document.body.innerText", &[]).await?;
                return Err(format!(
                    "not in time: {what} ({found:?}). The page says:\n{}",
                    words.as_str().unwrap_or("")
                )
                .into());
            }
            sleep(LOOK).await;
        }
    }

    /// Waits for an element that matches.
    pub async fn seen(&self, selector: &str) -> Result<Element> {
        self.until(selector, "return document.querySelector(arguments[0]) !== null", &[json!(selector)]).await?;
        Ok(self.client.find(Locator::Css(selector)).await?)
    }

    /// Waits for an element that matches and says these words.
    pub async fn says(&self, selector: &str, words: &str) -> Result<Value> {
        let script = "return [...document.querySelectorAll(arguments[0])].map((element) => element.innerText)
            .find((text) => text.includes(arguments[1])) ?? null";
        self.until(&format!("{selector} with \"{words}\""), script, &[json!(selector), json!(words)]).await
    }

    /// Presses until it is taken: a question that has just moved takes a press for an accident, and a person repeats it.
    pub async fn press_until_gone(&self, selector: &str) -> Result {
        let deadline = Instant::now() + LIMIT;
        while let Ok(element) = self.client.find(Locator::Css(selector)).await {
            if Instant::now() > deadline {
                return Err(format!("no press was taken: {selector}").into());
            }
            // It may go while it is being pressed.
            let _gone = element.click().await;
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Takes the model that a first start offers, with one press, and has a session to talk in.
    pub async fn start_with_what_is_offered(&self) -> Result {
        self.until("a choice", "return document.querySelector('.first-card[data-chosen=true]') !== null", &[]).await?;
        self.seen("[data-testid=first-run-start]").await?.click().await?;
        self.seen("[data-testid=composer]").await.map(drop)
    }

    /// Opens a session as a person does who has just come, and gives its id.
    pub async fn new_session(&self) -> Result<String> {
        let before = self.run(OPEN_SESSION, &[]).await?;
        if self.takes_first_run() {
            // The cards move as soon as it is known which servers there are.
            self.until("a choice", "return document.querySelector('.first-card[data-chosen=true]') !== null", &[])
                .await?;
            self.seen("[data-testid=first-run-skip]").await?.click().await?;
            self.seen("[data-testid=first-run-skip]:checked").await?;
            self.seen("[data-testid=first-run-start]").await?.click().await?;
        } else {
            self.seen(".transcript-state button.primary, .sidebar-head > button").await?;
            let ways = self.client.find_all(Locator::Css(".transcript-state button.primary")).await?;
            match ways.first() {
                Some(way) => way.click().await?,
                None => self.seen(".sidebar-head > button").await?.click().await?,
            }
        }
        let opened = format!(
            "const id = (() => {{ {OPEN_SESSION} }})();
            return id !== arguments[0] && document.querySelector('[data-testid=composer]') !== null && id"
        );
        let id = self.until("a new session", &opened, &[before]).await?;
        Ok(id.as_str().unwrap_or_default().to_owned())
    }

    /// Goes to a session.
    pub async fn open_session(&self, id: &str) -> Result {
        self.seen(&format!("[data-session-id='{id}']")).await?.click().await?;
        self.seen(&format!("[data-session-id='{id}'][aria-current=true]")).await?;
        self.seen("[data-testid=composer]").await.map(drop)
    }

    /// The title of a session in the sidebar.
    pub async fn title(&self, id: &str) -> Result<String> {
        // It has none before its first message is kept.
        let named = "const row = document.querySelector(`[data-session-id='${arguments[0]}'] .session-title`);
            return row !== null && row.innerText !== 'New session' && row.innerText";
        let title = self.until("a session with a title", named, &[json!(id)]).await?;
        Ok(title.as_str().unwrap_or_default().to_owned())
    }

    /// Presses a key together with Ctrl.
    pub async fn ctrl(&self, key: &str) -> Result {
        let at = self.client.active_element().await?;
        Ok(at.send_keys(&format!("{CONTROL}{key}{RELEASE}")).await?)
    }

    /// Does something through the palette.
    pub async fn palette(&self, action: &str) -> Result {
        self.ctrl("k").await?;
        self.seen("[data-testid=palette]").await?;
        let line = format!("[data-action='{action}']");
        let element = self.seen(&line).await?;
        // The driver presses only what it finds in sight.
        self.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'nearest' })", &[json!(line)]).await?;
        Ok(element.click().await?)
    }

    /// Opens the notices.
    pub async fn bell(&self) -> Result {
        self.seen("[data-testid=bell]").await?.click().await?;
        self.seen("[data-testid=notices]").await.map(drop)
    }

    /// Opens a room of the settings.
    pub async fn settings(&self, room: &str) -> Result {
        self.ctrl(",").await?;
        self.seen(&format!("[data-testid=settings-nav-{room}]")).await?.click().await?;
        self.seen(&format!("[data-testid=settings-nav-{room}][aria-current=page]")).await.map(drop)
    }

    /// Types over what stands in a field.
    pub async fn fill(&self, field: &str, words: &str) -> Result {
        let element = self.seen(&format!("[data-testid='{field}']")).await?;
        element.click().await?;
        element.clear().await?;
        Ok(element.send_keys(words).await?)
    }

    /// Chooses one of a list.
    pub async fn choose(&self, field: &str, value: &str) -> Result {
        let option = format!("[data-testid='{field}'] option[value='{value}']");
        self.seen(&option).await?;
        let list = self.seen(&format!("[data-testid='{field}']")).await?;
        Ok(list.select_by_value(value).await?)
    }

    /// Loads the page anew.
    pub async fn reload(&self) -> Result {
        self.run("window.before = true; location.reload()", &[]).await?;
        self.page_is_there().await
    }

    /// Types into the composer and presses Enter.
    pub async fn send(&self, words: &str) -> Result {
        let composer = self.seen("[data-testid=composer]").await?;
        composer.click().await?;
        Ok(composer.send_keys(&format!("{words}{ENTER}")).await?)
    }

    /// Begins to keep what the page shows of a streaming answer.
    pub async fn watch(&self) -> Result {
        self.run(WATCH, &[]).await.map(drop)
    }

    /// What was kept.
    pub async fn watched(&self) -> Result<Vec<String>> {
        Ok(serde_json::from_value(self.run("return window.seen", &[]).await?)?)
    }

    /// The transcript's rows.
    pub async fn rows(&self) -> Result<Vec<Value>> {
        Ok(serde_json::from_value(self.run(ROWS, &[]).await?)?)
    }

    /// The kinds and authors of the rows, in their order.
    pub async fn shape(&self) -> Result<Vec<String>> {
        let word = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        Ok(self.rows().await?.iter().map(|row| format!("{} {}", word(row, "author"), word(row, "kind"))).collect())
    }

    /// Waits until the `n`-th answer, counted from 1, is whole, and gives its words.
    pub async fn answer(&self, n: usize) -> Result<String> {
        self.answer_within(LIMIT, n).await
    }

    /// The same, from a model that takes its time.
    pub async fn answer_within(&self, limit: Duration, n: usize) -> Result<String> {
        let script = "const rows = [...document.querySelectorAll('[data-author=model][data-kind=message]')];
            const row = rows[arguments[0] - 1];
            if (row === undefined || row.dataset.streaming === 'true') return null;
            return [...row.querySelectorAll('article > :not(.item-actions)')].map((block) => block.innerText).join('\\n')";
        let words = self.until_within(limit, &format!("answer {n}"), script, &[json!(n)]).await?;
        Ok(words.as_str().unwrap_or_default().trim().to_owned())
    }
}
