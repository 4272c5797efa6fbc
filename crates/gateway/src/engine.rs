//! The embedded engine and the models it may load.

mod check; // whether a model's file can be used, without loading it
mod now; // what the engine does, for whoever watches

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gatehouse_domain::FailureCode;
use gatehouse_provider::{CheckFailure, Checked, Engine, EngineSetup, Failure, Model};
use tokio::sync::watch;

use self::now::Board;
pub use self::now::EngineNow;
pub(crate) use self::now::Told;
use crate::config::STARTER;

/// Where the engine and its starter model are looked for. They may come and go while the gateway runs.
#[derive(Debug, Clone, Default)]
pub struct EnginePlaces {
    /// The program.
    pub program: PathBuf,
    /// The model that comes with it; the first that is there is taken.
    pub starters: Vec<PathBuf>,
    /// On how many threads it computes; absent = it chooses.
    pub threads: Option<u32>,
}

/// What is installed of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Installed {
    /// Its program.
    pub program: bool,
    /// The model that comes with it.
    pub starter: bool,
}

impl Installed {
    /// Program and starter are both there.
    pub const fn is_complete(self) -> bool {
        self.program && self.starter
    }
}

/// The engine of a house, kept as long as the same model answers: a change of something else does not load it anew.
pub(crate) struct EngineRoom {
    places: EnginePlaces,
    held: Mutex<Option<Held>>,
    board: Board,
    /// Program and starter were both there at some time of this run.
    was_complete: AtomicBool,
}

struct Held {
    provider: String,
    path: PathBuf,
    engine: Arc<Engine>,
}

impl EngineRoom {
    pub fn new(places: EnginePlaces) -> Self {
        let room =
            Self { held: Mutex::new(None), board: Board::default(), was_complete: AtomicBool::new(false), places };
        let there = room.installed();
        room.was_complete.store(there.is_complete(), Ordering::Relaxed);
        room.board.begin(there);
        room
    }

    /// The client for a model of the provider with this name. Nothing is started before it is asked.
    pub fn model(&self, provider: &str, model: &str) -> Result<Arc<dyn Model>, Failure> {
        let path = self.file(model).map_err(failure)?;
        if !self.is_installed() {
            return Err(failure(NO_ENGINE.into()));
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = held.as_ref().filter(|held| held.provider == provider && held.path == path) {
            return Ok(Arc::clone(&held.engine) as Arc<dyn Model>);
        }
        let program = self.places.program.clone();
        let engine = Arc::new(Engine::new(EngineSetup {
            name: provider.to_owned(),
            model: path.clone(),
            context: EngineSetup::CONTEXT,
            threads: self.places.threads,
            idle: EngineSetup::IDLE,
            launch: Arc::new(move || gatehouse_process::engine(&program)),
        }));
        self.board.follow(provider, model, engine.state());
        *held = Some(Held { provider: provider.to_owned(), path, engine: Arc::clone(&engine) });
        Ok(engine)
    }

    /// The models that a provider offers which names none.
    pub fn models(&self) -> Result<Vec<String>, String> {
        match (self.is_installed(), self.starter()) {
            (true, Some(_)) => Ok(vec![STARTER.to_owned()]),
            (false, _) => Err(NO_ENGINE.into()),
            (true, None) => Err(NO_STARTER.into()),
        }
    }

    /// Looks at the files of models without loading them; at the starter's when none is named.
    pub async fn check(&self, models: &[String]) -> Result<Checked, CheckFailure> {
        let names = if models.is_empty() { self.models().map_err(check::none)? } else { models.to_vec() };
        let file = |name: String| self.file(&name).map(|path| (name, path)).map_err(check::none);
        let files = names.into_iter().map(file).collect::<Result<Vec<_>, _>>()?;
        check::files(files).await
    }

    /// What is installed now.
    pub fn installed(&self) -> Installed {
        Installed { program: self.is_installed(), starter: self.starter().is_some() }
    }

    /// What is missing, for a person, if it was there before.
    pub fn gone(&self) -> Option<&'static str> {
        let was = self.was_complete.load(Ordering::Relaxed);
        match (was, self.is_installed(), self.starter()) {
            (true, false, _) => Some(GONE_ENGINE),
            (true, true, None) => Some(GONE_STARTER),
            (true, true, Some(_)) | (false, ..) => None,
        }
    }

    /// Looks again at what is installed, tells whoever watches, and lets an engine go that has no ground any more.
    pub fn look(&self) -> Installed {
        let (installed, starter) = (self.is_installed(), self.starter());
        let there = Installed { program: installed, starter: starter.is_some() };
        if there.is_complete() {
            self.was_complete.store(true, Ordering::Relaxed);
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let is_starter = |path: &PathBuf| self.places.starters.contains(path);
        // An answer that is under way keeps its engine to its end; without one its memory is free at once.
        if held
            .as_ref()
            .is_some_and(|held| !installed || (is_starter(&held.path) && Some(&held.path) != starter.as_ref()))
        {
            *held = None;
            self.board.forget();
        }
        self.board.installed(there);
        there
    }

    /// What the engine does.
    pub fn now(&self) -> EngineNow {
        self.board.told().now
    }

    /// The same, with its number, from here on.
    pub fn watch(&self) -> watch::Receiver<Told> {
        self.board.watch()
    }

    /// The files whose coming and going matters.
    pub fn places(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.places.program).chain(&self.places.starters).map(PathBuf::as_path)
    }

    fn is_installed(&self) -> bool {
        is_there(&self.places.program)
    }

    fn starter(&self) -> Option<PathBuf> {
        self.places.starters.iter().find(|path| is_there(path)).cloned()
    }

    fn file(&self, model: &str) -> Result<PathBuf, String> {
        if model == STARTER {
            return self.starter().ok_or_else(|| NO_STARTER.into());
        }
        let path = Path::new(model);
        if path.is_absolute() {
            return Ok(path.to_path_buf());
        }
        Err(format!("{model:?} is no model of the embedded engine. Write the whole path of a GGUF file, from / on."))
    }
}

/// A file that was made and not written yet is none.
fn is_there(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0)
}

const NO_ENGINE: &str = "The embedded engine is not installed. Install it, or choose another model in Settings.";
const NO_STARTER: &str = "The starter model is not installed. Install it, or choose another model in Settings.";
const GONE_ENGINE: &str = "The embedded engine is not there any more: its program was taken away. Install it again, or choose another model in Settings.";
const GONE_STARTER: &str = "The starter model is not there any more: its file was taken away. Install it again, or choose another model in Settings.";

/// No answer, because the engine is not there to give one.
pub(crate) fn failure(message: String) -> Failure {
    Failure { code: FailureCode::NoModel, message, retry_after: None, retryable: false }
}

#[cfg(test)]
mod tests;
