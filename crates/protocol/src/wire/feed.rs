//! What changed since a revision.

use serde::Serialize;
use specta::Type;

use super::{Block, Engine, Int53, Item, Notice, Process, Session, StorageTrouble, Turn};

/// One batch of changes. Apply `changes` before `deltas`.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Feed {
    /// The store's incarnation.
    pub epoch: String,
    /// Ask again from here.
    pub rev: Int53,
    /// What you have is of another epoch, or too old: read everything again, then go on from `rev`.
    pub reset: bool,
    /// Whole rows, each as it is now.
    pub changes: Vec<Change>,
    /// Words for items that are still streaming.
    pub deltas: Vec<Delta>,
    /// What the embedded engine does, if that changed since this client was told.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// The restart that is under way; absent when there is none.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarting: Option<Restarting>,
    /// What is wrong with the data right now; absent when nothing is.
    #[specta(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageTrouble>,
}

/// A restart that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Restarting {
    /// It waits for turns until then at the latest.
    pub latest_at_ms: Int53,
    /// Turns that are still at work.
    pub turns: u32,
}

/// A row that was written, or is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Change {
    /// A session.
    Session {
        /** As it is now. */
        session: Session,
    },
    /// A turn.
    Turn {
        /** As it is now. */
        turn: Turn,
    },
    /// A transcript entry.
    Item {
        /** As it is now. */
        item: Box<Item>,
    },
    /// A process.
    Process {
        /** As it is now. */
        process: Process,
    },
    /// A notice.
    Notice {
        /** As it is now. */
        notice: Notice,
    },
    /// What is set has changed, or what is muted: read it again.
    Settings {
        /** The revision of the change. */
        rev: Int53,
    },
    /// Which incidents are open has changed, or which reports are held: read them again.
    Incidents {
        /** How many there are now. */
        count: u32,
    },
    /// A row that is gone.
    Removed {
        /** `session | turn | item | process | notice`. */
        kind: String,
        /** Which one. */
        id: String,
    },
}

/// Words for one streaming item, in the form that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(untagged)]
pub enum Delta {
    /// With `blocks: false`.
    Text(TextDelta),
    /// With `blocks: true`.
    Blocks(BlockDelta),
}

/// Text to append.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TextDelta {
    /// The item.
    pub item_id: String,
    /// Where it goes, in UTF-8 bytes from the start of the text.
    pub offset: Int53,
    /// The text.
    pub append: String,
}

/// Blocks that replace the end of an item's tree.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BlockDelta {
    /// The item.
    pub item_id: String,
    /// How many blocks from the front stay.
    pub keep_blocks: u32,
    /// What follows them.
    pub blocks: Vec<Block>,
}
