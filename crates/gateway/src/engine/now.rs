//! What the engine does, for whoever watches. None of it is a row: it is true of this run only.

use std::sync::Arc;

use gatehouse_provider::EngineState;
use tokio::sync::watch;

use super::Installed;

/// What the engine does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineNow {
    /// Its program is there.
    pub installed: bool,
    /// The model that comes with it is there.
    pub starter: bool,
    /// Whose model it was last set up for.
    pub provider: Option<String>,
    /// Which model, as its provider names it.
    pub model: Option<String>,
    /// Whether it runs.
    pub state: EngineState,
}

impl EngineNow {
    const fn is_there(&mut self, there: Installed) {
        (self.installed, self.starter) = (there.program, there.starter);
    }
}

/// The same, and how many changes came before.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// Nobody needs to be told of number 0: it is what was there at the start.
    pub version: u64,
    pub now: EngineNow,
    /// Which engine this is about: an earlier one has no say any more.
    engine: u64,
}

/// Where it is written.
pub(super) struct Board {
    says: Arc<watch::Sender<Told>>,
}

impl Default for Board {
    fn default() -> Self {
        let now =
            EngineNow { installed: false, starter: false, provider: None, model: None, state: EngineState::Asleep };
        Self { says: Arc::new(watch::Sender::new(Told { version: 0, now, engine: 0 })) }
    }
}

impl Board {
    /// What was there at the start is no change.
    pub fn begin(&self, there: Installed) {
        self.says.send_modify(|told| told.now.is_there(there));
    }

    /// What is installed may have changed.
    pub fn installed(&self, there: Installed) {
        change(&self.says, |told| told.now.is_there(there));
    }

    /// From here on this engine is the one.
    pub fn follow(&self, provider: &str, model: &str, mut state: watch::Receiver<EngineState>) {
        let begun = state.borrow_and_update().clone();
        change(&self.says, |told| {
            told.engine += 1;
            told.now = EngineNow {
                provider: Some(provider.to_owned()),
                model: Some(model.to_owned()),
                state: begun,
                ..told.now.clone()
            };
        });
        let (says, mine) = (Arc::clone(&self.says), self.told().engine);
        // It ends with the engine.
        tokio::spawn(async move {
            while state.changed().await.is_ok() {
                let fresh = state.borrow_and_update().clone();
                change(&says, |told| {
                    if told.engine == mine {
                        told.now.state = fresh;
                    }
                });
            }
        });
    }

    /// There is none any more.
    pub fn forget(&self) {
        change(&self.says, |told| {
            told.engine += 1;
            told.now = EngineNow { provider: None, model: None, state: EngineState::Asleep, ..told.now.clone() };
        });
    }

    pub fn told(&self) -> Told {
        self.says.borrow().clone()
    }

    pub fn watch(&self) -> watch::Receiver<Told> {
        self.says.subscribe()
    }
}

fn change(says: &watch::Sender<Told>, change: impl FnOnce(&mut Told)) {
    says.send_if_modified(|told| {
        let before = told.now.clone();
        change(told);
        let changed = told.now != before;
        told.version += u64::from(changed);
        changed
    });
}
