//! Git, seen from one place: finding the project, and every `git` process this program starts.
//!
//! Invariants:
//! - No other crate starts `git`. Here each start has a cleaned environment, a fixed directory, no terminal, and a time limit.
//! - Finding the project ([`Repository::find`]) reads files only: a command line or a hook must not pay for a process to learn where it is.
//! - This crate knows none of ours: it speaks of repositories, files and configuration, never of tasks.

mod command;
mod config;
mod error;
mod place;
mod repository;
pub mod shell;

pub use error::GitError;
pub use place::{PROJECT_DIRECTORY, Place};
pub use repository::{IndexStamp, Repository, config};
