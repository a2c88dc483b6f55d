//! Locks between processes: advisory locks on files that are never deleted, freed by the system when a process dies.

use crate::error::StoreError;
use contracts::limits;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::sync::oneshot;

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct Held(#[allow(dead_code, reason = "closing the file frees the lock")] File);

/// Each taking opens the file anew: a lock belongs to an open file, and a wait that was given up must not free another's. Somebody may
/// have tidied its folder away; the board's own folder is not made again, because then there is no board.
fn open(path: &Path) -> io::Result<File> {
    let opened = || OpenOptions::new().create(true).truncate(false).write(true).open(path);
    match (opened(), path.parent()) {
        (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => opened(),
        },
        (done, _) => done,
    }
}

/// Whether somebody holds the lock at `path` right now.
pub(crate) fn is_held(path: &Path) -> bool {
    open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Takes the lock at `path`, waiting for it on a thread of its own for as long as a caller may be kept.
pub(crate) async fn exclusive(path: &Path) -> Result<Held, StoreError> {
    let file = open(path)?;
    match file.try_lock() {
        Ok(()) => return Ok(Held(file)),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    let (sender, receiver) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let taken = file.lock().map(|()| Held(file));
        // Given up meanwhile: the lock comes back in the error and is freed.
        let _ = sender.send(taken);
    });
    match tokio::time::timeout(Duration::from_millis(limits::BUSY_WAIT_MS), receiver).await {
        Ok(Ok(taken)) => Ok(taken?),
        Ok(Err(_)) | Err(_) => Err(StoreError::Busy),
    }
}
