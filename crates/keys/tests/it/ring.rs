//! The keyring: found by attributes, asked within bounds, unlocked once.

use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt;
use gatehouse_domain::Secret;
use gatehouse_keys::{Bus, Error, KeyPlace, KeyStore};
use tempfile::TempDir;

use crate::bus::PrivateBus;
use crate::fake::{Fake, Person};

/// More than any answer takes that is ever going to come, whatever else the machine does.
const AMPLE: Duration = Duration::from_secs(20);
/// Where none is going to come.
const SHORT: Duration = Duration::from_millis(500);

struct House {
    home: TempDir,
    bus: PrivateBus,
    ring: Fake,
}

impl House {
    async fn new() -> Self {
        let bus = PrivateBus::start();
        let ring = Fake::start(&bus).await;
        Self { home: TempDir::new().unwrap(), bus, ring }
    }

    fn keys(&self) -> KeyStore {
        self.keys_of(self.home.path())
    }

    fn keys_of(&self, home: &Path) -> KeyStore {
        KeyStore::on(home, Bus::At(self.bus.address.clone()), AMPLE)
    }

    fn has_file(&self) -> bool {
        self.home.path().join("keys.json").exists()
    }
}

fn key(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

async fn get(keys: &KeyStore, name: &str) -> Option<String> {
    keys.get(name).await.unwrap().map(|key| key.expose().clone())
}

fn file_because(reason: &str) -> KeyPlace {
    KeyPlace::File { reason: reason.to_owned() }
}

const LOCKED: &str = "the keyring is locked and was not unlocked";
const SILENT: &str = "the keyring did not answer in time";

#[tokio::test]
async fn a_key_goes_in_comes_back_and_goes_away() {
    let house = House::new().await;
    let keys = house.keys();
    assert_eq!(keys.state().await, KeyPlace::SecretService);
    assert_eq!(get(&keys, "lab").await, None);
    assert_eq!(keys.set("lab", key("sk-1")).await.unwrap(), KeyPlace::SecretService);
    assert_eq!(keys.set("lab", key("sk-2 ä")).await.unwrap(), KeyPlace::SecretService);
    assert_eq!(keys.set("lab/../b.c", key("sk-3")).await.unwrap(), KeyPlace::SecretService);
    assert_eq!(get(&house.keys(), "lab").await.as_deref(), Some("sk-2 ä"));
    {
        let told = house.ring.told();
        assert_eq!(told.items.len(), 2, "a new key replaces the old one");
        let item = &told.items[0];
        assert_eq!(item.label, "Gatehouse: lab");
        assert_eq!(item.attributes["application"], "org.gatehouse.desktop");
        assert_eq!(item.attributes["provider"], "lab");
        assert_eq!(item.attributes["home"].len(), 32);
    }
    assert!(!house.has_file());
    keys.remove("lab").await.unwrap();
    keys.remove("lab").await.unwrap();
    assert_eq!(get(&keys, "lab").await, None);
    assert_eq!(get(&keys, "lab/../b.c").await.as_deref(), Some("sk-3"));
}

#[tokio::test]
async fn two_homes_do_not_mix() {
    let house = House::new().await;
    let other = TempDir::new().unwrap();
    house.keys().set("lab", key("sk-1")).await.unwrap();
    let others = house.keys_of(other.path());
    assert_eq!(get(&others, "lab").await, None);
    others.remove("lab").await.unwrap();
    assert_eq!(get(&house.keys(), "lab").await.as_deref(), Some("sk-1"));
}

#[tokio::test]
async fn a_locked_keyring_is_unlocked_by_a_person_once() {
    let house = House::new().await;
    house.keys().set("lab", key("sk-1")).await.unwrap();
    {
        let mut told = house.ring.told();
        (told.locked, told.person) = (true, Person::Unlocks);
    }
    let keys = house.keys();
    assert_eq!(keys.state().await, KeyPlace::SecretService);
    assert_eq!(house.ring.told().asked, 0, "looking is no reason to ask");
    let (one, two) = tokio::join!(get(&keys, "lab"), get(&keys, "lab"));
    assert_eq!((one.as_deref(), two.as_deref()), (Some("sk-1"), Some("sk-1")));
    assert_eq!(house.ring.told().asked, 1);
    assert_eq!(keys.set("b", key("sk-2")).await.unwrap(), KeyPlace::SecretService);
}

#[tokio::test]
async fn a_person_who_dismisses_is_not_asked_again() {
    let house = House::new().await;
    house.keys().set("lab", key("sk-1")).await.unwrap();
    house.ring.told().locked = true;
    let keys = house.keys();
    assert!(matches!(keys.get("lab").await, Err(Error::Locked)));
    assert!(matches!(keys.get("lab").await, Err(Error::Locked)));
    assert_eq!(get(&keys, "unknown").await, None, "what the keyring does not have is not locked");
    assert_eq!(keys.state().await, file_because(LOCKED));
    assert_eq!(keys.set("lab", key("sk-2")).await.unwrap(), file_because(LOCKED));
    assert_eq!(house.ring.told().asked, 1);
    assert_eq!(get(&keys, "lab").await.as_deref(), Some("sk-2"), "the newer key counts");
    assert!(matches!(keys.remove("lab").await, Err(Error::Locked)), "the old one is still in there");

    house.ring.told().locked = false;
    assert_eq!(get(&keys, "lab").await.as_deref(), Some("sk-1"), "unlocked elsewhere");
    keys.remove("lab").await.unwrap();
    assert_eq!(get(&keys, "lab").await, None);
}

#[tokio::test]
async fn a_key_moves_from_the_file_into_the_keyring() {
    let house = House::new().await;
    house.ring.told().locked = true;
    let keys = house.keys();
    assert_eq!(keys.set("lab", key("sk-1")).await.unwrap(), file_because(LOCKED));
    house.ring.told().locked = false;
    assert_eq!(keys.set("lab", key("sk-2")).await.unwrap(), KeyPlace::SecretService);
    assert!(!std::fs::read_to_string(house.home.path().join("keys.json")).unwrap().contains("sk-"));
    assert_eq!(get(&keys, "lab").await.as_deref(), Some("sk-2"));
}

#[tokio::test]
async fn a_person_who_goes_away_is_waited_for_a_minute() {
    let house = House::new().await;
    {
        let mut told = house.ring.told();
        (told.locked, told.person) = (true, Person::GoesAway);
    }
    let keys = house.keys();
    let waiting = tokio::spawn(async move { (keys.set("lab", key("sk-1")).await.unwrap(), keys) });
    while house.ring.told().asked == 0 {
        tokio::task::yield_now().await;
    }
    // What is answered after the question was put shows that the client has heard that it stands.
    assert_eq!(house.keys().state().await, KeyPlace::SecretService);
    // From here on only time can end it.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(59)).await;
    assert!(!waiting.is_finished());
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    let (place, keys) = waiting.await.unwrap();
    assert_eq!(place, file_because(LOCKED));
    assert_eq!(get(&keys, "lab").await.as_deref(), Some("sk-1"));
    let told = house.ring.told();
    assert_eq!((told.asked, told.withdrawn), (1, 1));
}

#[tokio::test]
async fn a_service_that_asks_for_each_item_is_answered() {
    let house = House::new().await;
    {
        let mut told = house.ring.told();
        (told.asks_for_each_item, told.person) = (true, Person::Unlocks);
    }
    assert_eq!(house.keys().set("lab", key("sk-1")).await.unwrap(), KeyPlace::SecretService);
    assert_eq!(get(&house.keys(), "lab").await.as_deref(), Some("sk-1"));
}

#[tokio::test]
async fn a_keyring_that_hangs_holds_up_nobody() {
    let house = House::new().await;
    let keys = KeyStore::on(house.home.path(), Bus::At(house.bus.address.clone()), SHORT);
    for call in ["OpenSession", "ReadAlias"] {
        house.ring.told().hangs_at = Some(call);
        assert_eq!(keys.state().await, file_because(SILENT), "{call}");
    }
    for call in ["OpenSession", "CreateItem"] {
        house.ring.told().hangs_at = Some(call);
        assert_eq!(keys.set("lab", key("sk-1")).await.unwrap(), file_because(SILENT), "{call}");
    }
    house.ring.told().hangs_at = Some("SearchItems");
    assert_eq!(get(&keys, "lab").await.as_deref(), Some("sk-1"), "the file needs no keyring");
    assert!(matches!(keys.get("other").await, Err(Error::Silent)));
}

#[tokio::test]
async fn no_conversation_outlives_its_question() {
    let house = House::new().await;
    let connection = zbus::connection::Builder::address(house.bus.address.as_str()).unwrap().build().await.unwrap();
    let bus = zbus::fdo::DBusProxy::new(&connection).await.unwrap();
    let mut left = bus.receive_name_owner_changed().await.unwrap();
    let before = bus.list_names().await.unwrap().len();
    house.keys().set("lab", key("sk-1")).await.unwrap();
    let gone = async {
        while let Some(change) = left.next().await {
            if change.args().unwrap().new_owner().is_none() {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.unwrap();
    assert_eq!(bus.list_names().await.unwrap().len(), before);
}

#[tokio::test]
async fn without_a_place_for_keys_the_file_takes_them() {
    let house = House::new().await;
    house.ring.told().has_collection = false;
    let keys = house.keys();
    let reason = file_because("the keyring has no collection for new keys");
    assert_eq!(keys.state().await, reason);
    assert_eq!(keys.set("lab", key("sk-1")).await.unwrap(), reason);
    assert_eq!(get(&keys, "lab").await.as_deref(), Some("sk-1"));
}

#[tokio::test]
async fn a_bus_without_a_keyring_and_no_bus_at_all() {
    let (bus, home) = (PrivateBus::start(), TempDir::new().unwrap());
    let keys = KeyStore::on(home.path(), Bus::At(bus.address.clone()), AMPLE);
    assert_eq!(keys.state().await, file_because("no keyring runs in this session"));
    assert_eq!(get(&keys, "lab").await, None);
    keys.remove("lab").await.unwrap();

    let no_bus = file_because("this session has no message bus on which a keyring could be");
    let nowhere = home.path().join("nothing");
    for bus in [Bus::At(format!("unix:path={}", nowhere.display())), Bus::At("no address".to_owned()), Bus::Absent] {
        let keys = KeyStore::on(home.path(), bus, AMPLE);
        assert_eq!(keys.state().await, no_bus);
        assert_eq!(keys.set("lab", key("sk-1")).await.unwrap(), no_bus);
        assert_eq!(get(&keys, "lab").await.as_deref(), Some("sk-1"));
    }
}

#[tokio::test]
async fn a_bus_that_never_answers_is_given_up() {
    let home = TempDir::new().unwrap();
    let place = home.path().join("bus");
    let _listener = tokio::net::UnixListener::bind(&place).unwrap();
    let keys = KeyStore::on(home.path(), Bus::At(format!("unix:path={}", place.display())), SHORT);
    assert_eq!(keys.state().await, file_because(SILENT));
}
