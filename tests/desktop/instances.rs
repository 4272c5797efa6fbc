//! One window for each home.

use gatehouse_tests::{Result, os};

use crate::app::Setup;

#[tokio::test]
async fn a_second_start_on_a_home_gives_way_and_one_on_another_home_lives() -> Result {
    let app = Setup::bare("instances")?.open().await?;
    app.new_session().await?;
    let mut again = Setup::bare("again")?.at(&app).start_alone()?;
    os::ended(again.id()).await?;
    assert!(again.wait()?.success());
    app.send("!echo still here").await?;
    app.says("[data-author=machine]", "Machine note").await?;

    let other = Setup::bare("instances-other")?.on(&app.bus).open_beside(&app).await?;
    other.new_session().await?;
    other.send("!echo here too").await?;
    other.says("[data-author=machine]", "Machine note").await?;
    app.seen("[data-testid=composer]").await?;
    assert!(!other.run("return document.body.innerText", &[]).await?.to_string().contains("still here"));
    other.close().await?;
    app.send("!echo after all").await?;
    app.says("[data-process-id][data-state=exited]", "after all").await?;
    app.close().await
}
