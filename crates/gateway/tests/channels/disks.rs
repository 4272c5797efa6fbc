//! A disk that is full, and one that can only be read, are told to the chats that take words of the house: once, with what
//! helps, and to nobody who would hear of it after it is over.

use crate::Result;
use crate::disk::Disk;
use crate::fake::FakeChannel;
use crate::house::{House, channel, house_says, plugged, until};
use crate::restarts::home;
use crate::warnings::{always, warned};

/// What a chat is told once the trouble has lasted; its channel is connected all the while.
fn warned_in_time(house: &House, channel: &FakeChannel, chat: &str) -> Result<String> {
    until("a warning", || {
        // Nobody outside knows since when the house knows.
        house.wait(11);
        channel.connect();
        house_says(channel, chat).pop()
    })
}

#[test]
fn a_full_disk_is_told_once_while_it_lasts_and_to_nobody_when_there_is_room_again() -> Result {
    let [slack, telegram, matrix] = [channel("slack")?, channel("telegram")?, channel("matrix")?];
    let settings = home("slack", "C1") + &home("telegram", "C2") + &home("matrix", "C3") + "mute_diagnostics = true\n";
    slack.disconnect();
    let disk = Disk::small()?;
    let channels = [plugged(&slack), plugged(&telegram), plugged(&matrix)];
    let house = House::open_in(disk.folder()?, always(), channels, &settings)?;
    disk.fill()?;
    house.fails_to_write()?;
    telegram.connect();
    assert_eq!(telegram.asked(), [], "somebody may make room in a moment");
    let told = warned_in_time(&house, &telegram, "C2")?;
    for words in ["The data of the profile default", "no space left", "Free some space; nothing has to be started"] {
        assert!(told.contains(words), "no {words:?} in {told}");
    }
    assert!(told.contains(&*house.data().to_string_lossy()), "it names the place: {told}");

    // The other chat is owed the same by now, and not connected yet.
    disk.free()?;
    slack.connect();
    // Nobody has written since, so it is tried.
    house.is_in_trouble(false)?;
    house.passes(&slack, "1.0")?;
    assert_eq!(house_says(&slack, "C1"), [] as [&str; 0]);

    // Full again in the same run: whoever knows is not told again.
    disk.fill()?;
    house.fails_to_write()?;
    assert_eq!(warned_in_time(&house, &slack, "C1")?, told);
    disk.free()?;
    house.writes_again()?;
    house.passes(&slack, "2.0")?;
    assert_eq!((house_says(&slack, "C1"), house_says(&telegram, "C2")), (vec![told.clone()], vec![told]));
    assert_eq!(matrix.asked(), []);
    Ok(())
}

#[test]
fn a_disk_that_can_only_be_read_is_told_in_each_home_once_though_nothing_can_be_written() -> Result {
    let [slack, telegram] = [channel("slack")?, channel("telegram")?];
    let settings = home("slack", "C1") + &home("telegram", "C2");
    slack.disconnect();
    let disk = match Disk::careful()? {
        Ok(disk) => disk,
        Err(why) => {
            eprintln!("skipped: there is no disk here that can fail. {why}");
            return Ok(());
        }
    };
    let house = House::open_in(disk.folder()?, always(), [plugged(&slack), plugged(&telegram)], &settings)?;
    disk.fails()?;
    house.fails_to_write()?;
    let told = warned_in_time(&house, &telegram, "C2")?;
    for words in
        ["The data of the profile default", "cannot be written", "Check the permissions of its folder and the disk"]
    {
        assert!(told.contains(words), "no {words:?} in {told}");
    }
    slack.connect();
    assert_eq!(warned(&slack, "C1")?, told);
    for channel in [&slack, &telegram] {
        house.fails_to_write()?;
        channel.connect();
    }
    assert_eq!((slack.asked().len(), telegram.asked().len()), (1, 1), "once in a run");
    Ok(())
}
