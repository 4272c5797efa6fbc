//! Where a message came from, and where an answer to it goes.

use crate::text_enum::text_enum;
use crate::{ChatId, InboundId, LedgerId, ParticipantId, Platform, ProfileName, ReplyAnchor, ScopeId, ThreadId};

text_enum! {
    /// What kind of place people talk in.
    ChatType {
        /// Two, one of them the agent.
        Dm = "dm",
        /// Several.
        Group = "group",
        /// A named room.
        Channel = "channel",
        /// Below a message.
        Thread = "thread",
    }
}

/// What is kept of where a conversation came from. Nothing here belongs to one message only: those facts are an
/// [`Arrival`]'s, and grow stale with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The profile that serves it.
    pub profile: ProfileName,
    /// The platform that people see. Behind a relay it is still theirs.
    pub platform: Platform,
    /// The kind of place.
    pub chat_type: ChatType,
    /// The chat, where the platform names one.
    pub chat: Option<ChatId>,
    /// Another id of the same chat.
    pub chat_alt: Option<ChatId>,
    /// What people call the chat.
    pub chat_name: Option<String>,
    /// What the chat says that it is about.
    pub topic: Option<String>,
    /// The chat that a thread belongs to.
    pub parent_chat: Option<ChatId>,
    /// The thread within the chat.
    pub thread: Option<ThreadId>,
    /// The name that the gateway gave the thread, where it opened one for this conversation.
    pub opened_thread: Option<String>,
    /// Who wrote.
    pub participant: Option<ParticipantId>,
    /// Another id of the same person, which lasts longer than the first.
    pub participant_alt: Option<ParticipantId>,
    /// What people call who wrote.
    pub participant_name: Option<String>,
    /// Whether a program wrote.
    pub is_bot: bool,
    /// Whether a role allowed the person to speak to the agent, rather than the person's own id.
    pub by_role: bool,
    /// The workspace, server or tenant.
    pub scope: Option<ScopeId>,
}

impl Origin {
    /// A place of which nothing else is known.
    pub const fn at(profile: ProfileName, platform: Platform, chat_type: ChatType) -> Self {
        Self {
            profile,
            platform,
            chat_type,
            chat: None,
            chat_alt: None,
            chat_name: None,
            topic: None,
            parent_chat: None,
            thread: None,
            opened_thread: None,
            participant: None,
            participant_alt: None,
            participant_name: None,
            is_bot: false,
            by_role: false,
            scope: None,
        }
    }

    /// Who wrote, by the id that lasts longest.
    pub fn person(&self) -> Option<&ParticipantId> {
        self.participant_alt.as_ref().or(self.participant.as_ref())
    }
}

/// One message's way in. It is never stored: a row that says `via_relay` would be believed, and whoever can write rows
/// could then speak through the relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Where it came from.
    pub origin: Origin,
    /// Its own id.
    pub inbound: Option<InboundId>,
    /// What an answer quotes.
    pub anchor: Option<ReplyAnchor>,
    /// Whether an authenticated relay brought it.
    pub via_relay: bool,
}

impl Arrival {
    /// Something that nobody wrote, for a conversation of this origin. The ids of the message that once began it are not
    /// its own: an answer would quote a message from long ago.
    pub const fn synthetic(origin: Origin) -> Self {
        Self { origin, inbound: None, anchor: None, via_relay: false }
    }

    /// Which message an answer is owed for.
    pub fn ledger(&self) -> LedgerId {
        LedgerId::of(self.inbound.as_ref())
    }
}

/// Where words go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The platform that people see.
    pub platform: Platform,
    /// The kind of place.
    pub chat_type: ChatType,
    /// The chat.
    pub chat: ChatId,
    /// The thread within it.
    pub thread: Option<ThreadId>,
    /// The one person of the chat who is meant, by the id that the platform sends to.
    pub participant: Option<ParticipantId>,
    /// The workspace, server or tenant: a relay declines a group without one.
    pub scope: Option<ScopeId>,
}

impl Target {
    /// Where an answer goes. A direct message without a chat goes to the person; without both there is no place.
    pub fn of(origin: &Origin) -> Option<Self> {
        let person = || origin.participant.as_ref().and_then(|person| ChatId::new(person.as_str()).ok());
        Some(Self {
            platform: origin.platform.clone(),
            chat_type: origin.chat_type,
            chat: origin.chat.clone().or_else(|| if origin.chat_type == ChatType::Dm { person() } else { None })?,
            thread: origin.thread.clone(),
            participant: origin.participant.clone(),
            scope: origin.scope.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(chat_type: ChatType, chat: Option<&str>, participant: Option<&str>) -> Origin {
        let profile = ProfileName::new("default").unwrap();
        Origin {
            chat: chat.map(|id| ChatId::new(id).unwrap()),
            participant: participant.map(|id| ParticipantId::new(id).unwrap()),
            ..Origin::at(profile, Platform::new("telegram").unwrap(), chat_type)
        }
    }

    #[test]
    fn an_answer_goes_to_the_chat_or_else_to_the_person() {
        let chat = |origin: &Origin| Target::of(origin).map(|target| target.chat.to_string());
        assert_eq!(chat(&origin(ChatType::Group, Some("C1"), Some("U1"))), Some("C1".into()));
        assert_eq!(chat(&origin(ChatType::Dm, None, Some("U1"))), Some("U1".into()));
        assert_eq!(chat(&origin(ChatType::Group, None, Some("U1"))), None);
        assert_eq!(chat(&origin(ChatType::Dm, None, None)), None);
    }

    #[test]
    fn what_nobody_wrote_quotes_nothing_and_is_trusted_with_nothing() {
        let arrival = Arrival::synthetic(origin(ChatType::Dm, Some("1"), None));
        assert_eq!((arrival.inbound.clone(), arrival.anchor.clone(), arrival.via_relay), (None, None, false));
        assert_eq!(arrival.ledger().as_str(), "");
    }
}
