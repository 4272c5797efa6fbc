//! The cells of a line.

use unicode_width::UnicodeWidthChar;

/// A character by its number, or one of the marks below.
pub(super) type Cell = u32;

/// Never written, or erased.
pub(super) const BLANK: Cell = 0;
/// Belongs to the wide character or the tab before it.
const REST: Cell = 0x0011_0000;
/// From here on: a character with marks on it, by its place in the list.
const CLUSTER: Cell = 0x0011_0001;
/// Bytes of a character with all its marks.
const MOST_MARKS: usize = 64;

/// Characters that are made of several.
#[derive(Default)]
pub(super) struct Clusters(Vec<String>);

impl Clusters {
    /// Puts a mark on what stands in a cell.
    fn join(&mut self, cell: &mut Cell, mark: char) {
        if let Some(index) = cell.checked_sub(CLUSTER) {
            let cluster = usize::try_from(index).ok().and_then(|index| self.0.get_mut(index));
            if let Some(cluster) = cluster.filter(|cluster| cluster.len() < MOST_MARKS) {
                cluster.push(mark);
            }
            return;
        }
        let base = char::from_u32(*cell).filter(|_| *cell != BLANK).unwrap_or(' ');
        if let Ok(index) = u32::try_from(self.0.len()) {
            *cell = CLUSTER + index;
            self.0.push([base, mark].iter().collect());
        }
    }

    fn write(&self, cell: Cell, out: &mut String) {
        match cell {
            BLANK => out.push(' '),
            REST => {}
            _ => match cell.checked_sub(CLUSTER).and_then(|index| usize::try_from(index).ok()) {
                Some(index) => out.push_str(self.0.get(index).map_or("", String::as_str)),
                None => out.push(char::from_u32(cell).unwrap_or(char::REPLACEMENT_CHARACTER)),
            },
        }
    }
}

/// One line of a screen.
#[derive(Default)]
pub(super) struct Line {
    pub cells: Vec<Cell>,
    /// Where in the text it was begun.
    pub origin: usize,
    /// It goes on in the next one.
    pub wrapped: bool,
}

impl Line {
    pub(super) fn new(origin: usize) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Fills up to `column`, as far as blanks are left; says where there is room to write.
    pub(super) fn reach(&mut self, column: usize, blanks: &mut usize) -> usize {
        let missing = column.saturating_sub(self.cells.len());
        if missing > *blanks {
            return self.cells.len();
        }
        *blanks -= missing;
        self.cells.resize(self.cells.len() + missing, BLANK);
        column
    }

    /// Writes a cell at a column that is reached, and those that belong to it.
    pub(super) fn set(&mut self, column: usize, cell: Cell, width: usize) {
        for (at, value) in (column..column + width).zip(std::iter::once(cell).chain(std::iter::repeat(REST))) {
            if at < self.cells.len() {
                self.break_up(at);
                self.cells[at] = value;
            } else {
                self.cells.push(value);
            }
        }
    }

    /// Puts a mark on the character before `column`; false if there is none.
    pub(super) fn mark(&mut self, column: usize, mark: char, clusters: &mut Clusters) -> bool {
        let Some(before) = self.cells.get_mut(..column) else { return false };
        let cell = before.iter_mut().rev().find(|cell| **cell != REST);
        cell.map(|cell| clusters.join(cell, mark)).is_some()
    }

    /// A half of a wide character is none: what stood here over several cells becomes blanks.
    fn break_up(&mut self, at: usize) {
        let cells = &mut self.cells;
        let start = cells[..=at].iter().rposition(|cell| *cell != REST).unwrap_or(0);
        let rests = cells[start + 1..].iter().take_while(|cell| **cell == REST).count();
        if rests > 0 {
            cells[start..=start + rests].fill(Cell::from(b' '));
        }
    }

    /// Blanks from `start` to before `end`.
    pub(super) fn erase(&mut self, start: usize, end: usize) {
        let end = end.min(self.cells.len());
        if start >= end {
            return;
        }
        self.break_up(start);
        if end < self.cells.len() {
            self.break_up(end);
            self.cells[start..end].fill(BLANK);
        } else {
            self.cells.truncate(start);
        }
    }

    pub(super) fn insert(&mut self, column: usize, count: usize) {
        if column < self.cells.len() {
            self.break_up(column);
            self.cells.splice(column..column, std::iter::repeat_n(BLANK, count));
        }
    }

    pub(super) fn delete(&mut self, column: usize, count: usize) {
        let end = column.saturating_add(count).min(self.cells.len());
        if column < end {
            self.break_up(column);
            if end < self.cells.len() {
                self.break_up(end);
            }
            self.cells.drain(column..end);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| *cell == BLANK)
    }

    pub(super) fn write(&self, clusters: &Clusters, out: &mut String) {
        let end = self.cells.iter().rposition(|cell| *cell != BLANK).map_or(0, |last| last + 1);
        for cell in &self.cells[..end] {
            clusters.write(*cell, out);
        }
    }
}

/// Columns that a character takes.
pub(super) fn width(ch: char) -> usize {
    ch.width().unwrap_or(0)
}
