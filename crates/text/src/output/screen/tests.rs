use super::*;
use proptest::prelude::*;

fn pipe(text: &str) -> String {
    play(text, ScreenSize::default()).0
}

fn terminal(text: &str, columns: usize, rows: usize) -> String {
    play(text, ScreenSize { rows, columns: Some(columns) }).0
}

#[test]
fn a_line_is_shown_in_its_last_state() {
    for (input, expect) in [
        ("first\rsecond\n", "second\n"),
        ("shorter\rshort", "shorter"),
        ("longer text\rshort", "shortr text"),
        ("windows\r\nline\r\n", "windows\nline\n"),
        ("a long line\r\u{1b}[Kab", "ab"),
        ("\u{1b}[2K\rspin |\u{1b}[2K\rspin done", "spin done"),
        ("abc\u{8}d", "abd"),
        ("a\0b\u{7}c", "abc"),
        ("x\u{1b}[5Gy", "x   y"),
        ("tab\there", "tab\there"),
        ("tab\there\u{1b}[3Gp", "tap\there"),
        ("a\tb\u{1b}[4Gc", "a  c    b"),
        ("  0%\r 50%\r100%", "100%"),
        ("abcdef\u{1b}[3D\u{1b}[2X", "abc  f"),
        ("abcdef\u{1b}[1G\u{1b}[2P\u{1b}[1@x", "xcdef"),
        ("-\u{1b}[4b", "-----"),
        ("\u{1b}(0lqk\u{1b}(B plain", "┌─┐ plain"),
        ("\u{1b}]0;title\u{7}a\u{9b}31mb\u{1b}]8;;http://x\u{1b}\\c", "abc"),
        ("end\u{1b}]0;never closed", "end"),
    ] {
        assert_eq!(pipe(input), expect, "{input:?}");
    }
}

#[test]
fn a_cursor_moves_between_lines() {
    for (input, expect) in [
        ("above\nstep 1\u{1b}[1A\u{1b}[2K\rstep 2\n\ntab", "step 2\nstep 1\ntab"),
        ("one: 0%\ntwo: 0%\n\u{1b}[2A\rone: done\n\rtwo: 50%\n", "one: done\ntwo: 50%\n"),
        ("a\nb\nc\u{1b}[H\u{1b}[2Jlast screen", "last screen"),
        ("a\nb\nc\u{1b}[2;1H\u{1b}[Jd", "a\nd"),
        ("a\nb\nc\u{1b}[2;1H\u{1b}[1Ld", "a\nd\nb\nc"),
        ("a\nb\nc\u{1b}[1;1H\u{1b}[1M", "b\nc"),
        ("a\u{1b}7\nb\u{1b}8c", "ac\nb"),
        ("a\nb\u{1b}Mc", "ac\nb"),
    ] {
        assert_eq!(pipe(input), expect, "{input:?}");
    }
}

#[test]
fn what_scrolls_off_the_screen_stays_and_is_out_of_reach() {
    let log: String = (0..100).map(|line| format!("line {line}\n")).collect();
    assert_eq!(pipe(&format!("{log}\u{1b}[0m")), log);
    let shown = pipe(&format!("{log}\u{1b}[H\u{1b}[2Jframe"));
    assert!(shown.starts_with("line 0\n") && shown.ends_with("line 70\nframe"), "{shown}");
    let status = terminal("a\r\nb\r\nc\r\n\u{1b}[1;2r\u{1b}[2;1H\nd\r\n\u{1b}[r", 20, 3);
    assert!(status.starts_with("a\n") && status.contains("d\n"), "{status:?}");
}

#[test]
fn a_program_that_takes_the_screen_leaves_its_last_one() {
    let frames = "$ top\n\u{1b}[?1049h\u{1b}[Hframe 1\u{1b}[H\u{1b}[2Jframe 2\r\nload 3\u{1b}[?1049l$ done\n";
    assert_eq!(pipe(frames), "$ top\nframe 2\nload 3\n$ done\n");
    assert_eq!(pipe("$ top\n\u{1b}[?1049h\u{1b}[Hframe 1\u{1b}[2J\u{1b}[Hstill on"), "$ top\nstill on\n");
    assert_eq!(pipe("a\u{1b}[?1049h\u{1b}[?1049lb"), "ab");
}

#[test]
fn a_terminal_breaks_lines_and_a_reader_gets_them_whole() {
    assert_eq!(terminal("0123456789abc\r\nnext", 5, 4), "0123456789abc\nnext");
    // Back to the start of the row, not of the line.
    assert_eq!(terminal("0123456789ab\rX", 5, 4), "0123456789Xb");
    assert_eq!(terminal("a\nb\r\nc", 10, 4), "a\n b\nc");
    // What went through no terminal has the ends of lines of a pipe.
    assert_eq!(terminal("a\nb\n\u{1b}[1mc", 10, 4), "a\nb\nc");
    assert_eq!(terminal("你你你", 5, 4), "你你你");
}

#[test]
fn wide_and_joined_characters_keep_their_columns() {
    assert_eq!(pipe("你好x\u{1b}[3GY"), "你Y x");
    assert_eq!(pipe("e\u{301}a\rE"), "Ea");
    assert_eq!(pipe("e\u{301}👨\u{200D}👩\u{200D}👧\u{1b}[0m"), "e\u{301}👨\u{200D}👩\u{200D}👧");
    assert_eq!(pipe("\u{1b}[32m└── café 🌍\u{1b}[0m"), "└── café 🌍");
}

#[test]
fn lines_know_where_they_began() {
    let text = "a\nbb\r\u{1b}[Kc\nd\n";
    let (shown, track) = play(text, ScreenSize::default());
    assert_eq!(shown, "a\nc\nd\n");
    assert_eq!([0, 2, 4].map(|at| track.origin(at)), [0, 2, 10]);
    for (_, track) in
        [play("ab\r\ncd\r\n", ScreenSize::default()), plain("ab\r\ncd\r\n", ScreenSize::default()).unwrap_or_default()]
    {
        assert_eq!([0, 3, 6].map(|at| track.origin(at)), [0, 4, 8]);
    }
}

#[test]
fn a_few_bytes_cannot_ask_for_much_room() {
    for bomb in ["\u{1b}[99999999999999999999Cx\n", "\u{1b}[1000Gx\n", "\u{1b}[99S", "\u{1b}[999b", "x\u{1b}[999@"] {
        let shown = pipe(&bomb.repeat(20_000));
        assert!(shown.len() < 4 * MOST_BLANKS, "{bomb:?}: {}", shown.len());
    }
}

#[test]
fn a_screen_that_is_given_back_keeps_the_cursor_on_what_is_shown() {
    for below in ["\u{1b}[9S", "\u{1b}[9B\n\n\n", "\n\n\n\n\n\n\n\n\n"] {
        let text = format!("{below}\u{1b}[?1049hwords\u{1b}[?1049l\u{1b}7more\u{1b}8less");
        let (shown, _) = play(&text, ScreenSize { rows: 3, columns: Some(20) });
        assert!(shown.contains("words\nless"), "{below:?}: {shown:?}");
    }
}

proptest! {
    #[test]
    fn nothing_breaks_it_and_no_control_is_left(text in "([a-z你\t\n\r\u{8}\u{301}]|\u{1b}|\u{9b}|\u{1b}\\[[?0-9;]{0,4}[A-Z@`a-z]|\u{1b}\\[\\?1049[hl]|\u{1b}[78DEMc]){0,120}", columns in 0usize..9, rows in 0usize..6) {
        for columns in [None, Some(columns)] {
            let (shown, track) = play(&text, ScreenSize { rows, columns });
            prop_assert!(shown.chars().all(|ch| !ch.is_control() || matches!(ch, '\n' | '\t')));
            prop_assert!(track.origin(shown.len()) <= text.len() + shown.len());
        }
    }

    #[test]
    fn text_without_movements_is_the_same_on_the_quick_way(text in "([a-zé你🌍 \t]|\n|\r\n){0,80}", columns in 200usize..300) {
        for columns in [None, Some(columns)] {
            let size = ScreenSize { columns, ..ScreenSize::default() };
            if let Some((quick, _)) = plain(&text, size) {
                prop_assert_eq!(play(&text, size).0, quick);
            } else {
                prop_assert!(columns.is_some());
            }
        }
    }
}
