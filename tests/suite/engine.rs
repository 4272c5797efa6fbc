//! The embedded engine as a person meets it, played by a script: it comes and goes while the gateway runs, and tells how
//! far it is.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatehouse_tests::{House, Mirror, Result, Server, Setup, program};
use serde_json::{Value, json};

const STARTER: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// The engine: it stands at 42 percent until somebody opens the gate, and repeats what was asked.
const ENGINE: &str = r#"#!/bin/sh
say() { printf '%s\n' "$1"; }
say '{"type":"ready","version":"0.1.0"}'
while read -r line; do
  case "$line" in
    *'"type":"load"'*)
      say '{"type":"loading","percent":42}'
      read -r _ <'GATE'
      say '{"type":"loaded","name":"Small","architecture":"llama","context":4096,"threads":2,"memory":205520896,"loadMs":1}' ;;
    *'"type":"generate"'*)
      id=${line#*\"id\":}; id=${id%%,*}
      say "{\"type\":\"delta\",\"id\":$id,\"text\":\"Here.\"}"
      say "{\"type\":\"finished\",\"id\":$id,\"reason\":\"stop\",\"timings\":{\"promptTokens\":7,\"reused\":3,\"promptMs\":1,\"answerTokens\":2,\"answerMs\":1}}" ;;
  esac
done
"#;

/// A place where programs are installed, with a server and no engine yet.
struct Installed {
    house: Arc<House>,
    bin: PathBuf,
}

impl Installed {
    fn new() -> Result<Self> {
        let house = Arc::new(House::new()?);
        let bin = house.root().join("bin");
        fs::create_dir(&bin)?;
        for name in ["gatehouse-server", "gatehouse-shim"] {
            if fs::hard_link(program(name)?, bin.join(name)).is_err() {
                fs::copy(program(name)?, bin.join(name))?;
            }
        }
        let gate = house.root().join("gate");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &gate, rustix::fs::FileType::Fifo, mode, 0)?;
        Ok(Self { house, bin })
    }

    async fn start(&self) -> Result<Server> {
        Setup::bare().program(self.bin.join("gatehouse-server")).start_in(Arc::clone(&self.house)).await
    }

    /// As installers do it: whole, and under its name at once.
    fn put_engine(&self) -> Result {
        let fresh = self.bin.join("fresh");
        fs::write(&fresh, ENGINE.replace("GATE", &self.house.root().join("gate").to_string_lossy()))?;
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o700))?;
        Ok(fs::rename(fresh, self.bin.join("gatehouse-engine"))?)
    }

    fn starter(&self) -> PathBuf {
        self.house.home().join("models").join(STARTER)
    }

    fn put_starter(&self) -> Result {
        fs::create_dir_all(self.house.home().join("models"))?;
        Ok(fs::write(self.starter(), "weights")?)
    }

    /// Lets the load go on that waits, or the next one.
    async fn open_gate(&self) -> Result {
        let gate = self.house.root().join("gate");
        Ok(tokio::task::spawn_blocking(move || fs::write(gate, "go\n")).await??)
    }
}

async fn providers(server: &Server) -> Result<Value> {
    Ok(server.call("get_settings", json!({})).await?["providers"].clone())
}

/// What the last turn that gave no answer says of it.
fn failure<'a>(mirror: &'a Mirror, session: &str) -> Option<&'a str> {
    mirror.of_kind(session, "failed_turn").last().and_then(|item| item["text"].as_str())
}

#[tokio::test]
async fn how_far_the_model_is_loaded_is_told_while_it_loads() -> Result {
    let installed = Installed::new()?;
    installed.put_engine()?;
    installed.put_starter()?;
    let server = installed.start().await?;
    let asleep = server.call("get_engine", json!({})).await?;
    assert_eq!(
        (&asleep["installed"], &asleep["starter"], &asleep["state"]),
        (&json!(true), &json!(true), &json!("asleep"))
    );
    let health = server.call("get_health", json!({})).await?;
    assert_eq!((&health["model"], &health["modelChatOnly"]), (&json!("built-in/starter"), &json!(true)));

    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "Hello").await?;
    let loading = |engine: &Value| engine["state"] == "loading" && engine["percent"] == 42;
    mirror.until("42 percent", |m| m.engine.last().filter(|engine| loading(engine)).map(drop)).await?;
    assert_eq!(mirror.said(&session), [""; 0], "no answer comes before the model is there");
    // A window that is opened now.
    assert!(loading(&server.call("get_engine", json!({})).await?));
    let mut late = Mirror::attach(&*server, "late");
    late.until("the same", |m| m.engine.last().filter(|engine| loading(engine)).map(drop)).await?;

    installed.open_gate().await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Here."]).then_some(())).await?;
    let ready = mirror.engine.last().cloned().unwrap_or_default();
    assert_eq!(
        (&ready["state"], &ready["provider"], &ready["model"]),
        (&json!("ready"), &json!("built-in"), &json!("starter"))
    );
    assert_eq!(ready["takes"], json!({"memoryBytes": 205_520_896, "context": 4096, "threads": 2}));
    assert_eq!(ready.get("percent"), None);
    let told = mirror.engine.len();
    server.send(&session, "Again").await?;
    mirror.until("the next answer", |m| (m.said(&session).len() == 2).then_some(())).await?;
    assert_eq!(mirror.engine.len(), told, "what did not change is not told again");
    Ok(())
}

#[tokio::test]
async fn an_engine_that_comes_while_the_gateway_runs_is_taken_up_and_one_that_goes_is_let_go() -> Result {
    let installed = Installed::new()?;
    let server = installed.start().await?;
    let models = fs::metadata(installed.house.home().join("models"))?;
    assert_eq!(models.permissions().mode() & 0o777, 0o700);
    assert_eq!(providers(&server).await?, json!([]));
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.catch_up().await?;

    installed.put_starter()?;
    mirror.until("the starter", |m| m.engine.last().filter(|now| now["starter"] == true).map(drop)).await?;
    assert_eq!(providers(&server).await?, json!([]), "one alone is of no use");
    let told = mirror.settings_told;
    installed.put_engine()?;
    mirror.until("the change", |m| (m.settings_told > told).then_some(())).await?;
    assert_eq!(mirror.engine.last().map(|now| &now["installed"]), Some(&json!(true)));
    let built_in = json!([{"name": "built-in", "kind": "embedded", "baseUrl": "", "key": "none", "models": ["starter"], "builtIn": true}]);
    assert_eq!(providers(&server).await?, built_in);
    let models = server.call("list_models", json!({})).await?;
    assert_eq!(models["models"][0]["chatOnly"], true, "{models}");
    server.send(&session, "Hello").await?;
    installed.open_gate().await?;
    mirror.until("the answer", |m| (m.said(&session) == ["Here."]).then_some(())).await?;

    let told = mirror.settings_told;
    fs::remove_file(installed.starter())?;
    mirror.until("the end of it", |m| (m.settings_told > told).then_some(())).await?;
    assert_eq!(providers(&server).await?, json!([]));
    assert_eq!(mirror.engine.last().map(|now| &now["state"]), Some(&json!("asleep")), "its memory is free");
    server.send(&session, "And now?").await?;
    let words = mirror.until("the refusal", |m| failure(m, &session).map(str::to_owned)).await?;
    assert!(words.contains("The starter model is not there any more"), "{words}");

    // It comes back under its name: a link is made and never written.
    let aside = installed.house.root().join("aside");
    fs::write(&aside, "weights")?;
    let told = mirror.settings_told;
    fs::hard_link(&aside, installed.starter())?;
    mirror.until("its return", |m| (m.settings_told > told).then_some(())).await?;
    assert_eq!(providers(&server).await?, built_in);
    Ok(())
}

#[tokio::test]
async fn a_model_by_its_file_is_taken_only_when_it_can_chat() -> Result {
    let installed = Installed::new()?;
    let server = installed.start().await?;
    let put =
        |path: &Path| json!({"name": "mine", "kind": "embedded", "baseUrl": "", "models": [path.to_string_lossy()]});
    let notes = installed.house.root().join("notes.gguf");
    fs::write(&notes, "these are notes, and nothing else")?;
    let refused = server.call("put_provider", put(&notes)).await.err().ok_or("it was taken")?;
    assert_eq!(refused.code, "invalid_request");
    assert!(
        refused.message.contains("It is no GGUF file") && refused.message.contains("Choose another"),
        "{}",
        refused.message
    );
    let refused = server.call("put_provider", put(Path::new("small.gguf"))).await.err().ok_or("it was taken")?;
    assert!(refused.message.contains("whole path"), "{}", refused.message);
    assert_eq!(providers(&server).await?, json!([]), "nothing was changed");
    // A command needs no model.
    let session = server.session().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    server.send(&session, "!echo here").await?;
    let card = |m: &Mirror| m.of_kind(&session, "tool_call").last().map(|item| item["card"]["status"].clone());
    mirror.until("the command's end", |m| (card(m) == Some(json!("complete"))).then_some(())).await?;
    Ok(())
}
