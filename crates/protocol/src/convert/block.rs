//! The typed tree of Markdown.

use gatehouse_text::markdown::{self, BlockKind, LinkTarget};

use crate::wire::{Align, Block, Inline, ListItem};

pub(crate) fn blocks(blocks: &[markdown::Block]) -> Vec<Block> {
    blocks.iter().map(block).collect()
}

fn block(block: &markdown::Block) -> Block {
    match &block.kind {
        BlockKind::Paragraph(children) => Block::Paragraph { inlines: inlines(children) },
        BlockKind::Heading { level, inlines: children } => Block::Heading { level: *level, inlines: inlines(children) },
        BlockKind::Code { language, text } => Block::Code { language: language.clone(), text: text.clone() },
        BlockKind::Quote(children) => Block::Quote { blocks: blocks(children) },
        BlockKind::List { ordered, items } => {
            Block::List { start: ordered.map(Into::into), items: items.iter().map(list_item).collect() }
        }
        BlockKind::Table { align, head, rows } => Block::Table {
            align: align.iter().copied().map(alignment).collect(),
            head: cells(head),
            rows: rows.iter().map(|row| cells(row)).collect(),
        },
        BlockKind::Rule => Block::Rule,
    }
}

fn list_item(item: &markdown::ListItem) -> ListItem {
    ListItem { checked: item.checked, blocks: blocks(&item.blocks) }
}

const fn alignment(align: markdown::Align) -> Align {
    match align {
        markdown::Align::Natural => Align::None,
        markdown::Align::Left => Align::Left,
        markdown::Align::Centre => Align::Center,
        markdown::Align::Right => Align::Right,
    }
}

fn cells(cells: &[Vec<markdown::Inline>]) -> Vec<Vec<Inline>> {
    cells.iter().map(|cell| inlines(cell)).collect()
}

fn inlines(children: &[markdown::Inline]) -> Vec<Inline> {
    let mut out = Vec::with_capacity(children.len());
    for child in children {
        inline(child, &mut out);
    }
    out
}

fn inline(child: &markdown::Inline, out: &mut Vec<Inline>) {
    match child {
        markdown::Inline::Text(words) => text(words, out),
        markdown::Inline::Code(code) => out.push(Inline::Code { text: code.clone() }),
        markdown::Inline::Emphasis(children) => out.push(Inline::Emphasis { inlines: inlines(children) }),
        markdown::Inline::Strong(children) => out.push(Inline::Strong { inlines: inlines(children) }),
        markdown::Inline::Strike(children) => out.push(Inline::Strike { inlines: inlines(children) }),
        markdown::Inline::Link { target: LinkTarget::Web { url, host, mismatch }, children } => {
            out.push(Inline::Link {
                url: url.clone(),
                host: host.clone(),
                mismatch: *mismatch,
                inlines: inlines(children),
            })
        }
        // A link that leads nowhere is its text.
        markdown::Inline::Link { target: LinkTarget::Inert | LinkTarget::Own { .. }, children } => {
            for child in children {
                inline(child, out);
            }
        }
        markdown::Inline::Image { target: LinkTarget::Web { url, host, .. }, alt } => {
            out.push(Inline::Image { url: Some(url.clone()), host: Some(host.clone()), alt: alt.clone() });
        }
        markdown::Inline::Image { target: LinkTarget::Own { url }, alt } => {
            out.push(Inline::Image { url: Some(url.clone()), host: None, alt: alt.clone() });
        }
        markdown::Inline::Image { target: LinkTarget::Inert, alt } => {
            out.push(Inline::Image { url: None, host: None, alt: alt.clone() });
        }
        markdown::Inline::Break => out.push(Inline::Break),
        markdown::Inline::SoftBreak => text(" ", out),
    }
}

/// Neighbouring words are one run.
fn text(words: &str, out: &mut Vec<Inline>) {
    if let Some(Inline::Text { text }) = out.last_mut() {
        text.push_str(words);
    } else {
        out.push(Inline::Text { text: words.to_owned() });
    }
}
