//! Markdown as a typed tree.
//!
//! The tree is all the window ever draws, so nothing in a message can become an element that is not
//! named here. HTML has no meaning: its characters are text. So are reference definitions, because a
//! line far below would otherwise change what stands above it while a message streams in.
//!
//! A text is cut into segments at lines where no block can continue, and each segment is parsed by
//! itself. The same cuts are found whole or piece by piece, which is why a streamed message ends as the
//! same tree as one parsed at once.

use std::ops::Range;

mod build;
mod link;
mod segment;
mod stream;
mod verbatim;

pub use link::{LinkTarget, classify, classify_image};
pub use stream::{Stream, Update};
pub(crate) use verbatim::{Verbatim, verbatim};

/// Blocks and inlines nested deeper than this are flattened to text.
pub const MAX_DEPTH: usize = 32;

/// Parses a whole text.
pub fn blocks(source: &str) -> Vec<Block> {
    let mut stream = Stream::new();
    stream.absorb(source);
    stream.finish().blocks
}

/// One block and where it stands in the source, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Bytes of the whole source.
    pub range: Range<usize>,
    /// What it is.
    pub kind: BlockKind,
}

/// Every kind of block there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Running text.
    Paragraph(Vec<Inline>),
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Its text.
        inlines: Vec<Inline>,
    },
    /// Code, fenced or indented.
    Code {
        /// The first word after the fence.
        language: Option<String>,
        /// The code, with its last newline.
        text: String,
    },
    /// A quotation.
    Quote(Vec<Block>),
    /// A list.
    List {
        /// The first number of a numbered list.
        ordered: Option<u64>,
        /// Its items.
        items: Vec<ListItem>,
    },
    /// A table. A row may have fewer cells than the head: empty cells at its end are left out.
    Table {
        /// One per column.
        align: Vec<Align>,
        /// The head's cells.
        head: Vec<Vec<Inline>>,
        /// The other rows' cells.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A line across.
    Rule,
}

/// One item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    /// The state of its box, if it has one.
    pub checked: Option<bool>,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// How a column of a table is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// As the text runs.
    Natural,
    /// To the left.
    Left,
    /// Centred.
    Centre,
    /// To the right.
    Right,
}

/// Every kind of inline there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Characters, HTML among them.
    Text(String),
    /// Code in a line.
    Code(String),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Struck out.
    Strike(Vec<Inline>),
    /// A link.
    Link {
        /// Where it leads, if it leads anywhere.
        target: LinkTarget,
        /// Its text.
        children: Vec<Inline>,
    },
    /// An image. Nobody fetches it: the window shows the host and the words.
    Image {
        /// Where it lies.
        target: LinkTarget,
        /// The words that stand for it.
        alt: String,
    },
    /// A line end the author asked for.
    Break,
    /// A line end of the source.
    SoftBreak,
}

/// Appends the visible characters of inlines.
pub(crate) fn push_words(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) | Inline::Image { alt: text, .. } => out.push_str(text),
            Inline::Emphasis(children)
            | Inline::Strong(children)
            | Inline::Strike(children)
            | Inline::Link { children, .. } => push_words(children, out),
            Inline::Break | Inline::SoftBreak => out.push(' '),
        }
    }
}

#[cfg(test)]
mod tests;
