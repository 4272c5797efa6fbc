//! The server goes and comes back; what it started stays and is accounted for.

use std::sync::Arc;

use gatehouse_provider::scripted::{End, Script, Scripted, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Setup, os, strict};
use serde_json::{Value, json};

#[tokio::test]
async fn jobs_outlive_the_server_and_report_to_the_next_one() -> Result {
    let house = Arc::new(House::new()?);
    let (early, late) = (Gate::new(house.root(), "early")?, Gate::new(house.root(), "late")?);
    let lab = Scripted::start([say("Noted."), say("Noted too.")]).await?;
    let mut server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let away = server.start(&session, &format!("{}; echo while away; exit 7", early.wait()), true).await?;
    let after = server.start(&session, &format!("{}; echo afterwards; exit 8", late.wait()), true).await?;
    let pid = server.process(&session, &away).await?["pid"].as_u64().ok_or("no pid")?;
    let status = server.term().await?;
    assert_eq!(status.code(), Some(0), "an orderly end");
    let pid = u32::try_from(pid)?;
    assert!(os::lives(pid), "an end of the server is none of its jobs");
    early.open(1)?;
    os::ended(pid).await?;

    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.until("the first report", |m| (m.units(&session).len() == 1).then_some(())).await?;
    assert_eq!(server.process(&session, &away).await?["exitCode"], 7);
    assert_eq!(server.process(&session, &after).await?["state"], "running", "adopted");
    late.open(1)?;
    mirror.reported(&session, 2).await?;
    mirror.catch_up().await?;
    for (id, code, words) in [(&away, 7, "while away"), (&after, 8, "afterwards")] {
        let units: Vec<_> = mirror.units(&session).into_iter().filter(|u| u["processId"] == json!(id)).collect();
        assert_eq!(units.len(), 1, "{units:#?}");
        assert_eq!(units[0]["exitCode"], code);
        assert_eq!(units[0]["outputTail"].as_str().map(str::trim_end), Some(words));
        assert_eq!(server.output(id).await?.trim_end(), words);
    }
    assert_eq!(lab.requests().len(), 2);
    server.house.no_shims().await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_report_among_silent_ends_is_told_once_and_asked_once() -> Result {
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    // The answer takes longer than all that a start has to find out.
    let lab = Scripted::start(Script::responder(|_: &Value| say("Noted.").ending(End::Hang))).await?;
    let mut server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mut pids = Vec::new();
    // The first that is found is the one that is told; a start has twenty more to look at then.
    for number in 0..21 {
        let id = server.start(&session, &gate.wait(), number == 0).await?;
        let pid = server.process(&session, &id).await?["pid"].as_u64().ok_or("no pid")?;
        pids.push(u32::try_from(pid)?);
    }
    server.kill9()?;
    gate.open(pids.len())?;
    for pid in pids {
        os::ended(pid).await?;
    }
    // Whoever still had a shim would be adopted, and would end only then.
    server.house.no_shims().await?;
    server.restart().await?;
    lab.wait_for_request(1).await;
    let mut mirror = Mirror::attach(&*server, "window");
    let exited = |m: &Mirror| m.processes.values().filter(|p| p["state"] == "exited" && p["exitCode"] == 0).count();
    mirror.until("all to end", |m| (exited(m) == 21).then_some(())).await?;
    lab.release();
    mirror.until("the answer", |m| (m.said(&session) == ["Noted."] && m.rests(&session)).then_some(())).await?;
    mirror.catch_up().await?;
    assert_eq!((mirror.of_kind(&session, "machine_note").len(), mirror.units(&session).len()), (1, 1));
    let lines: Vec<_> = mirror.of_kind(&session, "notice").iter().map(|line| line["text"].to_string()).collect();
    assert!(lines.len() == 20 && lines.iter().all(|line| line.contains("exited with code 0")), "{lines:#?}");
    assert_eq!((mirror.turns_of(&session).len(), lab.requests().len()), (1, 1));
    strict::check_all(&lab)
}
