//! The handle everybody holds.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};

use gatehouse_domain::{Epoch, EpochMs, IdSource, Rev, SessionId};
use tokio::sync::{mpsc, oneshot, watch};

use crate::backup::{self, Backup};
use crate::checkpoint::Checkpointer;
use crate::error::{Error, OpenError, Result};
use crate::feed::{self, Changes, RING};
use crate::health::cause::StorageCause;
use crate::health::index::{self, SearchIndex, State};
use crate::health::trouble::Trouble;
use crate::open;
use crate::pool::Pool;
use crate::restore::{self, Restored};
use crate::table::item::Hit;
use crate::table::profile_meta;
use crate::tx::{Snapshot, Tx};
use crate::writer::{Message, Published, QUEUE, Writer, job};

/// One profile's rows. Clones share everything; when the last one goes, the file is closed.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    /// Taken when the store goes, which ends the writer.
    queue: Mutex<Option<mpsc::Sender<Message>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    published: Arc<Published>,
    pool: Pool,
    backing_up: tokio::sync::Mutex<()>,
    file: PathBuf,
    epoch: Epoch,
}

impl Store {
    /// Opens a profile's directory, made if it is not there: takes its lock, checks and migrates the file, and starts
    /// the writer. Nothing is touched when the file is somebody else's, newer than this program, or damaged.
    pub fn open(dir: &Path, ids: Arc<dyn IdSource>) -> Result<Self, OpenError> {
        let opened = open::open(dir, &*ids)?;
        let published = Arc::new(Published::new(opened.rev, RING));
        published.search_is_broken.store(opened.index_is_broken, Ordering::Relaxed);
        let file = opened.place.file().to_owned();
        let io = |error: std::io::Error| OpenError::Io { path: file.clone(), detail: error.to_string() };
        let writer = Writer {
            conn: opened.conn,
            ids,
            published: Arc::clone(&published),
            rev: opened.rev,
            checkpointer: Checkpointer::start(opened.place.clone()).map_err(io)?,
            place: opened.place.clone(),
            index: SearchIndex::new(if opened.index_is_broken { State::Broken } else { State::Whole }),
            index_told: opened.index_is_broken,
            looked: None,
            stopped: None,
        };
        let (queue, messages) = mpsc::channel(QUEUE);
        let thread = start(writer, messages, opened.lock).map_err(io)?;
        let inner = Inner {
            queue: Mutex::new(Some(queue)),
            writer: Mutex::new(Some(thread)),
            published,
            pool: Pool::new(opened.place),
            backing_up: tokio::sync::Mutex::new(()),
            file,
            epoch: opened.epoch,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Runs `f` in a transaction and answers when its changes are on the disk. If `f` fails or panics, it changed
    /// nothing; others that share its commit do not notice.
    pub async fn write<T: Send + 'static>(&self, f: impl FnOnce(&Tx<'_>) -> Result<T> + Send + 'static) -> Result<T> {
        let queue = self.inner.queue().ok_or(Error::Closed)?;
        let (job, answer) = job(f);
        queue.send(Message::Write(job)).await.map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?.map_err(|error| error.at(self.file()))
    }

    /// As [`Store::write`], holding the calling thread; for shutdown and tests.
    pub fn write_blocking<T: Send + 'static>(
        &self,
        f: impl FnOnce(&Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        block_on(self.write(f))
    }

    /// Runs `f` on one consistent view of the rows, on the calling thread. It waits for no writer.
    pub fn read<T>(&self, f: impl FnOnce(&Snapshot<'_>) -> Result<T>) -> Result<T> {
        self.inner.pool.read(f).map_err(|error| error.at(self.file()))
    }

    /// Looks for words, the newest place first. A damaged index is built anew once; if that was done before, the error says
    /// what is wrong with it.
    pub async fn search(&self, query: &str, session: Option<SessionId>, limit: u32) -> Result<Vec<Hit>> {
        let look = || {
            if self.search_is_broken() {
                return Err(index::left_alone().at(self.file()));
            }
            self.read(|rows| rows.items().search(query, session, limit))
        };
        match look() {
            Err(error) if error.cause() == StorageCause::SearchIndex && !self.search_is_broken() => {
                self.write(|tx| tx.index().mend(tx.conn)).await?;
                look()
            }
            other => other,
        }
    }

    /// Whether the search index is left alone, so that nothing can be searched until the next start.
    pub fn search_is_broken(&self) -> bool {
        self.inner.published.search_is_broken.load(Ordering::Relaxed)
    }

    /// Makes a whole copy beside the file, named after `at`, on a thread of its own; one at a time. It counts only once it
    /// was looked through.
    pub async fn back_up(&self, at: EpochMs) -> Result<Backup> {
        let _only_one = self.inner.backing_up.lock().await;
        let (reply, answer) = oneshot::channel();
        let (place, published) = (self.inner.pool.place().clone(), Arc::clone(&self.inner.published));
        let copying = move || {
            // Whoever asked may be gone.
            let _gone = reply.send(backup::make(&place, at, &published.closing));
        };
        let started = thread::Builder::new().name("store-backup".to_owned()).spawn(copying);
        started.map_err(|error| Error::Storage(Trouble::new(StorageCause::Unknown, error)))?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Puts a backup in the place of the data file of the profile in `dir`, which nobody may have open. The file that is
    /// there is moved to `damaged-<at>`, what the backup owes is held, and it begins a new epoch.
    pub fn restore(dir: &Path, backup: &Path, at: EpochMs, ids: &dyn IdSource) -> Result<Restored, OpenError> {
        restore::restore(dir, backup, at, ids)
    }

    /// Writes what is there already, which takes a commit like any other: whether the file can be written now.
    pub async fn try_writing(&self) -> Result<()> {
        self.write(|tx| profile_meta::write_again(tx.conn)).await
    }

    /// What is wrong, as the last commit found it; also while one waits for another program to let go of the file.
    pub fn trouble(&self) -> Option<Trouble> {
        self.inner.published.trouble.borrow().clone()
    }

    /// Wakes whenever [`Store::trouble`] answers something else.
    pub fn watch_trouble(&self) -> watch::Receiver<Option<Trouble>> {
        self.inner.published.trouble.subscribe()
    }

    /// The data file.
    pub fn file(&self) -> &Path {
        &self.inner.file
    }

    /// Which incarnation of the file this is.
    pub fn epoch(&self) -> Epoch {
        self.inner.epoch
    }

    /// The newest revision on the disk.
    pub fn rev(&self) -> Rev {
        *self.inner.published.rev.borrow()
    }

    /// Wakes after every commit that changed a row.
    pub fn watch(&self) -> watch::Receiver<Rev> {
        self.inner.published.rev.subscribe()
    }

    /// How many transactions have reached the disk; each costs one sync of the log.
    pub fn commits(&self) -> u64 {
        self.inner.published.commits.load(Ordering::Relaxed)
    }

    /// Which rows changed after `after`: about `max` of them, but never part of a revision. `TooOld` also answers when
    /// the rows could not be read.
    pub fn changes_after(&self, after: Rev, max: usize) -> Changes {
        let kept = self.inner.published.ring.lock().unwrap_or_else(PoisonError::into_inner).after(after, max);
        kept.unwrap_or_else(|| self.changes_from_rows(after, max))
    }

    /// Writes what is in the queue, empties the log into the file, and closes both. Other clones answer
    /// [`Error::Closed`] from here on.
    pub fn close(self) {
        self.inner.close();
    }

    fn changes_from_rows(&self, after: Rev, max: usize) -> Changes {
        self.read(|snapshot| feed::behind(snapshot.conn, after, max)).unwrap_or_else(|error| {
            tracing::error!(%error, "could not read what changed");
            Changes::TooOld
        })
    }
}

/// The writer's thread keeps the lock until the file is closed.
fn start(writer: Writer, messages: mpsc::Receiver<Message>, lock: File) -> std::io::Result<JoinHandle<()>> {
    thread::Builder::new().name("store-writer".to_owned()).spawn(move || {
        writer.run(messages);
        drop(lock);
    })
}

impl Inner {
    fn queue(&self) -> Option<mpsc::Sender<Message>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn close(&self) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.published.closing.store(true, Ordering::Relaxed);
        self.pool.close();
        if let Some(queue) = queue {
            // It fails only when the writer has ended already, which is what it asks for.
            let _ended = block_on(queue.send(Message::Close));
        }
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The last handle can be one that a closure held; its thread cannot wait for itself.
        if let Some(writer) = writer
            && writer.thread().id() != thread::current().id()
            && writer.join().is_err()
        {
            tracing::error!("the writer panicked");
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on the calling thread, inside or outside of a runtime: the writer's answers need none.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
