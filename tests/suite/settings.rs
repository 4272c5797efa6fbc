//! What a person sets: the file, its changes from both sides, keys, and providers that are tested.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::sync::Arc;

use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_tests::{House, Mirror, Refusal, Result, Server, Setup, nobody};
use serde_json::{Value, json};

const FILE: &str = "# mine\n[agent] # how it works\napprovals = \"ask\" # careful\n";

async fn with_file(text: &str) -> Result<Server> {
    let house = Arc::new(House::new()?);
    fs::create_dir_all(house.profile())?;
    fs::write(house.profile().join("config.toml"), text)?;
    Setup::bare().start_in(house).await
}

async fn refused(server: &Server, command: &str, params: Value) -> Result<Refusal> {
    match server.call(command, params).await {
        Ok(reply) => Err(format!("{command} was not refused: {reply}").into()),
        Err(refusal) => Ok(refusal),
    }
}

async fn settings(server: &Server) -> Result<Value> {
    Ok(server.call("get_settings", json!({})).await?)
}

#[tokio::test]
async fn a_change_keeps_the_comments_and_applies_at_once() -> Result {
    let server = with_file(FILE).await?;
    let set = server.call("set_setting", json!({"key": "agent.approvals", "value": "risky"})).await?;
    assert_eq!(set["approvals"], "risky");
    let file = server.house.profile().join("config.toml");
    assert_eq!(fs::read_to_string(&file)?, FILE.replace("\"ask\"", "\"risky\""));
    assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o600);
    assert_eq!(server.call("get_health", json!({})).await?["approvals"], "risky");
    let back = server.call("set_setting", json!({"key": "agent.approvals"})).await?;
    assert_eq!(back["approvals"], "ask", "without its key the default applies");
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused_and_the_old_value_named() -> Result {
    let server = with_file(FILE).await?;
    let cases = [
        ("limits.processes", json!(0), "The old value, 64, still applies."),
        ("agent.approvals", json!("maybe"), "The old value, ask, still applies."),
        ("look.theme", json!(true), "text in quotes"),
        ("nothing.here", json!(1), "no such"),
    ];
    for (key, value, words) in cases {
        let refused = refused(&server, "set_setting", json!({"key": key, "value": value})).await?;
        assert_eq!(refused.code, "invalid_request", "{key}");
        assert!(refused.message.contains(words), "{key}: {}", refused.message);
    }
    assert_eq!(fs::read_to_string(server.house.profile().join("config.toml"))?, FILE, "the file was not touched");
    Ok(())
}

#[tokio::test]
async fn a_file_written_by_hand_is_read_again_and_a_broken_one_is_not_taken() -> Result {
    let server = with_file(FILE).await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.catch_up().await?;
    let file = server.house.profile().join("config.toml");
    fs::write(&file, "[agent]\napprovals = \"off\"\n[look]\ntheme = \"dark\"\n")?;
    mirror.until("the change", |m| (m.settings_told > 0).then_some(())).await?;
    assert_eq!(settings(&server).await?["approvals"], "off");
    let told = mirror.settings_told;
    fs::write(&file, "[agent]\napprovals = \"off\n")?;
    mirror.until("the warning", |m| (m.settings_told > told).then_some(())).await?;
    let broken = settings(&server).await?;
    assert_eq!((&broken["approvals"], &broken["look"]["theme"]), (&json!("off"), &json!("dark")), "the old ones apply");
    assert_eq!(broken["warnings"][0]["line"], 2);
    assert_eq!(server.call("get_health", json!({})).await?["incidents"], 1);
    let refused = refused(&server, "set_setting", json!({"key": "agent.approvals", "value": "ask"})).await?;
    assert!(refused.message.contains("line 2"), "{}", refused.message);
    let told = mirror.settings_told;
    fs::write(&file, "")?;
    mirror.until("the mend", |m| (m.settings_told > told).then_some(())).await?;
    assert_eq!(settings(&server).await?["warnings"], json!([]));
    assert_eq!(server.call("get_health", json!({})).await?["incidents"], 0);
    Ok(())
}

#[tokio::test]
async fn a_typo_names_its_line_and_the_program_runs_on() -> Result {
    let server = with_file("[agent]\naprovals = \"off\"\n").await?;
    let warnings = settings(&server).await?["warnings"].clone();
    assert_eq!((&warnings[0]["key"], &warnings[0]["line"]), (&json!("agent.aprovals"), &json!(2)));
    assert_eq!(settings(&server).await?["approvals"], "ask");
    Ok(())
}

#[tokio::test]
async fn a_provider_is_added_answers_and_leaves() -> Result {
    let lab = Scripted::start([say("Here.")]).await?;
    let server = with_file(FILE).await?;
    let put = json!({"name": "lab", "kind": "openai-compatible", "baseUrl": lab.url(), "models": ["small"],
        "key": {"kind": "stored", "value": "sk-not-for-the-file"}});
    let reply = server.call("put_provider", put).await?;
    // There is no message bus in a test's environment, so no keyring.
    assert_eq!(reply["keyPlace"]["kind"], "file");
    assert!(reply["keyPlace"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    assert_eq!(reply["settings"]["providers"][0]["key"], "stored");
    let file = fs::read_to_string(server.house.profile().join("config.toml"))?;
    assert!(!file.contains("sk-not-for-the-file") && file.starts_with("# mine\n"), "{file}");
    server.call("set_setting", json!({"key": "agent.model", "value": "lab/small"})).await?;

    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "Hello").await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Here."]).then_some(())).await?;
    let sent = lab.requests();
    assert_eq!(sent[0].authorization.as_deref(), Some("Bearer sk-not-for-the-file"));

    let renamed = json!({"name": "lab", "newName": "home", "kind": "openai-compatible", "baseUrl": lab.url(), "models": ["small"]});
    let reply = server.call("put_provider", renamed).await?;
    assert_eq!(reply["settings"]["model"], "home/small", "the choice follows the name");
    assert_eq!(reply["settings"]["providers"][0].get("keyProblem"), None, "and so does the key: {reply}");
    let gone = server.call("remove_provider", json!({"name": "home"})).await?;
    assert_eq!((&gone["providers"], gone.get("model")), (&json!([]), None));
    assert_eq!(gatehouse_tests::holds(server.house.home(), b"sk-not-for-the-file")?, None, "the key is gone with it");
    Ok(())
}

#[tokio::test]
async fn a_key_that_takes_the_place_of_another_is_the_one_that_is_sent() -> Result {
    let lab = Scripted::start([say("Hello.")]).await?;
    let server = with_file(FILE).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    for (at, key) in ["sk-mistyped", "sk-right"].into_iter().enumerate() {
        let put = json!({"name": "lab", "kind": "openai-compatible", "baseUrl": lab.url(), "models": ["small"],
            "key": {"kind": "stored", "value": key}});
        let told = mirror.settings_told;
        server.call("put_provider", put).await?;
        mirror.until("the settings", |m| (m.settings_told > told).then_some(())).await?;
        server.call("set_setting", json!({"key": "agent.model", "value": "lab/small"})).await?;
        server.send(&session, "Hello").await?;
        mirror.until("the answer", |m| (m.said(&session).len() == at + 1 && m.rests(&session)).then_some(())).await?;
        assert_eq!(lab.requests()[at].authorization, Some(format!("Bearer {key}")));
    }
    Ok(())
}

#[tokio::test]
async fn a_key_that_could_not_be_had_is_asked_for_again_with_the_next_try() -> Result {
    let lab = Scripted::start([say("Hello.")]).await?;
    let file = format!(
        "[agent]\nmodel = \"lab/small\"\n[[provider]]\nname = \"lab\"\nkind = \"openai-compatible\"\nbase_url = {:?}\n\
         models = [\"small\"]\napi_key = {{ keyring = \"lab\" }}\n",
        lab.url()
    );
    let server = with_file(&file).await?;
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let turn = server.send(&session, "Hello").await?["turnId"].clone();
    mirror
        .until("no answer", |m| m.turns_of(&session).first().is_some_and(|t| t["state"] == "failed").then_some(()))
        .await?;
    let mut keys =
        File::options().write(true).create_new(true).mode(0o600).open(server.house.home().join("keys.json"))?;
    keys.write_all(br#"{"version": 1, "keys": {"lab": "sk-late"}}"#)?;
    server.call("retry_turn", json!({"turnId": turn})).await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Hello."]).then_some(())).await?;
    assert_eq!(lab.requests()[0].authorization.as_deref(), Some("Bearer sk-late"));
    Ok(())
}

#[tokio::test]
async fn a_test_names_what_is_wrong() -> Result {
    let lab = Scripted::start([say("never asked")]).await?;
    let server = with_file(FILE).await?;
    let (_held, free) = nobody()?;
    let unheard = json!({"name": "lab", "baseUrl": format!("http://{free}/v1")});
    let reply = server.call("test_provider", unheard).await?;
    assert_eq!(reply["problem"]["code"], "refused");
    assert!(reply["problem"]["mend"].as_str().is_some_and(|mend| !mend.is_empty()));
    let no_such = json!({"name": "lab", "baseUrl": lab.url(), "model": "no-such-model"});
    let reply = server.call("test_provider", no_such).await?;
    assert!(reply["latencyMs"].is_number(), "{reply}");
    Ok(())
}

#[tokio::test]
async fn servers_are_looked_for_where_the_file_says() -> Result {
    let lab = Scripted::start([say("x")]).await?;
    let port: u16 = lab.url().trim_end_matches("/v1").rsplit(':').next().ok_or("no port")?.parse()?;
    let server = with_file(&format!("[agent]\nlocal_ports = [{port}]\n")).await?;
    let found = server.call("find_servers", json!({})).await?;
    assert_eq!(found["ports"], json!([port]));
    Ok(())
}
