//! Escape sequences that change what stands on a screen. All others change how it looks, or talk to the terminal.

use super::{Screen, WIDEST};

/// A control sequence: its mark, its numbers, its last character.
struct Control<'t> {
    private: bool,
    numbers: &'t str,
    last: u8,
}

impl<'t> Control<'t> {
    /// `sequence` is whole, from its introducer on.
    fn read(sequence: &'t str) -> Option<Self> {
        let body = sequence.strip_prefix("\u{1b}[").or_else(|| sequence.strip_prefix('\u{9b}'))?;
        let (last, inner) = body.as_bytes().split_last()?;
        let numbers = body.get(..inner.len())?;
        let private = numbers.starts_with('?');
        let numbers = numbers.strip_prefix('?').unwrap_or(numbers);
        let plain = numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b';');
        (plain && (0x40..=0x7E).contains(last)).then_some(Self { private, numbers, last: *last })
    }

    fn number(&self, index: usize) -> usize {
        let digits = self.numbers.split(';').nth(index).unwrap_or_default();
        digits.bytes().fold(0, |sum: usize, digit| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0')))
    }

    /// A count; none is one.
    fn count(&self, index: usize) -> usize {
        self.number(index).clamp(1, WIDEST * 10)
    }
}

impl Screen {
    pub(super) fn sequence(&mut self, sequence: &str) {
        if let Some(control) = Control::read(sequence) {
            if control.private {
                self.mode(&control)
            } else {
                self.control(&control)
            }
            return;
        }
        match sequence {
            "\u{1b}7" => self.page.save(),
            "\u{1b}8" => self.page.restore(),
            "\u{1b}D" | "\u{84}" => self.page.feed(self.at),
            "\u{1b}E" | "\u{85}" => {
                self.page.feed(self.at);
                self.page.column = 0;
            }
            "\u{1b}M" | "\u{8d}" => self.page.reverse_feed(self.at),
            "\u{1b}c" => {
                self.uncover();
                self.page.erase_screen(2);
                self.page.set_region(0, usize::MAX);
                self.draws_lines = false;
            }
            "\u{1b}(0" => self.draws_lines = true,
            _ if sequence.starts_with("\u{1b}(") => self.draws_lines = false,
            _ => {}
        }
    }

    /// Whether a program takes the screen for itself.
    fn mode(&mut self, control: &Control<'_>) {
        if !control.numbers.split(';').any(|number| matches!(number, "47" | "1047" | "1049")) {
            return;
        }
        match control.last {
            b'h' => self.cover(),
            b'l' => self.uncover(),
            _ => {}
        }
    }

    fn control(&mut self, control: &Control<'_>) {
        let (count, at) = (control.count(0), self.at);
        let steps = isize::try_from(count).unwrap_or(isize::MAX);
        let page = &mut self.page;
        match control.last {
            b'A' => page.go(-steps, 0),
            b'B' | b'e' => page.go(steps, 0),
            b'C' | b'a' => page.go(0, steps),
            b'D' => page.go(0, -steps),
            b'E' | b'F' => {
                page.go(if control.last == b'E' { steps } else { -steps }, 0);
                page.column = 0;
            }
            b'G' | b'`' => page.move_to_column(count - 1),
            b'd' => page.move_to_row(count - 1),
            b'H' | b'f' => {
                page.move_to_row(count - 1);
                page.move_to_column(control.count(1) - 1);
            }
            b'J' => page.erase_screen(control.number(0)),
            b'K' => page.erase_line(control.number(0)),
            b'L' => page.insert_lines(count, at),
            b'M' => page.delete_lines(count, at),
            b'@' => page.insert_chars(count, &mut self.blanks),
            b'P' => page.delete_chars(count),
            b'X' => page.erase_chars(count),
            b'S' => {
                let count = count.min(page.size.rows).min(self.blanks);
                self.blanks -= count;
                (0..count).for_each(|_| page.scroll_up(at));
            }
            b'T' => (0..count.min(page.size.rows)).for_each(|_| page.scroll_down(at)),
            b'r' => page.set_region(count - 1, control.number(1).wrapping_sub(1)),
            b's' => page.save(),
            b'u' => page.restore(),
            b'b' => self.again(count),
            _ => {}
        }
    }

    fn again(&mut self, count: usize) {
        let count = count.min(WIDEST).min(self.blanks);
        self.blanks -= count;
        for _ in 0..count {
            self.page.put(self.last, self.at, &mut self.blanks, &mut self.clusters);
        }
    }
}

/// The part of a frame that a letter stands for while lines are drawn.
pub(super) const fn frame(ch: char) -> char {
    match ch {
        'j' => '┘',
        'k' => '┐',
        'l' => '┌',
        'm' => '└',
        'n' => '┼',
        'q' => '─',
        't' => '├',
        'u' => '┤',
        'v' => '┴',
        'w' => '┬',
        'x' => '│',
        'a' => '▒',
        '0' => '█',
        'f' => '°',
        'g' => '±',
        '~' => '·',
        other => other,
    }
}
