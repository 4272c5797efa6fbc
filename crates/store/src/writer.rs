//! The one thread that writes. It drains its queue into one commit, with a savepoint for each closure.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gatehouse_domain::{IdSource, Rev};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

use crate::checkpoint::{self, Checkpointer};
use crate::error::{Error, Fault, Result};
use crate::feed::{ChangeKey, Ring};
use crate::table::profile_meta;
use crate::tx::Tx;

/// How many closures may wait; who comes later waits to get in.
pub const QUEUE: usize = 1_024;

/// How many closures share a commit at most, so that the first of them does not wait for ever.
const BATCH: usize = 256;

/// What the writer tells everybody.
pub(crate) struct Published {
    pub(crate) ring: Mutex<Ring>,
    pub(crate) rev: watch::Sender<Rev>,
    pub(crate) commits: AtomicU64,
}

pub(crate) enum Message {
    Write(Box<dyn Job>),
    Close,
}

/// How a closure ended.
pub(crate) enum Ran {
    Kept,
    Failed,
    /// It met a page that makes no sense.
    Damaged(String),
}

/// A closure on its way through the writer.
pub(crate) trait Job: Send {
    /// Runs it.
    fn run(&mut self, tx: &Tx<'_>) -> Ran;
    /// Answers its caller: with its own outcome, or with what kept that from becoming durable.
    fn answer(self: Box<Self>, fault: Option<Fault>);
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
            Some(Err(Error::Corrupt { detail })) => Ran::Damaged(detail.clone()),
            Some(Err(_)) | None => Ran::Failed,
        }
    }

    fn answer(self: Box<Self>, fault: Option<Fault>) {
        let outcome = match (self.outcome, fault) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(value)), None) => Ok(value),
            (Some(Ok(_)) | None, Some(fault)) => Err(fault.into()),
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

/// The thread's own state.
pub(crate) struct Writer {
    pub(crate) conn: Connection,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) published: Arc<Published>,
    pub(crate) rev: Rev,
    pub(crate) checkpointer: Checkpointer,
    /// Why nothing is written any more: more writes would spread the damage.
    pub(crate) damaged: Option<String>,
}

impl Writer {
    /// Serves the queue until it is closed or every handle is gone; then empties the log.
    pub(crate) fn run(mut self, mut queue: mpsc::Receiver<Message>) {
        checkpoint::watch(&self.conn);
        while let Some(message) = queue.blocking_recv() {
            let mut next = Some(message);
            let mut batch = Vec::new();
            while let Some(message) = next.take() {
                match message {
                    Message::Write(job) => batch.push(job),
                    // What is in the queue already is still written.
                    Message::Close => queue.close(),
                }
                if batch.len() < BATCH {
                    next = queue.try_recv().ok();
                }
            }
            self.write(batch);
            self.checkpointer.after_commit(&self.conn);
        }
        let Self { conn, checkpointer, damaged, .. } = self;
        drop(checkpointer);
        if damaged.is_none()
            && let Err(error) = checkpoint::truncate(&conn)
        {
            tracing::warn!(%error, "the log stays for the next start");
        }
    }

    fn write(&mut self, mut batch: Vec<Box<dyn Job>>) {
        while !batch.is_empty() {
            if let Some(detail) = &self.damaged {
                let fault = Fault::Corrupt(detail.clone());
                batch.drain(..).for_each(|job| refuse(job, &fault));
                return;
            }
            // A full disk can end the transaction in the middle of the batch; the rest gets one of its own.
            batch = self.commit(batch);
        }
    }

    /// One transaction with as many of `batch` as it can take; gives back those that did not run.
    fn commit(&mut self, batch: Vec<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
        let mut run: Vec<Box<dyn Job>> = Vec::with_capacity(batch.len());
        let mut changes = Vec::new();
        let mut rev = self.rev;
        let mut waiting = batch.into_iter();
        let mut outcome = self.conn.execute_batch("BEGIN IMMEDIATE");
        while outcome.is_ok()
            && self.damaged.is_none()
            && let Some(mut job) = waiting.next()
        {
            match self.savepoint(&mut *job, Rev(rev.0 + 1)) {
                Ok(Some(keys)) => {
                    rev = Rev(rev.0 + 1);
                    changes.push((rev, keys));
                }
                Ok(None) => {}
                Err(error) => outcome = Err(error),
            }
            run.push(job);
        }
        if outcome.is_err() && run.is_empty() {
            // Not even begun: nobody may wait for ever, so everybody in the batch hears of it.
            run.extend(&mut waiting);
        }
        let outcome = outcome.and_then(|()| match &self.damaged {
            // What its neighbours wrote may rest on the damage.
            Some(detail) => Err(malformed(detail)),
            None => self.finish(rev),
        });
        let fault = outcome.err().map(|error| self.failed(&error));
        if fault.is_none() {
            self.rev = rev;
            self.publish(changes);
        }
        for job in run {
            match &fault {
                None => job.answer(None),
                Some(fault) => refuse(job, fault),
            }
        }
        waiting.collect()
    }

    /// Runs one closure; the keys it touched, if it is to be kept and touched a row.
    fn savepoint(&mut self, job: &mut dyn Job, rev: Rev) -> rusqlite::Result<Option<Vec<ChangeKey>>> {
        self.conn.execute_batch("SAVEPOINT closure")?;
        let tx = Tx::new(&self.conn, &*self.ids, rev);
        let ran = job.run(&tx);
        let changes = tx.into_changes();
        if self.conn.is_autocommit() {
            // SQLite gave the whole transaction up under the closure's feet.
            return Err(lost());
        }
        if let Ran::Kept = ran {
            self.conn.execute_batch("RELEASE closure")?;
            return Ok(changes);
        }
        if let Ran::Damaged(detail) = ran {
            self.damaged = Some(detail);
        }
        self.conn.execute_batch("ROLLBACK TO closure; RELEASE closure")?;
        Ok(None)
    }

    fn finish(&self, rev: Rev) -> rusqlite::Result<()> {
        if rev != self.rev {
            profile_meta::set_rev(&self.conn, rev).map_err(|error| match error {
                Error::Query(error) => error,
                other => rusqlite::Error::ToSqlConversionFailure(Box::new(other)),
            })?;
        }
        self.conn.execute_batch("COMMIT")
    }

    /// Cleans up after a commit that did not happen, and tells why it did not.
    fn failed(&mut self, error: &rusqlite::Error) -> Fault {
        if !self.conn.is_autocommit()
            && let Err(error) = self.conn.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "could not roll back");
        }
        let fault = Fault::of(error).unwrap_or_else(|| Fault::Unwritable(error.to_string()));
        tracing::error!(?fault, "a commit failed");
        if let Fault::Corrupt(detail) = &fault {
            self.damaged = Some(detail.clone());
        }
        fault
    }

    fn publish(&self, changes: Vec<(Rev, Vec<ChangeKey>)>) {
        self.published.commits.fetch_add(1, Ordering::Relaxed);
        if changes.is_empty() {
            return;
        }
        {
            let mut ring = self.published.ring.lock().unwrap_or_else(PoisonError::into_inner);
            changes.into_iter().for_each(|(rev, keys)| ring.push(rev, keys));
        }
        self.published.rev.send_replace(self.rev);
    }
}

fn refuse(job: Box<dyn Job>, fault: &Fault) {
    job.answer(Some(fault.clone()));
}

/// The disk was full or failing in the middle of a transaction.
fn lost() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR);
    rusqlite::Error::SqliteFailure(code, Some("the disk was full or failed in the middle of a transaction".to_owned()))
}

fn malformed(detail: &str) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(code, Some(detail.to_owned()))
}
