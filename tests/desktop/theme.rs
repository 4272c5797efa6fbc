//! Light and dark follow the desktop.

use std::time::Duration;

use gatehouse_provider::scripted::{Scripted, call, say};
use gatehouse_tests::desk::{Frame, Portal, Scheme, Screen};
use gatehouse_tests::os::{self, Signal};
use gatehouse_tests::{LIMIT, Result};
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until};

use crate::app::{App, LOOK, Setup};

const LOOKS: &str =
    "const shade = (element) => getComputedStyle(element).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);
    return { theme: document.documentElement.dataset.theme, dark: matchMedia('(prefers-color-scheme: dark)').matches,
        page: shade(document.body).reduce((sum, part) => sum + part, 0) }";

#[tokio::test]
async fn the_page_is_dark_where_the_desktop_is() -> Result {
    for (theme, desktop) in [("light", "Adwaita"), ("dark", "Adwaita:dark")] {
        let asks = json!({"command": "sleep 600", "background": true, "notify": true});
        let lab = Scripted::start([
            say("A table, some `code` and a command:\n\n| name | size |\n|---|---|\n| web | 214 MB |\n\n```sh\nnpm run dev -- --port 5173\n```\n").paced(Duration::from_millis(1)),
            call("call_1", "terminal", asks),
        ]);
        let lab = lab.await?;
        let journey = if theme == "light" { "theme-light" } else { "theme-dark" };
        let app = Setup::with(journey, &lab)?.env("GTK_THEME", desktop).open().await?;
        let looks = app.run(LOOKS, &[]).await?;
        assert_eq!((&looks["theme"], &looks["dark"]), (&json!(theme), &json!(theme == "dark")), "{looks}");
        let page = looks["page"].as_u64().unwrap_or_default();
        assert!(if theme == "dark" { page < 200 } else { page > 600 }, "{looks}");
        app.new_session().await?;
        app.send("Show me what you can do").await?;
        app.answer(1).await?;
        app.send("!false").await?;
        app.says("[data-author=machine]", "exited 1").await?;
        app.send("And now the command").await?;
        app.seen(".approval[data-armed=true]").await?;
        app.picture("all").await?;
        app.close().await?;
    }
    Ok(())
}

const THEME: &str = "return document.documentElement.dataset.theme === arguments[0]
    && matchMedia('(prefers-color-scheme: dark)').matches === (arguments[0] === 'dark')";

async fn turns(app: &App, theme: &str) -> Result {
    app.until(theme, THEME, &[json!(theme)]).await.map(drop)
}

#[tokio::test]
async fn the_page_follows_the_desktop_and_a_choice_wins() -> Result {
    let lab = Scripted::start([]).await?;
    let setup = Setup::with("theme-portal", &lab)?;
    let portal = Portal::on(setup.bus(), Scheme::Dark).await?;
    let app = setup.open().await?;
    assert_eq!(app.run(LOOKS, &[]).await?["theme"], "dark", "from the beginning");
    for (scheme, theme) in [(Scheme::Light, "light"), (Scheme::Dark, "dark")] {
        portal.wish(scheme).await?;
        turns(&app, theme).await?;
    }
    app.settings("appearance").await?;
    app.picture("dark").await?;
    app.choose("setting-look.theme", "light").await?;
    turns(&app, "light").await?;
    app.picture("chosen").await?;
    portal.wish(Scheme::Light).await?;
    portal.wish(Scheme::Dark).await?;
    let again = Setup::bare("theme-again")?.at(&app);
    app.close().await?;

    let app = again.open().await?;
    assert_eq!(app.run(LOOKS, &[]).await?["theme"], "light", "what is set outlives the program");
    app.settings("appearance").await?;
    app.choose("setting-look.theme", "system").await?;
    turns(&app, "dark").await?;
    app.close().await
}

/// How often the display is looked at while a window opens, and for how long after the first thing that is painted.
const EVERY: Duration = Duration::from_millis(50);
const WATCHED: Duration = Duration::from_secs(4);
/// And at least so often, however long a look takes.
const LOOKS_AT_LEAST: usize = 12;
/// A display with nothing on it is black.
const EMPTY: f64 = 0.99;

#[tokio::test]
async fn no_frame_flashes_white_in_the_dark() -> Result {
    let light = opening(Scheme::Light).await?;
    assert!(light.iter().any(|frame| frame.white > 0.3), "white would not be seen: {light:?}");
    let dark = opening(Scheme::Dark).await?;
    println!(
        "{} frames of a dark window, the whitest {:?}",
        dark.len(),
        dark.iter().map(|f| f.white).fold(0.0, f64::max)
    );
    assert!(dark.iter().all(|frame| frame.white < 0.05), "a white frame: {dark:?}");
    Ok(())
}

/// What is painted from the moment at which the window is mapped.
async fn opening(scheme: Scheme) -> Result<Vec<Frame>> {
    let lab = Scripted::start([]).await?;
    let setup = Setup::with("opening", &lab)?;
    let _turn = setup.turn().await;
    let _portal = Portal::on(setup.bus(), scheme).await?;
    let screen = Screen::open()?;
    let mut child = setup.start_alone()?;
    let deadline = Instant::now() + LIMIT;
    while !screen.windows_of(child.id())?.first().is_some_and(|window| screen.is_seen(*window).unwrap_or(false)) {
        if Instant::now() > deadline {
            return Err("no window".into());
        }
        sleep(LOOK / 10).await;
    }
    let (mut frames, mut end) = (Vec::new(), None::<Instant>);
    let deadline = Instant::now() + LIMIT;
    while frames.len() < LOOKS_AT_LEAST || end.is_none_or(|end| Instant::now() < end) {
        let now = Instant::now();
        let frame = screen.frame()?;
        frames.push(frame);
        if end.is_none() && frame.black < EMPTY {
            end = Some(now + WATCHED);
        }
        if end.is_none() && now > deadline {
            return Err("nothing was painted".into());
        }
        sleep_until(now + EVERY).await;
    }
    os::signal(child.id(), Signal::TERM)?;
    os::ended(child.id()).await?;
    assert!(child.wait()?.success());
    Ok(frames)
}
