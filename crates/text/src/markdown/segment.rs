//! Where a text can be cut so that no block crosses the cut.
//!
//! Lines are read once and in order; a cut is decided from the lines before it and the first line after
//! it, so more text never moves it.

/// Reads lines and tells before which of them a new segment starts.
#[derive(Clone, Debug, Default)]
pub(super) struct Cutter {
    lines: usize,
    list: bool,
    fence: Option<Fence>,
    blank_before: bool,
    /// The line before ended a block for sure.
    closed: bool,
    pipe_before: bool,
}

/// Where a line starts a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// It belongs to the segment so far.
    None,
    /// A segment starts with it.
    Here,
    /// A segment starts with the line before it.
    Before,
}

#[derive(Clone, Copy, Debug)]
struct Fence {
    sign: u8,
    length: usize,
}

impl Cutter {
    /// Takes the next line, without its line end.
    pub(super) fn line(&mut self, line: &str) -> Cut {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let indent = line.bytes().take_while(|byte| *byte == b' ').count();
        let body = &line[indent..];
        if let Some(fence) = self.fence {
            return self.inside_fence(fence, indent, body);
        }
        if body.trim().is_empty() {
            self.blank_before = true;
            self.lines += 1;
            self.pipe_before = false;
            return Cut::None;
        }
        let opens = if indent == 0 || (!self.list && indent <= 3) { fence_at(body) } else { None };
        let cut = self.cut_before(indent, body, opens.is_some());
        self.step(cut, indent, body);
        self.fence = opens;
        cut
    }

    fn inside_fence(&mut self, fence: Fence, indent: usize, body: &str) -> Cut {
        let run = body.bytes().take_while(|byte| *byte == fence.sign).count();
        self.lines += 1;
        if indent <= 3 && run >= fence.length && body[run..].trim().is_empty() {
            self.fence = None;
            self.closed = true;
        }
        Cut::None
    }

    fn cut_before(&self, indent: usize, body: &str, fence: bool) -> Cut {
        let flush = indent == 0 && !body.starts_with('\t');
        if self.lines == 0 {
            return Cut::None;
        }
        if self.closed && flush {
            return Cut::Here;
        }
        let continues_list = self.list && list_marker(body);
        if self.blank_before && flush && !continues_list {
            return Cut::Here;
        }
        if flush && (fence || is_heading(body)) {
            return Cut::Here;
        }
        if self.pipe_before && !self.list && flush && is_delimiter_row(body) { Cut::Before } else { Cut::None }
    }

    fn step(&mut self, cut: Cut, indent: usize, body: &str) {
        if cut == Cut::Here || self.lines == 0 {
            self.list = indent <= 3 && list_marker(body);
        }
        // A list may also start under a paragraph, and then it goes on as lists do.
        self.list = self.list || (indent <= 3 && list_marker(body));
        self.lines = match cut {
            Cut::None => self.lines + 1,
            Cut::Here => 1,
            Cut::Before => 2,
        };
        self.blank_before = false;
        self.closed = indent == 0 && is_heading(body) && !self.list;
        // A head row that already starts the segment needs no cut.
        self.pipe_before = self.lines > 1 && cut != Cut::Before && indent == 0 && body.contains('|') && !self.closed;
    }
}

fn fence_at(body: &str) -> Option<Fence> {
    let sign = body.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = body.bytes().take_while(|byte| *byte == sign).count();
    let info = &body[length..];
    (length >= 3 && !(sign == b'`' && info.contains('`'))).then_some(Fence { sign, length })
}

fn is_heading(body: &str) -> bool {
    let level = body.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && matches!(body.as_bytes().get(level), None | Some(b' ' | b'\t'))
}

fn list_marker(body: &str) -> bool {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let after = match (digits, body.as_bytes().get(digits)) {
        (0, Some(b'-' | b'*' | b'+')) => 1,
        (1..=9, Some(b'.' | b')')) => digits + 1,
        _ => return false,
    };
    matches!(body.as_bytes().get(after), None | Some(b' ' | b'\t'))
}

/// The line under the head of a table.
fn is_delimiter_row(body: &str) -> bool {
    let cells = body.trim();
    cells.contains('|')
        && cells.contains('-')
        && cells.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts a text and joins the segments with a sign.
    fn cut(text: &str) -> String {
        let mut cutter = Cutter::default();
        let mut out: Vec<String> = vec![String::new()];
        let mut last = String::new();
        for line in text.split_inclusive('\n') {
            let cut = cutter.line(line.trim_end_matches('\n'));
            if cut == Cut::Before
                && let Some(segment) = out.last_mut()
            {
                segment.truncate(segment.len() - last.len());
                out.push(last.clone());
            }
            if cut == Cut::Here {
                out.push(String::new());
            }
            if let Some(segment) = out.last_mut() {
                segment.push_str(line);
            }
            last = line.to_owned();
        }
        out.join("%")
    }

    #[test]
    fn cuts_fall_between_blocks_only() {
        for expect in [
            "a\nb\n\n%c\n",
            "# h\n%text\n%## h\n%- a\n\n- b\n\n  c\n\n%d\n",
            "a\n%```\n\ncode\n\n# no\n```\n%b\n",
            "~~~\n```\n~~~\n%x\n",
            "    code\n\n    more\n\n%a\n",
            "1. a\n   ```\n   b\n\n   c\n   ```\n\n%d\n",
            "- a\n%```\nx\n```\n",
            "> a\n\n%> b\n",
            "words\n%| a | b |\n|---|---|\n| 1 | 2 |\n",
            "| a |\n|---|\n",
            "a\n\n  b\n",
            "- a\n\n%para\n",
            "text\n- a\n\n- b\n",
        ] {
            assert_eq!(cut(&expect.replace('%', "")), expect);
        }
    }
}
