//! An origin as text, for a row. What is not named here is neither written nor believed: above all not whether a relay
//! brought a message, which only the connection that it came over can say.

use std::str::FromStr;

use gatehouse_domain::{Origin, UnfitName};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Writes it down.
pub fn write_origin(origin: &Origin) -> Result<String, Error> {
    Ok(serde_json::to_string(&Stored::from(origin.clone()))?)
}

/// Reads it again. Names that are unknown here are left out.
pub fn read_origin(text: &str) -> Result<Origin, Error> {
    serde_json::from_str::<Stored>(text)?.origin()
}

#[derive(Serialize, Deserialize)]
struct Stored {
    profile: String,
    platform: String,
    chat_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chat: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chat_alt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chat_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    topic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent_chat: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opened_thread: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    participant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    participant_alt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    participant_name: Option<String>,
    #[serde(default)]
    is_bot: bool,
    #[serde(default)]
    by_role: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

impl From<Origin> for Stored {
    fn from(origin: Origin) -> Self {
        Self {
            profile: origin.profile.to_string(),
            platform: origin.platform.to_string(),
            chat_type: origin.chat_type.to_string(),
            chat: text(origin.chat),
            chat_alt: text(origin.chat_alt),
            chat_name: origin.chat_name,
            topic: origin.topic,
            parent_chat: text(origin.parent_chat),
            thread: text(origin.thread),
            opened_thread: origin.opened_thread,
            participant: text(origin.participant),
            participant_alt: text(origin.participant_alt),
            participant_name: origin.participant_name,
            is_bot: origin.is_bot,
            by_role: origin.by_role,
            scope: text(origin.scope),
        }
    }
}

impl Stored {
    fn origin(self) -> Result<Origin, Error> {
        Ok(Origin {
            profile: self.profile.parse()?,
            platform: self.platform.parse()?,
            chat_type: self.chat_type.parse()?,
            chat: name(self.chat)?,
            chat_alt: name(self.chat_alt)?,
            chat_name: self.chat_name,
            topic: self.topic,
            parent_chat: name(self.parent_chat)?,
            thread: name(self.thread)?,
            opened_thread: self.opened_thread,
            participant: name(self.participant)?,
            participant_alt: name(self.participant_alt)?,
            participant_name: self.participant_name,
            is_bot: self.is_bot,
            by_role: self.by_role,
            scope: name(self.scope)?,
        })
    }
}

fn text<T: ToString>(name: Option<T>) -> Option<String> {
    name.map(|name| name.to_string())
}

fn name<T: FromStr<Err = UnfitName>>(text: Option<String>) -> Result<Option<T>, UnfitName> {
    text.map(|text| text.parse()).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatehouse_domain::{Arrival, ChatId, ChatType, ParticipantId, Platform, ProfileName, ScopeId, ThreadId};
    use proptest::prelude::*;

    /// Every field is there, so that one which is forgotten on the way would be missed.
    fn whole(said: String) -> Origin {
        Origin {
            profile: ProfileName::new("work").unwrap(),
            platform: Platform::new("slack").unwrap(),
            chat_type: ChatType::Thread,
            chat: ChatId::new("C1").ok(),
            chat_alt: ChatId::new("spaces/A").ok(),
            chat_name: Some(said.clone()),
            topic: Some(said.clone()),
            parent_chat: ChatId::new("C0").ok(),
            thread: ThreadId::new("17.5").ok(),
            opened_thread: Some(said.clone()),
            participant: ParticipantId::new("U1").ok(),
            participant_alt: ParticipantId::new("u@x").ok(),
            participant_name: Some(said),
            is_bot: true,
            by_role: true,
            scope: ScopeId::new("T1").ok(),
        }
    }

    #[test]
    fn whether_a_relay_brought_it_is_neither_written_nor_read() {
        let arrival = Arrival {
            origin: whole("x".into()),
            inbound: "17.5".parse().ok(),
            anchor: "17.1".parse().ok(),
            via_relay: true,
        };
        let written = write_origin(&arrival.origin).unwrap();
        assert!(!written.contains("relay"), "{written}");

        let mut forged: serde_json::Value = serde_json::from_str(&written).unwrap();
        for name in ["via_relay", "viaRelay", "delivered_via_upstream_relay", "inbound", "message_id"] {
            forged[name] = true.into();
        }
        let read = read_origin(&forged.to_string()).unwrap();
        assert_eq!(read, arrival.origin);
        let again = Arrival::synthetic(read);
        assert!(!again.via_relay && again.inbound.is_none() && again.anchor.is_none());
    }

    #[test]
    fn the_text_names_what_is_kept_and_nothing_else() {
        let bare = Origin::at(ProfileName::new("p").unwrap(), Platform::new("api").unwrap(), ChatType::Dm);
        assert_eq!(
            write_origin(&bare).unwrap(),
            r#"{"profile":"p","platform":"api","chat_type":"dm","is_bot":false,"by_role":false}"#
        );
        let written: serde_json::Value = serde_json::from_str(&write_origin(&whole("x".into())).unwrap()).unwrap();
        assert_eq!(written.as_object().unwrap().len(), 16);
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for text in [
            "",
            "{}",
            r#"{"profile":"p","platform":"API","chat_type":"dm"}"#,
            r#"{"profile":"p","platform":"api","chat_type":"pub"}"#,
            r#"{"profile":"p","platform":"api","chat_type":"dm","chat":"../x"}"#,
        ] {
            assert!(read_origin(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(said in any::<String>()) {
            let origin = whole(said);
            prop_assert_eq!(read_origin(&write_origin(&origin).unwrap()).unwrap(), origin);
        }
    }
}
