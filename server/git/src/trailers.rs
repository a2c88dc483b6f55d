//! Trailers: the `Key: value` lines at the end of a message, as git's own parser sees them.
//!
//! Invariant: what is a trailer is git's word alone, and so is where a new one goes. A line of dashes ends nothing: these are messages,
//! not mailed patches.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::command::Git;
use crate::{GitError, Repository};

/// One trailer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// As written, in any case.
    pub key: String,
    /// In one line.
    pub value: String,
}

/// What git puts above the part of a message that it throws away.
const SCISSORS: &str = " ------------------------ >8 ------------------------";

impl Repository {
    /// Adds `key: value` to the message in a file (absolute, or from this worktree's top), unless it is there.
    pub fn add_trailer(&self, message: &Path, key: &str, value: &str) -> Result<(), GitError> {
        end_last_line(&self.directory().join(message)).map_err(|error| GitError::failed("git interpret-trailers", error))?;
        let trailer = format!("{key}: {value}");
        let args = ["interpret-trailers", "--in-place", "--no-divider", "--where=end", "--if-exists=addIfDifferent", "--if-missing=add"];
        Git::new(self.directory(), &args).arg("--trailer").arg(&trailer).arg("--").arg(message).run().map(drop)
    }

    /// The trailers of a message.
    pub fn trailers_of(&self, message: &str) -> Result<Vec<Trailer>, GitError> {
        let out = Git::new(self.directory(), &["interpret-trailers", "--parse", "--no-divider"]).stdin(message.as_bytes()).run()?;
        let trailer = |line: &str| {
            let (key, value) = line.split_once(':')?;
            Some(Trailer { key: key.trim().to_owned(), value: value.trim().to_owned() })
        };
        Ok(String::from_utf8_lossy(&out).lines().filter_map(trailer).collect())
    }

    /// A message as git would keep it: without comments, and without what stands below the line of scissors.
    pub fn without_comments(&self, message: &str) -> Result<String, GitError> {
        let mut kept = String::new();
        for line in message.split_inclusive('\n') {
            if line.trim_end().strip_suffix(SCISSORS).is_some_and(|mark| mark.chars().count() <= 2 && !mark.contains(char::is_alphanumeric)) {
                break;
            }
            kept.push_str(line);
        }
        let out = Git::new(self.directory(), &["stripspace", "--strip-comments"]).stdin(kept.as_bytes()).run()?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}

/// Older gits put a trailer right under a last line that has no end, where it is no trailer.
fn end_last_line(path: &Path) -> std::io::Result<()> {
    match fs::read(path)?.last() {
        None | Some(b'\n') => Ok(()),
        Some(_) => fs::OpenOptions::new().append(true).open(path)?.write_all(b"\n"),
    }
}
