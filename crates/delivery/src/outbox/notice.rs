//! Operational words of the gateway to a place where somebody talks to it: aloud, or to one person.

use gatehouse_channel::{Capabilities, SendOutcome};
use gatehouse_domain::{ParticipantId, Target};

/// What a profile set for one of its channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NoticeDelivery {
    /// Everybody in the chat reads it.
    #[default]
    Public,
    /// Only the person whom it is about, where the channel can.
    Private,
}

impl NoticeDelivery {
    /// Reads the setting.
    pub fn read(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "private" => Some(Self::Private),
            "public" => Some(Self::Public),
            _ => None,
        }
    }
}

/// How a notice goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticePlan {
    /// Not at all: a person said that this place gets none.
    Skip,
    /// To the chat.
    Public,
    /// To one person of it; [`after_private`] says what follows.
    Private(ParticipantId),
}

/// Plans one notice. The setting is that of the profile whose channel answers, not that of the profile the program was
/// started for.
pub fn plan_notice(
    setting: NoticeDelivery,
    capabilities: Capabilities,
    target: &Target,
    is_ignored: bool,
) -> NoticePlan {
    match (setting, &target.participant) {
        _ if is_ignored => NoticePlan::Skip,
        (NoticeDelivery::Private, Some(person)) if capabilities.private_notice => NoticePlan::Private(person.clone()),
        (NoticeDelivery::Private | NoticeDelivery::Public, _) => NoticePlan::Public,
    }
}

/// Whether a notice that was sent to one person goes to the chat after all. Where the place itself was declined, it does
/// not.
pub const fn after_private(outcome: &SendOutcome) -> NoticePlan {
    match outcome {
        SendOutcome::Delivered { .. } | SendOutcome::NothingToSend | SendOutcome::Declined { .. } => NoticePlan::Skip,
        SendOutcome::Refused { .. } | SendOutcome::Ambiguous { .. } => NoticePlan::Public,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatehouse_channel::Unsent;
    use gatehouse_domain::{ChatId, ChatType, Platform};

    const ABLE: Capabilities =
        Capabilities { edit: false, batch: false, voice: false, video: false, document: false, private_notice: true };

    fn target(person: Option<&str>) -> Target {
        Target {
            platform: Platform::new("slack").unwrap(),
            chat_type: ChatType::Channel,
            chat: ChatId::new("C").unwrap(),
            thread: None,
            participant: person.map(|id| ParticipantId::new(id).unwrap()),
            scope: None,
        }
    }

    #[test]
    fn any_other_word_is_none() {
        for (word, read) in [
            ("private", Some(NoticeDelivery::Private)),
            (" Private ", Some(NoticeDelivery::Private)),
            ("public", Some(NoticeDelivery::Public)),
            ("privat", None),
            ("", None),
        ] {
            assert_eq!(NoticeDelivery::read(word), read, "{word:?}");
        }
    }

    #[test]
    fn a_private_notice_needs_a_person_and_a_channel_that_can() {
        use NoticeDelivery::{Private, Public};
        let to_person = NoticePlan::Private(ParticipantId::new("U").unwrap());
        for (setting, capabilities, person, ignored, plan) in [
            (Private, ABLE, Some("U"), false, to_person),
            (Private, ABLE, None, false, NoticePlan::Public),
            (Private, Capabilities::default(), Some("U"), false, NoticePlan::Public),
            (Public, ABLE, Some("U"), false, NoticePlan::Public),
            (Private, ABLE, Some("U"), true, NoticePlan::Skip),
            (Public, ABLE, None, true, NoticePlan::Skip),
        ] {
            assert_eq!(plan_notice(setting, capabilities, &target(person), ignored), plan);
        }
    }

    #[test]
    fn what_a_person_did_not_get_the_chat_gets_once() {
        let why = String::new;
        assert_eq!(after_private(&SendOutcome::Delivered { ids: Vec::new() }), NoticePlan::Skip);
        assert_eq!(after_private(&SendOutcome::Declined { why: why() }), NoticePlan::Skip);
        assert_eq!(after_private(&SendOutcome::Refused { unsent: Unsent::Other, why: why() }), NoticePlan::Public);
        assert_eq!(after_private(&SendOutcome::Ambiguous { why: why() }), NoticePlan::Public);
    }
}
