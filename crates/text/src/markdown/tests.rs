use super::*;
use proptest::prelude::*;

fn text(words: &str) -> Inline {
    Inline::Text(words.to_owned())
}

fn kinds(source: &str) -> Vec<BlockKind> {
    blocks(source).into_iter().map(|block| block.kind).collect()
}

/// Every link and image of a tree, with its words.
fn links(blocks: &[Block]) -> Vec<(String, LinkTarget)> {
    let mut found = Vec::new();
    for block in blocks {
        match &block.kind {
            BlockKind::Paragraph(inlines) | BlockKind::Heading { inlines, .. } => collect(inlines, &mut found),
            BlockKind::Quote(inner) => found.extend(links(inner)),
            BlockKind::List { items, .. } => items.iter().for_each(|item| found.extend(links(&item.blocks))),
            BlockKind::Table { head, rows, .. } => {
                head.iter().chain(rows.iter().flatten()).for_each(|cell| collect(cell, &mut found));
            }
            BlockKind::Code { .. } | BlockKind::Rule => {}
        }
    }
    found
}

fn collect(inlines: &[Inline], found: &mut Vec<(String, LinkTarget)>) {
    for inline in inlines {
        match inline {
            Inline::Link { target, children } => {
                let mut words = String::new();
                push_words(children, &mut words);
                found.push((words, target.clone()));
            }
            Inline::Image { target, alt } => found.push((alt.clone(), target.clone())),
            Inline::Emphasis(children) | Inline::Strong(children) | Inline::Strike(children) => {
                collect(children, found)
            }
            Inline::Text(_) | Inline::Code(_) | Inline::Break | Inline::SoftBreak => {}
        }
    }
}

#[test]
fn each_kind_of_block_has_its_type_and_place() {
    let source = "# Top *em*\n\nA **b** `c` ~~d~~\nnext\\\nlast\n\n```rust ignore\nfn x() {}\n```\n> q\n\n3. one\n4. two\n\n---\n";
    let parsed = blocks(source);
    let ranges: Vec<&str> = parsed.iter().map(|block| source[block.range.clone()].trim_end()).collect();
    assert_eq!(
        ranges,
        [
            "# Top *em*",
            "A **b** `c` ~~d~~\nnext\\\nlast",
            "```rust ignore\nfn x() {}\n```",
            "> q",
            "3. one\n4. two",
            "---"
        ]
    );
    let paragraph = |words: &str| BlockKind::Paragraph(vec![text(words)]);
    let expect = vec![
        BlockKind::Heading { level: 1, inlines: vec![text("Top "), Inline::Emphasis(vec![text("em")])] },
        BlockKind::Paragraph(vec![
            text("A "),
            Inline::Strong(vec![text("b")]),
            text(" "),
            Inline::Code("c".to_owned()),
            text(" "),
            Inline::Strike(vec![text("d")]),
            Inline::SoftBreak,
            text("next"),
            Inline::Break,
            text("last"),
        ]),
        BlockKind::Code { language: Some("rust".to_owned()), text: "fn x() {}\n".to_owned() },
        BlockKind::Quote(vec![Block { range: 73..75, kind: paragraph("q") }]),
        BlockKind::List {
            ordered: Some(3),
            items: vec![
                ListItem { checked: None, blocks: vec![Block { range: 79..82, kind: paragraph("one") }] },
                ListItem { checked: None, blocks: vec![Block { range: 86..89, kind: paragraph("two") }] },
            ],
        },
        BlockKind::Rule,
    ];
    let got: Vec<BlockKind> = parsed.into_iter().map(|block| block.kind).collect();
    assert_eq!(got, expect);
}

#[test]
fn tables_and_boxes_are_typed() {
    let table = kinds("| a | b |\n|:--|--:|\n| 1 | |\n");
    assert_eq!(
        table,
        vec![BlockKind::Table {
            align: vec![Align::Left, Align::Right],
            head: vec![vec![text("a")], vec![text("b")]],
            rows: vec![vec![vec![text("1")]]],
        }]
    );
    for source in ["- [x] done\n- [ ] open\n- plain\n", "- [x] done\n\n- [ ] open\n\n- plain\n"] {
        let [BlockKind::List { items, .. }] = &kinds(source)[..] else { panic!("not one list: {source}") };
        let checked: Vec<Option<bool>> = items.iter().map(|item| item.checked).collect();
        assert_eq!(checked, [Some(true), Some(false), None]);
    }
}

#[test]
fn html_and_definitions_are_text() {
    assert_eq!(kinds("<b>x</b> & <!-- c -->"), vec![BlockKind::Paragraph(vec![text("<b>x</b> & <!-- c -->")])]);
    assert_eq!(kinds("[a]: https://x.invalid"), vec![BlockKind::Paragraph(vec![text("[a]: https://x.invalid")])]);
    assert_eq!(
        kinds("> [a]: x\n"),
        vec![BlockKind::Quote(vec![Block { range: 2..9, kind: BlockKind::Paragraph(vec![text("[a]: x")]) }])]
    );
    assert_eq!(kinds("`a<b`"), vec![BlockKind::Paragraph(vec![Inline::Code("a<b".to_owned())])]);
    assert_eq!(kinds("a\u{1}b\u{2}<"), vec![BlockKind::Paragraph(vec![text("a\u{1}b\u{2}<")])]);
    assert_eq!(links(&blocks("[a](<https://x.invalid/a b>)"))[0].0, "a");
}

#[test]
fn hostile_markup_becomes_text_and_the_good_parts_stay() {
    let source = include_str!("../../tests/fixtures/markup.md");
    let parsed = blocks(source);
    for (words, target) in links(&parsed) {
        if let LinkTarget::Web { url, host, .. } = target {
            assert!(url.starts_with("https://") && host == "example.invalid", "{words}: {url}");
        }
    }
    let bold = Inline::Strong(vec![text("bold stays")]);
    let code = Inline::Code("code stays".to_owned());
    let found = parsed.iter().any(
        |block| matches!(&block.kind, BlockKind::Paragraph(inlines) if inlines.contains(&bold) && inlines.contains(&code)),
    );
    assert!(found, "{parsed:#?}");
    assert!(parsed.iter().any(|block| matches!(&block.kind, BlockKind::Table { head, rows, .. }
        if head[0] == [text("a")] && rows[0][0] == [text("<img src=x onerror=window.__xss=18>")])));
    assert!(parsed.iter().any(|block| matches!(&block.kind, BlockKind::Code { language: Some(language), text }
        if language == "html\"" && text == "<b>in code</b>\n")));
}

#[test]
fn links_lead_where_they_say_or_nowhere() {
    let found = links(&blocks(include_str!("../../tests/fixtures/links.md")));
    let web: Vec<(&str, &str, bool)> = found
        .iter()
        .filter_map(|(words, target)| match target {
            LinkTarget::Web { host, mismatch, .. } => Some((words.as_str(), host.as_str(), *mismatch)),
            LinkTarget::Own { .. } | LinkTarget::Inert => None,
        })
        .collect();
    assert_eq!(
        web,
        [
            ("web", "example.invalid", false),
            ("https://example.invalid/auto", "example.invalid", false),
            ("blank", "example.invalid", false),
            ("mail", "a@example.invalid", false),
            ("idn", "xn--pple-43d.example", false),
            ("userinfo", "evil.example", true),
            ("long", "example.invalid", false),
        ]
    );
    let inert: Vec<&str> =
        found.iter().filter(|(_, target)| *target == LinkTarget::Inert).map(|(words, _)| words.as_str()).collect();
    assert_eq!(inert, ["same", "rel", "root", "file", "js", "cmd", "smb", "tauri", "ipc"]);
}

#[test]
fn deep_nesting_is_flattened() {
    for source in [
        format!("{}deep", "> ".repeat(5_000)),
        format!("{}deep", "- ".repeat(5_000)),
        format!("{}deep{}", "*".repeat(5_000), "*".repeat(5_000)),
        format!("{}deep{}", "[".repeat(5_000), "](x)".repeat(5_000)),
        format!("{}- a | b\n  |-|-|", "- ".repeat(28)),
    ] {
        let parsed = blocks(&source);
        assert!(depth(&parsed) <= MAX_DEPTH + 1, "{}", &source[..20]);
        assert!(format!("{parsed:?}").contains(if source.contains("deep") { "deep" } else { "a" }));
    }
}

fn depth(blocks: &[Block]) -> usize {
    let inner = |block: &Block| match &block.kind {
        BlockKind::Quote(blocks) => depth(blocks),
        BlockKind::List { items, .. } => 1 + items.iter().map(|item| depth(&item.blocks)).max().unwrap_or(0),
        _ => 0,
    };
    blocks.iter().map(|block| 1 + inner(block)).max().unwrap_or(0)
}

/// Streams a text in pieces as the window does and returns what it shows at the end.
fn streamed<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Vec<Block> {
    let mut stream = Stream::new();
    let mut shown: Vec<Block> = Vec::new();
    for piece in pieces {
        apply(&mut shown, stream.push(piece));
    }
    apply(&mut shown, stream.finish());
    shown
}

fn apply(shown: &mut Vec<Block>, update: Update) {
    assert!(update.keep <= shown.len());
    shown.truncate(update.keep);
    shown.extend(update.blocks);
}

fn pieces(source: &str, size: usize) -> Vec<&str> {
    let mut rest = source;
    let mut out = Vec::new();
    while !rest.is_empty() {
        let end = rest.ceil_char_boundary(size);
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

#[test]
fn the_hostile_text_streams_to_the_same_tree() {
    for source in [include_str!("../../tests/fixtures/markup.md"), include_str!("../../tests/fixtures/links.md")] {
        for size in [1, 3, 64] {
            assert_eq!(streamed(pieces(source, size)), blocks(source));
        }
    }
}

#[test]
fn settled_blocks_are_sent_once() {
    let mut stream = Stream::new();
    assert_eq!(stream.push("one\n\ntw").blocks.len(), 2);
    // The line that ends the first block is whole only now.
    let update = stream.push("o\n");
    assert_eq!((update.keep, update.blocks.len()), (0, 2));
    let update = stream.push("three");
    assert_eq!((update.keep, update.blocks.len()), (1, 1));
    assert_eq!(update.blocks[0].range, 5..14);
}

#[test]
fn a_long_unsettled_text_stays_plain_and_is_not_sent_again() {
    let line = "some *words* of one paragraph that goes on and on\n".repeat(10);
    let mut stream = Stream::new();
    let mut shown = Vec::new();
    let mut sent = 0;
    for _ in 0..300 {
        let update = stream.push(&line);
        sent += update.blocks.iter().map(|block| block.range.len()).sum::<usize>();
        apply(&mut shown, update);
    }
    assert!(
        shown.iter().all(
            |block| matches!(&block.kind, BlockKind::Paragraph(inlines) if matches!(inlines[..], [Inline::Text(_)]))
        )
    );
    // A paragraph of up to 32 KiB for the first 66 pushes, all pieces once, then two pieces at most.
    assert!(sent < 66 * 17_000 + 33_000 + 233 * 17_000, "{sent}");
    apply(&mut shown, stream.finish());
    assert_eq!(shown, blocks(&line.repeat(300)));
    assert_eq!(shown.len(), 1);
}

proptest! {
    #[test]
    fn any_chunks_end_as_the_whole(parts in proptest::collection::vec(part(), 0..40), sizes in proptest::collection::vec(1usize..12, 1..20)) {
        let source = parts.concat();
        let mut chunks = Vec::new();
        let mut rest = source.as_str();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let end = rest.ceil_char_boundary(*size);
            chunks.push(&rest[..end]);
            rest = &rest[end..];
        }
        prop_assert_eq!(streamed(chunks), blocks(&source));
    }

    #[test]
    fn any_bytes_make_blocks_in_order(raw in proptest::collection::vec(any::<u8>(), 0..300)) {
        let source = String::from_utf8_lossy(&raw).into_owned();
        let mut end = 0;
        for block in blocks(&source) {
            prop_assert!(block.range.start >= end && block.range.end <= source.len());
            prop_assert!(source.get(block.range.clone()).is_some());
            end = block.range.end;
        }
    }
}

/// Pieces of Markdown that change what stands around them.
fn part() -> impl Strategy<Value = String> {
    const FIXED: &[&str] = &[
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "    ",
        "\t",
        "# ",
        "- ",
        "1. ",
        "> ",
        "```\n",
        "~~~",
        "| a | b |\n",
        "|---|---|\n",
        "**",
        "_",
        "`",
        "[a](https://x.invalid)",
        "[a]: b\n",
        "<div>",
        "<!--",
        "---\n",
        "===\n",
        "\u{1}",
        "é",
        "&lt;",
        "![",
        "](",
        "- [x] ",
        "\\",
    ];
    prop_oneof![4 => proptest::sample::select(FIXED).prop_map(str::to_owned), 1 => "[a-z ]{1,8}"]
}
