//! Escape sequences and characters without a mark of their own, in texts that are no output: commands, titles.
//!
//! What a program wrote is played on a screen instead: see [`output`](crate::output).

use std::borrow::Cow;
use std::fmt::Write as _;

mod sequence;

pub(crate) use sequence::sequence_at;

/// Removes every escape sequence and C1 control; text, newlines and other C0 controls stay.
/// A string that is cut before its terminator is dropped to the end.
pub fn strip(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_introducer) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(at) = rest.find(is_introducer) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let skipped = sequence_at(rest).unwrap_or(1);
        rest = &rest[skipped..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Shows controls, zero-width and direction-changing characters as `\u202E`-like text, so that what a
/// person approves is what runs. Newline and tab stay.
pub fn escape_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        if !is_invisible(ch) {
            out.push(ch);
            continue;
        }
        let code = u32::from(ch);
        // Writing to a String cannot fail.
        let _ = if code <= 0xFFFF { write!(out, "\\u{code:04X}") } else { write!(out, "\\u{{{code:X}}}") };
    }
    out
}

/// Whether a character leaves no mark of its own or changes how its neighbours are laid out.
pub(crate) fn is_invisible(ch: char) -> bool {
    if matches!(ch, '\n' | '\t') {
        return false;
    }
    ch.is_control()
        || matches!(ch,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0E}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

fn is_introducer(ch: char) -> bool {
    ch == '\u{1B}' || matches!(ch, '\u{80}'..='\u{9F}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn strip_removes_each_kind_of_sequence() {
        for (input, expect) in [
            ("plain", "plain"),
            ("\u{1b}[1;32mgreen\u{1b}[0m", "green"),
            ("\u{1b}[?25lhidden\u{1b}[?25h", "hidden"),
            ("\u{1b}[38:2::1:2:3mrgb", "rgb"),
            ("\u{1b}[2 qcursor", "cursor"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;https://x.invalid\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}P$ data\u{1b}\\dcs", "dcs"),
            ("\u{1b}Xsos\u{1b}\\a\u{1b}^pm\u{1b}\\b\u{1b}_apc\u{1b}\\c", "abc"),
            ("\u{1b}(Bcharset\u{1b}#8", "charset"),
            ("\u{1b}7save\u{1b}8\u{1b}Mup\u{1b}c", "saveup"),
            ("\u{9b}31mred\u{9d}0;t\u{9c}x\u{85}y", "redxy"),
            ("end\u{1b}]0;never closed", "end"),
            ("end\u{1b}[12", "end"),
            ("end\u{1b}", "end"),
            ("a\u{1b}[3\nb", "a\nb"),
            ("\u{1b}]0;a\u{1b}[1mb", "b"),
            ("tab\tcr\r\n", "tab\tcr\r\n"),
        ] {
            assert_eq!(strip(input), expect, "{input:?}");
        }
        assert!(matches!(strip("nothing to do"), Cow::Borrowed(_)));
    }

    #[test]
    fn invisible_characters_become_words() {
        assert_eq!(escape_invisible("rm \u{202E}fdp.exe\u{200B}"), "rm \\u202Efdp.exe\\u200B");
        assert_eq!(escape_invisible("a\tb\nc\u{1b}[0m\u{7f}"), "a\tb\nc\\u001B[0m\\u007F");
        assert_eq!(escape_invisible("\u{E0041}"), "\\u{E0041}");
        assert_eq!(escape_invisible("grüße 你好 🌍"), "grüße 你好 🌍");
    }

    proptest! {
        #[test]
        fn stripped_text_holds_no_introducer(text in "([a-z\n]|\u{1b}|\u{9b}|\u{9d}|[\\[\\]P;0-9mK\u{7}\\\\])*") {
            let once = strip(&text).into_owned();
            prop_assert!(!once.chars().any(is_introducer));
            prop_assert_eq!(strip(&once).into_owned(), once.clone());
        }
    }
}
