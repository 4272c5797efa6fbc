//! Commands that leave the last part of a chain behind.
//!
//! For `A && B &` a shell makes a copy of itself that runs `A`, waits for `B`, and holds the output open as long as `B`
//! lives. `A && { B & }` runs `A`, leaves `B` behind by itself and ends.

use std::borrow::Cow;

/// Rewrites every such chain that does not stand in a group. A text that cannot be read comes back as it is.
pub fn untangled(command: &str) -> Cow<'_, str> {
    let mut reader = Reader { bytes: command.as_bytes(), at: 0, link: None, depth: 0, word: false };
    match reader.chains() {
        Some(chains) if !chains.is_empty() => Cow::Owned(rewritten(command, &chains)),
        Some(_) | None => Cow::Borrowed(command),
    }
}

/// The last part of a chain, and the `&` behind it.
struct Chain {
    start: usize,
    ampersand: usize,
}

fn rewritten(command: &str, chains: &[Chain]) -> String {
    let (mut out, mut done) = (String::with_capacity(command.len() + 8 * chains.len()), 0);
    for chain in chains {
        out.push_str(&command[done..chain.start]);
        out.push_str(" { ");
        out.push_str(command[chain.start..chain.ampersand].trim());
        out.push_str(" & }");
        done = chain.ampersand + 1;
        let rest = command[done..].trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(['\n', ';', '#']) {
            out.push(';');
        }
    }
    out.push_str(&command[done..]);
    out
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Where the text behind the last `&&` or `||` of this list begins.
    link: Option<usize>,
    depth: usize,
    /// Whether a word has begun.
    word: bool,
}

impl Reader<'_> {
    /// `None` where quotes or groups do not close, or where a here-document would have to be told from the commands.
    fn chains(&mut self) -> Option<Vec<Chain>> {
        let mut found = Vec::new();
        while let Some(byte) = self.peek(0) {
            let began = std::mem::replace(&mut self.word, true);
            match byte {
                b'\\' => self.at += 2,
                b'\'' | b'"' | b'`' => self.quoted(byte)?,
                b'#' if !began => self.at += self.rest().iter().take_while(|byte| **byte != b'\n').count(),
                b'(' => self.open(),
                b')' => self.close()?,
                b'{' if !began && self.ends_word(1) => self.open(),
                b'}' if !began && self.ends_word(1) => self.close()?,
                b'<' if self.peek(1) == Some(b'<') && self.peek(2) != Some(b'<') => return None,
                b'>' | b'<' => self.redirect(),
                b'&' if self.peek(1) == Some(b'>') => self.step(2),
                b'&' | b'|' if self.peek(1) == Some(byte) => {
                    self.step(2);
                    self.link = Some(self.at).filter(|_| self.depth == 0).or(self.link);
                    self.blank();
                }
                b'|' => self.step(1 + usize::from(self.peek(1) == Some(b'&'))),
                b'&' => {
                    if self.depth == 0 {
                        found.extend(self.link.take().map(|start| Chain { start, ampersand: self.at }));
                    }
                    self.step(1);
                }
                b';' | b'\n' => {
                    self.link = self.link.filter(|_| self.depth > 0);
                    self.step(1);
                }
                b' ' | b'\t' => self.step(1),
                _ => self.at += 1,
            }
        }
        (self.depth == 0).then_some(found)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Over a sign that is no part of a word.
    const fn step(&mut self, count: usize) {
        self.at += count;
        self.word = false;
    }

    /// A line may be broken behind `&&`.
    fn blank(&mut self) {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn ends_word(&self, ahead: usize) -> bool {
        self.peek(ahead).is_none_or(|byte| byte.is_ascii_whitespace() || b";&|)".contains(&byte))
    }

    const fn open(&mut self) {
        self.depth += 1;
        self.step(1);
    }

    fn close(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        self.at += 1;
        Some(())
    }

    /// `>`, `>>`, `>&1`, `<&-`, `>|`.
    fn redirect(&mut self) {
        let signs = self.rest().iter().take_while(|byte| matches!(byte, b'>' | b'<')).count();
        let more = usize::from(matches!(self.peek(signs), Some(b'&' | b'|')));
        self.step(signs + more);
    }

    fn quoted(&mut self, quote: u8) -> Option<()> {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                _ if byte == quote => return Some(()),
                b'\\' if quote != b'\'' => self.at += 1,
                b'$' if quote == b'"' && self.peek(0) == Some(b'(') => self.substitution()?,
                _ => {}
            }
        }
        None
    }

    /// A substitution inside quotes has quotes of its own.
    fn substitution(&mut self) -> Option<()> {
        let mut depth = 0usize;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.at += 2,
                b'\'' | b'"' | b'`' => self.quoted(byte)?,
                _ => {
                    self.at += 1;
                    depth = match byte {
                        b'(' => depth + 1,
                        b')' => depth - 1,
                        _ => depth,
                    };
                    if depth == 0 {
                        return Some(());
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_chain_that_leaves_its_last_part_behind_is_rewritten() {
        for (command, expect) in [
            ("true && sleep 60 &", "true && { sleep 60 & }"),
            ("a || b&", "a || { b & }"),
            ("a && b || c | d & e", "a && b || { c | d & }; e"),
            ("a &&\n  b 2>&1 &\nc", "a && { b 2>&1 & }\nc"),
            ("a && (b; c) & wait", "a && { (b; c) & }; wait"),
            ("x; a && b & c && d &", "x; a && { b & }; c && { d & }"),
            ("for i in 1 2; do a && b & done", "for i in 1 2; do a && { b & }; done"),
            ("a && echo \"$(x \"y\" && z)\" '&' &", "a && { echo \"$(x \"y\" && z)\" '&' & }"),
            ("a && b & # later", "a && { b & } # later"),
        ] {
            assert_eq!(untangled(command), expect);
            assert_eq!(untangled(expect), expect, "once is enough");
            assert!(is_shell(command) && is_shell(expect), "{expect}");
        }
    }

    /// Whether a real shell can read it; nothing is run.
    fn is_shell(text: &str) -> bool {
        #[expect(clippy::disallowed_methods, reason = "only a shell knows what it can read")]
        let read = std::process::Command::new("sh").args(["-n", "-c", text]).status();
        read.is_ok_and(|status| status.success())
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for command in [
            "sleep 60 &",
            "a && b",
            "a && b &> log",
            "a && b >& log",
            "a && b 2>&1",
            "a; b &",
            "a && b; c &",
            "echo 'a && b &'",
            "echo \"a && b &\"",
            "(a && b &)",
            "{ a && b & }",
            "x=$(a && b &)",
            "a && b # &",
            "a \\&\\& b &",
            "a && cat <<E &\nx\nE",
            "case x in a) b && c & ;; esac",
            "a && 'b &",
            "a && b |& c",
        ] {
            assert!(matches!(untangled(command), Cow::Borrowed(_)), "{command}: {}", untangled(command));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(command in "([ab ]|&&|\\|\\||&|;|\n|[(){}'\"`$\\\\<>#é])*") {
            let once = untangled(&command).into_owned();
            prop_assert!(once.len() >= command.trim().len());
        }
    }
}
