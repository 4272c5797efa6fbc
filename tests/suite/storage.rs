//! Files: whose they are, and what is refused without touching anything.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatehouse_tests::{House, Mirror, Result, Server, Setup, holds};

/// Every file and directory below `dir` with its mode and content.
fn everything(dir: &Path) -> Result<BTreeMap<PathBuf, (u32, Vec<u8>)>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        // A socket or a temporary file may go while we look.
        let Some(meta) = there(fs::symlink_metadata(&path))? else { continue };
        let content = if meta.is_file() { there(fs::read(&path))?.unwrap_or_default() } else { Vec::new() };
        if meta.is_dir() {
            all.extend(everything(&path)?);
        }
        all.insert(path, (meta.mode(), content));
    }
    Ok(all)
}

fn there<T>(looked: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match looked {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A home with a session and an ended process in it.
async fn lived_in() -> Result<Server> {
    let server = Setup::bare().start().await?;
    let session = server.session().await?;
    let id = server.bang(&session, "echo here").await?;
    let mut mirror = Mirror::attach(&*server, "window");
    mirror.until("its end", |m| m.processes.get(&id).filter(|p| p["state"] == "exited").map(|_| ())).await?;
    // Its helper takes its own files away.
    server.house.no_shims().await?;
    Ok(server)
}

/// What lies in the profile; who holds its lock is no data.
fn profile(house: &House) -> Result<BTreeMap<PathBuf, (u32, Vec<u8>)>> {
    let mut all = everything(&house.profile())?;
    if let Some((_, holder)) = all.get_mut(&house.profile().join("lock")) {
        holder.clear();
    }
    Ok(all)
}

#[tokio::test]
async fn a_second_server_is_sent_away() -> Result {
    let server = lived_in().await?;
    // The first one may still write down what it saw; files come and go only by an opener.
    let names = || -> Result<Vec<_>> {
        Ok(profile(&server.house)?.into_iter().map(|(path, (mode, _))| (path, mode)).collect())
    };
    let before = names()?;
    let refused = Setup::bare().refused(&server.house).await?;
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.words.contains("in use by another Gatehouse"), "{}", refused.words);
    assert_eq!(names()?, before, "nothing was touched");
    server.session().await?;
    Ok(())
}

#[tokio::test]
async fn a_newer_file_is_left_alone() -> Result {
    let mut server = lived_in().await?;
    server.term().await?;
    let file = rusqlite::Connection::open(server.house.database())?;
    file.pragma_update(None, "journal_mode", "DELETE")?;
    file.pragma_update(None, "user_version", 999)?;
    drop(file);
    refuses(&server.house, &["newer Gatehouse", "999"]).await
}

#[tokio::test]
async fn a_damaged_file_is_left_alone() -> Result {
    let mut server = lived_in().await?;
    server.term().await?;
    let path = server.house.database();
    let whole = fs::read(&path)?;
    // No file of ours at all; a file whose inside is rubbish; a file whose end is missing.
    let rubbish: Vec<u8> = (0..whole.len()).map(|n| u8::try_from(n * 31 % 251).unwrap_or(0)).collect();
    let mut inside = whole.clone();
    inside[100..4096].copy_from_slice(&rubbish[100..4096]);
    let cut = whole[..whole.len() / 2].to_vec();
    for broken in [rubbish, inside, cut, b"short".to_vec()] {
        fs::write(&path, broken)?;
        refuses(&server.house, &["damaged", "Nothing was changed"]).await?;
    }
    fs::write(&path, whole)?;
    server.restart().await?;
    Ok(())
}

async fn refuses(house: &Arc<House>, words: &[&str]) -> Result {
    let before = profile(house)?;
    let refused = Setup::bare().refused(house).await?;
    assert_eq!(refused.status.code(), Some(1), "{}", refused.words);
    for word in words {
        assert!(refused.words.contains(word), "no {word:?} in {}", refused.words);
    }
    let after = profile(house)?;
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert!(after == before, "a file was changed");
    Ok(())
}

#[tokio::test]
async fn everything_is_the_owner_s_alone() -> Result {
    let server = lived_in().await?;
    let home = fs::symlink_metadata(server.house.home())?.mode();
    let all = everything(server.house.home())?;
    let modes = all.into_iter().map(|(path, (mode, _))| (path, mode)).chain([(server.house.home().to_owned(), home)]);
    let open = modes.filter(|(_, mode)| mode & 0o077 != 0);
    let shared: Vec<_> = open.map(|(path, mode)| format!("{} {:o}", path.display(), mode & 0o777)).collect();
    assert!(shared.is_empty(), "others may look: {shared:#?}");
    Ok(())
}

#[tokio::test]
async fn the_token_is_never_written_down() -> Result {
    let mut server = lived_in().await?;
    let token = server.token().to_owned();
    assert_eq!(holds(server.house.root(), token.as_bytes())?, None);
    server.term().await?;
    assert_eq!(holds(server.house.root(), token.as_bytes())?, None);
    Ok(())
}
