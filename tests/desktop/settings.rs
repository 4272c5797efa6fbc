//! Providers that cannot be used, and a file with a mistake: each told in words that help.

use std::fs;

use gatehouse_provider::scripted::{Script, Scripted, response, say};
use gatehouse_tests::{Result, SelfSigned, nobody};
use serde_json::{Value, json};

use crate::app::{App, Setup};

const WRONG: &str = "sk-wrong-0123456789";
const RIGHT: &str = "sk-right-0123456789";

#[tokio::test]
async fn a_wrong_key_is_told_and_the_right_one_answers() -> Result {
    let lab = Scripted::guarded(say("The key fits."), RIGHT).await?;
    let setup = Setup::bare("settings")?.config("[agent]\nlocal_ports = []\n")?;
    let file = setup.config_file();
    let app = setup.open().await?;
    app.new_session().await?;
    app.settings("models").await?;
    app.picture("models").await?;
    add(&app, &lab.url(), WRONG).await?;
    let told = app.says("[data-testid=provider-problem]", "refused the key (HTTP 401)").await?;
    let told = told.as_str().unwrap_or_default();
    assert!(told.contains("Incorrect API key provided") && told.contains("Check the key, then test again."), "{told}");
    assert!(!app.run("return document.body.innerText", &[]).await?.to_string().contains(WRONG), "the key is shown");
    app.picture("wrong-key").await?;

    app.fill("provider-key", RIGHT).await?;
    app.seen("[data-testid=provider-test]").await?.click().await?;
    app.says("[data-testid=provider-answer]", "Answered in").await?;
    app.picture("right-key").await?;
    app.seen("[data-testid=provider-save]").await?.click().await?;
    app.says("[data-testid=provider-lab]", "Has a stored key").await?;
    app.choose("setting-agent.model", "lab/scripted").await?;
    app.picture("saved").await?;
    let kept = fs::read_to_string(&file)?;
    assert!(!kept.contains(RIGHT) && kept.contains("lab/scripted"), "{kept}");

    app.seen("[data-testid=settings-back]").await?.click().await?;
    app.send("Does it work?").await?;
    assert_eq!(app.answer(1).await?, "The key fits.");
    app.picture("answered").await?;
    app.close().await
}

#[tokio::test]
async fn each_trouble_of_a_provider_has_words_of_its_own() -> Result {
    let known = |body: &Value| match body["model"].as_str() {
        Some("qwen3-4b") => say("Yes."),
        other => {
            let words = format!("The model `{}` does not exist", other.unwrap_or_default());
            response(404, "application/json", json!({"error": {"message": words}}).to_string())
        }
    };
    let lab = Scripted::start(Script::responder(known)).await?;
    let secure = SelfSigned::start().await?;
    let (_held, free) = nobody()?;
    let app = Setup::with("troubles", &lab)?.open().await?;
    app.new_session().await?;
    app.settings("models").await?;
    let troubles = [
        (secure.url(), ["No secure connection to other", "self-signed"]),
        (format!("http://{free}/v1"), ["Could not reach other", "check the port"]),
        ("http://nowhere.invalid/v1".to_owned(), ["nowhere.invalid", "Check"]),
    ];
    for (n, (address, words)) in troubles.into_iter().enumerate() {
        add(&app, &address, "").await?;
        let told = app.says("[data-testid=provider-problem]", words[0]).await?;
        assert!(told.as_str().is_some_and(|told| told.contains(words[1])), "{address}: {told}");
        app.picture(&format!("trouble-{n}")).await?;
        app.seen(".set-form .btn.ghost").await?.click().await?;
    }
    // A model that its server does not have is known when it is asked.
    app.seen("[data-testid=settings-back]").await?.click().await?;
    let setup = Setup::bare("unused")?.at(&app);
    let file = fs::read_to_string(setup.config_file())?;
    fs::write(setup.config_file(), file.replace("qwen3-4b", "qwen9-4b"))?;
    app.says(".status-bar", "qwen9-4b").await?;
    app.send("Are you there?").await?;
    let told = app.says("[data-kind=failed_turn]", "qwen9-4b").await?;
    assert!(told.as_str().is_some_and(|told| told.contains("does not exist")), "{told}");
    app.picture("no-such-model").await?;
    app.close().await
}

#[tokio::test]
async fn a_mistake_in_the_file_is_named_with_its_line() -> Result {
    let lab = Scripted::start(say("All is well.")).await?;
    let setup = Setup::with("mistake", &lab)?;
    let file = setup.config_file();
    let app = setup.open().await?;
    app.new_session().await?;
    let good = fs::read_to_string(&file)?;
    let line = good.lines().count() + 2;
    fs::write(&file, format!("{good}[look]\nthem = \"dark\"\n"))?;
    app.says("[data-testid=settings-warning]", &format!("look.them, line {line}")).await?;
    app.picture("no-such-key").await?;
    fs::write(&file, format!("{good}[look\n"))?;
    app.says("[data-testid=settings-warning]", &format!("config.toml, line {}", line - 1)).await?;
    app.picture("no-toml").await?;
    app.send("Still there?").await?;
    assert_eq!(app.answer(1).await?, "All is well.");
    fs::write(&file, good)?;
    let gone = "return document.querySelector('[data-testid=settings-warning]') === null";
    app.until("a warning that is gone", gone, &[]).await?;
    app.close().await
}

/// Fills in the form of a new provider and tests it.
async fn add(app: &App, address: &str, key: &str) -> Result {
    app.seen("[data-testid=provider-add]").await?.click().await?;
    app.choose("provider-preset", "other").await?;
    app.fill("provider-name", if key.is_empty() { "other" } else { "lab" }).await?;
    app.fill("provider-address", address).await?;
    if key.is_empty() {
        app.choose("provider-key-source", "none").await?;
    } else {
        app.fill("provider-key", key).await?;
    }
    Ok(app.seen(".set-form [data-testid=provider-test]").await?.click().await?)
}
