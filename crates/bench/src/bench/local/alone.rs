//! The engine alone: a program, and lines.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use gatehouse_engine_wire::{Event, Load, Question, Request, read, write};

use super::{Moments, Speed, THREADS};
use crate::clock;
use crate::error::{Doing as _, Error, Result};
use crate::program::{self, Running};

/// No event is further from the one before.
const PATIENCE: Duration = Duration::from_secs(120);
/// What the product asks for as well.
const CONTEXT: u32 = 8192;

/// It ends with this.
pub(super) struct Alone {
    _running: Running,
    input: ChildStdin,
    events: Receiver<(Instant, Event)>,
    asked: u64,
}

impl Alone {
    /// Starts it and waits until its model is loaded.
    pub fn start(engine: &Path, model: &Path) -> Result<Self> {
        let mut command = program::command(engine);
        let mut running = program::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let pipes = running.0.stdin.take().zip(running.0.stdout.take());
        let (input, output) = pipes.ok_or_else(|| Error::Shape("the engine's pipes".into()))?;
        let (heard, events) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(std::result::Result::ok) {
                let Ok(event) = read(&line) else { return };
                if heard.send((clock::now(), event)).is_err() {
                    return;
                }
            }
        });
        let mut alone = Self { _running: running, input, events, asked: 0 };
        let path = model.to_string_lossy().into_owned();
        alone.say(&Request::Load(Load { path, context: CONTEXT, threads: Some(THREADS) }))?;
        while !matches!(alone.hear()?.1, Event::Loaded(_)) {}
        Ok(alone)
    }

    /// Asks the same, for an answer of at most so many tokens.
    pub fn ask(&mut self, question: &Question, max_tokens: u32) -> Result<Speed> {
        self.asked += 1;
        let asked = clock::now();
        self.say(&Request::Generate(Question { id: self.asked, max_tokens, ..question.clone() }))?;
        let mut first = None;
        loop {
            let (at, event) = self.hear()?;
            match event {
                Event::Delta { .. } => _ = first.get_or_insert(at),
                Event::Finished { timings, .. } => {
                    let moments = Moments { asked, first: first.unwrap_or(at), last: at };
                    return Ok(Speed::of(timings.prompt_tokens - timings.reused, timings.answer_tokens, &moments));
                }
                Event::Ready { .. } | Event::Loading { .. } | Event::Loaded(_) | Event::Failed { .. } => {}
            }
        }
    }

    fn say(&mut self, request: &Request) -> Result<()> {
        self.input.write_all(&write(request)).and_then(|()| self.input.flush()).doing("asking the engine")
    }

    fn hear(&self) -> Result<(Instant, Event)> {
        match self.events.recv_timeout(PATIENCE) {
            Ok((_, Event::Failed { message, .. })) => {
                Err(Error::Refused { command: "the engine".into(), words: message })
            }
            Ok(heard) => Ok(heard),
            Err(_) => Err(Error::TookTooLong("the engine".into())),
        }
    }
}
