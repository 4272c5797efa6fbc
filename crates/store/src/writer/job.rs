//! A closure on its way through the writer.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::health::trouble::Trouble;
use crate::tx::Tx;

/// How a closure ended.
pub(crate) enum Ran {
    Kept,
    Failed,
    /// It met what stops all writing.
    Damaged(Trouble),
}

/// A closure on its way through the writer.
pub(crate) trait Job: Send {
    /// Runs it.
    fn run(&mut self, tx: &Tx<'_>) -> Ran;
    /// Answers its caller: with its own outcome, or with what kept that from becoming durable.
    fn answer(self: Box<Self>, trouble: Option<Trouble>);
}

struct Closure<T, F> {
    f: Option<F>,
    outcome: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

/// Packs a closure for the queue; the receiver gets its outcome once that is durable.
pub(crate) fn job<T, F>(f: F) -> (Box<dyn Job>, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: FnOnce(&Tx<'_>) -> Result<T> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(Closure { f: Some(f), outcome: None, reply }), answer)
}

impl<T, F> Job for Closure<T, F>
where
    T: Send,
    F: FnOnce(&Tx<'_>) -> Result<T> + Send,
{
    fn run(&mut self, tx: &Tx<'_>) -> Ran {
        if let Some(f) = self.f.take() {
            let outcome = catch_unwind(AssertUnwindSafe(|| f(tx))).unwrap_or_else(|panic| Err(panicked(&*panic)));
            self.outcome = Some(outcome);
        }
        match &self.outcome {
            Some(Ok(_)) => Ran::Kept,
            Some(Err(Error::Storage(trouble))) if trouble.cause.stops_writing() => Ran::Damaged(trouble.clone()),
            Some(Err(_)) | None => Ran::Failed,
        }
    }

    fn answer(self: Box<Self>, trouble: Option<Trouble>) {
        let outcome = match (self.outcome, trouble) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(value)), None) => Ok(value),
            (Some(Ok(_)) | None, Some(trouble)) => Err(Error::Storage(trouble)),
            (None, None) => Err(Error::Closed),
        };
        // A caller that went away does not want to know.
        let _gone = self.reply.send(outcome);
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let words =
        panic.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
    Error::Panicked { detail: words.unwrap_or_else(|| "a panic without words".to_owned()) }
}
