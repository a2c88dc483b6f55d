//! What a file of somebody's was before our part came in, kept so that it can be put back byte for byte.

use super::{unwritable, write};
use contracts::Problem;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file before and after.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// None when there was no file.
    pub before: Option<String>,
    /// With our part in it.
    pub after: String,
    /// Whether a line of git's exclude file came with it.
    #[serde(default)]
    pub excluded: bool,
}

impl Record {
    /// The record of this name, if there is one.
    pub fn read(directory: &Path, name: &str) -> Option<Record> {
        serde_json::from_slice(&fs::read(path(directory, name)).ok()?).ok()
    }

    /// Writes the file, and what it was. Without the record our part is still found by its mark; only odd layouts could not be put back
    /// exactly.
    pub fn put(&self, file: &Path, what: &str, directory: &Path, name: &str) -> Result<(), Problem> {
        let _ = fs::create_dir_all(directory.join("run")).and_then(|()| fs::write(path(directory, name), serde_json::to_string(self).unwrap_or_default()));
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(|fault| unwritable(what, &fault))?;
        }
        write(file, &self.after).map_err(|fault| unwritable(what, &fault))
    }
}

/// Puts a file back to what it was; none means that there was none.
pub fn restore(file: &Path, what: &str, before: Option<&str>, directory: &Path, name: &str) -> Result<(), Problem> {
    let done = match before {
        Some(before) => write(file, before),
        None => fs::remove_file(file),
    };
    done.map_err(|fault| unwritable(what, &fault))?;
    let _ = fs::remove_file(path(directory, name)); // it only says how the file was
    Ok(())
}

/// A file's text; none when there is no file.
pub fn text(file: &Path, what: &str) -> Result<Option<String>, Problem> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(fault) if fault.kind() == ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(unwritable(what, &fault)),
    }
}

fn path(directory: &Path, name: &str) -> PathBuf {
    directory.join("run").join(name)
}
