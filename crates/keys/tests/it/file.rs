//! The file that stands in for a keyring.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::Duration;

use gatehouse_domain::Secret;
use gatehouse_keys::{Bus, Error, KeyPlace, KeyStore};
use tempfile::TempDir;

struct Home {
    dir: TempDir,
    keys: KeyStore,
}

impl Home {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let keys = KeyStore::on(dir.path(), Bus::Absent, Duration::ZERO);
        Self { dir, keys }
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("keys.json")
    }

    fn mode(&self) -> u32 {
        fs::metadata(self.file()).unwrap().mode() & 0o7777
    }

    /// Puts `text` where the keys are.
    fn hold(&self, text: impl AsRef<[u8]>) {
        fs::write(self.file(), text).unwrap();
        fs::set_permissions(self.file(), Permissions::from_mode(0o600)).unwrap();
    }

    async fn set(&self, name: &str, key: &str) {
        let place = self.keys.set(name, Secret::new(key.to_owned())).await.unwrap();
        assert!(matches!(place, KeyPlace::File { .. }));
    }

    async fn get(&self, name: &str) -> Option<String> {
        self.keys.get(name).await.unwrap().map(|key| key.expose().clone())
    }
}

#[tokio::test]
async fn any_name_is_a_name_and_nothing_else() {
    let home = Home::new();
    let names = ["lab", "a.b", "../../etc/passwd", "/", "", "keys", "a\"b\\c\n", "ключ 🔑", "a\0b"];
    for name in names {
        assert_eq!(home.get(name).await, None);
        home.set(name, &format!("sk of {name}")).await;
    }
    for name in names {
        assert_eq!(home.get(name).await, Some(format!("sk of {name}")));
    }
    home.keys.remove("../../etc/passwd").await.unwrap();
    assert_eq!(home.get("../../etc/passwd").await, None);
    assert_eq!(home.get("/").await.as_deref(), Some("sk of /"));
    let files: Vec<_> = fs::read_dir(home.dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["keys.json"]);
}

#[tokio::test]
async fn looking_and_removing_make_no_file() {
    let home = Home::new();
    assert_eq!(home.get("lab").await, None);
    home.keys.remove("lab").await.unwrap();
    assert!(!home.file().exists());
}

#[tokio::test]
async fn only_the_owner_can_read_it() {
    let home = Home::new();
    home.set("lab", "sk-1").await;
    assert_eq!(home.mode(), 0o600);
    for wide in [0o640, 0o604, 0o666, 0o620, 0o777] {
        fs::set_permissions(home.file(), Permissions::from_mode(wide)).unwrap();
        assert_eq!(home.get("lab").await.as_deref(), Some("sk-1"));
        assert_eq!(home.mode(), 0o600, "{wide:o} was not mended");
    }
}

#[tokio::test]
async fn a_new_file_takes_the_place_of_the_old_one_as_a_whole() {
    let home = Home::new();
    home.set("lab", "sk-1").await;
    let old = fs::File::open(home.file()).unwrap();
    home.set("lab", "sk-2").await;
    let (before, after) = (old.metadata().unwrap(), fs::metadata(home.file()).unwrap());
    assert_ne!(before.ino(), after.ino(), "the old file was written over");
    assert_eq!(std::io::read_to_string(old).unwrap().matches("sk-1").count(), 1);
}

#[tokio::test]
async fn what_a_crash_left_behind_is_not_in_the_way_and_not_used() {
    let home = Home::new();
    home.set("lab", "sk-1").await;
    let left = home.dir.path().join("keys.json.new");
    fs::write(&left, "half of a fi").unwrap();
    assert_eq!(home.get("lab").await.as_deref(), Some("sk-1"));
    home.set("b", "sk-2").await;
    assert!(!left.exists());

    // Somebody's link under that name is not followed.
    let target = home.dir.path().join("target");
    fs::write(&target, "mine").unwrap();
    symlink(&target, &left).unwrap();
    home.set("c", "sk-3").await;
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    assert_eq!(home.mode(), 0o600);
}

#[tokio::test]
async fn a_change_that_cannot_be_written_keeps_the_old_keys() {
    let home = Home::new();
    home.set("lab", "sk-1").await;
    fs::create_dir(home.dir.path().join("keys.json.new")).unwrap();
    let error = home.keys.set("lab", Secret::new("sk-2".to_owned())).await.unwrap_err();
    assert!(matches!(error, Error::File { .. }), "{error}");
    assert_eq!(home.get("lab").await.as_deref(), Some("sk-1"));
}

#[tokio::test]
async fn many_changes_at_once_undo_nothing() {
    let home = Home::new();
    let names: Vec<_> = (0..20).map(|at| format!("lab {at}")).collect();
    futures_util::future::join_all(names.iter().map(|name| home.set(name, name))).await;
    for name in &names {
        assert_eq!(home.get(name).await.as_ref(), Some(name));
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_left_alone_and_not_quoted() {
    let deep = "[".repeat(100_000);
    let texts: [&[u8]; 8] = [
        b"",
        b"sk-secret",
        b"{\"version\":1,\"keys\":{\"lab\":[\"sk-secret\"]}}",
        b"{\"version\":1,\"keys\":\"sk-secret\"}",
        b"{\"version\":2,\"keys\":{\"lab\":\"sk-secret\"}}",
        b"{\"version\":1,\"keys\":{},\"sk-secret\":1}",
        b"{\"version\":1,\"keys\":{\"lab\":\"\xff\xfe\"}}",
        deep.as_bytes(),
    ];
    for text in texts {
        let home = Home::new();
        home.hold(text);
        for error in [
            home.keys.get("lab").await.unwrap_err(),
            home.keys.set("lab", Secret::new("sk-new".to_owned())).await.unwrap_err(),
            home.keys.remove("lab").await.unwrap_err(),
        ] {
            assert!(matches!(error, Error::Damaged { .. }), "{error}");
            assert!(!format!("{error} {error:?}").contains("sk-"), "{error:?}");
        }
        assert_eq!(fs::read(home.file()).unwrap(), text);
    }
}

#[tokio::test]
async fn what_is_no_file_of_ours_is_not_touched() {
    let home = Home::new();
    let elsewhere = home.dir.path().join("elsewhere");
    fs::write(&elsewhere, r#"{"version":1,"keys":{"lab":"sk-theirs"}}"#).unwrap();
    symlink(&elsewhere, home.file()).unwrap();
    assert!(matches!(home.keys.get("lab").await, Err(Error::Foreign { .. })));
    let set = home.keys.set("lab", Secret::new("sk-1".to_owned())).await;
    assert!(matches!(set, Err(Error::Foreign { .. })));
    assert!(fs::read_to_string(&elsewhere).unwrap().contains("sk-theirs"));

    let home = Home::new();
    fs::create_dir(home.file()).unwrap();
    assert!(matches!(home.keys.get("lab").await, Err(Error::Foreign { .. })));

    let home = Home::new();
    let fifo = rustix::fs::mknodat(
        rustix::fs::CWD,
        home.file(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    );
    fifo.unwrap();
    assert!(matches!(home.keys.get("lab").await, Err(Error::Foreign { .. })));

    let home = Home::new();
    home.hold(vec![b' '; 2 * 1024 * 1024]);
    assert!(matches!(home.keys.get("lab").await, Err(Error::Foreign { .. })));
}

#[tokio::test]
async fn a_home_that_is_not_there_is_told() {
    let home = TempDir::new().unwrap();
    let keys = KeyStore::on(&home.path().join("gone"), Bus::Absent, Duration::ZERO);
    assert!(keys.get("lab").await.unwrap().is_none());
    let error = keys.set("lab", Secret::new("sk-1".to_owned())).await.unwrap_err();
    assert!(matches!(error, Error::File { .. }) && !error.to_string().contains("sk-1"), "{error}");
}

#[tokio::test]
async fn nothing_prints_a_key() {
    let home = Home::new();
    home.set("lab", "sk-1").await;
    let key = home.keys.get("lab").await.unwrap();
    assert!(!format!("{:?} {key:?}", home.keys).contains("sk-1"));
}
