//! Where in a text nothing is a directive, and which links stand around one.

use std::ops::Range;

use super::json;
use crate::markdown::{Verbatim, verbatim};

/// The places of one text.
pub(super) struct Layout {
    /// Code, quotations and strings of JSON: in order, none in another.
    verbatim: Vec<Range<usize>>,
    /// Links and images that lead to a tag, in the order of their starts.
    links: Vec<Range<usize>>,
}

impl Layout {
    pub fn of(source: &str) -> Self {
        let Verbatim { spans, links } = verbatim(source);
        let mut all = json::strings(source, &spans);
        all.extend(spans);
        all.sort_unstable_by_key(|span| span.start);
        let links = links.into_iter().filter(|(_, target)| target.starts_with("MEDIA:")).map(|(range, _)| range);
        Self { verbatim: merged(all), links: links.collect() }
    }

    pub fn is_verbatim(&self, at: usize) -> bool {
        self.before(at).is_some_and(|span| at < span.end)
    }

    /// The part of `room` around a place that no verbatim span takes up.
    pub fn narrowed(&self, at: usize, room: Range<usize>) -> Range<usize> {
        let start = self.before(at).map_or(room.start, |span| span.end.max(room.start));
        let end = self.after(at).map_or(room.end, |span| span.start.min(room.end));
        start..end
    }

    /// The code in a line that begins here.
    pub fn code_at(&self, source: &str, start: usize) -> Option<Range<usize>> {
        let span = self.after(start).filter(|span| span.start == start)?;
        source[start..].starts_with('`').then(|| span.clone())
    }

    /// The whole link or image that leads to what stands in `range`.
    pub fn link_around(&self, range: &Range<usize>, room: &Range<usize>) -> Option<Range<usize>> {
        let behind = self.links.partition_point(|link| link.start <= range.start);
        let link = self.links.get(behind.checked_sub(1)?)?;
        let holds = link.end >= range.end && room.start <= link.start && link.end <= room.end;
        holds.then(|| link.clone())
    }

    fn before(&self, at: usize) -> Option<&Range<usize>> {
        self.verbatim.get(self.behind(at + 1).checked_sub(1)?)
    }

    fn after(&self, at: usize) -> Option<&Range<usize>> {
        self.verbatim.get(self.behind(at))
    }

    /// How many spans start before a place.
    fn behind(&self, at: usize) -> usize {
        self.verbatim.partition_point(|span| span.start < at)
    }
}

/// Spans in order, with those that meet put together.
fn merged(spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match all.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => all.push(span),
        }
    }
    all
}
