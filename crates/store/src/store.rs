//! The handle everybody holds.

use std::fs::File;
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};

use gatehouse_domain::{Epoch, IdSource, Rev};
use tokio::sync::{mpsc, watch};

use crate::checkpoint::Checkpointer;
use crate::error::{Error, OpenError, Result};
use crate::feed::{self, Changes, RING, Ring};
use crate::open;
use crate::pool::Pool;
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
    epoch: Epoch,
}

impl Store {
    /// Opens a profile's directory, made if it is not there: takes its lock, checks and migrates the file, and starts
    /// the writer. Nothing is touched when the file is somebody else's, newer than this program, or damaged.
    pub fn open(dir: &Path, ids: Arc<dyn IdSource>) -> Result<Self, OpenError> {
        let opened = open::open(dir, &*ids)?;
        let published = Arc::new(Published {
            ring: Mutex::new(Ring::new(opened.rev, RING)),
            rev: watch::Sender::new(opened.rev),
            commits: AtomicU64::new(0),
        });
        let io = |error: std::io::Error| OpenError::Io { path: opened.file.clone(), detail: error.to_string() };
        let writer = Writer {
            conn: opened.conn,
            ids,
            published: Arc::clone(&published),
            rev: opened.rev,
            checkpointer: Checkpointer::start(opened.file.clone()).map_err(io)?,
            damaged: None,
        };
        let (queue, messages) = mpsc::channel(QUEUE);
        let thread = start(writer, messages, opened.lock).map_err(io)?;
        let inner = Inner {
            queue: Mutex::new(Some(queue)),
            writer: Mutex::new(Some(thread)),
            published,
            pool: Pool::new(opened.file),
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
        answer.await.map_err(|_| Error::Closed)?
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
        self.inner.pool.read(f)
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
