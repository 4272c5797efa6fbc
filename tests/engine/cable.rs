//! A computer without a network: the first start, a message, an answer, and a command's end that is commented on.
//!
//! The whole test runs in a network of its own, in which there is nothing but the computer itself.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use gatehouse_tests::desk::app::Setup;
use gatehouse_tests::{Result, os};
use serde_json::json;
use tokio::time::Instant;

use crate::place::Place;
use crate::talk::PATIENCE;

/// Says to this program, started again, which network it was cut off from.
const CUT_OFF: &str = "GATEHOUSE_TEST_CUT_OFF_FROM";
const THIS_TEST: &str = "cable::without_a_network_the_first_message_is_answered_and_a_commands_end_is_commented_on";
/// A person waits no longer for the first word, start of the program included.
const FIRST_WORD: Duration = Duration::from_secs(60);

#[tokio::test]
async fn without_a_network_the_first_message_is_answered_and_a_commands_end_is_commented_on() -> Result {
    match std::env::var_os(CUT_OFF) {
        Some(outside) => walk(&PathBuf::from(outside)).await,
        None => tokio::task::spawn_blocking(again_without_a_network).await?,
    }
}

fn again_without_a_network() -> Result {
    let script = "ip link set lo up && exec \"$0\" \"$@\"";
    #[expect(clippy::disallowed_methods, reason = "the test itself is started again, where there is no network")]
    let mut command = Command::new("unshare");
    command.args(["--net", "/bin/sh", "-c", script]).arg(std::env::current_exe()?);
    command.args([THIS_TEST, "--exact", "--nocapture"]).env(CUT_OFF, fs::read_link("/proc/self/ns/net")?);
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{status}. If unshare was refused: this test must be root, or be allowed to make a network").into())
}

async fn walk(outside: &PathBuf) -> Result {
    let here = fs::read_link("/proc/self/ns/net")?;
    assert_ne!(&here, outside, "the network was not cut off");
    assert_eq!(interfaces()?, ["lo"]);

    let place = Place::new()?;
    let setup = Setup::bare_in("engine-cable", place.house.clone())?.programs(place.programs.clone()).set_up();
    let launched = Instant::now();
    let app = setup.env("GATEHOUSE_ENGINE_THREADS", "1").open().await?;
    assert_eq!(fs::read_link(format!("/proc/{}/ns/net", app.pid()?))?, here, "the program has another network");
    app.says("[data-testid=first-run]", "The built-in model is ready").await?;
    app.picture("first").await?;
    app.start_with_what_is_offered().await?;
    app.watch().await?;
    app.send("Hello! Who are you?").await?;
    let sent = Instant::now();
    let speaks = "return (window.seen.find((words) => words.trim() !== '') ?? null)";
    app.until_within(FIRST_WORD, "the first word", speaks, &[]).await?;
    let (from_launch, from_sending) = (launched.elapsed(), sent.elapsed());
    println!("first word on the screen: {from_launch:.1?} after the launch, {from_sending:.1?} after Enter");
    assert!(from_launch <= FIRST_WORD, "{from_launch:?}");
    let words = app.answer_within(PATIENCE, 1).await?;
    let seen = app.watched().await?;
    println!("{} states of the answer: {words}", seen.len());
    assert!(!words.is_empty() && seen.len() > 1, "it did not grow before the eyes: {seen:?}");
    app.picture("answered").await?;

    app.send("!sleep 2; echo done").await?;
    app.says("[data-author=machine]", "Machine note").await?;
    let comment = app.answer_within(PATIENCE, 2).await?;
    println!("on the command's end: {comment}");
    assert!(!comment.is_empty());
    app.picture("commented").await?;
    let engines = os::table()?.into_iter().filter(|seen| seen.exe == Some(place.engine()));
    let parents: Vec<_> = engines.map(|engine| engine.parent).collect();
    assert_eq!(parents, [app.pid()?], "one engine, and the gateway's child");
    let failed = "return document.querySelectorAll('[data-kind=failed_turn]').length";
    assert_eq!(app.run(failed, &[]).await?, json!(0));
    app.close().await
}

fn interfaces() -> Result<Vec<String>> {
    let table = fs::read_to_string("/proc/net/dev")?;
    Ok(table.lines().skip(2).filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned())).collect())
}
