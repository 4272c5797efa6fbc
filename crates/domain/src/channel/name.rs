//! Names that other people's platforms give to things. Each is checked once, where it comes in.

use std::fmt;
use std::str::FromStr;

/// A text that cannot be a name of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {0}")]
pub struct UnfitName(pub &'static str);

macro_rules! names {
    ($($(#[$meta:meta])* $name:ident ($what:literal, $fits:ident)),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Checks a text.
            pub fn new(text: impl Into<String>) -> Result<Self, UnfitName> {
                let text = text.into();
                if $fits(&text) { Ok(Self(text)) } else { Err(UnfitName($what)) }
            }

            /// Its text.
            pub fn as_str(&self) -> &str { &self.0 }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }

        impl FromStr for $name {
            type Err = UnfitName;
            fn from_str(text: &str) -> Result<Self, Self::Err> { Self::new(text) }
        }
    )+};
}

names! {
    /// A kind of channel, such as `slack`: lower-case letters, digits, `_` and `-`.
    Platform ("platform", is_word),
    /// A profile: letters, digits, `_` and `-`. It names a directory.
    ProfileName ("profile", is_file_name),
    /// A chat, a group or a channel of a platform.
    ChatId ("chat", is_safe),
    /// A thread or topic within a chat.
    ThreadId ("thread", is_safe),
    /// Somebody who writes on a platform.
    ParticipantId ("participant", is_safe),
    /// The workspace, server or tenant that a chat belongs to.
    ScopeId ("scope", is_safe),
    /// The platform's id of the message that caused a turn. It tells repeats of one message apart from new ones.
    InboundId ("inbound message", is_said),
    /// The message that an answer quotes or threads to. It may be an older one than the turn answers.
    ReplyAnchor ("reply anchor", is_said),
    /// The platform's id of a message of ours.
    MessageId ("message", is_said),
}

impl Default for ProfileName {
    /// The profile that is there from the first start on.
    fn default() -> Self {
        Self("default".to_owned())
    }
}

/// The longest name of a platform or a profile.
const WORD_MAX: usize = 64;

fn is_word(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    text.len() <= WORD_MAX && text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(fits)
}

fn is_file_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !text.is_empty() && text.len() <= WORD_MAX && text.bytes().all(fits)
}

/// Ids may hold separators, as those of some platforms do. But a text made of one is shown, stored and perhaps joined to
/// a path one day, so what leads out of a directory is refused here.
fn is_safe(text: &str) -> bool {
    is_said(text)
        && !text.starts_with(['/', '\\'])
        && !has_drive(text)
        && text.split(['/', '\\']).all(|part| part != "..")
}

fn is_said(text: &str) -> bool {
    !text.trim().is_empty()
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_is_one_lower_case_word() {
        for (text, fits) in [("slack", true), ("ms-teams_2", true), ("Slack", false), ("", false), ("1st", false)] {
            assert_eq!(Platform::new(text).is_ok(), fits, "{text:?}");
        }
        assert!(Platform::new("a".repeat(65)).is_err());
    }

    #[test]
    fn ids_may_hold_separators_and_lead_nowhere() {
        for id in ["spaces/AAA/threads/BBB", "!room:server.org", "a..b", "100%", "-1001", "чат", "a/./b"] {
            assert!(ChatId::new(id).is_ok(), "{id:?}");
        }
        for id in ["", " \t", "..", "a/../b", "a\\..", "/etc", "\\share", "C:\\x", "c:x"] {
            assert!(ChatId::new(id).is_err(), "{id:?}");
        }
    }

    #[test]
    fn a_profile_names_one_directory() {
        for (text, fits) in [
            ("default", true),
            ("Work-2_b", true),
            ("Work 2", false),
            ("a/b", false),
            ("a\\b", false),
            ("..", false),
            ("a.b", false),
            ("ä", false),
            ("", false),
        ] {
            assert_eq!(ProfileName::new(text).is_ok(), fits, "{text:?}");
        }
        assert!(ProfileName::new("a".repeat(64)).is_ok() && ProfileName::new("a".repeat(65)).is_err());
        assert_eq!(ProfileName::new("default").unwrap(), ProfileName::default());
    }

    #[test]
    fn a_refusal_says_what_was_expected() {
        assert_eq!(ThreadId::new("..").unwrap_err().to_string(), "not a thread");
    }
}
