//! The embedded engine and the models it may load.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::FailureCode;
use gatehouse_provider::{CheckCode, CheckFailure, Checked, Engine, EngineSetup, Failure, Model, ModelInfo};

use crate::config::{ProviderConfig, STARTER};

/// Where the engine and its starter model lie, as far as they are installed.
#[derive(Debug, Clone, Default)]
pub struct EngineFiles {
    /// The program.
    pub program: Option<PathBuf>,
    /// The model that comes with it.
    pub starter: Option<PathBuf>,
    /// On how many threads it computes; absent = it chooses.
    pub threads: Option<u32>,
}

/// The engine, kept as long as the same model answers: a change of something else does not load it anew.
pub(crate) struct EngineRoom {
    files: EngineFiles,
    held: Mutex<Option<Held>>,
}

struct Held {
    provider: String,
    path: PathBuf,
    engine: Arc<Engine>,
}

impl EngineRoom {
    pub const fn new(files: EngineFiles) -> Self {
        Self { files, held: Mutex::new(None) }
    }

    /// The client for a model of the provider with this name. Nothing is started before it is asked.
    pub fn model(&self, provider: &str, model: &str) -> Result<Arc<dyn Model>, Failure> {
        let path = self.file(model).map_err(failure)?;
        let program = self.files.program.clone().ok_or_else(|| failure(NO_ENGINE.into()))?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = held.as_ref().filter(|held| held.provider == provider && held.path == path) {
            return Ok(Arc::clone(&held.engine) as Arc<dyn Model>);
        }
        let engine = Arc::new(Engine::new(EngineSetup {
            name: provider.to_owned(),
            model: path.clone(),
            context: EngineSetup::CONTEXT,
            threads: self.files.threads,
            idle: EngineSetup::IDLE,
            launch: Arc::new(move || gatehouse_process::engine(&program)),
        }));
        *held = Some(Held { provider: provider.to_owned(), path, engine: Arc::clone(&engine) });
        Ok(engine)
    }

    /// The models that a provider offers which names none.
    pub fn models(&self) -> Result<Vec<String>, String> {
        match (&self.files.program, &self.files.starter) {
            (Some(_), Some(_)) => Ok(vec![STARTER.to_owned()]),
            (None, _) => Err(NO_ENGINE.into()),
            (Some(_), None) => Err(NO_STARTER.into()),
        }
    }

    /// Looks at the files of a provider's models without loading them.
    pub fn check(&self, provider: &ProviderConfig, model: Option<&str>) -> Result<Checked, CheckFailure> {
        let none = |message: String| CheckFailure {
            code: CheckCode::NoSuchModel,
            message,
            mend: "Choose another model file.".into(),
        };
        let names = match model {
            Some(model) => vec![model.to_owned()],
            None if provider.models.is_empty() => self.models().map_err(none)?,
            None => provider.models.clone(),
        };
        let look = |name: String| self.look(&name).map_err(none);
        let models = names.into_iter().map(look).collect::<Result<_, _>>()?;
        Ok(Checked { latency: Duration::ZERO, models })
    }

    fn look(&self, name: &str) -> Result<ModelInfo, String> {
        let head = self.file(name).and_then(|path| gatehouse_gguf::open(&path).map_err(|error| error.to_string()));
        let head = head.map_err(|words| format!("{name} cannot be used. {words}"))?;
        if head.template.is_none() {
            return Err(format!("{name} cannot chat: it has no chat template, so it can only continue texts."));
        }
        let context_tokens = head.context.and_then(|context| u32::try_from(context).ok());
        Ok(ModelInfo { id: name.to_owned(), context_tokens })
    }

    fn file(&self, model: &str) -> Result<PathBuf, String> {
        if model == STARTER {
            return self.files.starter.clone().ok_or_else(|| NO_STARTER.into());
        }
        let path = Path::new(model);
        if path.is_absolute() {
            return Ok(path.to_path_buf());
        }
        Err(format!("{model:?} is no model of the embedded engine. Write the whole path of a GGUF file, from / on."))
    }
}

const NO_ENGINE: &str = "The embedded engine is not installed. Install it, or choose another model in Settings.";
const NO_STARTER: &str = "The starter model is not installed. Install it, or choose another model in Settings.";

fn failure(message: String) -> Failure {
    Failure { code: FailureCode::NoModel, message, retry_after: None, retryable: false }
}

#[cfg(test)]
mod tests;
