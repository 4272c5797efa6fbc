//! The data as a whole: other programs that hold it, copies of it, and a copy in its place.

use std::path::Path;
use std::time::{Duration, Instant};

use gatehouse_tests::{Result, Server, Setup};
use rusqlite::Connection;
use serde_json::{Value, json};

/// Holds the write lock of the data file as another program would, until it is dropped.
struct Stranger(Connection);

impl Stranger {
    fn holds(server: &Server) -> Result<Self> {
        let conn = Connection::open(server.house.database())?;
        conn.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self(conn))
    }

    fn lets_go(self) -> Result {
        Ok(self.0.execute_batch("ROLLBACK")?)
    }
}

#[expect(clippy::disallowed_methods, reason = "how long the server is kept waiting is what is tried")]
fn now() -> Instant {
    Instant::now()
}

#[tokio::test]
async fn a_lock_that_another_program_holds_for_a_while_is_waited_for() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let stranger = Stranger::holds(&server)?;
    let begun = now();
    let words = json!({ "sessionId": session, "text": "/help" });
    let said = server.call("send_message", words);
    let meanwhile = async {
        let mut told = Value::Null;
        while begun.elapsed() < Duration::from_secs(8) {
            // Who only reads is answered while it is held.
            let health = server.call("get_health", json!({})).await?;
            if !health["storage"].is_null() {
                told = health["storage"].clone();
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        stranger.lets_go()?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(told)
    };
    let (said, told) = tokio::join!(said, meanwhile);
    said?;
    let told = told?;
    assert_eq!(told["code"], "storage_locked", "{told}");
    assert!(told["message"].as_str().is_some_and(|m| m.contains(&format!("(pid {})", std::process::id()))), "{told}");
    assert_eq!(server.items(&session).await?.len(), 1, "the answer is kept");
    assert!(server.call("get_health", json!({})).await?["storage"].is_null());
    Ok(())
}

#[tokio::test]
async fn a_second_server_names_the_one_that_holds_the_profile() -> Result {
    let server = Setup::bare().start().await?;
    let refused = Setup::bare().refused(&server.house).await?;
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        refused.words.contains(&format!("in use by another Gatehouse (pid {})", server.pid())),
        "{}",
        refused.words
    );
    Ok(())
}

/// Says something to nobody: without a model a message is kept all the same.
async fn say(server: &Server, session: &str, words: &str) -> Result {
    server.bang(session, &format!("echo {words}")).await?;
    Ok(())
}

async fn texts(server: &Server, session: &str) -> Result<String> {
    Ok(serde_json::to_string(&server.items(session).await?)?)
}

#[tokio::test]
async fn a_backup_is_made_while_others_write_and_restored_by_the_next_start() -> Result {
    let mut server = Setup::bare().start().await?;
    let session = server.session().await?;
    say(&server, &session, "before").await?;
    assert_eq!(server.call("list_backups", json!({})).await?["backups"], json!([]));
    let writing = async {
        for n in 0..20 {
            server.call("update_session", json!({ "sessionId": session, "title": format!("title {n}") })).await?;
        }
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
    };
    let (made, wrote) = tokio::join!(server.call("backup_now", json!({})), writing);
    wrote?;
    let backup = made?["backup"].clone();
    let name = backup["name"].as_str().ok_or("no name")?.to_owned();
    let list = server.call("list_backups", json!({})).await?;
    assert_eq!(list["backups"], json!([backup]));
    assert_eq!((&list["kept"], &list["running"], &list["failure"]), (&json!(7), &json!(false), &Value::Null));
    let path = Path::new(list["dir"].as_str().ok_or("no dir")?).join(&name);
    assert_eq!(integrity(&path)?, "ok");

    say(&server, &session, "afterwards").await?;
    assert!(texts(&server, &session).await?.contains("afterwards"));
    let epoch = epoch(&server).await?;
    let refusal = server.call("restore_backup", json!({ "name": "../gatehouse.db" })).await;
    assert_eq!(refusal.err().map(|r| r.code).as_deref(), Some("not_found"));
    server.call("restore_backup", json!({ "name": name })).await?;
    assert!(texts(&server, &session).await?.contains("afterwards"), "nothing happens before the next start");
    server.term().await?;
    // One that still lives would be taken in, with words about it.
    server.house.no_shims().await?;
    server.restart().await?;

    assert_ne!(self::epoch(&server).await?, epoch, "a new history");
    let restored = texts(&server, &session).await?;
    assert!(restored.contains("before") && !restored.contains("afterwards"), "{restored}");
    let aside: Vec<_> = std::fs::read_dir(server.house.profile())?
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.starts_with("damaged-").then_some(name)
        })
        .collect();
    assert_eq!(aside.len(), 1, "{aside:?}");
    let kept = server.house.profile().join(&aside[0]).join("gatehouse.db");
    assert_eq!(integrity(&kept)?, "ok", "what was there is kept whole");
    assert!(!server.house.profile().join("restore.json").exists());
    server.term().await?;
    server.restart().await?;
    assert!(!texts(&server, &session).await?.contains("afterwards"), "it is done once");
    Ok(())
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_gives_way_to_a_backup() -> Result {
    let mut server = Setup::bare().start().await?;
    let session = server.session().await?;
    say(&server, &session, "before").await?;
    let made = server.call("backup_now", json!({})).await?;
    let name = made["backup"]["name"].as_str().ok_or("no name")?.to_owned();
    server.term().await?;
    std::fs::write(server.house.database(), "spoilt")?;
    let refused = Setup::bare().refused(&server.house).await?;
    assert!(refused.words.contains("Backups are in"), "{}", refused.words);
    assert_eq!(std::fs::read_to_string(server.house.database())?, "spoilt", "it is left as it is");
    let none = Setup::bare().args(["--restore-backup", "none.db"]).refused(&server.house).await?;
    assert!(none.words.contains("no such backup"), "{}", none.words);
    server.restart_with(Setup::bare().args(["--restore-backup", &name])).await?;
    assert!(texts(&server, &session).await?.contains("before"));
    Ok(())
}

#[tokio::test]
async fn an_order_that_cannot_be_carried_out_leaves_the_data_as_it_is() -> Result {
    let mut server = Setup::bare().start().await?;
    let session = server.session().await?;
    say(&server, &session, "before").await?;
    let backup = server.call("backup_now", json!({})).await?["backup"].clone();
    server.call("restore_backup", json!({ "name": backup["name"] })).await?;
    let dir = server.house.profile().join("backups");
    std::fs::write(dir.join(backup["name"].as_str().ok_or("no name")?), "spoilt meanwhile")?;
    server.term().await?;
    server.restart().await?;
    assert!(texts(&server, &session).await?.contains("before"));
    assert_eq!(server.call("get_health", json!({})).await?["incidents"], 1);
    assert!(!server.house.profile().join("restore.json").exists(), "it is not tried for ever");
    Ok(())
}

#[tokio::test]
async fn a_profile_is_exported_whole() -> Result {
    let server = Setup::bare().start().await?;
    let (first, second) = (server.session().await?, server.session().await?);
    say(&server, &first, "one").await?;
    say(&server, &second, "two").await?;
    let made = server.call("export_profile", json!({})).await?;
    let text = std::fs::read_to_string(made["path"].as_str().ok_or("no path")?)?;
    assert_eq!(made["bytes"], text.len());
    let lines: Vec<Value> = text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?;
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).collect::<Vec<_>>();
    assert_eq!((lines[0]["type"].as_str(), lines[0]["format"].as_u64()), (Some("profile"), Some(1)));
    assert_eq!(of("session").iter().map(|s| &s["sessionId"]).collect::<Vec<_>>(), [&json!(first), &json!(second)]);
    assert_eq!((made["sessions"].clone(), made["items"].clone()), (json!(2), json!(of("item").len())));
    let cards: Vec<_> =
        of("item").iter().filter(|item| !item["card"].is_null()).map(|i| i["sessionId"].clone()).collect();
    assert_eq!(cards, [json!(first), json!(second)]);
    Ok(())
}

#[tokio::test]
async fn a_removed_file_is_told_and_writing_stops() -> Result {
    let mut server = Setup::bare().start().await?;
    let session = server.session().await?;
    let database = server.house.database();
    let aside = database.with_extension("aside");
    std::fs::rename(&database, &aside)?;
    let deadline = now() + Duration::from_secs(30);
    let refusal = loop {
        let renamed = server.call("update_session", json!({ "sessionId": session, "title": "t" })).await;
        match renamed {
            Err(refusal) => break refusal,
            Ok(_) if now() > deadline => return Err("it still writes".into()),
            Ok(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    assert_eq!(refusal.code, "store_unavailable");
    assert!(refusal.message.contains("replaced or removed"), "{refusal}");
    assert_eq!(server.call("get_health", json!({})).await?["storage"]["code"], "storage_replaced");
    // Whoever looks is still answered.
    server.term().await?;
    std::fs::rename(&aside, &database)?;
    server.restart().await?;
    server.session().await?;
    Ok(())
}

#[tokio::test]
async fn where_nothing_can_be_counted_any_more_it_is_said_what_is_wrong() -> Result {
    let mut server = Setup::bare().start().await?;
    server.session().await?;
    server.term().await?;
    server.restart().await?;
    let database = server.house.database();
    let whole = std::fs::read(&database)?;
    let mut spoilt = whole.clone();
    // The head stays, so that it is still the same file; nothing else does.
    spoilt[4096..].fill(0xA5);
    let file = std::fs::OpenOptions::new().write(true).open(&database)?;
    std::os::unix::fs::FileExt::write_all_at(&file, &spoilt, 0)?;
    // Whatever comes of it: it makes everybody look at the file again.
    let refused = server.call("create_session", json!({})).await;
    let health = server.call("get_health", json!({})).await?;
    assert_eq!(health["storage"]["code"], "storage_corrupt", "{health}, {refused:?}");
    assert!(health["storage"]["message"].as_str().is_some_and(|words| words.contains("backups")), "{health}");
    server.kill9()?;
    Ok(())
}

#[tokio::test]
async fn a_damaged_index_is_mended_and_then_told_while_the_rest_goes_on() -> Result {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let help = || server.call("send_message", json!({ "sessionId": session, "text": "/help" }));
    let find = || server.call("search", json!({ "query": "stop" }));
    let damage = || -> Result {
        let conn = Connection::open(server.house.database())?;
        Ok(conn.execute("DELETE FROM item_fts_data WHERE id = 10", []).map(|_| ())?)
    };
    help().await?;
    let found = find().await?["hits"].as_array().map_or(0, Vec::len);
    assert!(found > 0);
    damage()?;
    help().await?;
    assert_eq!(find().await?["hits"].as_array().map_or(0, Vec::len), 2 * found);
    damage()?;
    help().await?;
    let refusal = find().await.err().ok_or("a search was answered")?;
    assert!(refusal.message.contains("every message is intact"), "{refusal}");
    help().await?;
    assert_eq!(server.items(&session).await?.len(), 4);
    assert_eq!(server.call("get_health", json!({})).await?["incidents"], 1);
    Ok(())
}

async fn epoch(server: &Server) -> Result<Value> {
    Ok(server.call("next_feed", json!({ "afterRev": 0, "waitMs": 0 })).await?["epoch"].clone())
}

fn integrity(path: &Path) -> Result<String> {
    let conn = Connection::open(path)?;
    Ok(conn.query_row("PRAGMA integrity_check", [], |row| row.get(0))?)
}
