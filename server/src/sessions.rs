//! A name of a session's own: the first of `agent:<dev>/main`, `main-2`, `main-3` … that no living process holds.
//!
//! The lock ends with the process, so a session that is started again has its name, and its task, back.

use contracts::Actor;
use std::fs::File;
use std::path::Path;

/// Names tried before giving up on having one alone.
const NAMES_MAX: u32 = 200;

/// A session's actor, and the lock that makes it this session's alone for as long as it is kept.
pub fn name(directory: Option<&Path>, dev: &str) -> (Actor, Option<File>) {
    let names = (1..=NAMES_MAX).map(|number| if number == 1 { "main".to_owned() } else { format!("main-{number}") });
    let Some(locks) = directory.map(|directory| directory.join("run/actor")) else { return (Actor::agent_named(dev, "main"), None) };
    if std::fs::create_dir_all(&locks).is_ok() {
        for name in names {
            let actor = Actor::agent_named(dev, &name);
            // The whole label would hold a slash and a colon; the dev is part of the name, for two people on one machine.
            let path = locks.join(format!("{dev}.{name}.lock"));
            let Ok(file) = File::options().create(true).truncate(false).write(true).open(path) else { continue };
            if file.try_lock().is_ok() {
                return (actor, Some(file));
            }
        }
    }
    (Actor::agent_named(dev, "main"), None)
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
}
