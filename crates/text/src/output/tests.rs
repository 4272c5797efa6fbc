use super::*;
use proptest::prelude::*;

const SECRET: &str = "correct horse battery";

fn source() -> Source<'static> {
    Source { command: "make", secrets: &[SECRET], ..Source::default() }
}

fn tail_of(text: &[u8], seen: usize) -> Window<'_> {
    let omitted = text.len() - seen;
    Window { head: &[], tail: &text[omitted..], omitted: omitted as u64, total: text.len() as u64, open: false }
}

fn completion(text: &str) -> Shown {
    render(&Window::whole(text.as_bytes()), Purpose::Completion, &source())
}

#[test]
fn a_text_of_the_limit_is_whole_and_one_more_is_cut_on_a_line() {
    let exact = format!("first\n{}", "x".repeat(1_994));
    let shown = completion(&exact);
    assert_eq!((shown.text.as_str(), shown.showing(), shown.noted()), (exact.as_str(), None, exact.clone()));
    let shown = completion(&format!("{exact}y"));
    assert_eq!(shown.text, format!("{}y", "x".repeat(1_994)));
    assert_eq!(shown.showing().as_deref(), Some("showing bytes 6-2001 of 2001"));
    assert!(shown.noted().starts_with("[showing bytes 6-2001 of 2001]\nxxx"));
    let shown = completion(&"z".repeat(2_001));
    assert_eq!((shown.text.len(), shown.from), (2_000, 1));
}

#[test]
fn a_secret_across_any_cut_is_masked() {
    let token = format!("ghp_{}", "a1".repeat(18));
    for shift in 1_960..2_005 {
        let shown = completion(&format!("{token} {SECRET} {}", "x".repeat(shift)));
        assert!(!shown.text.contains("a1a1a1a1") && !shown.text.contains("attery"), "{shown:?}");
    }
    assert_eq!(completion(&format!("the {SECRET}")).text, "the ***");
}

#[test]
fn a_secret_that_only_stands_on_the_screen_is_masked() {
    let token = format!("ghp_{}", "a1".repeat(18));
    let (left, right) = token.split_at(20);
    for split in [
        format!("{left}\u{1b}[0m{right}"),
        format!("XXXX{}\rghp_\n", &token[4..]),
        format!("{left}xx\u{8}\u{8}{right}"),
        format!("{left}?\u{1b}[1D{right}"),
        format!("{}{right}\u{1b}[1G{left}", " ".repeat(20)),
        format!("\u{1b}[2;21H{right}\u{1b}[2;1H{left}"),
        format!("{left}\u{200B}{right}"),
        format!("{left}\0{right}"),
    ] {
        let shown = completion(&split).text;
        assert!(!shown.contains("a1a1a1a1"), "{split:?}: {shown}");
    }
    let wrapped = Source { screen: ScreenSize { rows: 4, columns: Some(20) }, ..source() };
    let shown = render(&Window::whole(token.as_bytes()), Purpose::Preview, &wrapped);
    assert!(!shown.text.contains("a1a1a1a1"));
}

#[test]
fn progress_takes_no_room() {
    let bar: String = (0..500).map(|step| format!("\rstep {step:3} \u{1b}[32m====\u{1b}[0m")).collect();
    assert_eq!(completion(&format!("start{bar}\ndone")).text, "step 499 ====\ndone");
}

#[test]
fn a_foreground_result_keeps_both_ends_and_names_the_gap() {
    let short = Window { head: b"one\ntw", tail: b"o\n", omitted: 0, total: 8, open: false };
    let shown = render(&short, Purpose::Foreground, &source());
    assert_eq!((shown.text.as_str(), shown.showing()), ("one\ntwo\n", None));
    let long: String = (0..10_000).map(|line| format!("line {line:05}\n")).collect();
    let shown = render(&Window::whole(long.as_bytes()), Purpose::Foreground, &source());
    assert_eq!(shown.gap, Some((19_998, 80_003)), "{:?}", shown.showing());
    assert!(shown.text.contains("line 01817\n[... bytes 19998-80003 of 110000 are not shown here ...]\nline 07273\n"));
    assert_eq!(shown.showing().as_deref(), Some("showing bytes 0-19998 and 80003-110000 of 110000"));
    let cut = Window { head: b"start\npart", tail: b"ial\nend\n", omitted: 1_000, total: 1_018, open: false };
    let shown = render(&cut, Purpose::Foreground, &source());
    assert_eq!(shown.text, "start\n[... bytes 6-1014 of 1018 are not shown here ...]\nend\n");
}

#[test]
fn a_log_of_ten_thousand_lines_comes_out_whole() {
    let log: String = (0..10_000).map(|line| format!("{line:06} all is well here\n")).collect();
    for text in [log.clone(), log.replace('\n', "\r\n"), format!("\u{1b}[1m{log}")] {
        let page = |offset, limit| render(&Window::whole(text.as_bytes()), Purpose::Log { offset, limit }, &source());
        let shown = page(Some(0), 20_000);
        assert_eq!(shown.page, Some(Page { first: 0, end: 10_000, total: 10_000 }));
        assert!(log.ends_with(&format!("{}\n", shown.text)));
        let shown = page(Some(5_000), 2);
        assert_eq!(shown.text, "005000 all is well here\n005001 all is well here");
        let line = if text.contains('\r') { 25 } else { 24 };
        let skipped = if text.starts_with('\u{1b}') { 4 } else { 0 };
        assert_eq!((shown.from, shown.to), (5_000 * line + skipped, 5_002 * line + skipped));
        assert_eq!(page(None, 1).text, "009999 all is well here");
    }
}

#[test]
fn a_page_of_a_log_with_a_gap_has_no_line_of_two_halves() {
    let window = Window { head: b"one\ntw", tail: b"n\nlast\n", omitted: 50, total: 63, open: false };
    let shown = render(&window, Purpose::Log { offset: None, limit: 10 }, &source());
    assert_eq!(shown.text, "one\n[... bytes 4-58 of 63 are not shown here ...]\nlast");
    assert_eq!(shown.page.map(|page| page.total), Some(3));
}

#[test]
fn the_words_for_what_is_no_text() {
    let shown = |bytes: &[u8]| render(&Window::whole(bytes), Purpose::Completion, &source());
    let program = std::fs::read("/bin/true").unwrap_or_default();
    let image =
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0\x1f\xf3\xffa".as_slice(), &noise(900)];
    let (image, zipped) = (image.concat(), [b"\x1f\x8b\x08\0\0\0\0\0\0\x03".as_slice(), &noise(5_000)].concat());
    for bytes in [&program, &image, &zipped, &vec![0; 300], &noise(40_000)] {
        assert_eq!(shown(bytes).text, format!("[binary, {} bytes]", bytes.len()));
        let cut = render(&tail_of(bytes, bytes.len() - bytes.len() / 4), Purpose::Preview, &source());
        assert_eq!((cut.text, cut.from), (format!("[binary, {} bytes]", bytes.len()), 0));
    }
    assert_eq!(shown(&image).for_person().lines().last().map(|hex| &hex[..11]), Some("89 50 4e 47"));
    let framed = [b"unpacking\n", &zipped[..], b"\nall done\n"].concat();
    assert_eq!(shown(&framed).text, format!("unpacking\n[binary, {} bytes]\nall done\n", zipped.len() + 1));
}

#[test]
fn text_of_every_script_is_text() {
    for text in
        ["grüße 你好 🌍 ┌──┐ ▓▒░ Привет", "\u{1b}[1;31mred\u{1b}[0m\u{7}", "./a file\0./another one\0./third/one\0", ""]
    {
        let shown = completion(text);
        assert!(shown.binary.is_none(), "{text:?}");
    }
    let latin = b"Gr\xfc\xdfe aus K\xf6ln, \xe0 bient\xf4t\n";
    let shown = render(&Window::whole(latin), Purpose::Completion, &source());
    assert_eq!(shown.text, "Gr\u{FFFD}\u{FFFD}e aus K\u{FFFD}ln, \u{FFFD} bient\u{FFFD}t\n");
    assert_eq!(render(&Window::whole(b"ok \xff\xfe end"), Purpose::Preview, &source()).text, "ok \u{FFFD}\u{FFFD} end");
}

#[test]
fn words_among_broken_bytes_are_kept() {
    let every: Vec<u8> = (0..=255).cycle().take(1_024).collect();
    let words = b"ok\xff\xfe\xc3(\xe2\x82\xed\xa0\x80\xf5 end\x1b]52;c;ZWNobw==\x07\x1b[31mred\x1b[0m\n\xe2\x80\xa8sep\ntail-marker\n";
    let blob = [&every[..], &[0; 16], words].concat();
    let shown = render(&Window::whole(&blob), Purpose::Foreground, &source()).text;
    assert!(shown.contains("ok") && shown.contains("red") && shown.contains("tail-marker"), "{shown}");
    assert!(shown.contains("[binary, ") && !shown.contains("52;c") && !shown.contains('\0'), "{shown}");
}

#[test]
fn a_recorded_terminal_session_reads_as_a_person_saw_it() {
    let shown = completion(include_str!("../../tests/fixtures/progress.log")).text;
    assert_eq!(shown, include_str!("../../tests/fixtures/progress.txt").trim_end_matches('\n'));
}

#[test]
fn no_character_is_broken_by_chunks_or_cuts() {
    let text = "café 你好 🌍\n";
    for cut in 0..text.len() {
        let (head, tail) = text.as_bytes().split_at(cut);
        let window = Window { head, tail, omitted: 0, total: text.len() as u64, open: true };
        assert_eq!(render(&window, Purpose::Preview, &source()).text, text);
        let running = Window { open: true, ..Window::whole(head) };
        assert!(!render(&running, Purpose::Preview, &source()).text.contains('\u{FFFD}'), "{cut}");
    }
    assert_eq!(completion("x\u{202E}y\u{200B}z").text, "xyz");
}

struct Says(&'static str, fn(&str) -> Result<Option<String>, String>);

impl OutputTransform for Says {
    fn name(&self) -> &str {
        self.0
    }

    fn transform(&self, output: &str, _: &str, _: Option<i32>) -> Result<Option<String>, String> {
        (self.1)(output)
    }
}

#[test]
fn the_first_answer_of_a_transform_is_masked_and_read() {
    let list = |says: Vec<Says>| -> Vec<Arc<dyn OutputTransform>> {
        says.into_iter().map(|says| Arc::new(says) as Arc<dyn OutputTransform>).collect()
    };
    let with = |transforms: &[Arc<dyn OutputTransform>]| {
        render(&Window::whole(b"\x1b[1mraw\n"), Purpose::Completion, &Source { transforms, ..source() }).text
    };
    assert_eq!(with(&[]), "raw\n");
    assert_eq!(with(&list(vec![Says("none", |_| Ok(None))])), "raw\n");
    let transforms = list(vec![
        Says("broken", |_| Err("no".to_owned())),
        Says("panics", |_| panic!("at once")),
        Says("silent", |_| Ok(None)),
        Says("speaks", |seen| Ok(Some(format!("{seen}is {SECRET}\u{1b}[1m")))),
        Says("late", |_| Ok(Some("never".to_owned()))),
    ]);
    assert_eq!(with(&transforms), "raw\nis ***");
}

#[test]
fn what_leaves_is_masked_on_the_slightest_doubt() {
    let text = b"see https://h/?token=abcdefgh12345 MAX_TOKENS=100\n";
    assert_eq!(render(&Window::whole(text), Purpose::Preview, &source()).text.as_bytes(), text);
    let left = render(&Window::whole(text), Purpose::Export, &source()).text;
    assert!(!left.contains("abcdefgh12345") && left.contains("see https://h/"), "{left}");
}

#[test]
fn the_last_line_with_words_is_found() {
    for (text, expect) in [("a\n b \n\n  \n", "b"), ("", ""), ("\n\n", ""), ("one", "one")] {
        assert_eq!(last_line(text), expect);
    }
}

/// Bytes of no meaning, the same every time.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// Whether eight characters of a secret stand together in a text; a mask leaves fewer.
fn leaks(shown: &str, secret: &str) -> bool {
    (8..=secret.len()).any(|end| shown.contains(&secret[end - 8..end]))
}

const SEEDED: [&str; 4] =
    ["ghp_Zk3vTq8LmX2wRb7NcY5dHf9J", "sk-proj-Qw9eRt5yUi3oPa7sDf1gHj", SECRET, "s3cr3t line one\nand line two"];

proptest! {
    // A window is only cut for good when it is longer than what is given up at its edges.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_secret_leaks_through_any_window(
        before in "([a-z ]{0,40}|\n|\r|\u{1b}\\[[0-9]?[mKG]|x{4100}){0,3}",
        after in "([a-z ]{0,40}|\n|\r|\u{1b}\\[0m|y{4100}){0,3}",
        which in 0usize..4,
        near in any::<bool>(),
        start in 0usize..9_000,
        len in 0usize..9_000,
    ) {
        let secret = SEEDED[which];
        let text = format!("{before} {secret} {after}").into_bytes();
        let source = Source { command: "make", secrets: &[SECRET, SEEDED[3]], ..Source::default() };
        // Half of the cuts go through the secret.
        let start = if near { before.len() + 1 + start % secret.len() } else { start.min(text.len()) };
        let end = start.saturating_add(len).min(text.len());
        let windows = [
            Window { head: &text[..start], tail: &text[end..], omitted: (end - start) as u64, total: text.len() as u64, open: false },
            Window { head: &[], tail: &text[start..], omitted: start as u64, total: text.len() as u64, open: true },
            Window { head: &text[..start], tail: &text[start..], omitted: 0, total: text.len() as u64, open: false },
            // What was written so far, and is still being written.
            Window { head: &[], tail: &text[..end], omitted: 0, total: end as u64, open: true },
            Window { head: &[], tail: &text[start..end], omitted: start as u64, total: end as u64, open: true },
        ];
        for window in windows {
            for purpose in [Purpose::Foreground, Purpose::Entry, Purpose::Export] {
                let shown = render(&window, purpose, &source);
                prop_assert!(!leaks(&shown.text, secret), "{purpose:?} {}", shown.text);
                prop_assert!(shown.from <= shown.to && shown.to <= shown.total, "{shown:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_within_the_limits(raw in proptest::collection::vec(any::<u8>(), 0..3_000), open in any::<bool>(), omitted in 0u64..9) {
        let total = raw.len() as u64 + omitted;
        let window = Window { head: &[], tail: &raw, omitted, total, open };
        let shown = render(&window, Purpose::Entry, &source());
        prop_assert!(shown.text.chars().count() <= ENTRY_LIMIT);
        prop_assert!(shown.text.chars().all(|ch| !ch.is_control() || matches!(ch, '\n' | '\t')));
        for purpose in [Purpose::Foreground, Purpose::Completion, Purpose::Log { offset: Some(2), limit: 3 }] {
            let shown = render(&window, purpose, &source());
            prop_assert!(shown.from <= shown.to && shown.to <= total, "{shown:?}");
        }
    }
}
