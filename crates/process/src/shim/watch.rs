//! When to look whether a job waits for somebody to type. Looking costs a walk through the process table, so it is done
//! after a pause only, less and less often, and then not again until something comes or is typed.

use gatehouse_process::wire::FromShim;

/// After this pause somebody may be waiting.
const FIRST_MS: u64 = 500;
/// A job that speaks often and never waits is looked at after a pause of this length only.
const PATIENT_MS: u64 = 1500;
/// The last look is this long after the one before; they lie 500 ms, 1 s, 2 s, 4 s and so on apart.
const LAST_MS: u64 = 32_000;

/// What was found out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    pub needs_input: bool,
    pub hidden: bool,
}

impl Waiting {
    pub const fn word(self) -> FromShim {
        FromShim::Attention { needs_input: self.needs_input, hidden: self.hidden }
    }
}

/// The times of looking, and what was told last.
pub struct Watch {
    look_at_ms: Option<u64>,
    gap_ms: u64,
    told: Waiting,
}

impl Watch {
    pub fn new(now_ms: u64) -> Self {
        Self { look_at_ms: Some(now_ms + FIRST_MS), gap_ms: FIRST_MS, told: Waiting::default() }
    }

    pub const fn told(&self) -> Waiting {
        self.told
    }

    pub const fn look_at_ms(&self) -> Option<u64> {
        self.look_at_ms
    }

    /// Output came. Whoever waits and speaks all the same is looked at soon, however much it speaks.
    pub fn stir(&mut self, now_ms: u64) {
        if self.told.needs_input {
            self.look_at_ms.get_or_insert(now_ms + FIRST_MS);
        } else {
            self.gap_ms = self.gap_ms.min(PATIENT_MS);
            self.look_at_ms = Some(now_ms + self.gap_ms);
        }
    }

    /// Something was typed; a whole answer ends the waiting.
    pub fn typed(&mut self, is_whole: bool, now_ms: u64) -> Option<FromShim> {
        self.gap_ms = FIRST_MS;
        self.look_at_ms = Some(now_ms + FIRST_MS);
        if is_whole { self.tell(Waiting::default()) } else { None }
    }

    /// Somebody looked.
    pub fn looked(&mut self, found: Waiting, now_ms: u64) -> Option<FromShim> {
        self.gap_ms = if found.needs_input { FIRST_MS } else { self.gap_ms * 2 };
        let is_over = found.needs_input || self.gap_ms > LAST_MS;
        self.look_at_ms = (!is_over).then_some(now_ms + self.gap_ms);
        self.tell(found)
    }

    /// Nobody is left to wait.
    pub fn end(&mut self) -> Option<FromShim> {
        self.look_at_ms = None;
        self.tell(Waiting::default())
    }

    fn tell(&mut self, now: Waiting) -> Option<FromShim> {
        (std::mem::replace(&mut self.told, now) != now).then(|| now.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITS: Waiting = Waiting { needs_input: true, hidden: false };

    #[test]
    fn a_silent_job_is_looked_at_a_few_times_only() {
        let mut watch = Watch::new(0);
        let mut looks = Vec::new();
        while let Some(at) = watch.look_at_ms() {
            assert_eq!(watch.looked(Waiting::default(), at), None);
            looks.push(at);
        }
        assert_eq!(looks, [500, 1500, 3500, 7500, 15_500, 31_500, 63_500]);
        watch.stir(100_000);
        assert_eq!(watch.look_at_ms(), Some(101_500));
    }

    #[test]
    fn whoever_waits_is_left_alone_until_something_comes() {
        let mut watch = Watch::new(0);
        assert_eq!(watch.looked(WAITS, 500), Some(WAITS.word()));
        assert_eq!(watch.look_at_ms(), None);
        watch.stir(1000);
        watch.stir(1400);
        assert_eq!(watch.look_at_ms(), Some(1500), "a stream of output does not put the look off");
        assert_eq!(watch.looked(WAITS, 1500), None);
        assert_eq!(watch.typed(false, 2000), None);
        assert_eq!(watch.typed(true, 2100), Some(Waiting::default().word()));
        assert_eq!(watch.look_at_ms(), Some(2600));
    }

    #[test]
    fn one_who_speaks_all_the_time_is_not_looked_at() {
        let mut watch = Watch::new(0);
        assert_eq!(watch.looked(Waiting::default(), 500), None);
        for tick in 1..100 {
            watch.stir(600 * tick);
            assert!(watch.look_at_ms().unwrap() > 600 * (tick + 1));
        }
    }
}
