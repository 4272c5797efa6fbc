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
    let words = app.says(".transcript-state", "gatehouse.db is damaged").await?;
    app.picture("said").await?;
    let words = words.as_str().unwrap_or_default();
    assert!(words.contains("Nothing was changed") && words.contains("Restore a backup"), "{words}");
    // It is tried again and again, and the file is read each time.
    app.says(".status-bar", "retrying in 4\u{a0}s").await?;
    assert!(fs::read(app.house.database())? == garbage, "the file was touched");
    assert_eq!(app.run("return document.querySelectorAll('button.primary').length", &[]).await?, json!(0), "{words}");
    let left: Vec<_> = fs::read_dir(app.house.profile())?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    assert!(left.iter().all(|name| name == "gatehouse.db" || name == "lock"), "{left:?}");
    app.close().await
}

#[tokio::test]
async fn a_second_gateway_on_a_profile_is_refused_in_words() -> Result {
    // Somebody who has a model already: nothing is to be chosen before the work.
    let address = "base_url = \"http://127.0.0.1:9/v1\"\nmodels = [\"qwen3-4b\"]\n";
    let provider = format!("[[provider]]\nname = \"lab\"\nkind = \"openai-compatible\"\n{address}");
    let setup = Setup::bare("second-gateway")?.config(&provider)?;
    let server = ServerSetup::bare().start_in(setup.house().clone()).await?;
    let session = server.session().await?;
    let app = setup.open().await?;
    let words = app.says(".transcript-state", "in use by another Gatehouse").await?;
    app.picture("said").await?;
    assert!(words.as_str().unwrap_or_default().contains("Quit that one first"), "{words}");
    // The first one has not noticed.
    let sessions = server.call("list_sessions", json!({})).await?;
    assert!(sessions.to_string().contains(&session));

    // As soon as it is gone, the window works, without being started again.
    drop(server);
    app.seen(&format!("[data-session-id='{session}']")).await?;
    app.seen("[data-testid=composer]").await?;
    app.picture("after").await?;
    app.close().await
}
