//! UUIDv7 newtypes: ids sort by the time they were made and are never reused.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// A text that is not an id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {0}")]
pub struct ParseIdError(pub &'static str);

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID made by an [`IdSource`](crate::IdSource).
            pub const fn from_uuid(uuid: Uuid) -> Self { Self(uuid) }
            /// The bare UUID.
            pub const fn uuid(self) -> Uuid { self.0 }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::try_parse(text).map(Self).map_err(|_| ParseIdError(stringify!($name)))
            }
        }
    )+};
}

ids! {
    /// One transcript incarnation.
    SessionId,
    /// One run of the agent answering one cause.
    TurnId,
    /// One transcript entry.
    ItemId,
    /// One tracked background command.
    ProcessId,
    /// One report owed.
    UnitId,
    /// One accepted input.
    AdmissionId,
    /// One question to the person.
    ApprovalId,
    /// One thing that a person allowed once and for all.
    RuleId,
    /// One thing that happened while nobody looked.
    NoticeId,
    /// One drop or failure that a person must be able to see.
    IncidentId,
    /// Words owed to a channel.
    ObligationId,
    /// One incarnation of a store: a restored or replaced file has another one.
    Epoch,
}

/// The provider's name for one tool call; unique within a turn, not beyond it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub String);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A profile's revision: raised by every durable change, inside its own transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Rev(pub u64);
