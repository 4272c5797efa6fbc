//! One conversation with the Secret Service: the few calls of its interface that keys need.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::StreamExt;
use gatehouse_domain::Secret;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use zbus::connection::Builder;
use zbus::message::Type as MessageType;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Type, Value};
use zbus::{Connection, MatchRule, MessageStream};

use super::{Bus, Trouble, UNLOCK};

const NAME: &str = "org.freedesktop.secrets";
const PATH: &str = "/org/freedesktop/secrets";
const SERVICE: &str = "org.freedesktop.Secret.Service";
const PROMPT: &str = "org.freedesktop.Secret.Prompt";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
/// The interface of a collection.
pub(super) const COLLECTION: &str = "org.freedesktop.Secret.Collection";
/// The interface of an item.
pub(super) const ITEM: &str = "org.freedesktop.Secret.Item";
/// The path that stands for none.
const NONE: &str = "/";

/// A secret on the wire: session, parameters, value, type of the value.
type Wire = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);

/// One conversation. The service forgets its session when the connection ends.
#[derive(Debug)]
pub(super) struct Vault {
    bus: Connection,
    session: OwnedObjectPath,
    patience: Duration,
}

impl Vault {
    pub async fn open(bus: &Bus, patience: Duration) -> Result<Self, Trouble> {
        let builder = match bus {
            Bus::Session => Builder::session(),
            Bus::At(address) => Builder::address(address.as_str()),
            Bus::Absent => return Err(Trouble::NoBus),
        };
        let connected = match builder {
            Ok(builder) => builder.build().await,
            Err(error) => Err(error),
        };
        let bus = connected.map_err(|error| {
            tracing::debug!("No message bus: {error:#}");
            Trouble::NoBus
        })?;
        let body = ("plain", Value::from(""));
        let (_, session): (OwnedValue, _) = call(&bus, patience, PATH, SERVICE, "OpenSession", &body).await?;
        Ok(Self { bus, session, patience })
    }

    /// Where new items go.
    pub async fn collection(&self) -> Result<OwnedObjectPath, Trouble> {
        let path: OwnedObjectPath = self.call(PATH, SERVICE, "ReadAlias", &("default",)).await?;
        if path.as_str() == NONE { Err(Trouble::NoCollection) } else { Ok(path) }
    }

    /// The items with `attributes`: those that are unlocked, and those that are not.
    pub async fn search(
        &self,
        attributes: HashMap<&str, &str>,
    ) -> Result<(Vec<OwnedObjectPath>, Vec<OwnedObjectPath>), Trouble> {
        self.call(PATH, SERVICE, "SearchItems", &(attributes,)).await
    }

    /// Whether `object`, which has the interface `kind`, is locked.
    pub async fn is_locked(&self, object: &OwnedObjectPath, kind: &str) -> Result<bool, Trouble> {
        let value: OwnedValue = self.call(object.as_str(), PROPERTIES, "Get", &(kind, "Locked")).await?;
        value.try_into().map_err(|error: zbus::zvariant::Error| Trouble::Failed(error.to_string()))
    }

    /// Has `object` unlocked, by a person if the service wants that.
    pub async fn unlock(&self, object: &OwnedObjectPath) -> Result<(), Trouble> {
        let (_, prompt): (Vec<OwnedObjectPath>, _) = self.call(PATH, SERVICE, "Unlock", &(vec![object],)).await?;
        self.prompt(prompt).await
    }

    pub async fn secret(&self, item: &OwnedObjectPath) -> Result<Secret<String>, Trouble> {
        let (_, _, value, _): Wire = self.call(item.as_str(), ITEM, "GetSecret", &(&self.session,)).await?;
        // The error would hold the bytes.
        String::from_utf8(value).map(Secret::new).map_err(|_| Trouble::Failed("a key in it is no text".to_owned()))
    }

    /// Puts `key` into `collection`, in place of an item with the same attributes.
    pub async fn create(
        &self,
        collection: &OwnedObjectPath,
        label: &str,
        attributes: HashMap<&str, &str>,
        key: &Secret<String>,
    ) -> Result<(), Trouble> {
        let properties = HashMap::from([
            ("org.freedesktop.Secret.Item.Label", Value::from(label)),
            ("org.freedesktop.Secret.Item.Attributes", Value::from(attributes)),
        ]);
        // The keyring is where a key may be in the clear.
        let secret = (&self.session, Vec::<u8>::new(), key.expose().as_bytes(), "text/plain; charset=utf8");
        let body = (properties, secret, true);
        let (_, prompt): (OwnedObjectPath, _) = self.call(collection.as_str(), COLLECTION, "CreateItem", &body).await?;
        self.prompt(prompt).await
    }

    pub async fn delete(&self, item: &OwnedObjectPath) -> Result<(), Trouble> {
        let prompt = self.call(item.as_str(), ITEM, "Delete", &()).await?;
        self.prompt(prompt).await
    }

    /// Lets the service ask a person, if `prompt` is something to ask.
    async fn prompt(&self, prompt: OwnedObjectPath) -> Result<(), Trouble> {
        if prompt.as_str() == NONE {
            return Ok(());
        }
        let rule = MatchRule::builder().msg_type(MessageType::Signal).path(prompt.as_str());
        let rule = rule.and_then(|rule| rule.interface(PROMPT)?.member("Completed")).map_err(trouble)?.build();
        // Listening begins before asking, so that the quickest answer is heard.
        let listening = timeout(self.patience, MessageStream::for_match_rule(rule, &self.bus, Some(1))).await;
        let mut completed = listening.map_err(|_| Trouble::Silent)?.map_err(trouble)?;
        let () = self.call(prompt.as_str(), PROMPT, "Prompt", &("",)).await?;
        match timeout(UNLOCK, completed.next()).await {
            Ok(Some(signal)) => {
                let (dismissed, _): (bool, OwnedValue) =
                    signal.and_then(|signal| signal.body().deserialize()).map_err(trouble)?;
                if dismissed { Err(Trouble::Locked) } else { Ok(()) }
            }
            Ok(None) => Err(Trouble::NoBus),
            Err(_) => {
                let _: Result<(), _> = self.call(prompt.as_str(), PROMPT, "Dismiss", &()).await;
                Err(Trouble::Locked)
            }
        }
    }

    async fn call<B, R>(&self, path: &str, interface: &str, method: &str, body: &B) -> Result<R, Trouble>
    where
        B: Serialize + Type,
        R: DeserializeOwned + Type,
    {
        call(&self.bus, self.patience, path, interface, method, body).await
    }
}

async fn call<B, R>(
    bus: &Connection,
    patience: Duration,
    path: &str,
    interface: &str,
    method: &str,
    body: &B,
) -> Result<R, Trouble>
where
    B: Serialize + Type,
    R: DeserializeOwned + Type,
{
    let answer = timeout(patience, bus.call_method(Some(NAME), path, Some(interface), method, body)).await;
    answer.map_err(|_| Trouble::Silent)?.and_then(|answer| answer.body().deserialize()).map_err(trouble)
}

fn trouble(error: zbus::Error) -> Trouble {
    let zbus::Error::MethodError(name, words, _) = error else { return Trouble::Failed(error.to_string()) };
    match name.as_str() {
        "org.freedesktop.Secret.Error.IsLocked" => Trouble::Locked,
        "org.freedesktop.DBus.Error.NoReply" | "org.freedesktop.DBus.Error.TimedOut" => Trouble::Silent,
        "org.freedesktop.DBus.Error.ServiceUnknown" | "org.freedesktop.DBus.Error.NameHasNoOwner" => Trouble::NoService,
        // Its program could not be started.
        spawn if spawn.starts_with("org.freedesktop.DBus.Error.Spawn.") => Trouble::NoService,
        other => Trouble::Failed(words.unwrap_or_else(|| other.to_owned())),
    }
}
