//! A window that cannot work says why and what to do, and touches nothing.

use std::fs;

use gatehouse_tests::{Result, Setup as ServerSetup};
use serde_json::json;

use crate::app::Setup;

#[tokio::test]
async fn a_damaged_database_is_named_and_left_alone() -> Result {
    let setup = Setup::bare("damaged")?;
    fs::create_dir_all(setup.house().profile())?;
    let garbage: Vec<u8> = (0..8192_u32).map(|n| u8::try_from(n * 7 % 251).unwrap_or_default()).collect();
    fs::write(setup.house().database(), &garbage)?;
    let app = setup.open().await?;
    let words = app.says(".transcript-state, .banner", "gatehouse.db").await?;
    app.picture("said").await?;
    let words = words.as_str().unwrap_or_default();
    assert!(words.split_whitespace().count() > 10, "what is wrong and what to do: {words}");
    assert!(fs::read(app.house.database())? == garbage, "the file was touched");
    assert_eq!(app.run("return document.querySelectorAll('button.primary').length", &[]).await?, json!(0), "{words}");
    let database = app.house.database();
    app.close().await?;
    drop(database);
    Ok(())
}

#[tokio::test]
async fn a_second_gateway_on_a_profile_is_refused_in_words() -> Result {
    let setup = Setup::bare("second-gateway")?;
    let server = ServerSetup::bare().start_in(setup.house().clone()).await?;
    let session = server.session().await?;
    let app = setup.open().await?;
    let words = app.until(
        "words about the other one",
        "return [...document.querySelectorAll('.transcript-state, .banner')].map((each) => each.innerText).find((text) => text.length > 20) ?? null",
        &[],
    );
    let words = words.await?;
    app.picture("said").await?;
    let words = words.as_str().unwrap_or_default();
    assert!(words.contains("already"), "{words}");
    app.close().await?;
    // The first one has not noticed.
    let sessions = server.call("list_sessions", json!({})).await?;
    assert!(sessions.to_string().contains(&session));
    drop(server);
    Ok(())
}
