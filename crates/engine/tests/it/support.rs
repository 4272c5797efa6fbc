//! The engine as a program, and what is said to it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use gatehouse_engine_wire::{
    Event, Facts, Load, Question, Reason, RefusalCode, Request, Role, Timings, Words, read, write,
};

/// Nothing takes longer, on however busy a computer.
const PATIENCE: Duration = Duration::from_secs(300);

/// A running engine.
pub struct Engine {
    pub child: Child,
    input: Option<ChildStdin>,
    events: Receiver<(Instant, Event)>,
    asked: u64,
}

/// The engine ended where an event was waited for.
struct Ended;

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub text: String,
    pub reason: Reason,
    pub timings: Timings,
    pub left_out: u32,
}

/// The starter model's file.
pub fn starter() -> PathBuf {
    std::env::var_os("GATEHOUSE_STARTER").map(PathBuf::from).expect("GATEHOUSE_STARTER names the starter model's file")
}

pub fn user(text: &str) -> Vec<Words> {
    vec![Words { role: Role::User, content: text.into() }]
}

pub fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "tests measure")]
    Instant::now()
}

impl Engine {
    pub fn start() -> Self {
        Self::start_by(env!("CARGO_BIN_EXE_gatehouse-engine"), &[] as &[&str])
    }

    /// With no more than so many kilobytes of address space.
    pub fn start_within(kilobytes: u64) -> Self {
        let script = format!("ulimit -v {kilobytes}; exec {}", env!("CARGO_BIN_EXE_gatehouse-engine"));
        Self::start_by("/bin/sh", &["-c", &script])
    }

    fn start_by(program: &str, args: &[impl AsRef<OsStr>]) -> Self {
        #[expect(clippy::disallowed_methods, reason = "tests start the engine")]
        let mut command = Command::new(program);
        let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in output.split(b'\n').map_while(Result::ok) {
                let event = read(&line).unwrap_or_else(|why| panic!("{why:?}: {}", String::from_utf8_lossy(&line)));
                if sender.send((now(), event)).is_err() {
                    return;
                }
            }
        });
        let mut engine = Self { input: child.stdin.take(), child, events, asked: 0 };
        assert!(matches!(engine.hear().1, Event::Ready { .. }));
        engine
    }

    pub fn say(&mut self, request: &Request) {
        self.say_raw(&write(request));
    }

    pub fn say_raw(&mut self, bytes: &[u8]) {
        use std::io::Write;
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).and_then(|()| input.flush()).unwrap();
    }

    pub fn hear(&mut self) -> (Instant, Event) {
        match self.events.recv_timeout(PATIENCE) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Disconnected) => resume_unwind(Box::new(Ended)),
            Err(RecvTimeoutError::Timeout) => panic!("the engine says nothing"),
        }
    }

    /// Does something that may end the engine; nothing when it did.
    pub fn outlives<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(|| part(self))) {
            Ok(done) => Some(done),
            Err(why) if why.is::<Ended>() => None,
            Err(why) => resume_unwind(why),
        }
    }

    pub fn try_load(&mut self, path: &Path, context: u32) -> Result<Facts, (RefusalCode, String)> {
        let path = path.to_str().unwrap().to_owned();
        self.say(&Request::Load(Load { path, context, threads: Some(1) }));
        loop {
            match self.hear().1 {
                Event::Loading { percent } => assert!(percent <= 100),
                Event::Loaded(facts) => return Ok(facts),
                Event::Failed { id: None, code, message } => return Err((code, message)),
                other => panic!("out of turn: {other:?}"),
            }
        }
    }

    pub fn load(&mut self, context: u32) -> Facts {
        self.try_load(&starter(), context).unwrap()
    }

    /// Asks and does not wait; the question's id.
    pub fn begin(&mut self, messages: Vec<Words>, max_tokens: u32) -> u64 {
        self.begin_with(messages, max_tokens, false)
    }

    fn begin_with(&mut self, messages: Vec<Words>, max_tokens: u32, shorten: bool) -> u64 {
        self.asked += 1;
        let (id, temperature, seed) = (self.asked, Some(0.0), Some(1));
        self.say(&Request::Generate(Question { id, messages, max_tokens, temperature, seed, shorten }));
        id
    }

    pub fn end(&mut self, id: u64) -> Result<Answer, (RefusalCode, String)> {
        let mut text = String::new();
        loop {
            match self.hear().1 {
                Event::Delta { id: of, text: more } if of == id => text.push_str(&more),
                Event::Finished { id: of, reason, timings, left_out } if of == id => {
                    return Ok(Answer { text, reason, timings, left_out });
                }
                Event::Failed { code, message, .. } => return Err((code, message)),
                other => panic!("out of turn: {other:?}"),
            }
        }
    }

    pub fn ask(&mut self, messages: Vec<Words>, max_tokens: u32) -> Result<Answer, (RefusalCode, String)> {
        let id = self.begin(messages, max_tokens);
        self.end(id)
    }

    /// Asks, and lets the oldest messages be left out.
    pub fn ask_shortened(&mut self, messages: Vec<Words>, max_tokens: u32) -> Result<Answer, (RefusalCode, String)> {
        let id = self.begin_with(messages, max_tokens, true);
        self.end(id)
    }

    /// Takes a question back; how long that took.
    pub fn cancel(&mut self, id: u64) -> (Duration, Answer) {
        let begun = now();
        self.say(&Request::Cancel { id });
        let answer = self.end(id).unwrap();
        (now().duration_since(begun), answer)
    }

    /// Goes away; how the engine ended, and how long that took.
    pub fn leave(&mut self) -> (ExitStatus, Duration) {
        let begun = now();
        self.input = None;
        let status = self.child.wait().unwrap();
        (status, now().duration_since(begun))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
