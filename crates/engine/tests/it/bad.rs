//! Files, conversations and lines that cannot be used: a clear text each, and an engine that goes on.

use std::fs;
use std::path::PathBuf;

use gatehouse_engine_wire::{Event, RefusalCode};
use tempfile::TempDir;

use crate::support::{Engine, starter, user};

fn lay(bytes: &[u8]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.gguf");
    fs::write(&path, bytes).unwrap();
    (dir, path)
}

/// The starter with one text in its head replaced by another one of the same length.
fn starter_with(old: &str, new: &str) -> (TempDir, PathBuf) {
    assert_eq!(old.len(), new.len());
    let mut bytes = fs::read(starter()).unwrap();
    let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
    bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    lay(&bytes)
}

#[test]
fn what_is_no_model_is_refused_in_words() {
    let mut engine = Engine::start();
    let (_dir, path) = lay(b"%PDF-1.7 and some more of it, long enough to be looked at");
    let (code, words) = engine.try_load(&path, 2048).unwrap_err();
    assert_eq!(code, RefusalCode::NotAModel);
    assert!(words.starts_with("m.gguf cannot be used. It is no GGUF file"), "{words}");
    let (code, words) = engine.try_load("/nowhere/m.gguf".as_ref(), 2048).unwrap_err();
    assert_eq!(code, RefusalCode::NoFile);
    assert!(words.contains("The file is not there"), "{words}");
}

#[test]
fn a_question_without_a_model_and_a_line_without_sense_are_refused() {
    let mut engine = Engine::start();
    assert_eq!(engine.ask(user("hi"), 9).unwrap_err().0, RefusalCode::NotLoaded);
    engine.say_raw(b"dance\n");
    assert!(matches!(engine.hear().1, Event::Failed { id: None, code: RefusalCode::NotUnderstood, .. }));
    assert_eq!(engine.ask(user("hi"), 9).unwrap_err().0, RefusalCode::NotLoaded);
}

#[test]
fn the_engine_ends_with_its_client() {
    let (status, time) = Engine::start().leave();
    assert!(status.success(), "{status}");
    assert!(time.as_secs() < 5, "{time:?}");
}

#[test]
#[ignore = "wants the starter model"]
fn a_file_that_was_cut_short_is_refused() {
    let bytes = fs::read(starter()).unwrap();
    let (_dir, path) = lay(&bytes[..bytes.len() - 4096]);
    let (code, words) = Engine::start().try_load(&path, 2048).unwrap_err();
    assert_eq!(code, RefusalCode::Damaged);
    assert!(words.contains("98362432") && words.contains("copied or downloaded to its end"), "{words}");
}

#[test]
#[ignore = "wants the starter model"]
fn a_model_without_a_chat_template_is_refused_with_the_reason() {
    let (_dir, path) = starter_with("tokenizer.chat_template", "tokenizer.chat_templatx");
    let (code, words) = Engine::start().try_load(&path, 2048).unwrap_err();
    assert_eq!(code, RefusalCode::NoTemplate);
    assert!(words.contains("has no chat template"), "{words}");
}

#[test]
#[ignore = "wants the starter model"]
fn a_network_of_an_unknown_kind_is_refused() {
    let (_dir, path) = starter_with(
        "general.architecture\u{8}\0\0\0\u{5}\0\0\0\0\0\0\0llama",
        "general.architecture\u{8}\0\0\0\u{5}\0\0\0\0\0\0\0lxama",
    );
    let (code, words) = Engine::start().try_load(&path, 2048).unwrap_err();
    assert_eq!(code, RefusalCode::Unsupported);
    assert!(words.contains("lxama"), "the library's own reason is missing: {words}");
}

#[test]
#[ignore = "wants the starter model"]
fn a_conversation_longer_than_the_context_is_refused_and_the_next_one_works() {
    let mut engine = Engine::start();
    let facts = engine.load(1024);
    assert_eq!(facts.context, 1024);
    let (code, words) = engine.ask(user(&"many words ".repeat(2_000)), 9).unwrap_err();
    assert_eq!(code, RefusalCode::TooLong);
    assert!(words.contains("reads 1024 at most"), "{words}");
    assert!(!engine.ask(user("Say hello."), 9).unwrap().text.is_empty());
}

#[test]
#[ignore = "wants the starter model"]
fn too_little_memory_is_told_before_anything_is_loaded() {
    let mut engine = Engine::start_within(250_000);
    let (code, words) = engine.try_load(&starter(), 4096).unwrap_err();
    assert_eq!(code, RefusalCode::OutOfMemory);
    assert!(words.contains("of memory") && words.contains("smaller model"), "{words}");
    assert!(engine.try_load("/nowhere".as_ref(), 1024).is_err(), "the engine goes on");
}

#[test]
#[ignore = "wants the starter model"]
fn a_file_that_is_deleted_while_it_is_loaded_goes_on_and_is_missed_afterwards() {
    let (dir, path) = lay(&fs::read(starter()).unwrap());
    let mut engine = Engine::start();
    engine.try_load(&path, 1024).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(!engine.ask(user("Say hello."), 9).unwrap().text.is_empty());
    assert_eq!(engine.try_load(&path, 1024).unwrap_err().0, RefusalCode::NoFile);
    drop(dir);
}
