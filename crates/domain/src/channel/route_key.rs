//! The lasting address of a conversation.

use std::fmt;
use std::str::FromStr;

use crate::{ChatId, ChatType, Origin, ParticipantId, Platform, ProfileName, ThreadId, UnfitName};

/// Who shares a conversation. A direct message is one person's in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sharing {
    /// Each person of a group has a conversation of their own.
    pub apart_in_groups: bool,
    /// Each person of a thread has one too.
    pub apart_in_threads: bool,
}

impl Default for Sharing {
    fn default() -> Self {
        Self { apart_in_groups: true, apart_in_threads: false }
    }
}

/// What tells one conversation from another. Its text form is for indexes and for people; nothing takes it apart but
/// its own reader.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RouteKey {
    /// The profile that serves it.
    pub profile: ProfileName,
    /// The platform that people see.
    pub channel: Platform,
    /// The kind of place.
    pub chat_type: ChatType,
    /// The chat.
    pub chat: Option<ChatId>,
    /// The thread within it.
    pub thread: Option<ThreadId>,
    /// The person, where people have conversations of their own.
    pub participant: Option<ParticipantId>,
}

impl RouteKey {
    /// The conversation that a message belongs to.
    pub fn of(origin: &Origin, sharing: Sharing) -> Self {
        Self {
            profile: origin.profile.clone(),
            channel: origin.platform.clone(),
            chat_type: origin.chat_type,
            chat: origin.chat.clone(),
            thread: origin.thread.clone(),
            participant: if is_apart(origin, sharing) { origin.person().cloned() } else { None },
        }
    }
}

fn is_apart(origin: &Origin, sharing: Sharing) -> bool {
    match origin.chat_type {
        // Without a chat the person is all that keeps two people's messages apart.
        ChatType::Dm => origin.chat.is_none(),
        ChatType::Group | ChatType::Channel | ChatType::Thread => {
            sharing.apart_in_groups && (origin.thread.is_none() || sharing.apart_in_threads)
        }
    }
}

/// Between the parts. No part holds it unescaped.
const BETWEEN: char = ':';

impl fmt::Display for RouteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |text: &str| escaped(text);
        write!(f, "{}:{}:{}", part(self.profile.as_str()), part(self.channel.as_str()), self.chat_type)?;
        let chat = self.chat.as_ref().map_or("", ChatId::as_str);
        let thread = self.thread.as_ref().map_or("", ThreadId::as_str);
        let participant = self.participant.as_ref().map_or("", ParticipantId::as_str);
        write!(f, ":{}:{}:{}", part(chat), part(thread), part(participant))
    }
}

impl FromStr for RouteKey {
    type Err = UnfitName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split(BETWEEN).map(unescaped).collect::<Option<Vec<_>>>().ok_or(UNFIT)?;
        let [profile, channel, chat_type, chat, thread, participant] = parts.as_slice() else { return Err(UNFIT) };
        let key = Self {
            profile: profile.parse()?,
            channel: channel.parse()?,
            chat_type: chat_type.parse().map_err(|_| UNFIT)?,
            chat: given(chat)?,
            thread: given(thread)?,
            participant: given(participant)?,
        };
        // One conversation has one text: an escape that nobody needed would be a second one.
        if key.to_string() == text { Ok(key) } else { Err(UNFIT) }
    }
}

const UNFIT: UnfitName = UnfitName("route key");

fn given<T: FromStr<Err = UnfitName>>(part: &str) -> Result<Option<T>, UnfitName> {
    if part.is_empty() { Ok(None) } else { part.parse().map(Some) }
}

fn escaped(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            escaped.push(char::from(byte));
        } else {
            escaped.push('%');
            escaped.extend([byte >> 4, byte & 15].map(|half| char::from(HEX[usize::from(half)])));
        }
        escaped
    })
}

const HEX: [u8; 16] = *b"0123456789ABCDEF";

fn unescaped(part: &str) -> Option<String> {
    let mut bytes = part.bytes();
    let mut plain = Vec::with_capacity(part.len());
    while let Some(byte) = bytes.next() {
        plain.push(if byte == b'%' { half(bytes.next()?)? << 4 | half(bytes.next()?)? } else { byte });
    }
    String::from_utf8(plain).ok()
}

fn half(digit: u8) -> Option<u8> {
    HEX.iter().position(|known| *known == digit).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn origin(chat_type: ChatType, chat: &str, thread: &str, participant: &str, alt: &str) -> Origin {
        let profile = ProfileName::new("default").unwrap();
        Origin {
            chat: given(chat).unwrap(),
            thread: given(thread).unwrap(),
            participant: given(participant).unwrap(),
            participant_alt: given(alt).unwrap(),
            ..Origin::at(profile, Platform::new("telegram").unwrap(), chat_type)
        }
    }

    #[test]
    fn each_conversation_has_its_key() {
        use ChatType::{Dm, Group, Thread};
        let usual = Sharing::default();
        let together = Sharing { apart_in_groups: false, apart_in_threads: true };
        let all_apart = Sharing { apart_in_threads: true, ..usual };
        for (origin, sharing, key) in [
            (origin(Dm, "7", "", "U1", ""), usual, "dm:7::"),
            (origin(Dm, "7", "3", "U1", ""), usual, "dm:7:3:"),
            (origin(Dm, "", "", "U1", "alt"), usual, "dm:::alt"),
            (origin(Dm, "", "3", "", ""), usual, "dm::3:"),
            (origin(Dm, "", "", "", ""), usual, "dm:::"),
            (origin(Group, "C", "", "U1", ""), usual, "group:C::U1"),
            (origin(Group, "C", "", "U1", ""), together, "group:C::"),
            (origin(Group, "C", "T", "U1", ""), usual, "group:C:T:"),
            (origin(Thread, "C", "T", "U1", ""), all_apart, "thread:C:T:U1"),
            (origin(Thread, "C", "T", "U1", ""), together, "thread:C:T:"),
            (origin(Group, "spaces/A:B%", "", "U1", ""), usual, "group:spaces%2FA%3AB%25::U1"),
        ] {
            assert_eq!(RouteKey::of(&origin, sharing).to_string(), format!("default:telegram:{key}"));
        }
    }

    #[test]
    fn what_is_no_key_is_not_read() {
        for text in [
            "",
            "default:telegram:dm",
            "default:telegram:dm::::",
            "default:telegram:pub:::",
            "default:Telegram:dm:::",
            "default:telegram:dm:%2:%:",
            "default:telegram:dm:%ff::",
            "default:telegram:dm:%FF::",
            "default:telegram:dm:%41::", // an A needs no escape
            "default:telegram:dm:..::",
            "default:telegram:dm:%2Fetc::",
            "a%2Fb:telegram:dm:::",
        ] {
            assert!(text.parse::<RouteKey>().is_err(), "{text:?}");
        }
    }

    /// Any text that an id may be, often with the characters that the text form uses itself.
    fn id() -> impl Strategy<Value = String> {
        prop_oneof!["\\PC{1,12}", "[/:%a\u{0}é😀 .]{1,12}", any::<String>(), Just(String::new())]
            .prop_filter("an id", |id| id.is_empty() || ChatId::new(id.as_str()).is_ok())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn a_key_reads_back(
            chat_type in prop::sample::select(ChatType::ALL), chat in id(), thread in id(), participant in id()
        ) {
            let key = RouteKey::of(&origin(chat_type, &chat, &thread, &participant, ""), Sharing::default());
            let text = key.to_string();
            prop_assert!(text.is_ascii());
            prop_assert_eq!(text.parse::<RouteKey>(), Ok(key));
        }

        #[test]
        fn two_conversations_never_share_a_text(one in (id(), id(), id()), other in (id(), id(), id())) {
            let all = Sharing { apart_in_groups: true, apart_in_threads: true };
            let [one, other] = [one, other].map(|(chat, thread, participant)| {
                RouteKey::of(&origin(ChatType::Group, &chat, &thread, &participant, ""), all)
            });
            prop_assert_eq!(one == other, one.to_string() == other.to_string());
        }
    }
}
