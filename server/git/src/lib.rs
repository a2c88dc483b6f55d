//! Git, seen from one place: finding the project, and every `git` process this program starts.
//!
//! Invariants:
//! - No other crate starts `git`. Here each start has a cleaned environment, a fixed directory, no terminal, and a time limit.
//! - Finding the project ([`Repository::find`]) reads files only: a command line or a hook must not pay for a process to learn where it is.
//! - This crate knows none of ours but where a project is: it speaks of repositories, files and configuration, never of tasks.
//!
//! Whatever starts git fails with [`GitError::Failed`] when git says no or can't be started, and with [`GitError::TimedOut`] when it does not
//! end; what goes wrong beyond that stands at each function.

use std::path::PathBuf;

mod command;
mod config;
mod diff;
mod error;
mod exclude;
mod facts;
mod history;
pub mod hooks;
mod place;
mod probe;
mod progress;
mod remote;
mod repository;
pub mod shell;
mod trailers;
mod worktree;

pub use diff::{DIFF_BYTES_MAX, Diff, FileChanged, FileDiff, Hunk};
pub use error::GitError;
pub use facts::{CommitFacts, FileChange, SUBJECT_CHARS_MAX};
pub use history::TRAILER_COMMITS_MAX;
pub use place::{PROJECT_DIRECTORY, Place};
pub use progress::InProgress;
pub use remote::{RefsStamp, RemoteTip, TreeFile};
pub use repository::{IndexStamp, Repository, config};
pub use trailers::Trailer;
pub use worktree::{Added, Uncommitted, Worktree};

/// A name that git cannot take for an option.
fn checked(name: &str) -> Result<&str, GitError> {
    if name.is_empty() || name.starts_with('-') { Err(GitError::failed("git rev-parse", format!("{name:?} names no commit"))) } else { Ok(name) }
}

/// A path as git spells it.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
