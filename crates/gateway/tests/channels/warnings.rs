//! What is wrong with the data is told to the chats that take words of the house: once, only if it lasts, and with what
//! helps; also where nothing can be written down.

use gatehouse_provider::scripted::{Answer, say};

use crate::Result;
use crate::fake::FakeChannel;
use crate::house::{House, channel, house_says, message, plugged, until};
use crate::restarts::home;

/// A model for several questions.
pub(super) fn always() -> Vec<Answer> {
    (0..8).map(|_| say("Yes.")).collect()
}

impl House {
    /// Writes until that fails.
    pub(super) fn fails_to_write(&self) -> Result {
        let gateway = self.gateway()?.clone();
        until("a write that fails", || self.does(gateway.create_session(None, None)).ok()?.is_err().then_some(()))
    }

    /// Writes until that works.
    pub(super) fn writes_again(&self) -> Result {
        let gateway = self.gateway()?.clone();
        until("a write that works", || self.does(gateway.create_session(None, None)).ok()?.is_ok().then_some(()))
    }

    /// Waits until the store knows of a trouble, or of none.
    pub(super) fn is_in_trouble(&self, wanted: bool) -> Result {
        let gateway = self.gateway()?.clone();
        until("the trouble", || (gateway.storage().trouble.is_some() == wanted).then_some(()))
    }
}

/// What a chat is told of the data.
pub(super) fn warned(channel: &FakeChannel, chat: &str) -> Result<String> {
    until("a warning", || house_says(channel, chat).pop())
}

#[test]
fn a_replaced_file_is_told_in_each_home_once_though_nothing_can_be_written() -> Result {
    let [slack, telegram, signal] = [channel("slack")?, channel("telegram")?, channel("signal")?];
    let matrix = channel("matrix")?;
    let settings = home("slack", "C1")
        + &home("telegram", "C2")
        + &home("signal", "C3")
        + &home("matrix", "C4")
        + "mute_diagnostics = true\n";
    telegram.disconnect();
    signal.disconnect();
    let channels = [plugged(&slack), plugged(&telegram), plugged(&signal), plugged(&matrix)];
    let house = House::open(always(), channels, &settings)?;
    std::fs::rename(house.data(), house.home.path().join("gone.db"))?;
    house.fails_to_write()?;
    let told = warned(&slack, "C1")?;
    for words in ["The data of the profile default", "replaced or removed", "put the right file in its place"] {
        assert!(told.contains(words), "no {words:?} in {told}");
    }
    assert!(told.contains(&*house.data().to_string_lossy()), "{told}");

    // Each later one is told in a round of its own.
    for (late, chat) in [(&telegram, "C2"), (&signal, "C3")] {
        house.fails_to_write()?;
        late.connect();
        assert_eq!(warned(late, chat)?, told);
    }
    assert_eq!((slack.asked().len(), telegram.asked().len()), (1, 1), "once in a run");
    assert_eq!(matrix.asked(), []);
    Ok(())
}

#[test]
fn a_restart_that_is_still_to_come_is_not_told() -> Result {
    let slack = channel("slack")?;
    let house = House::open(always(), [plugged(&slack)], &home("slack", "C1"))?;
    assert!(house.does(house.gateway()?.restart(None, false))??, "nobody had asked before");
    std::fs::rename(house.data(), house.home.path().join("gone.db"))?;
    house.fails_to_write()?;
    // The warning goes when all that is owed was looked at.
    warned(&slack, "C1")?;
    assert_eq!(house_says(&slack, "C1").len(), 1);
    Ok(())
}

#[test]
fn a_lock_is_told_once_it_lasts_and_not_where_it_is_gone_by_then() -> Result {
    let [slack, telegram] = [channel("slack")?, channel("telegram")?];
    slack.disconnect();
    let settings = home("slack", "C1") + &home("telegram", "C2");
    let house = House::open(always(), [plugged(&slack), plugged(&telegram)], &settings)?;
    let other = house.elsewhere()?;
    other.execute_batch("BEGIN IMMEDIATE")?;
    let gateway = house.gateway()?.clone();
    let waits = std::thread::scope(|scope| -> Result {
        let waits = scope.spawn(|| house.does(gateway.create_session(None, None)).is_ok_and(|made| made.is_ok()));
        house.is_in_trouble(true)?;
        telegram.connect();
        assert_eq!(telegram.asked(), [], "it may pass in a moment");
        house.wait(11);
        telegram.connect();
        let told = warned(&telegram, "C2")?;
        assert!(told.contains("Another program holds") && told.contains("quit the other program"), "{told}");
        // The first chat is owed the same by now, and not connected yet.
        other.execute_batch("ROLLBACK")?;
        assert!(waits.join().map_err(|_| "the write broke off")?, "it was written in the end");
        Ok(())
    });
    waits?;
    house.is_in_trouble(false)?;
    slack.connect();
    house.passes(&slack, "1.0")?;
    assert_eq!(house_says(&slack, "C1"), [] as [&str; 0]);
    Ok(())
}

#[test]
fn a_damaged_index_is_told_without_a_word_of_a_restore_and_no_more_once_it_is_mended() -> Result {
    let [slack, matrix] = [channel("slack")?, channel("matrix")?];
    let settings = home("slack", "C1") + &home("matrix", "C2") + "mute_diagnostics = true\n";
    let mut house = House::open(always(), [plugged(&slack), plugged(&matrix)], &settings)?;
    for id in ["1.0", "2.0"] {
        house.answered(&message("D1", id)?, "words")?;
        house.elsewhere()?.execute_batch("DELETE FROM item_fts_data WHERE id = 10")?;
    }
    house.answered(&message("D1", "3.0")?, "words")?;
    let told = warned(&slack, "C1")?;
    assert!(told.contains("every message is intact") && told.contains("start again"), "{told}");
    assert!(!told.contains("Restore"), "{told}");
    let sql = "SELECT target || ' ' || cause || ' ' || state FROM notice_owed ORDER BY target";
    until("both rows", || {
        let expected = ["matrix:C2 storage_index_corrupt suppressed", "slack:C1 storage_index_corrupt sent"];
        (house.rows(sql).ok()? == expected).then_some(())
    })?;
    house.restart()?;
    house.passes(&slack, "4.0")?;
    assert_eq!((house_says(&slack, "C1").len(), matrix.asked().len()), (1, 0));
    Ok(())
}

#[test]
fn damage_that_a_copy_shows_is_told_with_the_way_back() -> Result {
    let slack = channel("slack")?;
    let mut house = House::open(always(), [plugged(&slack)], &home("slack", "C1"))?;
    for _ in 0..400 {
        house.does(house.gateway()?.create_session(Some("words ".repeat(33)), None))??;
    }
    house.shut_down()?.join().map_err(|_| "the end broke off")?;
    displace(&house.data())?;
    house.start()?;
    let made = house.does(house.gateway()?.backup_now())?;
    assert!(made.is_err(), "the copy is damaged");
    let told = warned(&slack, "C1")?;
    assert!(told.contains("copy of the data is damaged") && told.contains("restore an older one"), "{told}");
    Ok(())
}

/// Puts one leaf of a table in the place of another: each page makes sense by itself.
fn displace(file: &std::path::Path) -> Result {
    const PAGE: usize = 4096;
    let mut bytes = std::fs::read(file)?;
    let is_leaf = |page: &[u8]| page[0] == 0x0d && page.windows(12).any(|part| part == b"words words ");
    let leaves: Vec<usize> = (1..bytes.len() / PAGE).filter(|n| is_leaf(&bytes[n * PAGE..(n + 1) * PAGE])).collect();
    let (from, to) = (leaves[leaves.len() / 3] * PAGE, leaves[leaves.len() / 2] * PAGE);
    bytes.copy_within(from..from + PAGE, to);
    std::fs::write(file, bytes)?;
    Ok(())
}
