use crate::figure::Findings;

/// What is told of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    /// It runs.
    Started,
    /// Its end was asked for.
    Stopping,
    /// The direct child has ended and left others behind.
    EndedFirst,
    /// The direct child has ended after it was asked for.
    Killed,
    /// Nobody is left.
    Empty,
}

/// From each fact to the moment at which it was shown, in milliseconds.
#[derive(Debug, Default)]
pub(super) struct Delays {
    all: Vec<(Fact, f64)>,
    /// From each end of a direct child to the moment at which its shim saw it.
    pub seen: Vec<f64>,
}

impl Delays {
    /// One more.
    pub fn add(&mut self, fact: Fact, ms: f64) {
        self.all.push((fact, ms));
    }

    /// Those of another caller.
    pub fn join(&mut self, others: Self) {
        self.all.extend(others.all);
        self.seen.extend(others.seen);
    }

    /// How many.
    pub const fn len(&self) -> usize {
        self.all.len()
    }

    fn of(&self, fits: impl Fn(Fact) -> bool) -> Vec<f64> {
        self.all.iter().filter(|(fact, _)| fits(*fact)).map(|(_, ms)| *ms).collect()
    }

    /// All together, and each kind by itself, which says where the time goes.
    pub fn add_to(&self, found: &mut Findings) {
        let all = self.of(|_| true);
        found.add_percentile("p50_ms", &all, 50.0);
        found.add_percentile("p99_ms", &all, 99.0);
        for (fact, p50, p99) in [
            (Fact::Started, "started_p50_ms", "started_p99_ms"),
            (Fact::Stopping, "stopping_p50_ms", "stopping_p99_ms"),
            (Fact::EndedFirst, "ended_first_p50_ms", "ended_first_p99_ms"),
            (Fact::Killed, "killed_p50_ms", "killed_p99_ms"),
            (Fact::Empty, "empty_p50_ms", "empty_p99_ms"),
        ] {
            let some = self.of(|other| other == fact);
            found.add_percentile(p50, &some, 50.0);
            found.add_percentile(p99, &some, 99.0);
        }
        found.add_percentile("end_seen_p50_ms", &self.seen, 50.0);
        found.add_percentile("end_seen_p99_ms", &self.seen, 99.0);
    }
}
