//! A backup that the command line names, in a house of several profiles: it is one of the first profile that is served,
//! and nothing of another one is touched or told.

use std::fs;
use std::sync::Arc;

use gatehouse_tests::{Gate, House, Result, Rpc, Server, Setup, os};
use serde_json::{Value, json};

use crate::letters::{owe, stands, waiting};
use crate::neighbours::content;
use crate::profiles::{began, count, two};

/// A house that nobody serves. Each of its two profiles owes words to a chat, was copied, and has changed since; a job of
/// the second has ended since, too.
struct Copied {
    server: Server,
    home: String,
    away: String,
    /// The copies of both have this name.
    name: String,
}

impl Copied {
    async fn house() -> Result<Self> {
        let house = Arc::new(House::new()?);
        let gate = Gate::new(house.root(), "gate")?;
        let (mut server, work) = two(Setup::bare(), house).await?;
        let (home, away) = (server.session().await?, work.session().await?);
        server.term().await?;
        for profile in ["default", "work"] {
            owe(&server.house, profile, 0)?;
        }
        server.restart().await?;
        let work = server.of("work");
        for (rpc, session) in [(&*server, &home), (&work, &away)] {
            call_it(rpc, session, "before").await?;
        }
        let job = work.start(&away, &format!("{}; exit 3", gate.wait()), true).await?;
        let pid = u32::try_from(work.process(&away, &job).await?["pid"].as_u64().ok_or("no pid")?)?;
        let [name, other] = [back_up(&server).await?, back_up(&work).await?];
        let copies = server.house.profile_of("work").join("backups");
        fs::rename(copies.join(other), copies.join(&name))?;
        gate.open(1)?;
        os::ended(pid).await?;
        for (rpc, session) in [(&*server, &home), (&work, &away)] {
            call_it(rpc, session, "since").await?;
        }
        server.term().await?;
        // One that still lives would be taken in, with words about it.
        server.house.no_shims().await?;
        Ok(Self { server, home, away, name })
    }
}

async fn back_up(rpc: &Rpc) -> Result<String> {
    let made = rpc.call("backup_now", json!({})).await?;
    Ok(made["backup"]["name"].as_str().ok_or("no name")?.to_owned())
}

async fn call_it(rpc: &Rpc, session: &str, title: &str) -> Result {
    rpc.call("update_session", json!({ "sessionId": session, "title": title })).await?;
    Ok(())
}

/// What a conversation is called.
async fn title(rpc: &Rpc, session: &str) -> Result<Value> {
    let all = rpc.call("list_sessions", json!({})).await?["sessions"].clone();
    let found = all.as_array().into_iter().flatten().find(|row| row["sessionId"] == *session);
    Ok(found.ok_or("no such conversation")?["title"].clone())
}

/// What a person is asked about in a profile.
async fn causes(rpc: &Rpc) -> Result<Vec<String>> {
    let open = rpc.incidents().await?;
    let mut causes: Vec<_> = open.iter().filter_map(|row| row["cause"].as_str()).map(str::to_owned).collect();
    causes.sort();
    Ok(causes)
}

/// What is asked about where the second profile's copy was put in its place.
const HELD: [&str; 4] = ["letter_held", "letter_held", "report_held", "storage_restored"];

#[tokio::test]
async fn the_copy_of_the_named_profile_is_restored_and_every_file_of_the_other_stays_as_it_is() -> Result {
    let Copied { mut server, home, away, name } = Copied::house().await?;
    let untouched = content(&server.house.profile())?;
    server.restart_with(Setup::bare().args(["--profile", "work", "--restore-backup", &name])).await?;
    assert_eq!(title(&server, &away).await?, "before");
    assert_eq!(causes(&server).await?, HELD);
    assert_eq!(waiting(&server).await?.len(), 2);
    server.term().await?;
    assert!(content(&server.house.profile())? == untouched, "a file of the other one was changed");
    // Served together, they tell the same: what is held is held in one of them.
    server.restart_with(Setup::bare()).await?;
    assert_eq!(title(&server, &home).await?, "since");
    assert_eq!(causes(&server).await?, [] as [&str; 0]);
    assert_eq!(causes(&server.of("work")).await?, HELD);
    assert_eq!(stands(&server.house, "default")?, ["text pending -", "media pending -"]);
    Ok(())
}

#[tokio::test]
async fn the_first_of_those_that_are_served_is_restored_once_and_the_others_keep_what_was_new() -> Result {
    let Copied { mut server, home, away, name } = Copied::house().await?;
    let both = Setup::bare().args(["--profile", "work", "--profile", "default", "--restore-backup", &name]);
    server.restart_with(both).await?;
    let default = server.of("default");
    assert_eq!(
        (title(&server, &away).await?, causes(&server).await?),
        (json!("before"), HELD.map(str::to_owned).into())
    );
    assert_eq!((title(&default, &home).await?, causes(&default).await?), (json!("since"), vec![]));
    let letter = json!({ "letterId": waiting(&server).await?[0]["letter"]["letterId"] });
    let stranger = default.call("send_letter", letter.clone()).await.unwrap_err();
    assert_eq!(stranger.code, "not_found", "what one holds cannot be let go in another");
    server.call("send_letter", letter).await?;
    assert_eq!(stands(&server.house, "default")?, ["text pending -", "media pending -"]);
    // The arguments go on to the program in its own place, and what they ordered does not.
    call_it(&server, &away, "later").await?;
    let boots = count(&server.house, "work", "SELECT count(*) FROM boot")?;
    server.call("restart_gateway", json!({ "now": true })).await?;
    began(&server, &["work"], boots + 1).await?;
    assert_eq!(title(&server, &away).await?, "later");
    Ok(())
}

#[tokio::test]
async fn without_a_name_it_is_the_default_profile_and_a_copy_that_only_another_one_has_is_refused() -> Result {
    let Copied { mut server, home, away, name } = Copied::house().await?;
    let copies = server.house.profile().join("backups");
    fs::rename(copies.join(&name), copies.join("2020-01-01T00-00-00Z.db"))?;
    let before = content(&server.house.home().join("profiles"))?;
    let refused = Setup::bare().args(["--restore-backup", &name]).refused(&server.house).await?;
    assert!(refused.status.code() == Some(1) && refused.words.contains("no such backup"), "{}", refused.words);
    assert!(content(&server.house.home().join("profiles"))? == before, "what is refused changes nothing");
    server.restart_with(Setup::bare().args(["--restore-backup", "2020-01-01T00-00-00Z.db"])).await?;
    let work = server.of("work");
    assert_eq!((title(&server, &home).await?, title(&work, &away).await?), (json!("before"), json!("since")));
    assert_eq!(causes(&server).await?, ["letter_held", "letter_held", "storage_restored"]);
    assert_eq!(waiting(&work).await?, Vec::<Value>::new());
    Ok(())
}

#[tokio::test]
async fn what_a_refused_start_ordered_is_not_carried_out_by_a_later_one() -> Result {
    let Copied { mut server, away, name, .. } = Copied::house().await?;
    let work = Setup::bare().args(["--profile", "work"]);
    server.restart_with(work.clone()).await?;
    let refused = work.args(["--restore-backup", &name]).refused(&server.house).await?;
    assert!(refused.status.code() == Some(1) && refused.words.contains("another Gatehouse"), "{}", refused.words);
    call_it(&server, &away, "later").await?;
    server.term().await?;
    server.restart().await?;
    assert_eq!((title(&server, &away).await?, causes(&server).await?), (json!("later"), vec![]));
    Ok(())
}
