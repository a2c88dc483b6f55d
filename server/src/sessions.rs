//! Names of agents' sessions: the first of `agent:<dev>/main`, `main-2`, `main-3` … that no living process holds.
//!
//! The lock ends with the process, so a session that is started again has its name, and its task, back. The file says which client
//! started that process: a hook that the same client starts learns by it whose session it is in, before any tool was called.

use contracts::Actor;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Names tried before giving up on having one alone.
const NAMES_MAX: u32 = 200;
/// How far up a client is looked for: a hook's parent is the client, or a shell of the client's.
const GENERATIONS_MAX: usize = 2;

/// How often a name that somebody has is tried.
const LOOKS: u32 = 3;

/// What a process that was not told who it is can know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// The tools of this process's client go by this name.
    Ours(Actor),
    /// Nobody goes by the first name.
    Free(Actor),
    /// Somebody else goes by the first name, which would be a guess.
    Taken(Actor),
}

impl Known {
    /// The name, guessed or not.
    pub fn actor(&self) -> &Actor {
        let (Known::Ours(actor) | Known::Free(actor) | Known::Taken(actor)) = self;
        actor
    }
}

/// A session's actor, and the lock that makes it this session's alone for as long as it is kept.
pub fn name(directory: Option<&Path>, dev: &str) -> (Actor, Option<File>) {
    let Some(locks) = directory.map(folder) else { return (Actor::agent_named(dev, "main"), None) };
    if std::fs::create_dir_all(&locks).is_ok() {
        for name in names() {
            let Ok(mut file) = File::options().create(true).truncate(false).read(true).write(true).open(path(&locks, dev, &name)) else { continue };
            if locked(&file) {
                if let Some(client) = above().first() {
                    // A hook that can't read it guesses, as it would without.
                    let _ = file.set_len(0).and_then(|()| write!(file, "{client}"));
                }
                return (Actor::agent_named(dev, &name), Some(file));
            }
        }
    }
    (Actor::agent_named(dev, "main"), None)
}

/// A hook that looks who holds a name has it for a moment; that is waited for.
fn locked(file: &File) -> bool {
    (0..LOOKS).any(|look| {
        if look > 0 {
            std::thread::sleep(Duration::from_millis(2));
        }
        file.try_lock().is_ok()
    })
}

/// Whose session this process is in, as far as the client above it tells.
pub fn of_client(directory: &Path, dev: &str) -> Known {
    known(&folder(directory), dev, &above())
}

fn known(locks: &Path, dev: &str, above: &[u32]) -> Known {
    let main = Actor::agent_named(dev, "main");
    let held = |name: &String| held_by(&path(locks, dev, name)).map(|client| (name.clone(), client));
    // Names are given from the first on, but one in between may be free again.
    let there = names().take_while(|name| path(locks, dev, name).exists());
    let holders: Vec<(String, u32)> = there.filter_map(|name| held(&name)).collect();
    // The nearest client is meant: one may have been started by another.
    let ours = above.iter().find_map(|client| holders.iter().find(|(_, holder)| holder == client));
    match ours {
        Some((name, _)) => Known::Ours(Actor::agent_named(dev, name)),
        None if holders.iter().any(|(name, _)| name == "main") => Known::Taken(main),
        None => Known::Free(main),
    }
}

/// The client of the living process that holds a name.
fn held_by(path: &Path) -> Option<u32> {
    let mut file = File::options().read(true).write(true).open(path).ok()?;
    if file.try_lock().is_ok() {
        return None; // let go of at once, with the file
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Some(text.trim().parse().unwrap_or(0))
}

fn names() -> impl Iterator<Item = String> {
    (1..=NAMES_MAX).map(|number| if number == 1 { "main".to_owned() } else { format!("main-{number}") })
}

fn folder(directory: &Path) -> PathBuf {
    directory.join("run/actor")
}

/// The whole label would hold a slash and a colon; the dev is part of the name, for two people on one machine.
fn path(locks: &Path, dev: &str, name: &str) -> PathBuf {
    locks.join(format!("{dev}.{name}.lock"))
}

/// The processes above this one, the nearest first. Where there is no `/proc`, the parent alone.
#[cfg(unix)]
fn above() -> Vec<u32> {
    let mut found = vec![std::os::unix::process::parent_id()];
    while found.len() < GENERATIONS_MAX
        && let Some(next) = found.last().and_then(|process| parent_of(*process))
    {
        found.push(next);
    }
    found.retain(|process| *process > 1); // what lost its parent is nobody's
    found
}

#[cfg(unix)]
fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(not(unix))]
fn above() -> Vec<u32> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sessions_are_two_actors_and_a_name_comes_back() {
        let directory = tempfile::tempdir().unwrap();
        let (first, kept) = name(Some(directory.path()), "ada");
        let (second, _kept_too) = name(Some(directory.path()), "ada");
        assert_eq!((first.as_str(), second.as_str()), ("agent:ada/main", "agent:ada/main-2"));
        drop(kept);
        assert_eq!(name(Some(directory.path()), "ada").0, first);
        assert_eq!(name(None, "ada").0, first);
    }

    #[test]
    fn a_session_is_known_by_the_client_above_it() {
        let directory = tempfile::tempdir().unwrap();
        let (locks, main) = (folder(directory.path()), Actor::agent_named("ada", "main"));
        assert_eq!(known(&locks, "ada", &[7]), Known::Free(main.clone()));
        let (_, first) = name(Some(directory.path()), "ada");
        let (second, kept) = name(Some(directory.path()), "ada");
        std::fs::write(path(&locks, "ada", "main"), "7").unwrap();
        std::fs::write(path(&locks, "ada", "main-2"), "9").unwrap();
        assert_eq!(known(&locks, "ada", &[5, 9]), Known::Ours(second.clone()));
        assert_eq!(known(&locks, "ada", &[9, 7]), Known::Ours(second), "the nearest client");
        assert_eq!(known(&locks, "ada", &[5]), Known::Taken(main.clone()));
        drop(first);
        assert_eq!(known(&locks, "ada", &[7]), Known::Free(main), "it ended");
        drop(kept);
    }
}
