//! Which chats were told in this run that the gateway is back. A restart owes each chat one notice, whichever profile's
//! channel says it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// Told by any gateway of the house.
#[derive(Default)]
pub(crate) struct Told {
    places: Mutex<HashMap<String, Standing>>,
    news: watch::Sender<()>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    UnderWay,
    Told,
}

/// Whether somebody may tell a place.
pub(crate) enum Claim {
    /// Nobody else tells it meanwhile.
    Mine(Turn),
    /// Somebody is about to. Whoever watches is told what became of it.
    UnderWay,
    /// It was told.
    Told,
}

impl Told {
    /// It was told.
    pub fn is_told(&self, place: &str) -> bool {
        self.places().get(place) == Some(&Standing::Told)
    }

    /// Begins to tell a place.
    pub fn claim(self: &Arc<Self>, place: &str) -> Claim {
        let mut places = self.places();
        match places.get(place) {
            Some(Standing::UnderWay) => Claim::UnderWay,
            Some(Standing::Told) => Claim::Told,
            None => {
                places.insert(place.to_owned(), Standing::UnderWay);
                Claim::Mine(Turn { told: Arc::clone(self), place: place.to_owned(), is_told: false })
            }
        }
    }

    /// Wakes whoever waits for a place.
    pub fn watch(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    fn places(&self) -> MutexGuard<'_, HashMap<String, Standing>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to tell a place. When it is dropped, the place was told, or is free again.
pub(crate) struct Turn {
    told: Arc<Told>,
    place: String,
    is_told: bool,
}

impl Turn {
    /// What it stands at if nobody comes back to it: a notice that may have been read is not said twice.
    pub const fn counts_as_told(&mut self, is_told: bool) {
        self.is_told = is_told;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut places = self.told.places();
        if self.is_told {
            places.insert(self.place.clone(), Standing::Told);
        } else {
            places.remove(&self.place);
        }
        drop(places);
        self.told.news.send_replace(());
    }
}
