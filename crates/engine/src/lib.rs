//! The embedded engine: a program that answers with a model on this computer.
//!
//! **Owns** the C++ library that computes, one loaded model with what it has read so far, the writing down of
//! conversations as the model learned them, and the words for whatever cannot be done.
//!
//! **Never** opens a connection, starts a program, writes a file, or outlives its client: it ends as soon as its
//! standard input does, also in the middle of an answer.

mod answer; // one question, from its messages to the last word
mod clock; // how long work took
mod ears; // what the client says, heard also while the engine computes
mod fit; // what is told of a conversation that is too long
mod log; // what the C++ library complained about last
mod memory; // whether a model fits
mod model; // from a file to something that computes
mod mouth; // what the engine says
mod pace; // how much is read at once
mod processor; // whether this computer's processor will do
mod refusal; // what cannot be done, in words
mod session; // what the model has read so far
mod template; // a conversation as one text
mod whole; // whole characters out of pieces of bytes
mod work; // one request after the other

use std::process::ExitCode;

use llama_cpp_2::llama_backend::LlamaBackend;

/// A computer that answers stays usable for everything else.
const NICENESS: i32 = 5;

/// When the library gives up, it would start a debugger, which takes seconds and writes among our lines.
fn keep_quiet() {
    // SAFETY: no other thread exists yet that could read the environment.
    unsafe { std::env::set_var("GGML_NO_BACKTRACE", "1") }
}

/// Runs until the client goes away.
pub fn run() -> ExitCode {
    // Without it the engine works as well, only less politely.
    let _ = rustix::process::nice(NICENESS);
    keep_quiet();
    let mouth = mouth::Mouth::stdout();
    if let Some(missing) = processor::lacks() {
        mouth.ready();
        let heard = ears::listen(mouth.clone());
        work::refuse(&mouth, &heard, &refusal::Refusal::processor(missing));
        return ExitCode::SUCCESS;
    }
    let Ok(backend) = LlamaBackend::init() else { return ExitCode::FAILURE };
    log::listen();
    mouth.ready();
    let heard = ears::listen(mouth.clone());
    work::work(&backend, &mouth, &heard);
    ExitCode::SUCCESS
}
