//! What is wrong with the data, and whether it still is.

use std::time::Duration;

use gatehouse_domain::EpochMs;
use gatehouse_store::{StorageCause, Trouble as StoreTrouble};

use crate::core::Core;

/// What may pass by itself is news after so long.
const LASTING: Duration = Duration::from_secs(10);
/// Whether the file can be written again is known by then.
const TRY_LIMIT: Duration = Duration::from_secs(5);

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    /// Why.
    pub cause: StorageCause,
    /// What a person is told, with what helps.
    pub words: String,
}

/// What a look found.
pub(super) struct Seen {
    /// What was not wrong before, and lasts.
    pub news: Vec<Trouble>,
    /// What is wrong may be news then.
    pub again: Option<EpochMs>,
}

/// What was wrong when somebody last looked.
#[derive(Default)]
pub(super) struct Watch {
    known: Vec<Known>,
}

struct Known {
    cause: StorageCause,
    since: EpochMs,
    told: bool,
}

impl Watch {
    pub fn look(&mut self, core: &Core) -> Seen {
        let (wrong, now) = (standing(core), core.now());
        self.known.retain(|known| wrong.iter().any(|trouble| trouble.cause == known.cause));
        let mut seen = Seen { news: Vec::new(), again: None };
        for trouble in wrong {
            let known = self.known(trouble.cause, now);
            let from = if trouble.cause.is_passing() { known.since.after(LASTING) } else { known.since };
            if from > now {
                seen.again = Some(seen.again.map_or(from, |sooner: EpochMs| sooner.min(from)));
            } else if !known.told {
                known.told = true;
                seen.news.push(trouble);
            }
        }
        seen
    }

    fn known(&mut self, cause: StorageCause, now: EpochMs) -> &mut Known {
        let at = self.known.iter().position(|known| known.cause == cause).unwrap_or_else(|| {
            self.known.push(Known { cause, since: now, told: false });
            self.known.len() - 1
        });
        &mut self.known[at]
    }
}

/// Whether the trouble with this code is still there. What may pass is asked by a write: nobody may have written since.
pub(super) async fn lasts(core: &Core, code: &str) -> bool {
    let is_there = || standing(core).into_iter().find(|trouble| trouble.cause.code() == code);
    let Some(trouble) = is_there() else { return false };
    if trouble.cause.is_passing() {
        // What the store says of itself afterwards is the answer, also where the write still waits.
        let _asked = tokio::time::timeout(TRY_LIMIT, core.store.try_writing()).await;
    }
    is_there().is_some()
}

/// Everything that is wrong now, each cause once.
fn standing(core: &Core) -> Vec<Trouble> {
    let of_store = |trouble: StoreTrouble| Trouble { cause: trouble.cause, words: trouble.to_string() };
    let mut wrong: Vec<Trouble> = core.store.trouble().map(of_store).into_iter().collect();
    if core.store.search_is_broken() {
        let file = Some(core.store.file().to_owned());
        wrong.push(of_store(StoreTrouble { file, ..StoreTrouble::new(StorageCause::SearchIndex, "") }));
    }
    // A copy shows damage that the open file hides.
    let damaged = core.backups.failure().filter(|failure| failure.cause == StorageCause::Corrupt);
    wrong.extend(damaged.map(|failure| Trouble { cause: failure.cause, words: failure.words }));
    let mut causes = Vec::new();
    wrong.retain(|trouble| {
        let first = !causes.contains(&trouble.cause);
        causes.push(trouble.cause);
        first
    });
    wrong
}
