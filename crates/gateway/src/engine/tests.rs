use super::*;
use crate::config::{KeySource, ProviderKind};

fn room(files: EngineFiles) -> EngineRoom {
    EngineRoom::new(files)
}

fn installed() -> EngineFiles {
    EngineFiles { program: Some("/opt/engine".into()), starter: Some("/opt/starter.gguf".into()), threads: Some(1) }
}

#[tokio::test]
async fn the_same_model_keeps_its_engine() {
    let room = room(installed());
    let first = room.model("built-in", STARTER).unwrap();
    let same = room.model("built-in", STARTER).unwrap();
    assert!(Arc::ptr_eq(&first, &same));
    let other = room.model("built-in", "/models/other.gguf").unwrap();
    assert!(!Arc::ptr_eq(&first, &other));
    assert_eq!(other.name(), "built-in");
}

#[tokio::test]
async fn what_is_not_installed_is_told() {
    let refused = |files: EngineFiles, model: &str| room(files).model("built-in", model).err().unwrap();
    let failure = refused(EngineFiles { starter: None, ..installed() }, STARTER);
    assert_eq!((failure.code, failure.message.as_str()), (FailureCode::NoModel, NO_STARTER));
    assert_eq!(refused(EngineFiles { program: None, ..installed() }, STARTER).message, NO_ENGINE);
    assert!(refused(installed(), "small.gguf").message.contains("whole path"));
}

#[test]
fn a_file_that_cannot_chat_is_found_out_without_loading_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.gguf");
    std::fs::write(&path, "these are notes").unwrap();
    let provider = ProviderConfig { models: vec![path.to_string_lossy().into_owned()], ..ProviderConfig::built_in() };
    let failure = room(installed()).check(&provider, None).unwrap_err();
    assert_eq!(failure.code, CheckCode::NoSuchModel);
    assert!(failure.message.contains("It is no GGUF file"), "{}", failure.message);
    let failure = room(installed()).check(&ProviderConfig::built_in(), None).unwrap_err();
    assert!(failure.message.contains("The file is not there"), "{}", failure.message);
}

#[test]
fn the_embedded_engine_is_a_provider_without_an_address() {
    let file = "[[provider]]\nname = \"mine\"\nkind = \"embedded\"\nmodels = [\"/m/a.gguf\"]\n[agent]\nmodel = \"mine//m/a.gguf\"\n";
    let (config, warnings) = crate::Config::parse(file, &crate::Config::default());
    assert_eq!(warnings, []);
    let (provider, model) = config.chosen_model().unwrap();
    assert_eq!((provider.kind, &provider.key, model), (ProviderKind::Embedded, &KeySource::None, "/m/a.gguf"));
    assert!(provider.is_local());
}
