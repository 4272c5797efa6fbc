//! Markdown as a typed tree. There is no way to express raw HTML here.

use serde::Serialize;
use specta::Type;

use super::Int53;

/// One top-level or nested block.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Block {
    /// Running text.
    Paragraph {
        /** Its words. */
        inlines: Vec<Inline>,
    },
    /// A heading.
    Heading {
        /** 1-6. */
        level: u8,
        /** Its words. */
        inlines: Vec<Inline>,
    },
    /// A code block.
    Code {
        /** The fence's info word. */
        language: Option<String>,
        /** The code. */
        text: String,
    },
    /// A quotation.
    Quote {
        /** What is quoted. */
        blocks: Vec<Block>,
    },
    /// A list.
    List {
        /** The first number of an ordered list. */
        start: Option<Int53>,
        /** Its entries. */
        items: Vec<ListItem>,
    },
    /// A table.
    Table {
        /** One per column. */
        align: Vec<Align>,
        /** Header cells. */
        head: Vec<Vec<Inline>>,
        /** Rows of cells. */
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A thematic break.
    Rule,
    /// Text that is not parsed yet, or too large to parse while it streams.
    Plain {
        /** The text. */
        text: String,
    },
}

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ListItem {
    /// The state of a task-list box.
    pub checked: Option<bool>,
    /// What the entry holds.
    pub blocks: Vec<Block>,
}

/// How a table column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Nothing was said.
    None,
    /// To the left.
    Left,
    /// In the middle.
    Center,
    /// To the right.
    Right,
}

/// A run of text within a block.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Inline {
    /// Words.
    Text {
        /** The words. */
        text: String,
    },
    /// Code within a line.
    Code {
        /** The code. */
        text: String,
    },
    /// Emphasis.
    Emphasis {
        /** What is emphasised. */
        inlines: Vec<Inline>,
    },
    /// Strong emphasis.
    Strong {
        /** What is strong. */
        inlines: Vec<Inline>,
    },
    /// Struck through.
    Strike {
        /** What is struck. */
        inlines: Vec<Inline>,
    },
    /// A link that may be opened: http, https or mailto.
    Link {
        /** Where it goes. */
        url: String,
        /** The host it really goes to, or the mail address. */
        host: String,
        /** The text names another host than the target. */
        mismatch: bool,
        /** What is shown. */
        inlines: Vec<Inline>,
    },
    /// An image; never fetched by showing it.
    Image {
        /** Where it would come from; absent when it may not be fetched at all. */
        url: Option<String>,
        /** That host. */
        host: Option<String>,
        /** Its description. */
        alt: String,
    },
    /// A hard line break.
    Break,
}
