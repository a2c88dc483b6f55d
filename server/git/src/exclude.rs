//! Lines of our own in the exclude file that all worktrees share and no clone ever sees.
//!
//! Invariant: taking a line out again leaves the bytes as they were before it was put in.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::{GitError, Repository};

impl Repository {
    /// Keeps what matches a pattern out of `git status` and `git add`, in every worktree.
    pub fn exclude(&self, pattern: &str) -> Result<(), GitError> {
        let path = self.exclude_file();
        let text = read(&path)?;
        if text.lines().any(|line| line == pattern) {
            return Ok(());
        }
        // A file whose last line has no end keeps that.
        let text = if text.is_empty() || text.ends_with('\n') { format!("{text}{pattern}\n") } else { format!("{text}\n{pattern}") };
        let failed = |error| GitError::failed("write info/exclude", error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(&path, text).map_err(failed)
    }

    /// Takes a pattern out that [`Repository::exclude`] put in.
    pub fn unexclude(&self, pattern: &str) -> Result<(), GitError> {
        let path = self.exclude_file();
        let text = read(&path)?;
        let mut kept: String = text.split_inclusive('\n').filter(|line| line.trim_end_matches('\n') != pattern).collect();
        if kept.len() == text.len() {
            return Ok(());
        }
        if !text.ends_with('\n') && kept.ends_with('\n') {
            kept.pop();
        }
        let done = if kept.is_empty() { fs::remove_file(&path) } else { fs::write(&path, kept) };
        done.map_err(|error| GitError::failed("write info/exclude", error))
    }

    fn exclude_file(&self) -> PathBuf {
        self.common_dir().join("info").join("exclude")
    }
}

fn read(path: &std::path::Path) -> Result<String, GitError> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(|error| GitError::failed("read info/exclude", error)),
    }
}
