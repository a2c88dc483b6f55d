//! The handle: one store a project, its connections, and what a process must be given to have one.

use crate::error::StoreError;
use crate::lock;
use crate::log_file::{self, Disk, Place};
use crate::read::Read;
use crate::sql;
use crate::watch::Watch;
use contracts::Moment;
use sqlx::SqliteConnection;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::{Mutex, MutexGuard, OwnedMutexGuard, watch};

/// Whether a stranger's branch is checked out, by what the board says work is cut from.
pub type Stranger = dyn Fn(Option<&str>) -> bool + Send + Sync;

/// The world, as the process that opens a store knows it.
#[derive(Clone)]
pub struct Options {
    /// Opens nothing for writing: no reconciling, no writes.
    pub read_only: bool,
    /// Connections for reading beside the writer's; with none the writer's serves reads too.
    pub readers: u32,
    /// The wall clock.
    pub clock: Arc<dyn Fn() -> Moment + Send + Sync>,
    /// Random bits.
    pub bits: Arc<dyn Fn() -> u128 + Send + Sync>,
    /// Git's word whether it has a file: in the index, or, when it is gone, on another branch. Asked only when the index has changed or
    /// the current file is gone. May block.
    pub tracked: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
    /// Git's word whether the branch that is checked out is a stranger's, whose log is not to be read; told what the board says work is cut
    /// from, when it says so. Asked only when there are new files. May block.
    pub stranger: Arc<Stranger>,
    /// Git's index, to see whether it has changed.
    pub index: Option<PathBuf>,
    /// The disk; tests make it fail.
    pub disk: Disk,
}

impl Options {
    /// A process that writes, without git.
    pub fn new(clock: Arc<dyn Fn() -> Moment + Send + Sync>, bits: Arc<dyn Fn() -> u128 + Send + Sync>) -> Options {
        Options { read_only: false, readers: 0, clock, bits, tracked: Arc::new(|_| false), stranger: Arc::new(|_| false), index: None, disk: Disk::default() }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("read_only", &self.read_only).field("readers", &self.readers).finish_non_exhaustive()
    }
}

/// What opening found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// Sentences for stderr: what was repaired.
    pub repaired: Vec<String>,
    /// The database was made anew.
    pub made_anew: bool,
    /// What was read in and written out.
    pub reconciled: Reconciled,
}

/// What making database and log files equal came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// Events read in.
    pub lines_in: i64,
    /// Events written to the own file.
    pub lines_out: i64,
    /// Tasks that came to stand ready.
    pub now_ready: i64,
    /// Events that found no effect and wait for a person.
    pub conflicts: i64,
    /// Lines that can't be used.
    pub quarantined: i64,
}

impl Reconciled {
    /// Both together.
    pub fn and(self, other: Reconciled) -> Reconciled {
        Reconciled {
            lines_in: self.lines_in + other.lines_in,
            lines_out: self.lines_out + other.lines_out,
            now_ready: self.now_ready + other.now_ready,
            conflicts: self.conflicts + other.conflicts,
            quarantined: self.quarantined + other.quarantined,
        }
    }
}

/// One project's store. Cheap to clone; all clones share its connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("root", &self.inner.place.root).finish_non_exhaustive()
    }
}

pub(crate) struct Inner {
    pub place: Place,
    pub options: Options,
    /// Which file the database is: another one at its path means that it was replaced.
    pub identity: (i64, i64),
    /// How long that file was when it was last looked at, bytes: it only grows.
    pub bytes: AtomicU64,
    pub writer: Arc<Mutex<SqliteConnection>>,
    pub readers: Vec<Arc<Mutex<SqliteConnection>>>,
    pub next_reader: AtomicUsize,
    /// How git's index looked when it was last looked at.
    pub index_seen: std::sync::Mutex<String>,
    /// Counts own commits.
    pub committed: watch::Sender<u64>,
}

impl Inner {
    pub fn now(&self) -> Moment {
        (self.options.clock)()
    }

    /// The connection that writes, in no transaction.
    pub async fn writer(&self) -> Result<MutexGuard<'_, SqliteConnection>, StoreError> {
        let mut conn = self.writer.lock().await;
        if !sql::is_at_rest(&mut conn).await {
            sql::reconnect(&mut conn, &self.place.database(), self.options.read_only).await?;
        }
        Ok(conn)
    }

    pub fn replaced(&self) -> bool {
        let Ok(found) = std::fs::metadata(self.place.database()) else { return true };
        let shrunk = found.len() < self.bytes.fetch_max(found.len(), Ordering::Relaxed);
        shrunk || log_file::identity(&found) != self.identity
    }

    /// Whether it is the same file and shorter than it was.
    pub fn shrunk(&self) -> bool {
        let same = |found: &std::fs::Metadata| log_file::identity(found) == self.identity && found.len() < self.bytes.load(Ordering::Relaxed);
        std::fs::metadata(self.place.database()).is_ok_and(|found| same(&found))
    }
}

impl Store {
    /// The clock it was opened with.
    pub fn clock(&self) -> Arc<dyn Fn() -> Moment + Send + Sync> {
        self.inner.options.clock.clone()
    }

    /// Where the store's files lie.
    pub fn place(&self) -> &Place {
        &self.inner.place
    }

    /// Whether another file now lies where the database was, or it was cut short: then close this store and open again.
    pub fn replaced(&self) -> bool {
        self.inner.replaced()
    }

    /// Whether another process writes right now: for what can wait until none does.
    pub fn is_written(&self) -> bool {
        lock::is_held(&self.inner.place.run("write.lock"))
    }

    /// For reading.
    pub fn reader(&self) -> Reader {
        Reader { inner: Arc::clone(&self.inner) }
    }

    /// Hears of every change, whoever made it.
    pub async fn watch(&self) -> Result<Watch, StoreError> {
        Watch::start(Arc::clone(&self.inner)).await
    }

    /// Closes every connection; the last one folds the write-ahead log into the database.
    pub async fn close(self) {
        use sqlx::Connection;
        let Ok(inner) = Arc::try_unwrap(self.inner) else { return };
        for connection in std::iter::once(inner.writer).chain(inner.readers) {
            if let Ok(connection) = Arc::try_unwrap(connection) {
                // Nothing depends on it: a process that just ends leaves the same data.
                let _ = connection.into_inner().close().await;
            }
        }
    }
}

/// Reads. Cheap to clone.
#[derive(Clone)]
pub struct Reader {
    inner: Arc<Inner>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl Reader {
    /// Begins one read transaction: all that is read through it is of one moment. Drop it before writing: in a process without readers of
    /// their own it holds the one connection there is.
    pub async fn begin(&self) -> Result<Read, StoreError> {
        let now = self.inner.now();
        let only_reads = self.inner.options.read_only || !self.inner.readers.is_empty();
        Read::begin(self.connection().await, self.inner.place.clone(), now, only_reads).await
    }

    /// A connection that is free, else the next in turn.
    async fn connection(&self) -> OwnedMutexGuard<SqliteConnection> {
        let readers = &self.inner.readers;
        for reader in readers {
            if let Ok(free) = Arc::clone(reader).try_lock_owned() {
                return free;
            }
        }
        match readers.len() {
            0 => Arc::clone(&self.inner.writer).lock_owned().await,
            count => Arc::clone(&readers[self.inner.next_reader.fetch_add(1, Ordering::Relaxed) % count]).lock_owned().await,
        }
    }
}

/// Opens the connections beside the writer's.
pub(crate) async fn readers(place: &Place, count: u32) -> Result<Vec<Arc<Mutex<SqliteConnection>>>, StoreError> {
    let mut readers = Vec::new();
    for _ in 0..count {
        readers.push(Arc::new(Mutex::new(sql::connect(&place.database(), false, true).await?)));
    }
    Ok(readers)
}
