//! From a file to something that computes.

use std::num::NonZeroU32;
use std::path::Path;
use std::thread::available_parallelism;

use gatehouse_engine_wire::{Event, Facts, Load};
use gatehouse_gguf::Model as Head;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;

use crate::memory::{self, Room};
use crate::mouth::Mouth;
use crate::refusal::Refusal;
use crate::template::Template;
use crate::{clock, log, pace};

/// More threads than this do not make small models faster.
const MOST_THREADS: u32 = 8;

/// A model that is loaded.
pub(crate) struct Model {
    pub llama: LlamaModel,
    pub template: Template,
    pub facts: Facts,
    /// The texts of tokens with a meaning of their own, such as the one that ends a message.
    pub marks: Vec<String>,
}

/// Loads what `load` names, if it can be used and fits.
pub(crate) fn load(backend: &LlamaBackend, mouth: &Mouth, load: &Load) -> Result<Model, Refusal> {
    let begun = clock::now();
    let path = Path::new(&load.path);
    let head = gatehouse_gguf::open(path).map_err(|error| Refusal::file(path, &error))?;
    let template = head.template.clone().ok_or_else(|| Refusal::no_template(path))?;
    let room = memory::room(path, &head, load.context, memory::free())?;
    let llama = weights(backend, mouth, path)?;
    let template = Template::new(template, text(&llama, llama.vocab().bos()), text(&llama, llama.vocab().eos()))?;
    let marks = marks(&llama);
    let facts = facts(path, &head, room, load.threads.unwrap_or_else(usual_threads), clock::ms_since(begun));
    Ok(Model { llama, template, facts, marks })
}

fn weights(backend: &LlamaBackend, mouth: &Mouth, path: &Path) -> Result<LlamaModel, Refusal> {
    let (mouth, mut told) = (mouth.clone(), 0);
    let params = LlamaModelParams::default().with_progress_callback(move |share| {
        let percent = percent(share);
        if percent > told {
            told = percent;
            mouth.say(&Event::Loading { percent });
        }
        true
    });
    let _ = log::last_complaint();
    LlamaModel::load_from_file(backend, path, &params)
        .map_err(|_| Refusal::not_loaded(path, log::last_complaint().as_deref()))
}

/// A share from 0 to 1 in hundredths, never above.
fn percent(share: f32) -> u8 {
    (share * 100.0).clamp(0.0, 100.0) as u8
}

impl Model {
    /// What a context is made with.
    pub fn context(&self) -> LlamaContextParams {
        let threads = i32::try_from(self.facts.threads).unwrap_or(1);
        let batch = u32::try_from(pace::MOST).unwrap_or(1);
        LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(self.facts.context))
            .with_n_batch(batch)
            .with_n_ubatch(batch)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
    }
}

fn facts(path: &Path, head: &Head, room: Room, threads: u32, load_ms: u64) -> Facts {
    let file = path.file_stem().map(|name| name.to_string_lossy().into_owned());
    Facts {
        name: head.name.clone().or(file).unwrap_or_default(),
        architecture: head.architecture.clone(),
        context: room.context,
        threads,
        memory: room.bytes,
        load_ms,
    }
}

/// One core is left for everything else that a person does meanwhile.
fn usual_threads() -> u32 {
    let cores = available_parallelism().ok().and_then(|cores| u32::try_from(cores.get()).ok()).unwrap_or(1);
    cores.saturating_sub(1).clamp(1, MOST_THREADS)
}

/// The text of a token; empty for one that the model does not have.
fn text(llama: &LlamaModel, token: LlamaToken) -> String {
    if token.0 < 0 {
        return String::new();
    }
    llama.vocab().text(token).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

fn marks(llama: &LlamaModel) -> Vec<String> {
    let vocab = llama.vocab();
    let texts = vocab.tokens().filter(|token| vocab.is_control(*token)).map(|token| text(llama, token));
    // A mark of one or two letters would hit ordinary words.
    texts.filter(|text| text.chars().count() > 2).collect()
}
