//! A Secret Service that behaves as told.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard};

use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, ObjectServer, connection, fdo, interface};

use crate::bus::PrivateBus;

const ROOT: &str = "/org/freedesktop/secrets";
const COLLECTION: &str = "/org/freedesktop/secrets/collection/login";

/// What a person does when asked.
#[derive(Clone, Copy, PartialEq)]
pub enum Person {
    Unlocks,
    Dismisses,
    GoesAway,
}

/// One item as it was stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub path: String,
    pub label: String,
    pub attributes: HashMap<String, String>,
    pub secret: Vec<u8>,
}

pub struct Told {
    pub locked: bool,
    /// The call that never gets an answer.
    pub hangs_at: Option<&'static str>,
    pub has_collection: bool,
    pub person: Person,
    /// Whether a new item goes through a prompt, as some services have it.
    pub asks_for_each_item: bool,
    pub items: Vec<Item>,
    /// How often a person was asked, and how often the question was taken back.
    pub asked: usize,
    pub withdrawn: usize,
    made: usize,
}

type State = Arc<Mutex<Told>>;
type Wire = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);

/// A running service.
pub struct Fake {
    state: State,
    _connection: Connection,
}

impl Fake {
    pub async fn start(bus: &PrivateBus) -> Self {
        let told = Told {
            locked: false,
            hangs_at: None,
            has_collection: true,
            person: Person::Dismisses,
            asks_for_each_item: false,
            items: Vec::new(),
            asked: 0,
            withdrawn: 0,
            made: 0,
        };
        let state = Arc::new(Mutex::new(told));
        let builder = connection::Builder::address(bus.address.as_str()).unwrap();
        let builder = builder.serve_at(ROOT, Service(Arc::clone(&state))).unwrap();
        let builder = builder.serve_at(COLLECTION, Collection(Arc::clone(&state))).unwrap();
        let connection = builder.name("org.freedesktop.secrets").unwrap().build().await.unwrap();
        Self { state, _connection: connection }
    }

    pub fn told(&self) -> MutexGuard<'_, Told> {
        self.state.lock().unwrap()
    }
}

fn path(text: impl Into<String>) -> OwnedObjectPath {
    text.into().try_into().unwrap()
}

/// Never returns where the service was told to hang.
async fn reach(state: &State, call: &'static str) {
    let hangs = state.lock().unwrap().hangs_at == Some(call);
    if hangs {
        pending::<()>().await;
    }
}

/// A prompt; `then` happens once a person agrees.
async fn prompt(state: &State, server: &ObjectServer, then: Then) -> OwnedObjectPath {
    let at = {
        let mut told = state.lock().unwrap();
        told.made += 1;
        format!("{ROOT}/prompt/p{}", told.made)
    };
    server.at(at.as_str(), Prompt(Arc::clone(state), then)).await.unwrap();
    path(at)
}

#[derive(Clone)]
enum Then {
    Unlock,
    Keep(Item),
}

struct Service(State);

#[interface(name = "org.freedesktop.Secret.Service")]
impl Service {
    async fn open_session(&self, algorithm: &str, _input: Value<'_>) -> fdo::Result<(OwnedValue, OwnedObjectPath)> {
        reach(&self.0, "OpenSession").await;
        match algorithm {
            "plain" => Ok((Value::from("").try_into().unwrap(), path(format!("{ROOT}/session/s1")))),
            other => Err(fdo::Error::NotSupported(other.to_owned())),
        }
    }

    async fn search_items(&self, attributes: HashMap<String, String>) -> (Vec<OwnedObjectPath>, Vec<OwnedObjectPath>) {
        reach(&self.0, "SearchItems").await;
        let told = self.0.lock().unwrap();
        let has = |item: &&Item| attributes.iter().all(|(name, value)| item.attributes.get(name) == Some(value));
        let found = told.items.iter().filter(has).map(|item| path(&*item.path)).collect();
        if told.locked { (Vec::new(), found) } else { (found, Vec::new()) }
    }

    async fn unlock(
        &self,
        objects: Vec<OwnedObjectPath>,
        #[zbus(object_server)] server: &ObjectServer,
    ) -> (Vec<OwnedObjectPath>, OwnedObjectPath) {
        let locked = self.0.lock().unwrap().locked;
        if !locked {
            return (objects, path("/"));
        }
        (Vec::new(), prompt(&self.0, server, Then::Unlock).await)
    }

    async fn read_alias(&self, name: &str) -> OwnedObjectPath {
        reach(&self.0, "ReadAlias").await;
        let has = name == "default" && self.0.lock().unwrap().has_collection;
        path(if has { COLLECTION } else { "/" })
    }
}

struct Collection(State);

#[interface(name = "org.freedesktop.Secret.Collection")]
impl Collection {
    async fn create_item(
        &self,
        mut properties: HashMap<String, OwnedValue>,
        secret: Wire,
        replace: bool,
        #[zbus(object_server)] server: &ObjectServer,
    ) -> fdo::Result<(OwnedObjectPath, OwnedObjectPath)> {
        reach(&self.0, "CreateItem").await;
        let mut property = |name: &str| properties.remove(&format!("org.freedesktop.Secret.Item.{name}")).unwrap();
        let label: String = property("Label").try_into().unwrap();
        let attributes: HashMap<String, String> = property("Attributes").try_into().unwrap();
        let (item, asks) = {
            let mut told = self.0.lock().unwrap();
            if told.locked || !replace {
                return Err(fdo::Error::Failed("locked, or a second item of the same attributes".to_owned()));
            }
            told.made += 1;
            let at = format!("{COLLECTION}/i{}", told.made);
            (Item { path: at, label, attributes, secret: secret.2 }, told.asks_for_each_item)
        };
        server.at(item.path.as_str(), ItemAt(Arc::clone(&self.0))).await.unwrap();
        if asks {
            return Ok((path("/"), prompt(&self.0, server, Then::Keep(item)).await));
        }
        let at = path(&*item.path);
        keep(&mut self.0.lock().unwrap(), item);
        Ok((at, path("/")))
    }

    #[zbus(property)]
    fn locked(&self) -> bool {
        self.0.lock().unwrap().locked
    }
}

fn keep(told: &mut Told, item: Item) {
    told.items.retain(|kept| kept.attributes != item.attributes);
    told.items.push(item);
}

struct ItemAt(State);

#[interface(name = "org.freedesktop.Secret.Item")]
impl ItemAt {
    async fn get_secret(
        &self,
        session: OwnedObjectPath,
        #[zbus(header)] header: zbus::message::Header<'_>,
    ) -> fdo::Result<(Wire,)> {
        reach(&self.0, "GetSecret").await;
        let told = self.0.lock().unwrap();
        let at = header.path().unwrap().as_str();
        let item = told.items.iter().find(|item| item.path == at && !told.locked);
        let secret = item.ok_or_else(|| fdo::Error::Failed("locked or gone".to_owned()))?.secret.clone();
        Ok(((session, Vec::new(), secret, "text/plain".to_owned()),))
    }

    fn delete(&self, #[zbus(header)] header: zbus::message::Header<'_>) -> OwnedObjectPath {
        let at = header.path().unwrap().as_str();
        self.0.lock().unwrap().items.retain(|item| item.path != at);
        path("/")
    }

    #[zbus(property)]
    fn locked(&self) -> bool {
        self.0.lock().unwrap().locked
    }
}

struct Prompt(State, Then);

#[interface(name = "org.freedesktop.Secret.Prompt")]
impl Prompt {
    async fn prompt(&self, _window: &str, #[zbus(signal_emitter)] emitter: SignalEmitter<'_>) {
        let dismissed = {
            let mut told = self.0.lock().unwrap();
            told.asked += usize::from(matches!(self.1, Then::Unlock));
            match (told.person, self.1.clone()) {
                (Person::GoesAway, _) => return,
                (Person::Dismisses, _) => true,
                (Person::Unlocks, Then::Unlock) => {
                    told.locked = false;
                    false
                }
                (Person::Unlocks, Then::Keep(item)) => {
                    keep(&mut told, item);
                    false
                }
            }
        };
        Self::completed(&emitter, dismissed, Value::from("")).await.unwrap();
    }

    fn dismiss(&self) {
        self.0.lock().unwrap().withdrawn += 1;
    }

    #[zbus(signal)]
    async fn completed(emitter: &SignalEmitter<'_>, dismissed: bool, result: Value<'_>) -> zbus::Result<()>;
}
