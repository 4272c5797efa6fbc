//! Light and dark follow the desktop.

use std::time::Duration;

use gatehouse_provider::scripted::{Scripted, call, say};
use gatehouse_tests::Result;
use serde_json::json;

use crate::app::Setup;

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
