//! A command that a person does not want.

use gatehouse_provider::scripted::{Scripted, call, say};
use gatehouse_tests::{Result, strict};
use serde_json::json;

use crate::app::Setup;
use crate::page::ENTER;

const REASON: &str = "Use pnpm here, not npm";

#[tokio::test]
async fn a_denied_command_does_not_run_and_the_agent_hears_why() -> Result {
    let asks = json!({"command": "touch ran && npm install left-pad"});
    let lab = Scripted::start([call("call_npm", "terminal", asks), say("Then with pnpm.")]).await?;
    let app = Setup::with("deny", &lab)?.open().await?;
    app.new_session().await?;
    app.send("Add left-pad").await?;
    app.seen(".approval[data-armed=true]").await?;
    app.picture("question").await?;
    app.press_until_gone("[data-kind=approval] [data-choice=reason]").await?;
    app.seen(".approval-field").await?.send_keys(REASON).await?;
    app.picture("reason").await?;
    app.seen(".approval-field").await?.send_keys(ENTER).await?;
    app.says("[data-item-id]", &format!(": {REASON}")).await?;
    let row = app.says("[data-item-id]", "Denied by you").await?;
    assert!(row.as_str().is_some_and(|row| row.contains("npm install left-pad")), "{row}");
    assert_eq!(app.answer(1).await?, "Then with pnpm.");
    app.picture("denied").await?;

    let told = strict::result_of(&lab.wait_for_request(2).await.body, "call_npm").unwrap_or_default();
    assert!(told.contains(REASON), "the agent was told: {told}");
    assert!(!app.house.person().join("ran").exists(), "it ran");
    assert_eq!(app.run("return document.querySelectorAll('[data-process-id]').length", &[]).await?, json!(0));
    assert_eq!(app.run("return document.querySelectorAll('.approval').length", &[]).await?, json!(0));
    strict::check_all(&lab)?;
    app.close().await
}
