//! Several clients of one session hold the same, whatever happens around them.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_provider::scripted::{End, Script, Scripted, deltas, say};
use gatehouse_tests::{Dice, Line, Mirror, Result, Rpc, Server, Setup, Window};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// Operations that run at the same time.
const WORKERS: usize = 6;
const SESSIONS: usize = 8;
/// Planned ends of the server in between.
const RESTARTS: usize = 3;

/// How a follower reaches the server of the moment; `None` ends it.
type Lines = watch::Receiver<Option<Rpc>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_clients_agree_after_thousands_of_operations() -> Result {
    let operations: usize =
        std::env::var("GATEHOUSE_FEED_OPERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let dice = Dice::new();
    let seed = dice.seed();
    agree(operations, dice).await.map_err(|error| format!("GATEHOUSE_TEST_SEED={seed}: {error}").into())
}

async fn agree(operations: usize, mut dice: Dice) -> Result {
    let lab = Scripted::start(Script::responder(|_: &Value| deltas(["**Fine**, ", "and\n\n", "- so\n- on"]))).await?;
    let mut server = Setup::with(&lab).start().await?;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(server.session().await?);
    }
    let sessions = Arc::new(sessions);
    let (line, lines) = watch::channel(Some((*server).clone()));
    let followers = [
        follow(lines.clone(), "left window", Kind::Window, true),
        follow(lines.clone(), "right window", Kind::Window, false),
        follow(lines.clone(), "script", Kind::Script, false),
    ];
    let share = operations / (WORKERS * (RESTARTS + 1));
    let epoch = epoch_of(&server).await?;
    for part in 0..=RESTARTS {
        let mut workers = JoinSet::new();
        for _ in 0..WORKERS {
            let own = Dice::seeded(dice.below(u64::MAX));
            workers.spawn(work((*server).clone(), Arc::clone(&sessions), own, share));
        }
        for done in workers.join_all().await {
            done?;
        }
        if part < RESTARTS {
            match part % 2 {
                0 => drop(server.term().await?),
                _ => server.kill9()?,
            }
            server.restart().await?;
            line.send_replace(Some((*server).clone()));
            assert_eq!(epoch_of(&server).await?, epoch, "a restart is the same epoch");
        }
    }
    // The last stop may have held back what waited behind it.
    for session in &*sessions {
        server.call("resume_queue", json!({"sessionId": session})).await?;
    }
    let mut judge = Mirror::attach(&*server, "judge");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let file = rusqlite::Connection::open_with_flags(server.house.database(), flags)?;
    for session in &*sessions {
        let rest = judge.until("rest", |m| at_rest(m, session).then_some(())).await;
        rest.map_err(|_| format!("it does not come to rest: {}", unrest(&judge, session)))?;
    }
    judge.until("every line", |_| nothing_is_owed(&file).then_some(())).await?;
    line.send_replace(None);
    for follower in followers {
        let mut mirror = follower.await??;
        mirror.move_to(&*server);
        mirror.catch_up().await?;
        same(&mirror, &server, &sessions).await?;
        assert_eq!(mirror.resets, 0, "nobody had to read everything again");
    }
    Ok(())
}

/// A follower's way to the server.
#[derive(Clone, Copy)]
enum Kind {
    Window,
    Script,
}

fn follow(mut lines: Lines, name: &'static str, kind: Kind, blocks: bool) -> JoinHandle<Result<Mirror>> {
    tokio::spawn(async move {
        let mut now = lines.borrow_and_update().clone().ok_or("no server")?;
        let mirror = Mirror::attach(way(kind, &now).await?, name);
        let mut mirror = if blocks { mirror.with_blocks() } else { mirror };
        loop {
            mirror.log.clear();
            if lines.borrow().is_none() {
                return Ok(mirror);
            }
            let Err(error) = mirror.step(Duration::from_secs(1)).await else { continue };
            let words = error.to_string();
            if !["gone", "shutting", "is closed"].iter().any(|end| words.contains(end)) {
                return Err(format!("{name}: {words}").into());
            }
            // This server ends; the next one is announced.
            let other = |line: &Option<Rpc>| line.as_ref().is_none_or(|next| next.url() != now.url());
            let next = lines.wait_for(other).await?.clone();
            let Some(next) = next else { return Ok(mirror) };
            mirror.move_to(way(kind, &next).await?);
            now = next;
        }
    })
}

async fn way(kind: Kind, rpc: &Rpc) -> Result<Line> {
    Ok(match kind {
        Kind::Window => Window::open(rpc).await?.into(),
        Kind::Script => rpc.into(),
    })
}

async fn work(rpc: Rpc, sessions: Arc<Vec<String>>, mut dice: Dice, count: usize) -> Result {
    for _ in 0..count {
        let session = &sessions[usize::try_from(dice.below(SESSIONS as u64))?];
        let done = match dice.below(1000) {
            0..6 => {
                let params = json!({"sessionId": session, "command": "exit 1", "notify": dice.below(2) == 0});
                rpc.call("start_process", params).await
            }
            6..66 => rpc.send(session, &format!("message {}", dice.below(1000))).await,
            66..70 => {
                let params = json!({"sessionId": session, "text": "now", "mode": "interrupt"});
                rpc.call("send_message", params).await
            }
            70..120 => rpc.call("stop_turn", json!({"sessionId": session})).await,
            120..300 => rpc.call("mark_read", json!({"sessionId": session, "seq": dice.below(50)})).await,
            300..400 => {
                let params = json!({"sessionId": session, "text": "the same", "clientKey": dice.below(9).to_string()});
                rpc.call("send_message", params).await
            }
            400..500 => rpc.call("list_sessions", json!({})).await,
            _ => rpc.call("list_items", json!({"sessionId": session, "limit": 5})).await,
        };
        match done {
            Ok(_) => {}
            Err(refusal) if ["process_limit", "queue_full"].contains(&refusal.code.as_str()) => {}
            Err(refusal) => return Err(refusal.into()),
        }
    }
    Ok(())
}

/// Reports that a session is owed, told or not.
fn reports(mirror: &Mirror, session: &str) -> usize {
    mirror.processes.values().filter(|p| p["sessionId"] == json!(session) && p["notify"] == true).count()
}

/// What a failure needs to say of thousands of rows.
fn unrest(mirror: &Mirror, session: &str) -> String {
    let (owed, told) = (reports(mirror, session), mirror.units(session).len());
    format!("{owed} reports, told {told}, {}", mirror.sessions[session])
}

fn at_rest(mirror: &Mirror, session: &str) -> bool {
    let idle = mirror.sessions.get(session).is_some_and(|row| {
        row["queued"].as_array().is_some_and(Vec::is_empty) && row["runningProcesses"] == 0 && row["reaping"] == 0
    });
    idle && mirror.rests(session) && reports(mirror, session) == mirror.units(session).len()
}

/// Only the rows tell that the line of each end that nobody asked about is there.
fn nothing_is_owed(file: &rusqlite::Connection) -> bool {
    let owed = file.query_row("SELECT count(*) FROM unit WHERE delivery = 'pending'", [], |row| row.get(0));
    matches!(owed, Ok::<u32, _>(0))
}

/// What a client was told is what stands in the rows.
async fn same(mirror: &Mirror, server: &Server, sessions: &[String]) -> Result {
    assert!(mirror.texts.is_empty() && mirror.trees.is_empty(), "nothing streams any more");
    let blocks = mirror.items.values().any(|item| item["blocks"].is_array());
    for session in sessions {
        let listed = server.all_items(session, blocks).await?;
        let followed = mirror.transcript(session);
        assert_eq!(followed.len(), listed.len(), "items of {session}");
        for (followed, listed) in followed.into_iter().zip(&listed) {
            assert_eq!(followed, listed);
        }
        for listed in server.processes(session).await? {
            let id = listed["processId"].as_str().unwrap_or_default();
            assert_eq!(mirror.processes.get(id).map(lasting), Some(lasting(&listed)));
        }
    }
    let listed = server.call("list_sessions", json!({})).await?;
    for listed in listed["sessions"].as_array().into_iter().flatten() {
        let id = listed["sessionId"].as_str().unwrap_or_default();
        assert_eq!(mirror.sessions.get(id), Some(listed));
    }
    Ok(())
}

/// A process without what is only known while it runs.
fn lasting(process: &Value) -> Value {
    let mut process = process.clone();
    process.as_object_mut().map(|fields| fields.remove("lastOutputAtMs"));
    process
}

async fn epoch_of(server: &Server) -> Result<String> {
    let feed = server.call("next_feed", json!({"afterRev": 0, "waitMs": 0})).await?;
    Ok(feed["epoch"].as_str().ok_or("no epoch")?.to_owned())
}

#[tokio::test]
async fn attaching_in_mid_stream_loses_and_doubles_nothing() -> Result {
    let words: Vec<String> = (0..300).map(|n| format!("wörd{n} ")).collect();
    let answer = deltas(words.iter().map(String::as_str)).paced(Duration::from_millis(3)).ending(End::Hang);
    let lab = Scripted::start([answer, say("Over.")]).await?;
    let server = Setup::with(&lab).start().await?;
    let session = server.session().await?;
    let whole = words.concat();
    let mut first = Mirror::attach(&*server, "first");
    server.send(&session, "go").await?;
    let mut late = Vec::new();
    for at in [1, 50, 100, 150, 200] {
        first.until("more words", |m| m.texts.values().any(|text| text.contains(&words[at])).then_some(())).await?;
        let line: Line = if at % 100 == 0 { Window::open(&server).await?.into() } else { (&*server).into() };
        let mut mirror = Mirror::attach(line, &format!("late {at}"));
        if at == 150 {
            mirror = mirror.with_blocks();
        }
        // What has streamed so far comes at once, from its beginning.
        mirror.until("the words so far", |m| (m.texts.len() + m.trees.len() == 1).then_some(())).await?;
        late.push(mirror);
    }
    // Only now may it be over: none of them came too late to see it stream.
    lab.release();
    for mirror in late.iter_mut().chain([&mut first]) {
        mirror.until("the end", |m| m.rests(&session).then_some(())).await?;
        mirror.catch_up().await?;
        assert_eq!(mirror.said(&session), [whole.as_str()]);
    }
    Ok(())
}

#[tokio::test]
async fn a_newer_call_of_the_same_client_ends_the_older_one() -> Result {
    let server = Setup::bare().start().await?;
    let mut mirror = Mirror::attach(&*server, "me");
    mirror.catch_up().await?;
    let wait = |ms: u64| json!({"epoch": mirror.epoch, "afterRev": mirror.rev, "waitMs": ms, "clientId": "me"});
    let (older, newer) = ((*server).clone(), (*server).clone());
    let (long, short) = (wait(30_000), wait(0));
    let older = tokio::spawn(async move { older.call("next_feed", long).await });
    // The older call has arrived when the newer one ends it; until then it is asked again.
    let ended = async {
        loop {
            match newer.call("next_feed", short.clone()).await {
                Ok(_) => {}
                // The older call came in behind this one.
                Err(refusal) if refusal.code == "superseded" => {}
                Err(refusal) => return Err(refusal.into()),
            }
            if older.is_finished() {
                return older.await.map_err(gatehouse_tests::Fault::from);
            }
        }
    };
    let refusal = tokio::time::timeout(gatehouse_tests::LIMIT, ended).await??.unwrap_err();
    assert_eq!((refusal.status, refusal.code.as_str()), (409, "superseded"));
    Ok(())
}

#[tokio::test]
async fn a_stranger_s_revision_is_a_reset() -> Result {
    let server = Setup::bare().start().await?;
    server.session().await?;
    let now = server.call("next_feed", json!({"afterRev": 0, "waitMs": 0})).await?;
    assert_eq!(now["reset"], false);
    let (epoch, rev) = (now["epoch"].clone(), now["rev"].as_u64().unwrap_or(0));
    for params in [
        json!({"epoch": "another", "afterRev": 0, "waitMs": 0}),
        json!({"epoch": "another", "afterRev": rev, "waitMs": 30_000}),
        json!({"epoch": epoch, "afterRev": rev + 1000, "waitMs": 30_000}),
    ] {
        let reply = server.call("next_feed", params.clone()).await?;
        assert_eq!(reply["reset"], true, "{params}");
        assert_eq!((&reply["epoch"], reply["rev"].as_u64()), (&epoch, Some(rev)));
        assert_eq!((&reply["changes"], &reply["deltas"]), (&json!([]), &json!([])));
    }
    let same = server.call("next_feed", json!({"epoch": epoch, "afterRev": rev, "waitMs": 0})).await?;
    assert_eq!((&same["reset"], &same["changes"]), (&json!(false), &json!([])));
    Ok(())
}
