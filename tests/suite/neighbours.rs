//! What befalls one profile befalls no other: damage, another program that holds it, a folder that is taken away.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gatehouse_tests::{Ear, Gate, House, LIMIT, Mirror, Refusal, Result, Rpc, Setup, os, strict};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::profiles::{echo, two};

/// Overwrites every page of the file but the first.
fn spoil(database: &Path) -> Result {
    let mut file = OpenOptions::new().write(true).open(database)?;
    let length = file.metadata()?.len();
    assert!(length > 8 * 4096, "there is more than a page to overwrite");
    file.seek(SeekFrom::Start(4096))?;
    Ok(file.write_all(&vec![0xA5; usize::try_from(length - 4096)?])?)
}

/// Every file below a directory with its bytes, but the lock, which says who looked last.
pub(super) fn content(dir: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(content(&path)?);
        } else if path.file_name().is_some_and(|name| name != "lock") {
            found.insert(path.clone(), fs::read(&path)?);
        }
    }
    Ok(found)
}

/// A command is over and its report answered, so that nothing is under way. Gives back all that stands there then.
async fn told(rpc: &Rpc, session: &str) -> Result<Vec<Value>> {
    let mut mirror = Mirror::attach(rpc, "window");
    rpc.bang(session, "echo before").await?;
    mirror.until("an answer", |m| (m.said(session).len() == 1 && m.rests(session)).then_some(())).await?;
    rpc.items(session).await
}

async fn refused(rpc: &Rpc) -> Refusal {
    rpc.call("list_sessions", json!({})).await.unwrap_err()
}

/// A question is answered and a job reports.
async fn works_wholly(rpc: &Rpc) -> Result {
    let session = rpc.session().await?;
    let mut mirror = Mirror::attach(rpc, "window");
    rpc.send(&session, "still there?").await?;
    mirror.until("an answer", |m| (m.said(&session) == ["still there?"] && m.rests(&session)).then_some(())).await?;
    rpc.start(&session, "exit 5", true).await?;
    mirror.reported(&session, 1).await
}

#[tokio::test]
async fn a_damaged_profile_is_told_and_left_as_it_is_while_another_works_wholly() -> Result {
    let lab = echo().await?;
    let (mut server, work) = two(Setup::with(&lab), Arc::new(House::new()?)).await?;
    let session = work.session().await?;
    let kept = told(&work, &session).await?;
    let backup = work.call("backup_now", json!({})).await?["backup"]["name"].clone();
    server.term().await?;
    // One that still lives could still write there.
    server.house.no_shims().await?;
    let dir = server.house.profile_of("work");
    spoil(&dir.join("gatehouse.db"))?;
    let before = content(&dir)?;
    server.restart().await?;
    let work = server.of("work");
    for _ in 0..3 {
        let refusal = refused(&work).await;
        assert_eq!((refusal.status, refusal.code.as_str()), (503, "store_unavailable"));
        assert!(refusal.message.contains("damaged") && refusal.message.contains("backup"), "{refusal}");
    }
    let row = server.call("list_profiles", json!({})).await?["profiles"][1].clone();
    assert_eq!((&row["name"], &row["state"]), (&json!("work"), &json!("refused")));
    assert!(row["problem"].as_str().is_some_and(|words| words.contains("damaged")), "{row}");
    assert_eq!(server.call("get_health", json!({})).await?["profiles"], json!(["default"]));
    works_wholly(&server).await?;
    server.term().await?;
    assert_eq!(content(&dir)?, before, "nothing of it was changed");
    // Its own door leads to its backups.
    server.restart().await?;
    let work = server.of("work");
    refused(&work).await;
    let list = work.call("list_backups", json!({})).await?;
    assert_eq!(list["backups"][0]["name"], backup);
    work.call("restore_backup", json!({"name": backup})).await?;
    assert_eq!(work.items(&session).await?, kept);
    let aside = fs::read_dir(&dir)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let aside: Vec<_> = aside.filter(|name| name.starts_with("damaged-")).collect();
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert_eq!(fs::read(dir.join(&aside[0]).join("gatehouse.db"))?, before[&dir.join("gatehouse.db")]);
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_server_whose_only_profile_cannot_be_opened_says_so_and_ends() -> Result {
    let (mut server, _work) = two(Setup::bare(), Arc::new(House::new()?)).await?;
    server.term().await?;
    let house = Arc::clone(&server.house);
    spoil(&house.profile_of("work").join("gatehouse.db"))?;
    let alone = Setup::bare().args(["--profile", "work"]).refused(&house).await?;
    assert!(alone.status.code() == Some(1) && alone.words.contains("damaged"), "{}", alone.words);
    // The first one may be the damaged one: the rest is served.
    server.restart_with(Setup::bare().args(["--profile", "work", "--profile", "default"])).await?;
    assert_eq!(refused(&server).await.code, "store_unavailable");
    server.of("default").session().await?;
    server.term().await?;
    spoil(&house.database())?;
    let none = Setup::bare().refused(&house).await?;
    assert!(none.status.code() == Some(1), "{}", none.words);
    for profile in ["default", "work"] {
        assert!(none.words.contains(&house.profile_of(profile).display().to_string()), "{}", none.words);
    }
    Ok(())
}

#[tokio::test]
async fn a_profile_that_another_program_holds_is_told_and_opened_once_it_is_free() -> Result {
    let lab = echo().await?;
    let house = Arc::new(House::new()?);
    let mut holder = Setup::bare().args(["--profile", "work"]).start_in(Arc::clone(&house)).await?;
    let session = holder.session().await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let work = server.of("work");
    let refusal = refused(&work).await;
    assert_eq!(refusal.code, "store_unavailable");
    assert!(refusal.message.contains(&format!("another Gatehouse (pid {})", holder.pid())), "{refusal}");
    works_wholly(&server).await?;
    holder.term().await?;
    // Each refusal sets off the next try.
    let deadline = Instant::now() + LIMIT;
    while let Err(error) = work.call("list_items", json!({"sessionId": session})).await {
        assert!(error.code == "store_unavailable" && Instant::now() < deadline, "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_profile_whose_start_fails_half_way_can_be_restored_in_the_same_program() -> Result {
    let lab = echo().await?;
    let (mut server, work) = two(Setup::with(&lab), Arc::new(House::new()?)).await?;
    let session = work.session().await?;
    let kept = told(&work, &session).await?;
    let backup = work.call("backup_now", json!({})).await?["backup"]["name"].clone();
    server.term().await?;
    // That it starts cannot be written down, until the backup takes the place of these data.
    let data = rusqlite::Connection::open(server.house.profile_of("work").join("gatehouse.db"))?;
    data.execute_batch("CREATE TRIGGER refused BEFORE INSERT ON boot BEGIN SELECT RAISE(ABORT, 'not now'); END")?;
    drop(data);
    server.restart().await?;
    let work = server.of("work");
    for _ in 0..3 {
        let refusal = refused(&work).await;
        assert_eq!(refusal.code, "store_unavailable");
        assert!(!refusal.message.contains("another Gatehouse"), "{refusal}");
    }
    works_wholly(&server).await?;
    work.call("restore_backup", json!({"name": backup})).await?;
    assert_eq!(work.items(&session).await?, kept);
    works_wholly(&work).await?;
    strict::check_all(&lab)
}

#[tokio::test]
async fn a_profile_whose_folder_is_taken_away_is_refused_and_not_made_again() -> Result {
    let lab = echo().await?;
    let house = Arc::new(House::new()?);
    let gate = Gate::new(house.root(), "gate")?;
    let (mut server, work) = two(Setup::with(&lab), house).await?;
    let session = work.session().await?;
    let job = work.start(&session, &gate.wait(), true).await?;
    let pid = work.process(&session, &job).await?["pid"].as_u64().ok_or("no pid")?;
    let dir = server.house.profile_of("work");
    fs::remove_dir_all(&dir)?;
    // Something of it still happens.
    gate.open(1)?;
    os::ended(u32::try_from(pid)?).await?;
    for command in ["export_profile", "backup_now", "create_session"] {
        let refusal = work.call(command, json!({})).await.unwrap_err();
        assert_eq!(refusal.code, "store_unavailable");
        assert!(refusal.message.contains("not there any more"), "{refusal}");
    }
    works_wholly(&server).await?;
    assert!(!dir.exists());
    assert!(server.term().await?.success());
    assert!(!dir.exists());
    strict::check_all(&lab)
}

#[tokio::test]
async fn no_file_of_a_profile_is_opened_while_another_is_at_work() -> Result {
    let lab = echo().await?;
    let (mut server, _work) = two(Setup::with(&lab), Arc::new(House::new()?)).await?;
    server.term().await?;
    let dir = server.house.profile_of("work");
    // It cannot be opened, so nothing of its own is under way either.
    spoil(&dir.join("gatehouse.db"))?;
    server.restart().await?;
    let settled = async {
        while server.call("list_profiles", json!({})).await?["profiles"][1]["state"] != "refused" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok::<_, gatehouse_tests::Fault>(())
    };
    tokio::time::timeout(LIMIT, settled).await??;
    let ear = Ear::at(&dir)?;
    works_wholly(&server).await?;
    server.call("search", json!({"query": "still"})).await?;
    server.call("backup_now", json!({})).await?;
    server.call("export_profile", json!({})).await?;
    assert_eq!(ear.opened()?, [] as [&str; 0]);
    // Whoever means it has it opened.
    refused(&server.of("work")).await;
    let deadline = Instant::now() + LIMIT;
    while !ear.opened()?.contains(&"gatehouse.db".to_owned()) {
        assert!(Instant::now() < deadline, "the ear hears nothing");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    strict::check_all(&lab)
}
