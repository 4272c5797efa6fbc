//! How often one job may tell of a line that somebody waits for.
//!
//! A hit costs a whole turn of a model, so there is a spacing between hits, and a job that keeps matching inside it
//! loses its watch for good. What comes together is one hit: the first match opens it, and for a moment others join.

use std::time::Duration;

use gatehouse_domain::Mono;

use crate::lines::Lines;
use crate::pattern::WatchPatterns;

/// Between two hits of one job.
pub const SPACING: Duration = Duration::from_secs(15);
/// So many spacings in a row with a match in them end the watch.
pub const STRIKES: u32 = 3;
/// So many hits has a job in its whole life.
pub const LIFETIME_HITS: u32 = 8;
/// Matches join a hit for so long.
pub const GATHER: Duration = Duration::from_millis(100);
/// A line that does not end is looked at when nothing was written for so long: it may be a prompt.
pub const PROMPT_AFTER: Duration = Duration::from_millis(200);
/// A hit shows so many lines.
pub const MOST_HIT_LINES: usize = 20;
/// And so many characters of them.
pub const MOST_HIT_CHARS: usize = 2000;

/// Lines that somebody waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Which one of its job, from 1.
    pub number: u32,
    /// The pattern that was found first.
    pub pattern: String,
    /// The lines, each ended; cut where they are too many or too long, and that is said.
    pub lines: String,
    /// How many lines matched, those included that are not shown.
    pub matched: u32,
    /// Matches since the hit before that were not told.
    pub suppressed: u64,
}

/// A watch that is over although its job is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disabled {
    /// Why.
    pub why: WhyDisabled,
    /// Matches since the last hit that were not told.
    pub suppressed: u64,
}

/// Why a watch is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyDisabled {
    /// It matched again and again within the spacing.
    TooOften,
    /// It had as many hits as a job may have.
    Lifetime,
}

/// What of a watch must survive a restart. Times are spans from the moment of saving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SavedWatch {
    /// Where to go on in the output.
    pub offset: u64,
    /// The rest of the line there is not looked at.
    pub line_told: bool,
    /// Lines that matched so far, told or not.
    pub matched: u64,
    /// Hits so far.
    pub hits: u32,
    /// Matches that were not told.
    pub suppressed: u64,
    /// Spacings in a row with a match in them.
    pub strikes: u32,
    /// Whether the spacing that runs has one.
    pub struck: bool,
    /// How long it still runs.
    pub spacing_left: Duration,
    /// It is over.
    pub disabled: bool,
}

/// What one watch came to, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    Hit(Hit),
    Disabled(Disabled),
}

/// One job's watch.
#[derive(Debug)]
pub struct Watch {
    patterns: WatchPatterns,
    lines: Lines,
    saved: SavedWatch,
    free_at: Mono,
    open: Option<(Hit, Mono)>,
    /// When something was written last, until the line that did not end was looked at.
    written: Option<Mono>,
    ended: bool,
}

impl Watch {
    /// Looks for these from the start of the output on.
    pub fn new(patterns: WatchPatterns, now: Mono) -> Self {
        Self::resume(patterns, SavedWatch::default(), now)
    }

    /// Goes on where another one stood.
    pub fn resume(patterns: WatchPatterns, saved: SavedWatch, now: Mono) -> Self {
        Self {
            patterns,
            lines: Lines::at(saved.offset, saved.line_told),
            free_at: Mono(now.0 + saved.spacing_left),
            saved,
            open: None,
            written: None,
            ended: false,
        }
    }

    /// What somebody needs who goes on with it later.
    pub fn saved(&self, now: Mono) -> SavedWatch {
        let (offset, line_told) = self.lines.resume();
        SavedWatch { offset, line_told, spacing_left: self.free_at.0.saturating_sub(now.0), ..self.saved }
    }

    /// Where it goes on reading, which it does when nothing is told any more too: matches are counted to the end of the
    /// job. Nowhere after that.
    pub fn reads_from(&self) -> Option<u64> {
        (!self.ended).then(|| self.lines.next())
    }

    /// Lines that matched so far, told or not.
    pub const fn matched_lines(&self) -> u64 {
        self.saved.matched
    }

    /// Takes output that stands at `from`. `ask` is asked before a hit is counted.
    pub(crate) fn read(&mut self, from: u64, bytes: &[u8], now: Mono, ask: &mut dyn FnMut(Mono) -> bool) -> Vec<Told> {
        let mut told = self.tick(now, ask);
        if self.reads_from().is_none() {
            return told;
        }
        let mut found = Vec::new();
        let patterns = &self.patterns;
        self.lines.push(from, bytes, |line| {
            if let Some(pattern) = patterns.find(line) {
                found.push((pattern.to_owned(), line.to_owned()));
            }
        });
        self.written = Some(now);
        for (pattern, line) in found {
            told.extend(self.matched(&pattern, &line, now, ask));
        }
        told
    }

    /// What is due by now.
    pub(crate) fn tick(&mut self, now: Mono, ask: &mut dyn FnMut(Mono) -> bool) -> Vec<Told> {
        let mut told = Vec::new();
        if self.open.as_ref().is_some_and(|(_, closes)| *closes <= now) {
            told.extend(self.close());
        }
        if self.written.is_some_and(|at| now.0.saturating_sub(at.0) >= PROMPT_AFTER) {
            told.extend(self.look_at_prompt(now, ask));
        }
        told
    }

    /// The job is over: what lies there is looked at, and nothing after it.
    pub(crate) fn end(&mut self, now: Mono, ask: &mut dyn FnMut(Mono) -> bool) -> Vec<Told> {
        let mut told = self.tick(now, ask);
        told.extend(self.look_at_prompt(now, ask));
        told.extend(self.close());
        self.ended = true;
        told
    }

    /// When [`tick`](Self::tick) has something to do.
    pub fn next_at(&self) -> Option<Mono> {
        let prompt = self.written.map(|at| Mono(at.0 + PROMPT_AFTER));
        let closes = self.open.as_ref().map(|(_, closes)| *closes);
        prompt.into_iter().chain(closes).min()
    }

    fn look_at_prompt(&mut self, now: Mono, ask: &mut dyn FnMut(Mono) -> bool) -> Option<Told> {
        self.written = None;
        let line = self.lines.unfinished().filter(|_| self.reads_from().is_some())?;
        let pattern = self.patterns.find(&line)?.to_owned();
        self.lines.set_told();
        self.matched(&pattern, &line, now, ask)
    }

    fn matched(&mut self, pattern: &str, line: &str, now: Mono, ask: &mut dyn FnMut(Mono) -> bool) -> Option<Told> {
        self.saved.matched += 1;
        if self.saved.disabled {
            return None;
        }
        if let Some((hit, _)) = &mut self.open {
            hit.add(line);
            return None;
        }
        if now < self.free_at {
            return self.suppress();
        }
        if !ask(now) {
            // Neither its spacing nor its life is spent by what was not told.
            self.saved.suppressed += 1;
            return None;
        }
        if !std::mem::replace(&mut self.saved.struck, false) {
            self.saved.strikes = 0;
        }
        self.saved.hits += 1;
        self.free_at = Mono(now.0 + SPACING);
        let suppressed = std::mem::take(&mut self.saved.suppressed);
        let mut hit =
            Hit { number: self.saved.hits, pattern: pattern.to_owned(), lines: String::new(), matched: 0, suppressed };
        hit.add(line);
        self.open = Some((hit, Mono(now.0 + GATHER)));
        None
    }

    fn suppress(&mut self) -> Option<Told> {
        self.saved.suppressed += 1;
        if !std::mem::replace(&mut self.saved.struck, true) {
            self.saved.strikes += 1;
        }
        (self.saved.strikes >= STRIKES).then(|| self.disable(WhyDisabled::TooOften))
    }

    fn close(&mut self) -> Vec<Told> {
        let Some((hit, _)) = self.open.take() else { return Vec::new() };
        let mut told = vec![Told::Hit(hit)];
        if self.saved.hits >= LIFETIME_HITS {
            told.push(self.disable(WhyDisabled::Lifetime));
        }
        told
    }

    const fn disable(&mut self, why: WhyDisabled) -> Told {
        self.saved.disabled = true;
        Told::Disabled(Disabled { why, suppressed: self.saved.suppressed })
    }
}

impl Hit {
    fn add(&mut self, line: &str) {
        self.matched += 1;
        let shown = usize::try_from(self.matched).unwrap_or(usize::MAX);
        let room = MOST_HIT_CHARS.saturating_sub(self.lines.chars().count());
        if shown > MOST_HIT_LINES || room == 0 {
            return;
        }
        match line.char_indices().nth(room.saturating_sub(1)) {
            Some((at, _)) => {
                self.lines.push_str(&line[..at]);
                self.lines.push('…');
            }
            None => {
                self.lines.push_str(line);
                self.lines.push('\n');
            }
        }
    }
}
