//! One segment, from parser events to blocks.

use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag};

use super::{Align, Block, BlockKind, Inline, LinkTarget, ListItem, MAX_DEPTH, classify, classify_image, push_words};

mod disguise;

pub(super) use disguise::Disguise;

/// Lists and tables need room for their items and cells below them.
const INNER_LEVELS: usize = 3;

/// Parses one segment that starts at `offset` of the whole text.
pub(super) fn parse(segment: &str, offset: usize) -> Vec<Block> {
    if segment.trim().is_empty() {
        return Vec::new();
    }
    let (disguise, source) = Disguise::of(segment);
    let mut tree = Tree { disguise, open: vec![Open::new(Node::Root, 0..0)], skipped: 0 };
    for (event, range) in Parser::new_ext(&source, options()).into_offset_iter() {
        tree.event(event, range.start + offset..range.end + offset);
    }
    while tree.open.len() > 1 {
        tree.close();
    }
    tree.open.pop().map(Open::into_blocks).unwrap_or_default()
}

/// What Markdown may hold here beside the usual.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// What an unfinished node will become.
enum Node {
    Root,
    Paragraph,
    Heading(u8),
    Quote,
    List(Option<u64>),
    Item(Option<bool>),
    Code(Option<String>),
    Table(Vec<Align>),
    Head,
    Row,
    Cell,
    Emphasis,
    Strong,
    Strike,
    Link(Option<String>),
    Image(Option<String>),
}

/// A node whose end has not come yet, with what it holds so far.
struct Open {
    node: Node,
    range: Range<usize>,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    inline_range: Range<usize>,
    items: Vec<ListItem>,
    head: Vec<Vec<Inline>>,
    rows: Vec<Vec<Vec<Inline>>>,
    cells: Vec<Vec<Inline>>,
    text: String,
}

impl Open {
    fn new(node: Node, range: Range<usize>) -> Self {
        Self {
            node,
            range,
            blocks: Vec::new(),
            inlines: Vec::new(),
            inline_range: 0..0,
            items: Vec::new(),
            head: Vec::new(),
            rows: Vec::new(),
            cells: Vec::new(),
            text: String::new(),
        }
    }

    fn inline(&mut self, inline: Inline, range: Range<usize>) {
        if self.inlines.is_empty() {
            self.inline_range = range;
        } else {
            self.inline_range.end = self.inline_range.end.max(range.end);
        }
        match (self.inlines.last_mut(), inline) {
            (Some(Inline::Text(before)), Inline::Text(more)) => before.push_str(&more),
            (_, inline) => self.inlines.push(inline),
        }
    }

    fn block(&mut self, block: Block) {
        self.wrap();
        self.blocks.push(block);
    }

    /// Tight list items hold text without a paragraph; the tree always has one.
    fn wrap(&mut self) {
        if !self.inlines.is_empty() {
            let kind = BlockKind::Paragraph(std::mem::take(&mut self.inlines));
            self.blocks.push(Block { range: self.inline_range.clone(), kind });
        }
    }

    fn into_blocks(mut self) -> Vec<Block> {
        self.wrap();
        self.blocks
    }
}

struct Tree {
    disguise: Disguise,
    open: Vec<Open>,
    /// Nodes below the depth limit that were begun and not ended.
    skipped: usize,
}

impl Tree {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(_) if self.skipped > 0 => self.skipped -= 1,
            Event::End(_) => self.close(),
            Event::Code(code) => {
                let code = self.disguise.lift(&code);
                self.inline(Inline::Code(code), range);
            }
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text, range),
            Event::SoftBreak => self.inline(Inline::SoftBreak, range),
            Event::HardBreak => self.inline(Inline::Break, range),
            Event::Rule => self.block(Block { range, kind: BlockKind::Rule }),
            Event::TaskListMarker(checked) => self.check(checked),
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let wide = matches!(tag, Tag::List(_) | Tag::Table(_));
        let limit = if wide { MAX_DEPTH - INNER_LEVELS } else { MAX_DEPTH };
        if self.skipped > 0 || self.open.len() > limit {
            self.skipped += 1;
            let started = self.open.last().is_some_and(|open| !open.inlines.is_empty());
            if started && is_block(&tag) {
                self.inline(Inline::SoftBreak, range);
            }
            return;
        }
        let node = self.node(tag);
        self.open.push(Open::new(node, range));
    }

    fn node(&self, tag: Tag<'_>) -> Node {
        match tag {
            Tag::Heading { level, .. } => Node::Heading(level_number(level)),
            Tag::BlockQuote(_) => Node::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => Node::Code(self.language(&info)),
            Tag::CodeBlock(CodeBlockKind::Indented) => Node::Code(None),
            Tag::List(first) => Node::List(first),
            Tag::Item => Node::Item(None),
            Tag::Table(columns) => Node::Table(columns.into_iter().map(align).collect()),
            Tag::TableHead => Node::Head,
            Tag::TableRow => Node::Row,
            Tag::TableCell => Node::Cell,
            Tag::Emphasis => Node::Emphasis,
            Tag::Strong => Node::Strong,
            Tag::Strikethrough => Node::Strike,
            Tag::Link { link_type, dest_url, .. } => Node::Link(self.destination(link_type, &dest_url)),
            Tag::Image { link_type, dest_url, .. } => Node::Image(self.destination(link_type, &dest_url)),
            // Kinds of block that are not switched on; their words are kept.
            _ => Node::Paragraph,
        }
    }

    fn language(&self, info: &str) -> Option<String> {
        self.disguise.lift(info).split_whitespace().next().map(str::to_owned)
    }

    fn destination(&self, link: LinkType, destination: &str) -> Option<String> {
        let destination = self.disguise.lift(destination);
        match link {
            LinkType::Inline | LinkType::Autolink => Some(destination),
            LinkType::Email => Some(format!("mailto:{destination}")),
            _ => None,
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        let text = self.disguise.lift(text);
        match self.open.last_mut() {
            Some(Open { node: Node::Code(_), text: code, .. }) => code.push_str(&text),
            _ => self.inline(Inline::Text(text), range),
        }
    }

    fn inline(&mut self, inline: Inline, range: Range<usize>) {
        if let Some(open) = self.open.last_mut() {
            open.inline(inline, range);
        }
    }

    fn block(&mut self, block: Block) {
        if let Some(open) = self.open.last_mut() {
            open.block(block);
        }
    }

    fn check(&mut self, state: bool) {
        if self.skipped > 0 {
            return;
        }
        let item = self.open.iter_mut().rev().find_map(|open| match &mut open.node {
            Node::Item(checked) => Some(checked),
            _ => None,
        });
        if let Some(checked) = item {
            *checked = Some(state);
        }
    }

    /// Ends the innermost node and hands it to the one around it. The root is never ended here.
    fn close(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        let (Some(open), Some(parent)) = (self.open.pop(), self.open.last_mut()) else { return };
        let range = open.range.clone();
        match open.node {
            Node::Root => {}
            Node::Paragraph => parent.block(Block { range, kind: BlockKind::Paragraph(open.inlines) }),
            Node::Heading(level) => {
                parent.block(Block { range, kind: BlockKind::Heading { level, inlines: open.inlines } });
            }
            Node::Quote => parent.block(Block { range, kind: BlockKind::Quote(open.into_blocks()) }),
            Node::List(ordered) => parent.block(Block { range, kind: BlockKind::List { ordered, items: open.items } }),
            Node::Item(checked) => parent.items.push(ListItem { checked, blocks: open.into_blocks() }),
            Node::Code(language) => {
                parent.block(Block { range, kind: BlockKind::Code { language, text: open.text } });
            }
            Node::Table(align) => {
                parent.block(Block { range, kind: BlockKind::Table { align, head: open.head, rows: open.rows } });
            }
            Node::Head => parent.head = open.cells,
            Node::Row => parent.rows.push(without_empty_end(open.cells)),
            Node::Cell => parent.cells.push(open.inlines),
            Node::Emphasis => parent.inline(Inline::Emphasis(open.inlines), range),
            Node::Strong => parent.inline(Inline::Strong(open.inlines), range),
            Node::Strike => parent.inline(Inline::Strike(open.inlines), range),
            Node::Link(destination) => parent.inline(link(destination, open.inlines), range),
            Node::Image(destination) => parent.inline(image(destination, &open.inlines), range),
        }
    }
}

fn link(destination: Option<String>, children: Vec<Inline>) -> Inline {
    let mut words = String::new();
    push_words(&children, &mut words);
    let target = destination.map_or(LinkTarget::Inert, |destination| classify(&destination, &words));
    Inline::Link { target, children }
}

fn image(destination: Option<String>, children: &[Inline]) -> Inline {
    let mut alt = String::new();
    push_words(children, &mut alt);
    let target = destination.map_or(LinkTarget::Inert, |destination| classify_image(&destination));
    Inline::Image { target, alt }
}

fn without_empty_end(mut cells: Vec<Vec<Inline>>) -> Vec<Vec<Inline>> {
    while cells.last().is_some_and(Vec::is_empty) {
        cells.pop();
    }
    cells
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } | Tag::TableCell
    )
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

fn align(alignment: Alignment) -> Align {
    match alignment {
        Alignment::None => Align::Natural,
        Alignment::Left => Align::Left,
        Alignment::Center => Align::Centre,
        Alignment::Right => Align::Right,
    }
}
