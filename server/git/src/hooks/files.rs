//! Hooks as files of ours, with what was there before beside them.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{Found, Hook, HookReport, Hooks, Kept, Mode, Wiring};
use crate::GitError;

/// How much of a file is read to tell whose it is.
const HOOK_BYTES_MAX: u64 = 1024 * 1024;

impl Hooks<'_> {
    /// Puts our file there; what was there moves aside. A report when it could not move.
    pub(super) fn install_file(&self, directory: &Path, hook: &Hook, binary: &str, mode: Mode) -> Result<Option<HookReport>, GitError> {
        fs::create_dir_all(directory).map_err(failed)?;
        let (path, chained) = names(directory, hook);
        let text = self.file_text(hook, binary);
        if !exists(&path) {
            write_executable(&path, &text)?;
        } else if self.is_ours(&path)? {
            if read(&path)? != text || !is_executable(&path) {
                write_executable(&path, &text)?;
            }
        } else if exists(&chained) {
            // A manager of hooks wrote over our file: a line in its is as good, where that was asked for or somebody put it there.
            let kept = self.install_line(directory, hook, mode)?;
            let taken = |line: String| self.kept(hook, Kept::ChainedTaken, path, line);
            return Ok(kept.map(|kept| match kept.wiring {
                Wiring::Kept { why: Kept::Tracked, line, .. } => taken(line),
                _ => kept,
            }));
        } else {
            fs::rename(&path, &chained).map_err(failed)?;
            if let Err(error) = write_executable(&path, &text) {
                fs::rename(&chained, &path).map_err(failed)?;
                return Err(error);
            }
        }
        Ok(None)
    }

    /// Takes our files away and puts back what they pushed aside.
    pub(super) fn remove_files(&self, directory: &Path) -> Result<(), GitError> {
        let mut removed = false;
        for hook in self.hooks {
            let (path, chained) = names(directory, hook);
            if !exists(&path) || !self.is_ours(&path)? {
                continue;
            }
            removed = true;
            if exists(&chained) {
                fs::rename(&chained, &path).map_err(failed)?;
            } else {
                fs::remove_file(&path).map_err(failed)?;
            }
        }
        if removed {
            let _ = fs::remove_dir(directory); // it stays unless it is empty, and then it was ours
        }
        Ok(())
    }

    pub(super) fn file_status(&self, directory: &Path, hook: &Hook) -> Result<Found, GitError> {
        let (path, chained) = names(directory, hook);
        if !exists(&path) || !self.is_ours(&path)? {
            return Ok(Found::absent());
        }
        let text = read(&path)?;
        let binary = self.binary_in(&text);
        let current = binary.as_deref().and_then(Path::to_str).is_some_and(|binary| self.file_text(hook, binary) == text);
        let would_run = is_executable(&path);
        let wiring = if exists(&chained) { Wiring::Chained(path) } else { Wiring::File(path) };
        Ok(Found { wiring, binary, would_run, current })
    }

    /// Whether neither place for a file is free.
    pub(super) fn both_taken(&self, directory: &Path, hook: &Hook) -> Result<bool, GitError> {
        let (path, chained) = names(directory, hook);
        Ok(exists(&path) && exists(&chained) && !self.is_ours(&path)?)
    }

    fn is_ours(&self, path: &Path) -> Result<bool, GitError> {
        // A link is somebody else's whatever it leads to: writing through it would change what others share.
        let metadata = fs::symlink_metadata(path).map_err(failed)?;
        if !metadata.is_file() || HOOK_BYTES_MAX < metadata.len() {
            return Ok(false);
        }
        Ok(read(path)?.lines().nth(1).is_some_and(|line| line.starts_with(&self.file_mark())))
    }
}

fn names(directory: &Path, hook: &Hook) -> (PathBuf, PathBuf) {
    (directory.join(hook.name), directory.join(format!("{}.chained", hook.name)))
}

pub(super) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The text of a hook; bytes that are no text count as other text, so such a file is never taken for ours.
pub(super) fn read(path: &Path) -> Result<String, GitError> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(failed(error)),
    }
}

/// Writes beside and moves over: git never sees half a hook.
pub(super) fn write_executable(path: &Path, text: &str) -> Result<(), GitError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let written = open_executable(&new).and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.and_then(|()| fs::rename(&new, path)).map_err(|error| {
        let _ = fs::remove_file(&new); // what is reported is why it could not be written
        failed(error)
    })
}

#[cfg(unix)]
fn open_executable(path: &Path) -> std::io::Result<fs::File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o755).open(path)?;
    // A umask may have taken the bits that make it a hook at all.
    let mode = file.metadata()?.permissions().mode();
    file.set_permissions(fs::Permissions::from_mode(mode | 0o500))?;
    Ok(file)
}

#[cfg(not(unix))]
fn open_executable(path: &Path) -> std::io::Result<fs::File> {
    fs::File::create(path)
}

#[cfg(unix)]
pub(super) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

pub(super) fn failed(error: std::io::Error) -> GitError {
    GitError::failed("install hooks", error)
}
