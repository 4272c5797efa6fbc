//! `gatehouse-scripted-provider SCRIPT.json`: a provider on loopback for tests that drive the program from outside.
//!
//! The file is a list of answers: `[{"say": "hello"}, {"calls": [{"id": "c1", "name": "terminal", "arguments": {}}]}]`.
//! Answers with `"when": "text"` answer every request whose last message contains the text; the others come in turn.
//! Prints one line, `{"url": "http://127.0.0.1:PORT/v1"}`, and serves until its standard input ends.

use std::error::Error;
use std::io::{Write, copy, sink, stdin, stdout};
use std::sync::atomic::{AtomicUsize, Ordering};

use gatehouse_provider::scripted::{Answer, AnswerFile, Script, Scripted, say};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: gatehouse-scripted-provider SCRIPT.json")?;
    let provider = Scripted::start(script(serde_json::from_slice(&std::fs::read(path)?)?)?).await?;
    writeln!(stdout(), "{}", json!({ "url": provider.url() }))?;
    tokio::task::spawn_blocking(|| copy(&mut stdin().lock(), &mut sink())).await??;
    Ok(())
}

fn script(files: Vec<AnswerFile>) -> Result<Script, Box<dyn Error>> {
    let (mut rules, mut answers) = (Vec::new(), Vec::new());
    for file in files {
        match file.when.clone() {
            Some(when) => rules.push((when, Answer::try_from(file)?)),
            None => answers.push(Answer::try_from(file)?),
        }
    }
    let used = AtomicUsize::new(0);
    Ok(Script::responder(move |body| {
        let last = body["messages"].as_array().and_then(|list| list.last()).and_then(|last| last["content"].as_str());
        let rule = rules.iter().find(|(when, _)| last.is_some_and(|text| text.contains(when)));
        rule.map(|(_, answer)| answer.clone())
            .or_else(|| answers.get(used.fetch_add(1, Ordering::Relaxed)).cloned())
            .unwrap_or_else(|| say("ok"))
    }))
}
