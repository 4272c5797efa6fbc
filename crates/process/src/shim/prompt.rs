//! Whether the end of some output looks as if somebody was asked. Only for where the kernel does not tell who reads.

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
/// Ends of a question, whatever the program.
const MARKS: [char; 5] = [':', '?', '»', '›', '❯'];
/// Ends of a shell's prompt, with a blank after them.
const SHELLS: [&str; 3] = ["> ", "$ ", "# "];
const PAGERS: [&str; 3] = ["(end)", "--more--", "[more]"];
/// A choice in brackets is short.
const CHOICE: usize = 16;

/// The line that is not ended yet, without escape sequences. Empty if the last one is ended.
pub fn open_line(output: &[u8]) -> String {
    let plain = plain(output);
    let line = plain.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let shown = line.rsplit(|byte| *byte == b'\r').find(|part| !part.is_empty()).unwrap_or_default();
    String::from_utf8_lossy(shown).into_owned()
}

/// Whether such a line asks for something.
pub fn asks(line: &str) -> bool {
    let text = line.trim_end();
    let small = text.to_lowercase();
    text.ends_with(MARKS)
        || is_choice(&small)
        || (SHELLS.iter().any(|end| line.ends_with(end)) && !text.ends_with("##"))
        || PAGERS.iter().any(|word| small.ends_with(word))
        || (small.contains("press ") && ["key", "enter", "return"].iter().any(|word| small.contains(word)))
}

/// `[y/N]`, `(yes/no)`.
fn is_choice(small: &str) -> bool {
    let inner = small.strip_suffix([']', ')']).and_then(|rest| rest.rsplit(['[', '(']).next());
    inner.is_some_and(|inner| inner.len() <= CHOICE && inner.contains('/') && inner.contains('n'))
}

fn plain(output: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(output.len());
    let mut rest = output;
    while let Some((first, more)) = rest.split_first() {
        if *first == ESCAPE {
            rest = after_sequence(more);
        } else {
            plain.push(*first);
            rest = more;
        }
    }
    plain
}

fn after_sequence(rest: &[u8]) -> &[u8] {
    let end = match rest.first() {
        Some(b'[') => rest.iter().skip(1).position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 2),
        Some(b']') => rest.iter().position(|byte| *byte == BELL || *byte == b'\\').map(|at| at + 1),
        _ => rest.iter().position(|byte| !(0x20..=0x2f).contains(byte)).map(|at| at + 1),
    };
    rest.get(end.unwrap_or(rest.len())..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_open_line_is_what_a_person_sees_last() {
        for (output, line) in [
            (&b"one\ntwo"[..], "two"),
            (b"one\r\n", ""),
            (b"10%\r20%\r", "20%"),
            (b"a\n\x1b[1;32m?\x1b[0m Name:\x1b[K \x1b]0;title\x07", "? Name: "),
            (b"\x1b(B\x1b[mready> ", "ready> "),
            (b"half \x1b[3", "half "),
            (b"", ""),
        ] {
            assert_eq!(open_line(output), line);
        }
    }

    #[test]
    fn questions_are_told_from_progress() {
        for line in ["Password: ", "Continue? [y/N] ", "Sure (yes/no)", "Name?", ">>> ", "sh-5.2$ ", "root@vm:/# "] {
            assert!(asks(line), "{line:?}");
        }
        for line in [":", "(END)", "--More--", "Press any key to continue . . .", "Do you agree [Y/n]"] {
            assert!(asks(line), "{line:?}");
        }
        for line in ["", "45%", "[====>   ]", "########", "Compiling foo v0.1.0 (/home/p/foo)", "working...", "a [3/5]"]
        {
            assert!(!asks(line), "{line:?}");
        }
    }
}
