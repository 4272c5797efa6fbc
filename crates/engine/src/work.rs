//! One request after the other. A model lives inside its own round, so that the next one finds its memory free.

use std::sync::mpsc::Receiver;

use gatehouse_engine_wire::{Event, Load, Request};
use llama_cpp_2::llama_backend::LlamaBackend;

use crate::answer::answer;
use crate::ears::Heard;
use crate::mouth::Mouth;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::{log, model};

/// Works until nothing can come any more.
pub(crate) fn work(backend: &LlamaBackend, mouth: &Mouth, heard: &Heard) {
    let mut next = heard.requests.recv().ok();
    while let Some(request) = next {
        next = match request {
            Request::Load(load) => round(backend, mouth, heard, &load),
            Request::Generate(question) => {
                mouth.refuse(Some(question.id), Refusal::not_ready());
                heard.requests.recv().ok()
            }
            // Heard by the ears already.
            Request::Cancel { .. } => heard.requests.recv().ok(),
        };
    }
}

/// Turns everything away for the same reason, until nothing can come any more.
pub(crate) fn refuse(mouth: &Mouth, heard: &Heard, refusal: &Refusal) {
    while let Ok(request) = heard.requests.recv() {
        match request {
            Request::Load(_) => mouth.refuse(None, refusal.clone()),
            Request::Generate(question) => mouth.refuse(Some(question.id), refusal.clone()),
            Request::Cancel { .. } => {}
        }
    }
}

/// Loads a model and answers with it until another request than a question comes.
fn round(backend: &LlamaBackend, mouth: &Mouth, heard: &Heard, load: &Load) -> Option<Request> {
    let model = match model::load(backend, mouth, load) {
        Ok(model) => model,
        Err(refusal) => return refused(mouth, &heard.requests, refusal),
    };
    let context = match model.llama.new_context(backend, model.context()) {
        Ok(context) => context,
        Err(_) => {
            let why = log::last_complaint();
            let refusal = Refusal::not_loaded(load.path.as_ref(), why.as_deref());
            return refused(mouth, &heard.requests, refusal);
        }
    };
    let mut session = Session::new(context);
    mouth.say(&Event::Loaded(model.facts.clone()));
    loop {
        match heard.requests.recv().ok()? {
            Request::Generate(question) => answer(mouth, &model, &mut session, &heard.taken_back, &question),
            other @ (Request::Load(_) | Request::Cancel { .. }) => return Some(other),
        }
    }
}

fn refused(mouth: &Mouth, requests: &Receiver<Request>, refusal: Refusal) -> Option<Request> {
    mouth.refuse(None, refusal);
    requests.recv().ok()
}
