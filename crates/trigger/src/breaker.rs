//! What all jobs together may say, so that many chatty ones cannot bury their conversations.

use std::collections::VecDeque;
use std::time::Duration;

use gatehouse_domain::Mono;

/// So many hits of all jobs together pass within [`BREAKER_SPAN`]; the next one trips the breaker.
pub const BREAKER_HITS: usize = 15;
/// See [`BREAKER_HITS`].
pub const BREAKER_SPAN: Duration = Duration::from_secs(10);
/// No hit passes for so long once it has tripped.
pub const BREAKER_PAUSE: Duration = Duration::from_secs(30);

/// One for all jobs. `O` is whoever is told: each owner of a hit that did not pass hears of it once.
#[derive(Debug)]
pub struct Breaker<O> {
    passed: VecDeque<Mono>,
    pause: Option<Pause<O>>,
}

#[derive(Debug)]
struct Pause<O> {
    until: Mono,
    /// How many hits of whom did not pass.
    held: Vec<(O, u64)>,
}

/// What is told to one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Hits are held back from now on.
    Tripped,
    /// Hits pass again.
    Released {
        /// How many of this owner's did not.
        dropped: u64,
    },
}

/// The answer to one hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked<O> {
    /// Whether it may be told.
    pub passes: bool,
    /// What is told besides, and to whom.
    pub news: Vec<(O, News)>,
}

impl<O> Default for Breaker<O> {
    fn default() -> Self {
        Self { passed: VecDeque::with_capacity(BREAKER_HITS), pause: None }
    }
}

impl<O: Copy + PartialEq> Breaker<O> {
    /// Whether a hit may be told now. Asked before anything is counted for its job.
    pub fn ask(&mut self, owner: O, now: Mono) -> Asked<O> {
        let mut news = Vec::new();
        match &mut self.pause {
            Some(pause) if now < pause.until => {
                news.extend(pause.hold(owner).map(|told| (owner, told)));
                return Asked { passes: false, news };
            }
            Some(_) => {
                let held = self.pause.take().map(|pause| pause.held).unwrap_or_default();
                news.extend(held.into_iter().map(|(owner, dropped)| (owner, News::Released { dropped })));
                self.passed.clear();
            }
            None => {}
        }
        while self.passed.front().is_some_and(|at| now.0.saturating_sub(at.0) >= BREAKER_SPAN) {
            self.passed.pop_front();
        }
        if self.passed.len() < BREAKER_HITS {
            self.passed.push_back(now);
            return Asked { passes: true, news };
        }
        let mut pause = Pause { until: Mono(now.0 + BREAKER_PAUSE), held: Vec::new() };
        news.extend(pause.hold(owner).map(|told| (owner, told)));
        self.pause = Some(pause);
        Asked { passes: false, news }
    }
}

impl<O: Copy + PartialEq> Pause<O> {
    /// Counts a hit that does not pass; the first of each owner is told.
    fn hold(&mut self, owner: O) -> Option<News> {
        if let Some((_, count)) = self.held.iter_mut().find(|(other, _)| *other == owner) {
            *count += 1;
            return None;
        }
        self.held.push((owner, 1));
        Some(News::Tripped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Mono {
        Mono(Duration::from_millis(ms))
    }

    #[test]
    fn the_sixteenth_trips_it_and_each_owner_hears_of_it_once() {
        let mut breaker = Breaker::default();
        for hit in 0..15 {
            assert_eq!(breaker.ask(hit % 3, at(0)), Asked { passes: true, news: vec![] });
        }
        assert_eq!(breaker.ask(7, at(0)), Asked { passes: false, news: vec![(7, News::Tripped)] });
        assert_eq!(breaker.ask(7, at(10)), Asked { passes: false, news: vec![] });
        assert_eq!(breaker.ask(8, at(29_999)), Asked { passes: false, news: vec![(8, News::Tripped)] });
        let news = vec![(7, News::Released { dropped: 2 }), (8, News::Released { dropped: 1 })];
        assert_eq!(breaker.ask(1, at(30_000)), Asked { passes: true, news });
        assert_eq!(breaker.ask(1, at(30_000)), Asked { passes: true, news: vec![] });
    }

    #[test]
    fn what_is_spread_out_never_trips_it() {
        let mut breaker = Breaker::default();
        for hit in 0..1_000 {
            assert!(breaker.ask((), at(hit * 700)).passes);
        }
    }
}
