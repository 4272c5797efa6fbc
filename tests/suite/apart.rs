//! Two profiles in one program: what happens in one opens no file and touches no row of the other.

use std::cell::RefCell;
use std::path::Path;

use gatehouse_provider::scripted::Scripted;
use gatehouse_tests::{Ear, Fault, Mirror, Result, Rpc, Server, Setup, strict};
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;
use tokio::runtime;

use crate::profiles::{echo, two};

/// So many cases are tried; `GATEHOUSE_PROMISE_CASES` asks for more.
const CASES: u32 = 1_000;
/// So many are lived by one pair: what a client holds grows with each.
const SHARED: u32 = 250;

/// What can happen in a session.
#[derive(Debug, Clone)]
enum Event {
    /// Somebody says something, and a turn answers.
    Said(String),
    Slash(&'static str),
    Renamed(String),
    Searched(String),
    /// A command ends, and a report of it begins a turn, or none.
    Ended {
        notify: bool,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let slash = prop_oneof![Just("/help"), Just("/status"), Just("/new"), Just("/undo"), Just("/nothing")];
    prop_oneof![
        6 => "[a-z][a-z ]{0,15}".prop_map(Event::Said),
        6 => slash.prop_map(Event::Slash),
        6 => "\\PC{0,24}".prop_map(Event::Renamed),
        6 => "\\PC{0,24}".prop_map(Event::Searched),
        1 => any::<bool>().prop_map(|notify| Event::Ended { notify }),
    ]
}

/// A profile at work beside one that is at rest.
struct Pair {
    lab: Scripted,
    server: Server,
    work: Rpc,
    /// What is told of the one at work.
    told: Mirror,
    /// How many messages were sent to it.
    messages: u32,
    /// How many cases it has lived.
    lived: u32,
    /// A session of the one at rest.
    resting: String,
    ear: Ear,
}

impl Pair {
    async fn new() -> Result<Self> {
        let lab = echo().await?;
        let (server, work) = two(Setup::with(&lab), gatehouse_tests::House::new()?.into()).await?;
        let resting = server.session().await?;
        let mut mirror = Mirror::attach(&*server, "window");
        server.send(&resting, "before all").await?;
        mirror.until("an answer", |m| (m.said(&resting).len() == 1 && m.rests(&resting)).then_some(())).await?;
        // The next one that is due of itself is a day away.
        server.call("backup_now", json!({})).await?;
        let told = Mirror::attach(&work, "window");
        let ear = Ear::at(&server.house.profile())?;
        Ok(Self { lab, server, work, told, messages: 0, lived: 0, resting, ear })
    }

    /// Lets it all happen in a new session of the one, and gives back what of the other was opened or changed by it.
    async fn live(&mut self, events: &[Event]) -> Result<Vec<String>> {
        if self.lived == SHARED {
            *self = Self::new().await?;
        }
        self.lived += 1;
        let before = rows(&self.server.house.profile())?;
        self.ear.opened()?;
        let mut session = self.work.session().await?;
        for event in events {
            if let Some(next) = self.happen(event, &session).await? {
                session = next;
            }
        }
        let mut found = self.ear.opened()?;
        // What is at rest looks after its backups by itself.
        found.retain(|name| name.starts_with("gatehouse.db"));
        if rows(&self.server.house.profile())? != before {
            found.push("the rows have changed".to_owned());
        }
        Ok(found)
    }

    /// Lets one thing happen, to its end; `/new` gives the session in which it goes on.
    async fn happen(&mut self, event: &Event, session: &str) -> Result<Option<String>> {
        let (work, mirror) = (&self.work, &mut self.told);
        let answered = match event {
            Event::Said(words) => {
                self.messages += 1;
                let words = format!("{words} {}", self.messages);
                work.send(session, &words).await?;
                let told = |m: &Mirror| (m.said(session).contains(&&*words) && m.rests(session)).then_some(());
                mirror.until("an answer", told).await?;
                return Ok(None);
            }
            Event::Ended { notify } => {
                let process = work.start(session, "exit 5", *notify).await?;
                let ended = |m: &Mirror| (m.processes.get(&process)?["state"] != "running").then_some(());
                mirror.until("an end", ended).await?;
                if *notify {
                    let told = |m: &Mirror| {
                        let told = m.units(session).iter().any(|unit| unit["processId"] == json!(process));
                        (told && m.rests(session)).then_some(())
                    };
                    mirror.until("a report", told).await?;
                }
                return Ok(None);
            }
            Event::Slash(words) => work.send(session, words).await,
            Event::Renamed(title) => work.call("update_session", json!({"sessionId": session, "title": title})).await,
            Event::Searched(query) => work.call("search", json!({"query": query})).await,
        };
        match answered {
            // What is refused has happened too, but not that nobody answered.
            Err(refusal) if refusal.status == 0 => Err(refusal.into()),
            answered => Ok(answered.unwrap_or_default()["nextSessionId"].as_str().map(str::to_owned)),
        }
    }
}

/// The file of a profile as it lies on the disk.
fn rows(profile: &Path) -> Result<[Vec<u8>; 2]> {
    Ok([std::fs::read(profile.join("gatehouse.db"))?, std::fs::read(profile.join("gatehouse.db-wal"))?])
}

#[test]
fn whatever_happens_in_one_profile_opens_no_file_and_touches_no_row_of_the_other() -> Result {
    let cases = std::env::var("GATEHOUSE_PROMISE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let pair = RefCell::new(runtime.block_on(Pair::new())?);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let held = runner.run(&proptest::collection::vec(event(), 1..5), |events| {
        match runtime.block_on(pair.borrow_mut().live(&events)) {
            Ok(found) if found.is_empty() => Ok(()),
            Ok(found) => Err(TestCaseError::fail(found.join(", "))),
            Err(error) => Err(TestCaseError::fail(error.to_string())),
        }
    });
    held.map_err(|broken| broken.to_string())?;
    let pair = pair.into_inner();
    runtime.block_on(async {
        let listed = pair.server.call("list_sessions", json!({})).await?["sessions"].clone();
        let listed: Vec<_> = listed.as_array().into_iter().flatten().map(|row| row["sessionId"].clone()).collect();
        assert_eq!(listed, [json!(pair.resting)]);
        // A session of one is nobody in the other.
        for session in pair.work.call("list_sessions", json!({})).await?["sessions"].as_array().into_iter().flatten() {
            let session = &session["sessionId"];
            let refused = pair.server.call("list_items", json!({"sessionId": session})).await.unwrap_err();
            assert_eq!(refused.code, "not_found", "{session}");
        }
        strict::check_all(&pair.lab)?;
        // What is at rest is heard when it is at work.
        pair.server.call("backup_now", json!({})).await?;
        assert!(!pair.ear.opened()?.is_empty(), "the ear hears nothing");
        Ok::<_, Fault>(())
    })
}
