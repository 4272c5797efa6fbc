//! Lines, a cursor among them, and the part of them that is the screen.

use super::cells::{Clusters, Line, width};
use super::{Cell, WIDEST};
use crate::output::{ScreenSize, Track};

/// Columns between two stops of the tabulator.
const TAB: usize = 8;

pub(super) struct Page {
    lines: Vec<Line>,
    /// The first line of the screen.
    top: usize,
    /// The line of the cursor, counted from the first of all.
    row: usize,
    pub column: usize,
    pub size: ScreenSize,
    /// First and last line that scroll, counted from the top of the screen.
    region: Option<(usize, usize)>,
    saved: (usize, usize),
    /// Lines that scroll off stay.
    keeps: bool,
    /// A line feed also goes back to the start.
    pub returns: bool,
    /// The cursor was sent to a line, so empty lines at the end are nobody's words.
    placed: bool,
}

impl Page {
    pub(super) fn new(size: ScreenSize, keeps: bool) -> Self {
        let size = ScreenSize { rows: size.rows.clamp(1, WIDEST), columns: size.columns.map(|columns| columns.max(2)) };
        Self {
            lines: Vec::new(),
            top: 0,
            row: 0,
            column: 0,
            size,
            region: None,
            saved: (0, 0),
            keeps,
            returns: true,
            placed: false,
        }
    }

    /// The line of the cursor; lines are made when they are written to.
    fn line(&mut self, at: usize) -> &mut Line {
        while self.lines.len() <= self.row {
            self.lines.push(Line::new(at));
        }
        &mut self.lines[self.row]
    }

    /// Letters, digits and signs, one column each.
    pub(super) fn run(&mut self, text: &str, at: usize, blanks: &mut usize) {
        let Some(columns) = self.size.columns else { return self.piece(text, at, blanks) };
        let (mut rest, mut at) = (text, at);
        while !rest.is_empty() {
            if self.column >= columns {
                self.wrap(at);
            }
            let (piece, more) = rest.split_at(rest.len().min(columns - self.column));
            self.piece(piece, at, blanks);
            at += piece.len();
            rest = more;
        }
    }

    fn piece(&mut self, text: &str, at: usize, blanks: &mut usize) {
        let wanted = self.column;
        let line = self.line(at);
        let mut column = line.reach(wanted, blanks);
        let over = text.len().min(line.cells.len() - column);
        let (over, new) = text.split_at(over);
        for byte in over.bytes() {
            line.set(column, Cell::from(byte), 1);
            column += 1;
        }
        line.cells.extend(new.bytes().map(Cell::from));
        self.column = column + new.len();
    }

    pub(super) fn put(&mut self, ch: char, at: usize, blanks: &mut usize, clusters: &mut Clusters) {
        let mut width = width(ch);
        let column = self.column;
        if width == 0 {
            if self.line(at).mark(column, ch, clusters) {
                return;
            }
            width = 1;
        }
        if self.size.columns.is_some_and(|columns| column + width > columns) {
            self.wrap(at);
        }
        let wanted = self.column;
        let line = self.line(at);
        let column = line.reach(wanted, blanks);
        line.set(column, Cell::from(ch), width);
        self.column = column + width;
    }

    fn wrap(&mut self, at: usize) {
        self.line(at).wrapped = true;
        self.feed(at);
        self.column = 0;
    }

    pub(super) fn tab(&mut self, at: usize, blanks: &mut usize) {
        let next = (self.column / TAB + 1) * TAB;
        let next = self.size.columns.map_or(next, |columns| next.min(columns - 1));
        let wanted = self.column;
        let line = self.line(at);
        if wanted >= line.cells.len() && next > wanted {
            let column = line.reach(wanted, blanks);
            line.set(column, Cell::from('\t'), next - wanted);
            self.column = column + (next - wanted);
        } else {
            self.column = next.max(wanted);
        }
    }

    pub(super) fn line_feed(&mut self, at: usize) {
        self.line(at).wrapped = false;
        self.feed(at);
        if self.returns {
            self.column = 0;
        }
    }

    fn scrolls(&self) -> (usize, usize) {
        let (first, last) = self.region.unwrap_or((0, self.size.rows - 1));
        (self.top + first, self.top + last)
    }

    fn bottom(&self) -> usize {
        self.top + self.size.rows - 1
    }

    pub(super) fn feed(&mut self, at: usize) {
        if self.row == self.scrolls().1 {
            self.scroll_up(at);
        } else if self.row < self.bottom() {
            self.row += 1;
        }
    }

    /// One line up; the cursor stays on its line of the screen.
    pub(super) fn scroll_up(&mut self, at: usize) {
        let (first, last) = self.scrolls();
        if self.keeps && first == self.top {
            if last < self.bottom() && last < self.lines.len() {
                self.lines.insert(last + 1, Line::new(at));
            }
            self.top += 1;
            self.row += 1;
        } else {
            self.remove(first, last, at);
        }
    }

    pub(super) fn scroll_down(&mut self, at: usize) {
        let (first, last) = self.scrolls();
        self.insert(first, last, at);
    }

    /// Up, where there is a line above; at the top of what scrolls, everything else goes down.
    pub(super) fn reverse_feed(&mut self, at: usize) {
        if self.row == self.scrolls().0 {
            self.scroll_down(at);
        } else if self.row > self.top {
            self.row -= 1;
        }
    }

    /// Takes a line out, and puts a new one at the end of what scrolls.
    fn remove(&mut self, row: usize, last: usize, at: usize) {
        if row < self.lines.len() {
            self.lines.remove(row);
            if last < self.lines.len() {
                self.lines.insert(last, Line::new(at));
            }
        }
    }

    fn insert(&mut self, row: usize, last: usize, at: usize) {
        if row < self.lines.len() {
            self.lines.insert(row, Line::new(at));
            if last + 1 < self.lines.len() {
                self.lines.remove(last + 1);
            }
        }
    }

    pub(super) fn insert_lines(&mut self, count: usize, at: usize) {
        let (first, last) = self.scrolls();
        if (first..=last).contains(&self.row) {
            (0..count.min(self.size.rows)).for_each(|_| self.insert(self.row, last, at));
        }
    }

    pub(super) fn delete_lines(&mut self, count: usize, at: usize) {
        let (first, last) = self.scrolls();
        if (first..=last).contains(&self.row) {
            (0..count.min(self.size.rows)).for_each(|_| self.remove(self.row, last, at));
        }
    }

    /// Moves by lines and columns, inside the screen.
    pub(super) fn go(&mut self, down: isize, right: isize) {
        self.row = self.row.saturating_add_signed(down).clamp(self.top, self.bottom());
        self.move_to_column(self.column.saturating_add_signed(right));
    }

    pub(super) fn move_to_row(&mut self, row: usize) {
        self.row = self.top.saturating_add(row).min(self.bottom());
        self.placed = true;
    }

    pub(super) fn move_to_column(&mut self, column: usize) {
        let written = self.lines.get(self.row).map_or(0, |line| line.cells.len());
        let most = self.size.columns.map_or(written.max(WIDEST), |columns| columns - 1);
        self.column = column.min(most);
    }

    pub(super) fn set_region(&mut self, first: usize, last: usize) {
        let last = last.min(self.size.rows - 1);
        self.region = (first < last && (first, last) != (0, self.size.rows - 1)).then_some((first, last));
        self.move_to_row(0);
        self.column = 0;
    }

    pub(super) fn save(&mut self) {
        self.saved = (self.row - self.top, self.column);
    }

    pub(super) fn restore(&mut self) {
        self.row = (self.top + self.saved.0).min(self.bottom());
        self.column = self.saved.1;
    }

    pub(super) fn erase_line(&mut self, mode: usize) {
        let column = self.column;
        let Some(line) = self.lines.get_mut(self.row) else { return };
        match mode {
            0 => line.erase(column, usize::MAX),
            1 => line.erase(0, (column + 1).min(WIDEST)),
            2 => line.cells.clear(),
            _ => {}
        }
    }

    /// Erases on the screen; what scrolled off stays.
    pub(super) fn erase_screen(&mut self, mode: usize) {
        match mode {
            0 => {
                self.erase_line(0);
                self.lines.truncate(self.row + 1);
            }
            1 => {
                let end = self.row.min(self.lines.len());
                self.lines[self.top.min(end)..end].iter_mut().for_each(|line| line.cells.clear());
                self.erase_line(1);
            }
            2 => self.lines.truncate(self.top),
            _ => {}
        }
    }

    pub(super) fn erase_chars(&mut self, count: usize) {
        self.edit(|line, column| line.erase(column, column + count.min(WIDEST)));
    }

    pub(super) fn insert_chars(&mut self, count: usize, blanks: &mut usize) {
        let count = count.min(WIDEST).min(*blanks);
        *blanks -= count;
        self.edit(|line, column| line.insert(column, count));
    }

    pub(super) fn delete_chars(&mut self, count: usize) {
        self.edit(|line, column| line.delete(column, count));
    }

    /// No terminal is so wide that a line beyond [`WIDEST`] would have to be moved.
    fn edit(&mut self, change: impl FnOnce(&mut Line, usize)) {
        let column = self.column;
        if let Some(line) = self.lines.get_mut(self.row).filter(|line| line.cells.len() <= WIDEST) {
            change(line, column);
        }
    }

    /// Puts another page's screen where the cursor is.
    pub(super) fn take_over(&mut self, mut other: Self) {
        while other.lines.last().is_some_and(Line::is_empty) {
            other.lines.pop();
        }
        if other.lines.is_empty() {
            return;
        }
        let begun = self.lines.get(self.row).is_some_and(|line| !line.is_empty());
        let at = (self.row + usize::from(begun)).min(self.lines.len());
        let count = other.lines.len();
        self.lines.splice(at..at, other.lines);
        self.row = at + count;
        // Lines that scrolled off empty were never made, so the cursor may come to stand above what was the top.
        self.top = self.top.min(self.row).max((self.row + 1).saturating_sub(self.size.rows));
        self.column = 0;
    }

    pub(super) fn read(self, clusters: &Clusters) -> (String, Track) {
        let mut count = self.lines.len().max(self.row + 1);
        if self.placed {
            let used = self.lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
            count = count.min(used + 1);
        }
        let (mut out, mut starts) = (String::new(), Vec::with_capacity(count));
        for row in 0..count {
            let line = self.lines.get(row);
            starts.push((out.len(), line.map(|line| line.origin)));
            if let Some(line) = line {
                line.write(clusters, &mut out);
            }
            if row + 1 < count && !line.is_some_and(|line| line.wrapped) {
                out.push('\n');
            }
        }
        (out, track(starts))
    }
}

/// A line that was begun early and stands low counts for those above it: they all are at least as old.
fn track(starts: Vec<(usize, Option<usize>)>) -> Track {
    let mut oldest = usize::MAX;
    let mut points: Vec<(usize, usize)> = starts
        .into_iter()
        .rev()
        .filter_map(|(start, origin)| {
            oldest = oldest.min(origin?);
            Some((start, oldest))
        })
        .collect();
    points.reverse();
    let mut track = Track::default();
    for (start, origin) in points {
        track.push(start, origin);
    }
    track
}
