//! What the house says to somebody whose message has to wait, once in a while.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::Mono;

use crate::session::SendMode;

/// Nobody is told more often that they wait.
const COOL: Duration = Duration::from_secs(30);

/// When each lane was last told that its people wait.
#[derive(Default)]
pub(crate) struct Acknowledgements(Mutex<HashMap<String, Mono>>);

impl Acknowledgements {
    /// What is said, unless this lane was told just now.
    pub fn words(&self, route: &str, mode: SendMode, draining: bool, now: Mono) -> Option<&'static str> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|_, at| now.0.saturating_sub(at.0) < COOL);
        if told.contains_key(route) {
            return None;
        }
        told.insert(route.to_owned(), now);
        Some(match mode {
            _ if draining => "Gatehouse is about to stop. Your message is kept, and answered once it runs again.",
            SendMode::Queue => "Your message is kept. It comes next, after what is being done now.",
            SendMode::Steer => "Your message joins what is being done now.",
            SendMode::Interrupt => "The turn is cut short; a command that runs goes on. Your message comes next.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_told_once_in_a_while() {
        let acknowledgements = Acknowledgements::default();
        let told = |route: &str, seconds| {
            let now = Mono(Duration::from_secs(seconds));
            acknowledgements.words(route, SendMode::Queue, false, now).is_some()
        };
        let story = [("a", 100, true), ("a", 129, false), ("b", 129, true), ("a", 130, true), ("b", 140, false)];
        for (route, seconds, expected) in story {
            assert_eq!(told(route, seconds), expected, "{route} at {seconds}");
        }
    }
}
