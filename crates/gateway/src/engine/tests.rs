use gatehouse_provider::{CheckCode, EngineState};

use super::*;
use crate::config::{KeySource, ProviderKind};

/// A directory with what is installed in it.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn with(files: &[&str]) -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        files.iter().for_each(|name| place.put(name));
        place
    }

    fn put(&self, name: &str) {
        std::fs::write(self.dir.path().join(name), "x").unwrap();
    }

    fn take(&self, name: &str) {
        std::fs::remove_file(self.dir.path().join(name)).unwrap();
    }

    fn room(&self) -> EngineRoom {
        EngineRoom::new(self.places())
    }

    fn places(&self) -> EnginePlaces {
        let at = |name: &str| self.dir.path().join(name);
        EnginePlaces { program: at("engine"), starters: vec![at("starter"), at("packaged")], threads: Some(1) }
    }
}

#[tokio::test]
async fn the_same_model_keeps_its_engine() {
    let place = Place::with(&["engine", "starter"]);
    let room = place.room();
    let first = room.model("built-in", STARTER).unwrap();
    let same = room.model("built-in", STARTER).unwrap();
    assert!(Arc::ptr_eq(&first, &same));
    let other = room.model("built-in", "/models/other.gguf").unwrap();
    assert!(!Arc::ptr_eq(&first, &other));
    assert_eq!(other.name(), "built-in");
    assert_eq!(room.now().model.as_deref(), Some("/models/other.gguf"));
}

#[tokio::test]
async fn what_is_not_installed_is_told() {
    let refused = |files: &[&str], model: &str| Place::with(files).room().model("built-in", model).err().unwrap();
    let failure = refused(&["engine"], STARTER);
    assert_eq!((failure.code, failure.message.as_str()), (FailureCode::NoModel, NO_STARTER));
    assert_eq!(refused(&["starter"], STARTER).message, NO_ENGINE);
    assert!(refused(&["engine"], "small.gguf").message.contains("whole path"));
}

#[tokio::test]
async fn what_comes_and_goes_is_seen_at_the_next_look() {
    let place = Place::with(&["engine"]);
    // A file that is made and not written yet.
    std::fs::write(place.dir.path().join("starter"), "").unwrap();
    let room = place.room();
    let none = Installed { program: true, starter: false };
    assert_eq!((room.look(), room.gone()), (none, None));
    assert_eq!(room.watch().borrow().version, 0, "what was there at the start is no change");
    place.put("packaged");
    assert!(room.look().is_complete());
    room.look();
    assert_eq!(room.watch().borrow().version, 1, "nothing is new");
    let model = room.model("built-in", STARTER).unwrap();
    place.put("starter");
    room.look();
    let other = room.model("built-in", STARTER).unwrap();
    assert!(!Arc::ptr_eq(&model, &other), "the first place counts");
    place.take("starter");
    place.take("packaged");
    assert_eq!(room.look(), none);
    assert_eq!((room.gone(), room.now().model, room.now().state), (Some(GONE_STARTER), None, EngineState::Asleep));
    place.take("engine");
    assert_eq!(room.look(), Installed { program: false, starter: false });
    assert_eq!(room.gone(), Some(GONE_ENGINE));
    assert_eq!((room.now().installed, room.now().starter), (false, false));
}

#[tokio::test]
async fn each_profile_of_a_house_takes_the_engine_up() {
    let (home, place) = (tempfile::tempdir().unwrap(), Place::with(&[]));
    let household = crate::Household::new(place.places());
    let [first, second] = [
        crate::testing::open_in(home.path(), "default", &household).await,
        crate::testing::open_in(home.path(), "work", &household).await,
    ];
    assert!(!first.settings().await.unwrap().built_in);
    ["engine", "starter"].into_iter().for_each(|name| place.put(name));
    // The first look of all is not the only one that counts.
    for gateway in [&first, &second] {
        assert!(gateway.settings().await.unwrap().built_in);
    }
    first.shutdown().await;
    assert!(second.settings().await.unwrap().built_in, "an end of one is none of the other's");
    second.shutdown().await;
}

#[tokio::test]
async fn a_file_that_cannot_chat_is_found_out_without_loading_it() {
    let place = Place::with(&["engine"]);
    let path = place.dir.path().join("notes.gguf");
    std::fs::write(&path, "these are notes").unwrap();
    let failure = place.room().check(&[path.to_string_lossy().into_owned()]).await.unwrap_err();
    assert_eq!(failure.code, CheckCode::NoSuchModel);
    assert!(failure.message.contains("It is no GGUF file"), "{}", failure.message);
    let failure = place.room().check(&["/nowhere/a.gguf".into()]).await.unwrap_err();
    assert!(failure.message.contains("The file is not there"), "{}", failure.message);
    assert_eq!(place.room().check(&[]).await.unwrap_err().message, NO_STARTER);
}

/// A whole file of one small tensor, with or without a template.
fn gguf(template: Option<&str>) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let pair = |key: &str, value: &str| [text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat();
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    file.extend(1_u64.to_le_bytes());
    file.extend((2 + u64::from(template.is_some())).to_le_bytes());
    file.extend(pair("general.architecture", "llama"));
    file.extend(text("tokenizer.ggml.tokens"));
    file.extend([9_u32, 8, 1, 0].map(u32::to_le_bytes).concat());
    file.extend(text("a"));
    file.extend(template.map(|template| pair("tokenizer.chat_template", template)).into_iter().flatten());
    file.extend(text("weight"));
    file.extend(1_u32.to_le_bytes());
    file.extend(4_u64.to_le_bytes());
    file.extend([0_u8; 12]);
    file.resize(file.len().next_multiple_of(32) + 16, 0);
    file
}

#[test]
fn the_fault_of_a_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let looked = |bytes: &[u8], memory: Option<u64>| {
        let path = dir.path().join("m.gguf");
        std::fs::write(&path, bytes).unwrap();
        check::look("m.gguf", &path, memory).map(|info| info.id)
    };
    let whole = gguf(Some("{{ messages }}"));
    assert_eq!(looked(&whole, Some(1_000_000)), Ok("m.gguf".into()));
    assert!(looked(&whole, Some(10)).unwrap_err().contains("needs more memory than there is"));
    assert!(looked(&whole[..whole.len() - 1], None).unwrap_err().contains("damaged"));
    assert!(looked(&gguf(None), None).unwrap_err().contains("no chat template"));
    assert!(looked(b"PK\x03\x04 a zip under another name....", None).unwrap_err().contains("no GGUF file"));
}

#[test]
fn the_embedded_engine_is_a_provider_without_an_address() {
    let file = "[[provider]]\nname = \"mine\"\nkind = \"embedded\"\nmodels = [\"/m/a.gguf\"]\n[agent]\nmodel = \"mine//m/a.gguf\"\n";
    let (config, warnings) = crate::Config::parse(file, &crate::Config::default());
    assert_eq!(warnings, []);
    let (provider, model) = config.chosen_model().unwrap();
    assert_eq!((provider.kind, &provider.key, model), (ProviderKind::Embedded, &KeySource::None, "/m/a.gguf"));
    assert!(provider.is_local() && !provider.kind.takes_tools());
}
