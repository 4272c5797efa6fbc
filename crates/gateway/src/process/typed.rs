//! A command that a person typed after a `!`: it needs no turn, so it brings its own place in the transcript.

use gatehouse_domain::{Author, CallId, ItemId, ItemKind, SessionId};
use gatehouse_store::{NewCard, NewItem};

use crate::core::Core;

/// A card's title shows so much of a command.
const TITLE_CHARS: usize = 80;

/// The person's own item, and the card of what it starts.
pub(crate) fn typed_card(core: &Core, session: SessionId, command: &str) -> (NewItem, NewCard) {
    let (item, at) = (ItemId::from_uuid(core.ids.fresh()), core.now());
    let entry = NewItem {
        id: item,
        session,
        turn: None,
        author: Author::Human,
        kind: ItemKind::ToolCall,
        text: format!("!{command}"),
        streaming: false,
        failure: None,
        retryable: false,
        admission: None,
        at,
    };
    let card = NewCard {
        item,
        session,
        turn: None,
        call_id: CallId(item.to_string()),
        tool: "terminal".into(),
        arguments: String::new(),
        title: command.lines().next().unwrap_or_default().chars().take(TITLE_CHARS).collect(),
        details: String::new(),
        background: true,
        at,
    };
    (entry, card)
}
