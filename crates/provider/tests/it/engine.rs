//! The embedded engine's client against a program that plays the engine: real pipes, real ends.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use gatehouse_domain::FailureCode;
use gatehouse_provider::{
    Engine, EngineSetup, EngineState, Failure, Finish, Finished, Launch, Message, Model, ModelEvent, Request, Usage,
};
use tempfile::TempDir;

use crate::support::{question, texts};

/// An engine, and the log of the program that plays it.
struct House {
    engine: Engine,
    _dir: TempDir,
    log: PathBuf,
}

fn house(model: &str) -> House {
    house_with(model, EngineSetup::IDLE)
}

fn house_with(model: &str, idle: Duration) -> House {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let (name, context, threads) = ("embedded".to_owned(), EngineSetup::CONTEXT, Some(1));
    let setup = EngineSetup { name, model: model.into(), context, threads, idle, launch: player(&log) };
    House { engine: Engine::new(setup), _dir: dir, log }
}

#[expect(clippy::disallowed_methods, reason = "tests start the program that plays the engine")]
fn player(log: &Path) -> Launch {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/engine.sh");
    let log = log.to_owned();
    Arc::new(move || {
        let mut command = tokio::process::Command::new("/bin/sh");
        command.arg(&script).arg(&log).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()
    })
}

impl House {
    /// Asks; returns the words and the one end.
    async fn ask(&self, text: &str) -> (String, Result<Finished, Failure>) {
        let mut stream = self.engine.stream(question(text));
        let mut events = Vec::new();
        let end = loop {
            match stream.next().await.expect("the stream ended without an end") {
                Ok(ModelEvent::Finished(finished)) => break Ok(finished),
                Ok(event) => events.push(event),
                Err(failure) => break Err(failure),
            }
        };
        assert!(stream.next().await.is_none(), "something came after the end");
        (texts(&events), end)
    }

    /// How often a word stands in the log.
    fn logged(&self, word: &str) -> usize {
        std::fs::read_to_string(&self.log).unwrap_or_default().lines().filter(|line| *line == word).count()
    }

    async fn falls_asleep(&self) {
        self.engine.state().wait_for(|state| *state == EngineState::Asleep).await.unwrap();
    }
}

#[tokio::test]
async fn an_answer_comes_from_a_program_that_is_started_once() {
    let house = house("m.gguf");
    assert_eq!(*house.engine.state().borrow(), EngineState::Asleep);
    assert_eq!(house.logged("started"), 0, "nobody asked yet");
    for _ in 0..2 {
        let (words, end) = house.ask("hi").await;
        assert_eq!(words, "one two");
        let usage = Some(Usage { prompt_tokens: 7, completion_tokens: 2 });
        assert_eq!(end.unwrap(), Finished { finish: Finish::Stop, calls: vec![], usage });
    }
    assert_eq!(house.logged("started"), 1);
    assert!(matches!(&*house.engine.state().borrow(), EngineState::Ready(facts) if facts.name == "Small"));
}

#[tokio::test]
async fn an_engine_that_is_killed_in_the_middle_fails_the_answer_and_not_the_next_one() {
    let house = house("m.gguf");
    let (words, end) = house.ask("die").await;
    let failure = end.unwrap_err();
    assert_eq!((words.as_str(), failure.code, failure.retryable), ("one ", FailureCode::CutOff, true));
    assert!(failure.message.contains("memory ran out"), "{}", failure.message);
    assert_eq!(house.ask("hi").await.0, "one two");
    assert_eq!(house.logged("started"), 2);
}

#[tokio::test]
async fn an_engine_that_ends_while_nobody_asks_is_started_again() {
    let house = house("m.gguf");
    house.ask("hi").await.1.unwrap();
    let pid = std::fs::read_dir("/proc").unwrap().find_map(|entry| {
        let entry = entry.unwrap();
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(house.log.to_str().unwrap()).then(|| entry.file_name())
    });
    assert!(kill(&pid.expect("it does not run").to_string_lossy()));
    house.falls_asleep().await;
    assert_eq!(house.ask("hi").await.0, "one two");
}

#[expect(clippy::disallowed_methods, reason = "tests may end their own programs")]
fn kill(pid: &str) -> bool {
    std::process::Command::new("/bin/kill").args(["-KILL", pid]).status().is_ok_and(|status| status.success())
}

#[tokio::test]
async fn what_the_engine_refuses_is_told_in_its_words() {
    let missing = house("missing.gguf");
    let failure = missing.ask("hi").await.1.unwrap_err();
    assert_eq!((failure.code, failure.message.as_str()), (FailureCode::Refused, "missing.gguf is not there."));
    assert_eq!(*missing.engine.state().borrow(), EngineState::Asleep);

    let house = house("m.gguf");
    let failure = house.ask("fail").await.1.unwrap_err();
    assert_eq!((failure.code, failure.message.as_str()), (FailureCode::LengthLimit, "Too long."));
    assert_eq!(house.ask("hi").await.0, "one two");
    assert_eq!(house.logged("started"), 1, "a refusal is no reason to start again");
}

#[tokio::test]
async fn an_engine_that_breaks_down_while_it_loads_says_why() {
    let failure = house("dies.gguf").ask("hi").await.1.unwrap_err();
    assert_eq!(failure.code, FailureCode::ProviderError);
    assert!(failure.message.contains("could not get its model ready: it gave up"), "{}", failure.message);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told() {
    let launch: Launch = Arc::new(|| Err(std::io::ErrorKind::NotFound.into()));
    let (name, model) = ("embedded".to_owned(), "m.gguf".into());
    let setup = EngineSetup { name, model, context: 9, threads: None, idle: EngineSetup::IDLE, launch };
    let failure = Engine::new(setup).stream(question("hi")).next().await.unwrap().unwrap_err();
    assert_eq!((failure.code, failure.retryable), (FailureCode::Unreachable, false));
}

#[tokio::test]
async fn lines_that_are_none_fail_the_answer() {
    let house = house("m.gguf");
    assert_eq!(house.ask("babble").await.1.unwrap_err().code, FailureCode::CutOff);
    assert_eq!(house.ask("hi").await.0, "one two");
}

#[tokio::test]
async fn the_length_limit_is_an_end_with_words() {
    let (words, end) = house("m.gguf").ask("endless").await;
    assert_eq!((words.as_str(), end.unwrap().finish), ("one ", Finish::Length));
}

#[tokio::test]
async fn the_engine_may_leave_out_what_does_not_fit() {
    let (words, end) = house("m.gguf").ask("long").await;
    assert_eq!((words.as_str(), end.unwrap().finish), ("one ", Finish::Stop));
}

#[tokio::test]
async fn an_answer_that_nobody_wants_any_more_is_taken_back_and_the_model_stays() {
    let house = house("m.gguf");
    let mut stream = house.engine.stream(question("wait"));
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("one ".into()))));
    drop(stream);
    assert_eq!(house.ask("hi").await.0, "one two");
    assert_eq!((house.logged("started"), house.logged("cancelled")), (1, 1));
}

#[tokio::test]
async fn questions_wait_their_turn() {
    let house = house("m.gguf");
    let mut first = house.engine.stream(question("wait"));
    assert!(first.next().await.is_some());
    let mut given_up = house.engine.stream(question("hi"));
    assert!(tokio::time::timeout(Duration::from_millis(20), given_up.next()).await.is_err(), "two answers at once");
    drop(given_up);
    let second = house.ask("hi");
    let (end, ()) = tokio::join!(second, async { drop(first) });
    assert_eq!(end.0, "one two");
}

#[tokio::test]
async fn an_idle_engine_ends_and_its_memory_is_free() {
    let house = house_with("m.gguf", Duration::from_millis(30));
    house.ask("hi").await.1.unwrap();
    house.falls_asleep().await;
    assert_eq!(house.ask("hi").await.0, "one two");
    assert_eq!(house.logged("started"), 2);
}

#[tokio::test]
async fn tools_are_not_offered_and_a_whole_conversation_is_told() {
    let house = house("m.gguf");
    let messages = vec![Message::System("Rule.".into()), Message::User("a".into()), Message::User("hi".into())];
    let request = Request { messages, ..question("") };
    let events: Vec<_> = house.engine.stream(request).collect().await;
    assert!(matches!(events.last(), Some(Ok(ModelEvent::Finished(finished))) if finished.calls.is_empty()));
}
