//! Where words come from and go to.

mod name; // checked names of platforms, chats and messages
mod origin; // where a message came from
mod route_key; // the lasting address of a conversation

pub use name::{
    ChatId, InboundId, MessageId, ParticipantId, Platform, ProfileName, ReplyAnchor, ScopeId, ThreadId, UnfitName,
};
pub use origin::{Arrival, ChatType, Origin, Target};
pub use route_key::{RouteKey, Sharing};
