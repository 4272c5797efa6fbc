//! Files that an answer names, and the way to them: the one that was pressed, in the profile that is shown.

use std::fs;
use std::path::Path;

use gatehouse_provider::scripted::{Script, Scripted, say};
use gatehouse_tests::{LIMIT, Result, strict};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::app::{App, LOOK, Setup};
use crate::profiles::go;

/// Asks for a file of an answer as a page of this profile does; the code of the refusal, or `opened`.
const ASK: &str = "const [profile, itemId, path, done] = arguments;
    const asked = { file: { itemId, path, inFolder: false } };
    const said = profile === null ? undefined : { headers: { 'gatehouse-profile': profile } };
    window.__TAURI_INTERNALS__.invoke('open_file', asked, said).then(() => done('opened'), ({ code }) => done(code))";
/// The last answer that has files.
const ANSWER: &str = "return [...document.querySelectorAll('[data-author=model]')]
    .filter((row) => row.querySelector('.file') !== null).at(-1)?.dataset.itemId ?? null";
const OPEN: &str = ".file .btn:not(.ghost)";

#[tokio::test]
async fn a_file_opens_once_in_the_profile_that_is_shown_and_one_of_another_profile_is_refused() -> Result {
    let respond = |body: &Value| say(&format!("Here it is.\nMEDIA:{}", strict::last_text(body)));
    let lab = Scripted::start(Script::responder(respond)).await?;
    let setup = Setup::with("file-profiles", &lab)?;
    let work = setup.house().profile_of("work");
    fs::create_dir_all(&work)?;
    fs::copy(setup.config_file(), work.join("config.toml"))?;
    let app = setup.open().await?;
    let (plan, list) = (app.house.person().join("plan.txt"), app.house.person().join("list.txt"));
    let first = named(&app, &plan).await?;
    go(&app, "work").await?;
    let second = named(&app, &list).await?;
    app.picture("named").await?;

    app.seen(OPEN).await?.click().await?;
    opened(&app, &[&list]).await?;
    // The window shows the second one, whether a page says so or says nothing.
    for profile in [json!("work"), json!(null)] {
        assert_eq!(ask(&app, &profile, &first, &plan).await?, "not_found", "from {profile}");
        assert_eq!(ask(&app, &profile, &second, &plan).await?, "not_found", "a file that this answer does not name");
    }
    // The press shows that whatever the others had begun would have arrived before it.
    app.seen(OPEN).await?.click().await?;
    opened(&app, &[&list, &list]).await?;

    go(&app, "default").await?;
    assert_eq!(ask(&app, &json!("default"), &second, &list).await?, "not_found");
    app.seen(OPEN).await?.click().await?;
    opened(&app, &[&list, &list, &plan]).await?;
    assert!(app.run("return document.querySelector('.file-error')", &[]).await?.is_null());
    strict::check_all(&lab)?;
    app.close().await
}

/// Has a new session answer with a file, and gives the answer.
async fn named(app: &App, file: &Path) -> Result<String> {
    fs::write(file, "words")?;
    app.new_session().await?;
    app.send(&file.to_string_lossy()).await?;
    app.seen(OPEN).await?;
    let answer = app.run(ANSWER, &[]).await?;
    Ok(answer.as_str().ok_or("no answer has a file")?.to_owned())
}

async fn ask(app: &App, profile: &Value, answer: &str, file: &Path) -> Result<Value> {
    let words = vec![profile.clone(), json!(answer), json!(file)];
    Ok(app.client.execute_async(ASK, words).await?)
}

/// Waits until exactly these were opened.
async fn opened(app: &App, wanted: &[&Path]) -> Result {
    let wanted: Vec<_> = wanted.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    let deadline = Instant::now() + LIMIT;
    while app.opened().len() < wanted.len() && Instant::now() < deadline {
        sleep(LOOK).await;
    }
    assert_eq!(app.opened(), wanted);
    Ok(())
}
