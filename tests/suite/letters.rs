//! Words owed to a channel that wait for a person: held after a restore, or given up. A person sends them or does not.

use gatehouse_tests::{House, Mirror, Result, Rpc, Server, Setup};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

const TWO_DAYS: i64 = 2 * 24 * 3_600 * 1_000;

/// A server whose rows owe an answer and a file of it to a channel, since so long ago.
async fn owing(ago_ms: i64) -> Result<Server> {
    let mut server = Setup::bare().start().await?;
    server.session().await?;
    server.term().await?;
    owe(&server.house, "default", ago_ms)?;
    server.restart().await?;
    Ok(server)
}

/// Writes an answer and a file of it, owed for so long, into the only conversation of a profile that nobody serves.
pub(super) fn owe(house: &House, profile: &str, ago_ms: i64) -> Result {
    let rows = Connection::open(house.profile_of(profile).join("gatehouse.db"))?;
    let origin = json!({"profile": profile, "platform": "slack", "chat_type": "dm", "chat": "D1", "chat_name": "Ada",
        "is_bot": false, "by_role": false});
    let parts = [("text", "It is done."), ("media", r#"{"sort":"document","paths":["/tmp/plan.pdf"]}"#)];
    for ((kind, payload), segment) in parts.into_iter().zip(0_i64..) {
        rows.execute(
            "INSERT INTO outbox (id, route, platform, origin, session, turn, segment, kind, payload, category, ledger,
                 created_at, updated_at)
             SELECT randomblob(16), ?1 || ':slack:dm:D1::', 'slack', ?2, id, zeroblob(16), ?3, ?4, ?5, 'result', '1',
                 unixepoch('now') * 1000 - ?6, unixepoch('now') * 1000 - ?6
             FROM session",
            params![profile, origin.to_string(), segment, kind, payload, ago_ms],
        )?;
    }
    Ok(())
}

/// Leaves nothing readable of where the words go.
fn forget_the_chat(server: &Server) -> Result {
    Connection::open(server.house.database())?.execute("UPDATE outbox SET origin = '{}'", [])?;
    Ok(())
}

/// The incidents about words to channels.
pub(super) async fn waiting(server: &Rpc) -> Result<Vec<Value>> {
    Ok(server.incidents().await?.into_iter().filter(|incident| incident["letter"].is_object()).collect())
}

/// How the words of a profile stand, with their markers.
pub(super) fn stands(house: &House, profile: &str) -> Result<Vec<String>> {
    let rows = Connection::open(house.profile_of(profile).join("gatehouse.db"))?;
    let mut rows =
        rows.prepare("SELECT kind || ' ' || state || ' ' || ifnull(marker, '-') FROM outbox ORDER BY seq")?;
    Ok(rows.query_map([], |row| row.get(0))?.collect::<std::result::Result<_, _>>()?)
}

/// How many the feed last said there are.
fn told(mirror: &Mirror) -> Option<u64> {
    mirror.log.iter().rev().find(|change| change["type"] == "incidents")?["count"].as_u64()
}

/// The same server after its newest backup was put in the place of its data.
async fn restored(mut server: Server) -> Result<Server> {
    let made = server.call("backup_now", json!({})).await?;
    server.call("restore_backup", json!({ "name": made["backup"]["name"] })).await?;
    server.term().await?;
    server.restart().await?;
    Ok(server)
}

#[tokio::test]
async fn what_a_restored_backup_owes_to_a_chat_goes_when_a_person_sends_it() -> Result {
    let server = restored(owing(0).await?).await?;
    let held = waiting(&server).await?;
    assert_eq!(held.len(), 2, "{held:#?}");
    let [words, file] = [&held[0], &held[1]];
    assert_eq!((&words["cause"], &words["letter"]["text"]), (&json!("letter_held"), &json!("It is done.")));
    assert_eq!((&words["letter"]["platform"], &words["letter"]["chat"]), (&json!("slack"), &json!("Ada")));
    assert_eq!((&file["letter"]["files"], &file["letter"]["canBeSent"]), (&json!(["plan.pdf"]), &json!(true)));
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.until("the session", |m| (!m.sessions.is_empty()).then_some(())).await?;

    let id = json!({ "letterId": words["letter"]["letterId"] });
    server.call("send_letter", id.clone()).await?;
    assert_eq!(waiting(&server).await?, Vec::<Value>::new(), "its file goes with it");
    assert_eq!(
        stands(&server.house, "default")?,
        ["text failed restart", "media failed restart"],
        "both say that they may be known"
    );
    mirror.until("the count", |m| (told(m)? == 1).then_some(())).await?;
    assert_eq!(server.call("send_letter", id).await.unwrap_err().code, "not_found", "it was let go");
    Ok(())
}

#[tokio::test]
async fn what_a_person_discards_is_sent_to_nobody() -> Result {
    let server = restored(owing(0).await?).await?;
    let held = waiting(&server).await?;
    server.call("resolve_incident", json!({ "incidentId": held[0]["incidentId"] })).await?;
    assert_eq!(waiting(&server).await?, Vec::<Value>::new());
    assert_eq!(stands(&server.house, "default")?, ["text abandoned -", "media abandoned -"]);
    let again = server.call("resolve_incident", json!({ "incidentId": held[0]["incidentId"] })).await;
    assert_eq!(again.unwrap_err().code, "not_found");
    Ok(())
}

#[tokio::test]
async fn what_was_given_up_says_why_and_can_be_tried_again() -> Result {
    let server = owing(TWO_DAYS).await?;
    let mut mirror = Mirror::attach(&*server, "window");
    let given_up = loop {
        let open = waiting(&server).await?;
        if !open.is_empty() {
            break open;
        }
        mirror.step(std::time::Duration::from_secs(5)).await?;
    };
    assert_eq!((given_up.len(), &given_up[0]["cause"]), (1, &json!("outbox_abandoned")), "{given_up:#?}");
    assert_eq!(given_up[0]["detail"], "slack: not sent for a day");
    assert_eq!(given_up[0]["letter"]["canBeSent"], true);
    server.call("send_letter", json!({ "letterId": given_up[0]["letter"]["letterId"] })).await?;
    assert_eq!(waiting(&server).await?, Vec::<Value>::new());
    assert_eq!(stands(&server.house, "default")?, ["text pending -", "media pending -"], "nobody can have seen them");
    Ok(())
}

#[tokio::test]
async fn words_whose_chat_cannot_be_read_are_listed_and_a_person_decides_about_them() -> Result {
    for (decision, becomes) in [
        ("send_letter", ["text failed restart", "media failed restart"]),
        ("resolve_incident", ["text abandoned -", "media abandoned -"]),
    ] {
        let server = owing(0).await?;
        forget_the_chat(&server)?;
        let server = restored(server).await?;
        let held = waiting(&server).await?;
        assert_eq!(held.len(), 2, "{held:#?}");
        let letter = &held[0]["letter"];
        assert_eq!((&letter["platform"], &letter["text"]), (&json!("slack"), &json!("It is done.")), "{letter}");
        assert_eq!((&letter["chat"], &letter["canBeSent"]), (&json!(""), &json!(true)), "{letter}");
        let log = std::fs::read_to_string(server.house.stderr())?;
        let id = letter["letterId"].as_str().ok_or("no id")?;
        assert!(log.lines().any(|line| line.contains(id) && line.contains("cannot be read")), "{log}");
        assert!(!log.contains("It is done."), "what was said is nobody's business in a log");

        let which = json!({ "letterId": letter["letterId"], "incidentId": held[0]["incidentId"] });
        server.call(decision, which).await.map_err(|refusal| format!("{decision}: {refusal}"))?;
        assert_eq!(waiting(&server).await?, Vec::<Value>::new(), "{decision}");
        assert_eq!(stands(&server.house, "default")?, becomes, "{decision}");
    }
    Ok(())
}

#[tokio::test]
async fn words_whose_chat_cannot_be_read_are_given_up_like_all_that_nobody_sends() -> Result {
    let mut server = owing(0).await?;
    server.term().await?;
    forget_the_chat(&server)?;
    Connection::open(server.house.database())?.execute("UPDATE outbox SET created_at = created_at - ?1", [TWO_DAYS])?;
    server.restart().await?;
    let mut mirror = Mirror::attach(&*server, "window");
    while waiting(&server).await?.is_empty() {
        mirror.step(std::time::Duration::from_secs(5)).await?;
    }
    let given_up = waiting(&server).await?;
    assert_eq!((given_up.len(), &given_up[0]["cause"]), (1, &json!("outbox_abandoned")), "{given_up:#?}");
    assert_eq!(stands(&server.house, "default")?, ["text abandoned -", "media abandoned -"]);
    Ok(())
}
