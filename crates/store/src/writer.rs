//! The one thread that writes. It drains its queue into one commit, with a savepoint for each closure.

mod job; // a closure on its way through

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatehouse_domain::{IdSource, Rev};
use gatehouse_fault::{Point, point};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::checkpoint::{self, Checkpointer};
use crate::error::{Error, Result};
use crate::feed::{ChangeKey, Ring};
use crate::health::cause::StorageCause;
use crate::health::holders::holders;
use crate::health::index::{self, SearchIndex, State};
use crate::health::place::Place;
use crate::health::trouble::Trouble;
use crate::table::profile_meta;
use crate::tx::Tx;

pub(crate) use job::{Job, Ran, job};

/// How many closures may wait; who comes later waits to get in.
pub const QUEUE: usize = 1_024;

/// How many closures share a commit at most, so that the first of them does not wait for ever.
const BATCH: usize = 256;

/// So long a batch waits for another program to let go of the lock, and everybody behind it.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same once the store is being closed.
const LAST_PATIENCE: Duration = Duration::from_secs(5);
/// After so long a wait it is said, and the lock is asked for again.
const SAY_AFTER: Duration = Duration::from_secs(2);

/// Before a commit it is looked up whether the path still names our file, if the last look is so long ago.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What the writer tells everybody.
pub(crate) struct Published {
    pub(crate) ring: Mutex<Ring>,
    pub(crate) rev: watch::Sender<Rev>,
    pub(crate) commits: AtomicU64,
    /// What is wrong, as the last commit found it.
    pub(crate) trouble: watch::Sender<Option<Trouble>>,
    /// The search index is left alone.
    pub(crate) search_is_broken: AtomicBool,
    /// Nobody will wait for long any more.
    pub(crate) closing: AtomicBool,
}

impl Published {
    pub(crate) fn new(rev: Rev, capacity: usize) -> Self {
        Self {
            ring: Mutex::new(Ring::new(rev, capacity)),
            rev: watch::Sender::new(rev),
            commits: AtomicU64::new(0),
            trouble: watch::Sender::new(None),
            search_is_broken: AtomicBool::new(false),
            closing: AtomicBool::new(false),
        }
    }

    fn say(&self, trouble: Option<Trouble>) {
        self.trouble.send_if_modified(|told| {
            let news = *told != trouble;
            *told = trouble;
            news
        });
    }
}

pub(crate) enum Message {
    Write(Box<dyn Job>),
    Close,
}

/// The thread's own state.
pub(crate) struct Writer {
    pub(crate) conn: Connection,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) published: Arc<Published>,
    pub(crate) rev: Rev,
    pub(crate) checkpointer: Checkpointer,
    pub(crate) place: Place,
    pub(crate) index: SearchIndex,
    /// Whether the index that is left alone has its incident.
    pub(crate) index_told: bool,
    pub(crate) looked: Option<Instant>,
    /// Why nothing is written any more: more writes would spread the damage.
    pub(crate) stopped: Option<Trouble>,
}

impl Writer {
    /// Serves the queue until it is closed or every handle is gone; then empties the log.
    pub(crate) fn run(mut self, mut queue: mpsc::Receiver<Message>) {
        checkpoint::watch(&self.conn);
        if let Err(error) = self.conn.busy_timeout(SAY_AFTER) {
            tracing::warn!(%error, "a lock is waited for less long");
        }
        self.mend_what_was_left();
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
            if self.stopped.is_none() {
                self.checkpointer.after_commit(&self.conn);
            }
        }
        self.end();
    }

    /// A file that is damaged, or no longer ours, is left as it is: its log is neither taken in nor removed.
    fn end(mut self) {
        if self.stopped.is_none() {
            self.stopped = self.place.look().err();
        }
        let Self { conn, checkpointer, stopped, .. } = self;
        drop(checkpointer);
        if let Some(trouble) = stopped {
            return tracing::error!("the log stays as it is: {trouble}");
        }
        let ended = conn
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
            .and_then(|_| checkpoint::truncate(&conn));
        if let Err(error) = ended {
            tracing::warn!(%error, "the log stays for the next start");
        }
    }

    fn write(&mut self, mut batch: Vec<Box<dyn Job>>) {
        while !batch.is_empty() {
            if let Some(trouble) = &self.stopped {
                batch.drain(..).for_each(|job| job.answer(Some(trouble.clone())));
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
        let index = self.index.state();
        let mut waiting = batch.into_iter();
        let mut outcome = self.look().and_then(|()| self.begin());
        while outcome.is_ok()
            && self.stopped.is_none()
            && let Some(mut job) = waiting.next()
        {
            match self.savepoint(&mut *job, Rev(rev.0 + 1)) {
                Ok(Some(keys)) => {
                    rev = Rev(rev.0 + 1);
                    changes.push((rev, keys));
                }
                Ok(None) => {}
                Err(trouble) => outcome = Err(trouble),
            }
            run.push(job);
        }
        if outcome.is_err() && run.is_empty() {
            // Not even begun: nobody may wait for ever, so everybody in the batch hears of it.
            run.extend(&mut waiting);
        }
        let outcome = outcome.and_then(|()| match &self.stopped {
            // What its neighbours wrote may rest on the damage.
            Some(trouble) => Err(trouble.clone()),
            None => self.finish(rev),
        });
        let trouble = outcome.err().map(|trouble| self.failed(trouble, index));
        if trouble.is_none() {
            self.rev = rev;
            self.publish(changes);
        }
        self.tell(trouble.clone());
        run.into_iter().for_each(|job| job.answer(trouble.clone()));
        waiting.collect()
    }

    /// Says how the last commit went. One that had nothing to write went well on any disk.
    fn tell(&self, trouble: Option<Trouble>) {
        let has_written = checkpoint::has_written();
        let lasts = |told: &Trouble| told.cause.lasts_until_written();
        if trouble.is_some() || has_written || !self.published.trouble.borrow().as_ref().is_some_and(lasts) {
            self.published.say(trouble);
        }
    }

    /// Whether the path still names our file; not for every commit.
    fn look(&mut self) -> Result<(), Trouble> {
        if self.looked.is_some_and(|at| at.elapsed() < LOOK_EVERY) {
            return Ok(());
        }
        self.place.look()?;
        self.looked = Some(Instant::now());
        Ok(())
    }

    /// Begins a transaction, and waits for whoever else writes into the file.
    fn begin(&self) -> Result<(), Trouble> {
        let begun = Instant::now();
        loop {
            let Err(error) = self.conn.execute_batch("BEGIN IMMEDIATE") else { return Ok(()) };
            let mut trouble = trouble(&error).at(self.place.file());
            if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) {
                return Err(trouble);
            }
            trouble.holders = holders(self.place.file());
            let closing = self.published.closing.load(Ordering::Relaxed);
            if begun.elapsed() >= if closing { LAST_PATIENCE } else { PATIENCE } {
                return Err(trouble);
            }
            tracing::warn!("still waiting to write: {trouble}");
            self.published.say(Some(trouble));
        }
    }

    /// Runs one closure; the keys it touched, if it is to be kept and touched a row.
    fn savepoint(&mut self, job: &mut dyn Job, rev: Rev) -> Result<Option<Vec<ChangeKey>>, Trouble> {
        self.conn.execute_batch("SAVEPOINT closure").map_err(|error| trouble(&error))?;
        let index = self.index.state();
        let tx = Tx::new(&self.conn, &*self.ids, &self.index, rev);
        let ran = job.run(&tx);
        let changes = tx.into_changes();
        if self.conn.is_autocommit() {
            // SQLite gave the whole transaction up under the closure's feet.
            return Err(lost());
        }
        if let Ran::Kept = ran {
            self.conn.execute_batch("RELEASE closure").map_err(|error| trouble(&error))?;
            return Ok(changes);
        }
        if let Ran::Damaged(trouble) = ran {
            self.stopped = Some(trouble);
        }
        self.conn.execute_batch("ROLLBACK TO closure; RELEASE closure").map_err(|error| trouble(&error))?;
        self.index.set(index);
        Ok(None)
    }

    fn finish(&self, rev: Rev) -> Result<(), Trouble> {
        if self.index.state() == State::Broken && !self.index_told {
            let tx = Tx::new(&self.conn, &*self.ids, &self.index, rev);
            index::last_at(&self.conn).and_then(|at| index::tell(&tx, at)).map_err(of_error)?;
        }
        if rev != self.rev {
            profile_meta::set_rev(&self.conn, rev).map_err(of_error)?;
        }
        point(Point::StoreCommitBefore);
        self.conn.execute_batch("COMMIT").map_err(|error| trouble(&error))?;
        point(Point::StoreCommitAfter);
        Ok(())
    }

    /// Cleans up after a commit that did not happen, and tells why it did not.
    fn failed(&mut self, trouble: Trouble, index: State) -> Trouble {
        if !self.conn.is_autocommit()
            && let Err(error) = self.conn.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "could not roll back");
        }
        // An index that cannot be emptied either would fail every commit.
        self.index.set(if trouble.cause == StorageCause::SearchIndex { State::Broken } else { index });
        let trouble = trouble.at(self.place.file());
        tracing::error!("a commit failed: {trouble}");
        if trouble.cause.stops_writing() {
            self.stopped = Some(trouble.clone());
        }
        trouble
    }

    fn publish(&mut self, changes: Vec<(Rev, Vec<ChangeKey>)>) {
        let broken = self.index.state() == State::Broken;
        self.index_told |= broken;
        self.published.search_is_broken.store(broken, Ordering::Relaxed);
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

    /// Builds the index anew that an earlier run left alone.
    fn mend_what_was_left(&mut self) {
        if self.index.state() != State::Broken {
            return;
        }
        match self.rebuild() {
            Ok(()) => {
                self.index.set(State::Rebuilt);
                self.index_told = false;
                self.published.search_is_broken.store(false, Ordering::Relaxed);
            }
            Err(error) => {
                tracing::error!("the search index cannot be built anew: {error}");
                if !self.conn.is_autocommit()
                    && let Err(error) = self.conn.execute_batch("ROLLBACK")
                {
                    tracing::error!(%error, "could not roll back");
                }
            }
        }
    }

    fn rebuild(&self) -> Result<()> {
        self.begin().map_err(Error::Storage)?;
        index::rebuild(&self.conn)?;
        let tx = Tx::new(&self.conn, &*self.ids, &self.index, self.rev);
        let at = index::last_at(&self.conn)?;
        for row in index::told(&tx)? {
            tx.incidents_mut().resolve(row.id, at)?;
        }
        Ok(self.conn.execute_batch("COMMIT")?)
    }
}

/// The trouble behind any error of SQLite's.
fn trouble(error: &rusqlite::Error) -> Trouble {
    Trouble::of(error).unwrap_or_else(|| Trouble::new(StorageCause::of(error), error))
}

fn of_error(error: Error) -> Trouble {
    match error {
        Error::Storage(trouble) => trouble,
        other => Trouble::new(other.cause(), other),
    }
}

/// The disk was full or failing in the middle of a transaction.
fn lost() -> Trouble {
    Trouble::new(StorageCause::Unwritable, "the disk was full or failed in the middle of a transaction")
}
