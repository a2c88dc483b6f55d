//! A worker's folder, `.callboard/work/<task>.<n>`: its prompt, what it said, and what became of it. Git never sees it.
//!
//! Invariant: whoever watches a worker holds the lock of its folder, so a worker without a watcher is known without looking at processes.

use contracts::{Actor, Moment, TaskId};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Where all of them are, below `.callboard`.
const WORK: &str = "work";
/// Attempts at one task that are told apart.
const ATTEMPTS_MAX: u32 = 1_000;

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It gave its task an end: done, submitted or released.
    Finished,
    /// It ended, or died, with the task in its hands.
    Left,
    /// Somebody ended it.
    Cancelled,
}

impl Ending {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Ending::Finished => "finished",
            Ending::Left => "ended with the task in its hands",
            Ending::Cancelled => "cancelled",
        }
    }
}

/// What is known of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its task.
    pub task: TaskId,
    /// Who it is.
    pub worker: Actor,
    /// Its process, which leads its group.
    pub pid: u32,
    /// What its processes carry in their environment.
    pub mark: String,
    /// The name of its conversation, by which the agent program finds it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Where it works; the agent program keeps its conversations by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// When it was started.
    pub started_at: Moment,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// Its exit, in words: `exit 0`, `signal 9`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// How it ended; none while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
}

/// A worker's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// A new one for a task.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn create(directory: &Path, task: &TaskId) -> io::Result<Folder> {
        fs::create_dir_all(directory.join(WORK))?;
        for attempt in 1..ATTEMPTS_MAX {
            let path = directory.join(WORK).join(format!("{task}.{attempt}"));
            match fs::create_dir(&path) {
                Ok(()) => {
                    private(&path)?;
                    return Ok(Folder(path));
                }
                Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => {}
                Err(fault) => return Err(fault),
            }
        }
        Err(io::Error::other("too many attempts at one task are kept: delete some of .callboard/work"))
    }

    /// The last one of a task.
    pub fn newest(directory: &Path, task: &TaskId) -> Option<Folder> {
        Folder::all(directory)
            .into_iter()
            .filter(|folder| folder.attempt().is_some_and(|(of, _)| of == *task))
            .max_by_key(|folder| folder.attempt().map(|of| of.1))
    }

    /// All of them, by task and attempt.
    pub fn all(directory: &Path) -> Vec<Folder> {
        let entries = fs::read_dir(directory.join(WORK)).into_iter().flatten().filter_map(Result::ok);
        let mut found: Vec<Folder> = entries.map(|entry| Folder(entry.path())).filter(|folder| folder.attempt().is_some()).collect();
        found.sort_by_key(Folder::attempt);
        found
    }

    fn attempt(&self) -> Option<(TaskId, u32)> {
        let (task, attempt) = self.0.file_name()?.to_str()?.split_once('.')?;
        Some((TaskId::parse(task).ok()?, attempt.parse().ok()?))
    }

    /// A file or folder in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file that only its owner reads.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.file(name);
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        io::Write::write_all(&mut options.open(&path)?, text.as_bytes())?;
        Ok(path)
    }

    /// What is known of its worker; none before it was started.
    pub fn state(&self) -> Option<State> {
        serde_json::from_str(&fs::read_to_string(self.file("worker.json")).ok()?).ok()
    }

    /// Notes what is known, whole or not at all.
    pub(super) fn note(&self, state: &State) -> io::Result<()> {
        let fresh = self.write("worker.json.new", &serde_json::to_string_pretty(state)?)?;
        fs::rename(fresh, self.file("worker.json"))
    }

    /// Holds it as the one who watches. The lock ends with the file that is given back.
    pub(super) fn watch(&self) -> io::Result<File> {
        let lock = File::create(self.file("lock"))?;
        lock.try_lock().map_err(|_| io::Error::other("somebody watches it already"))?;
        Ok(lock)
    }

    /// Whether somebody watches.
    pub fn is_watched(&self) -> bool {
        File::open(self.file("lock")).is_ok_and(|lock| lock.try_lock().is_err())
    }

    /// Asks whoever watches to end the worker.
    pub(super) fn ask_to_cancel(&self) -> io::Result<()> {
        self.write("cancel", "").map(drop)
    }

    /// Whether somebody asked for that.
    pub(super) fn is_to_cancel(&self) -> bool {
        self.file("cancel").exists()
    }
}

#[cfg(unix)]
fn private(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o700))
}

#[cfg(not(unix))]
fn private(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_and_the_last_one_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let task = TaskId::from_bits(1);
        assert_eq!(Folder::newest(directory.path(), &task), None);
        let made: Vec<Folder> = (0..11).map(|_| Folder::create(directory.path(), &task).unwrap()).collect();
        assert_eq!(Folder::newest(directory.path(), &task).as_ref(), made.last());
        assert!(made[10].0.ends_with("tk-000001.11"));
        Folder::create(directory.path(), &TaskId::from_bits(2)).unwrap();
        fs::create_dir(directory.path().join("work/notes")).unwrap();
        assert_eq!(Folder::all(directory.path()).len(), 12);
    }

    #[test]
    fn who_watches_is_known_by_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::create(directory.path(), &TaskId::from_bits(1)).unwrap();
        assert!(!folder.is_watched());
        let lock = folder.watch().unwrap();
        assert!(folder.is_watched() && folder.watch().is_err());
        drop(lock);
        assert!(!folder.is_watched());
    }
}
