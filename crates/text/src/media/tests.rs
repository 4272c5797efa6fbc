use super::*;
use proptest::prelude::*;

/// The paths of a text, and the text without them.
fn read(source: &str) -> (Vec<String>, String) {
    let found = directives(source);
    let paths = found.files.iter().map(|file| file.path.clone()).collect();
    (paths, found.text())
}

fn assert_reads(source: &str, paths: &[&str], text: &str) {
    assert_eq!(read(source), (paths.iter().map(|&path| path.to_owned()).collect(), text.to_owned()), "{source:?}");
}

#[test]
fn a_tag_names_a_file() {
    for (source, path) in [
        ("MEDIA:/a/b.png", "/a/b.png"),
        ("MEDIA: ~/b.png", "~/b.png"),
        ("MEDIA:C:\\b c.pdf", "C:\\b c.pdf"),
        ("MEDIA:\"/a/b c\"", "/a/b c"),
        ("MEDIA:'/a/b c.xyz'", "/a/b c.xyz"),
        ("MEDIA:`/a/b c`", "/a/b c"),
        ("MEDIA: ``/a/b``", "/a/b"),
        ("MEDIA:/a/my photo.JPEG", "/a/my photo.JPEG"),
        ("\"MEDIA:/a/b c.png\"", "/a/b c.png"),
        ("**MEDIA:/a/b.png**", "/a/b.png"),
        ("__MEDIA:/a/b.png__\r\n", "/a/b.png"),
        ("(MEDIA:/a/b (1).png)", "/a/b (1).png"),
        ("<MEDIA:/a/b c>", "/a/b"),
        ("![of it](MEDIA:/a/b.png)", "/a/b.png"),
        ("[it](<MEDIA:/a/b c.png> \"title\")", "/a/b c.png"),
        ("- MEDIA:/a/b.png", "/a/b.png"),
        ("  12. **MEDIA:/a/b.png**\n", "/a/b.png"),
    ] {
        let text = if source.starts_with("<MEDIA") { "< c>" } else { "" };
        assert_reads(source, &[path], text);
    }
}

#[test]
fn two_tags_on_a_line_are_two_files() {
    assert_reads("MEDIA:/a.png MEDIA:/b.png", &["/a.png", "/b.png"], "");
    assert_reads("MEDIA:/a b.png, MEDIA:\"/c d\" and MEDIA:/e", &["/a b.png", "/c d", "/e"], ", and");
    assert_reads("MEDIA:/a.pngMEDIA:/b.mp3MEDIA:/c", &["/a.png", "/b.mp3", "/c"], "");
    assert_reads("MEDIA:/a.png[[as_document]]MEDIA:/b", &["/a.png", "/b"], "");
}

#[test]
fn only_what_was_asked_for_leaves_the_text() {
    assert_reads("See MEDIA:/a.png for it.\n", &["/a.png"], "See for it.\n");
    assert_reads("See MEDIA:/a.png.\nMore.", &["/a.png"], "See.\nMore.");
    assert_reads("One\n\nMEDIA:/a.png\n- MEDIA:/b.png\n\nTwo  \nthree", &["/a.png", "/b.png"], "One\n\n\nTwo  \nthree");
    assert_reads("- the plan MEDIA:/a.png\n  MEDIA:/b.png x", &["/a.png", "/b.png"], "- the plan\n   x");
    assert_reads("Both:\nMEDIA:/a.png, MEDIA:/b.png.\n", &["/a.png", "/b.png"], "Both:\n");
    assert_reads("[a\nb](MEDIA:/a.png)\nc", &["/a.png"], "c");
    assert_reads("No file at all  \n\n", &[], "No file at all  \n\n");
}

#[test]
fn flags_are_read_and_leave_the_text() {
    let found = directives("[[as_document]]\nMEDIA:/a.png\nDone [[audio_as_voice]].");
    assert!(found.as_document && found.audio_as_voice);
    assert_eq!(found.text(), "Done.");
    let none = directives("[[as document]] [[AS_DOCUMENT]]");
    assert!(!none.as_document && !none.audio_as_voice);
}

#[test]
fn three_pictures_as_documents_are_three_documents() {
    let found = directives("[[as_document]]\nMEDIA:/1.png\nMEDIA:/2.JPG\nMEDIA:/3.webp");
    let split = split(&found.files, |file| kind(&file.path, found.as_document));
    assert_eq!((split.images.len(), split.others.len()), (0, 3));
    let shown = super::split(&found.files, |file| kind(&file.path, false));
    assert_eq!((shown.images.len(), shown.others.len()), (3, 0));
}

#[test]
fn code_quotations_and_json_ask_for_nothing() {
    for source in [
        "```\nMEDIA:/a.png\n[[as_document]]\n```\n",
        "~~~text\nMEDIA:/a.png",
        "- x\n  ```\n  MEDIA:/a.png\n  ```",
        "x\n\n    MEDIA:/a.png\n",
        "Write `MEDIA:/a.png` or ``MEDIA:/b.png``, and `[[as_document]]`.",
        "> MEDIA:/a.png\n> [[audio_as_voice]]\n",
        "1. > x MEDIA:/a.png",
        "{\"file\": \"MEDIA:/a.png\", \"all\": [\"MEDIA:/b.png\", \"x MEDIA:/c.png\"]}",
        "The tool said \"file\": \"MEDIA:/a.png [[as_document]]\"",
        "{\"text\": \"{\\\"file\\\": \\\"MEDIA:/a.png\\\"}\"}",
    ] {
        let found = directives(source);
        assert_eq!((found.files.len(), found.as_document, found.audio_as_voice), (0, false, false), "{source}");
        assert_eq!(found.text(), source);
    }
}

#[test]
fn a_tag_beside_code_counts() {
    assert_reads("```\nMEDIA:/a.png\n```\nMEDIA:/b.png", &["/b.png"], "```\nMEDIA:/a.png\n```\n");
    assert_reads("MEDIA:/a.png `MEDIA:/b.png`", &["/a.png"], " `MEDIA:/b.png`");
    assert_reads("It is \"MEDIA:/a.png\", \"MEDIA:/b.png\".", &["/a.png", "/b.png"], "It is,.");
    assert_reads("> said\n\nMEDIA:/b.png", &["/b.png"], "> said\n\n");
}

#[test]
fn what_only_looks_like_a_tag_is_text() {
    for source in [
        "MULTIMEDIA:/a.png",
        "SOME_MEDIA:/a.png",
        "/x/MEDIA:/a.png",
        "\\MEDIA:/a.png",
        "media:/a.png",
        "MEDIA:a.png",
        "MEDIA:./a.png",
        "MEDIA://host/a.png",
        "MEDIA:https://host/a.png",
        "MEDIA:<path>",
        "MEDIA:\"/a.png",
        "MEDIA:\n/a.png",
        "MEDIA:/",
        "MEDIA:",
        "MEDIA:`/a\nb`",
    ] {
        assert_reads(source, &[], source);
    }
}

#[test]
fn what_is_refused_stays_where_it_stands() {
    let source = "A\nMEDIA:/a.png MEDIA:/b.png\n- MEDIA:/c.png\n[[as_document]]\nB";
    let found = directives(source);
    assert_eq!(found.text_keeping(|file| file.path == "/b.png"), "A\n MEDIA:/b.png\nB");
    assert_eq!(found.text_keeping(|_| true), "A\nMEDIA:/a.png MEDIA:/b.png\n- MEDIA:/c.png\nB");
}

/// Each of these costs the square of its length where something is read again for every sign.
#[test]
fn hostile_texts_are_read_once() {
    for piece in [
        "MEDIA:/a.png ",
        "MEDIA:/a b ",
        "MEDIA:/",
        "MEDIA:\"/a ",
        "(MEDIA:/a.png",
        "(((((((M",
        "____MEDIA:",
        "[[as_document]]",
        "[[[[",
        "\"\\\"",
        "{[\"",
        ".png",
        "/a.png)))),",
        "`MEDIA:/a` ",
        "MEDIA:`/a` ",
        "![x](MEDIA:/a)",
        "> MEDIA:/a\n",
        "MEDIA:/a\n\n",
        "\"a\": \"MEDIA:/a.png\", ",
    ] {
        let text = format!("MEDIA:/x {}", piece.repeat(100_000 / piece.len()));
        assert!(directives(&text).text().len() <= text.len());
    }
}

/// What is left of a text when every directive is cut by the place it said.
fn words_outside(source: &str, found: &Directives<'_>) -> String {
    let mut cuts: Vec<_> = found.files.iter().map(|file| &file.range).chain(&found.flags).collect();
    cuts.sort_by_key(|cut| cut.start);
    let mut out = String::new();
    let mut done = 0;
    for cut in cuts {
        assert!(done <= cut.start && cut.start < cut.end, "ranges overlap in {source:?}");
        out.push_str(&source[done..cut.start]);
        done = cut.end;
    }
    out + &source[done..]
}

/// Without blanks, and without the signs that can go with a line.
fn bones(text: &str) -> String {
    text.chars().filter(|ch| !ch.is_whitespace() && !"*_-+.,;)0123456789".contains(*ch)).collect()
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "MEDIA:",
            "/a/b.png",
            "/a b.pdf",
            "~/c",
            "C:\\d.txt",
            "[[as_document]]",
            "[[audio_as_voice]]",
            "`",
            "```",
            "\n",
            "\n\n",
            "\r\n",
            "> ",
            "    ",
            "\"",
            "'",
            "{",
            "}",
            "[",
            "]",
            "(",
            ")",
            "!",
            ": ",
            ", ",
            "**",
            "_",
            "- ",
            "1. ",
            "<",
            ">",
            "\\",
            "word",
            "\u{E9}",
            "\u{3002}",
            "| a |\n|---|\n",
            "\u{1}",
            "\u{201C}",
            "\u{201D}",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ]
}

fn check(source: &str) -> std::result::Result<(), TestCaseError> {
    let found = directives(source);
    for file in &found.files {
        prop_assert!(source[file.range.clone()].contains(&file.path), "{:?}", file);
    }
    let text = found.text();
    prop_assert_eq!(bones(&text), bones(&words_outside(source, &found)));
    if found.files.is_empty() && found.flags.is_empty() {
        prop_assert_eq!(&text, source);
    }
    // Lines without a directive are the same lines, in the same order.
    let mut kept = text.split_inclusive('\n');
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let touches = |cut: &Range<usize>| cut.start < range.end && cut.end > range.start;
        if !found.files.iter().map(|file| &file.range).chain(&found.flags).any(touches) {
            prop_assert!(kept.any(|other| other == line), "{:?} lost {:?}: {:?}", source, line, text);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_keeps_its_words(parts in proptest::collection::vec(part(), 0..60)) {
        check(&parts.concat())?;
    }

    #[test]
    fn any_characters_keep_their_words(source in any::<String>()) {
        check(&source)?;
    }

    #[test]
    fn a_fence_protects_what_it_holds(inner in "[^`~]*") {
        let source = format!("~~~\n{inner}\nMEDIA:/a.png\n~~~\n");
        let found = directives(&source);
        prop_assert_eq!(found.files.len(), 0);
        prop_assert_eq!(found.text(), source.clone());
    }

    #[test]
    fn a_path_in_marks_comes_back_as_written(name in "[a-zA-Z0-9 ._()\u{E9}-]{0,30}[a-z]", before in "[a-z,]{1,20}") {
        let source = format!("{before} MEDIA:\"/{name}\" x");
        let found = directives(&source);
        prop_assert_eq!(found.files.len(), usize::from(!name.starts_with(' ')));
        for file in &found.files {
            prop_assert_eq!(&file.path, &format!("/{name}"));
        }
    }
}
