//! The very first start: which model shall answer.

use std::fs;

use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_tests::Result;

use crate::app::{App, Setup};
use crate::page::ENTER;

const NO_FIRST_RUN: &str = "return document.querySelector('[data-testid=first-run]') === null";

#[tokio::test]
async fn a_server_on_this_computer_is_one_enter_away() -> Result {
    let lab = Scripted::start([say("Hello from this computer."), say("Still here.")]).await?;
    let setup = Setup::bare("first-run")?.config(&format!("[agent]\nlocal_ports = [{}]\n", lab.port()))?;
    let file = setup.config_file();
    let app = setup.open().await?;
    let card = app.seen("[data-testid=first-run-server-lm_studio]").await?;
    app.until("a start that waits for Enter", &focused("first-run-start"), &[]).await?;
    assert_eq!(card.prop("checked").await?.as_deref(), Some("true"), "what is here is chosen already");
    let words = app.says("[data-testid=first-run]", &format!("port {}", lab.port())).await?;
    let words = words.as_str().unwrap_or_default();
    assert!(words.contains("Stays on this computer") && words.contains("scripted"), "{words}");
    app.picture("found").await?;
    app.client.active_element().await?.send_keys(ENTER).await?;
    app.seen("[data-testid=composer]").await?;
    app.until("a composer that can be typed into", &focused("composer"), &[]).await?;
    app.send("Hello").await?;
    assert_eq!(app.answer(1).await?, "Hello from this computer.");
    app.picture("answered").await?;
    assert_eq!(lab.requests()[0].body["model"], "scripted");
    let kept = fs::read_to_string(&file)?;
    assert!(kept.contains("model = \"lm-studio/scripted\""), "{kept}");

    let again = again(app).await?;
    again.send("And now?").await?;
    assert_eq!(again.answer(2).await?, "Still here.");
    again.close().await
}

#[tokio::test]
async fn without_a_model_commands_run_and_nobody_asks_again() -> Result {
    let app = Setup::bare("first-run-none")?.config("[agent]\nlocal_ports = []\n")?.open().await?;
    app.seen("[data-testid=first-run-key]").await?;
    app.picture("nothing-found").await?;
    app.new_session().await?;
    app.says("[data-testid=no-model]", "No model is set up yet").await?;
    app.picture("no-model").await?;
    app.send("!echo without a model").await?;
    app.says("[data-process-id][data-state=exited]", "exited 0").await?;
    app.send("Hello").await?;
    app.says("[data-kind=failed_turn]", "model").await?;
    app.picture("words-without-a-model").await?;
    again(app).await?.close().await
}

/// Closes the window and opens it again: nobody asks any more, and the session is there.
async fn again(app: App) -> Result<App> {
    let setup = Setup::bare("first-run-again")?.at(&app);
    app.close().await?;
    let app = setup.open().await?;
    app.seen("[data-session-id]").await?.click().await?;
    app.seen("[data-testid=composer]").await?;
    app.until("no question at the second start", NO_FIRST_RUN, &[]).await?;
    Ok(app)
}

fn focused(testid: &str) -> String {
    format!("return document.activeElement?.dataset.testid === '{testid}'")
}
