//! The demonstration: a repository with a small program, and a board on which something of everything has happened.
//!
//! Invariant: a folder that holds anything else is never written to. Ours is told by its log, whose first event is by `system:demo`.

mod agents;
mod diff;
mod story;

pub use agents::Cast;

use crate::init;
use contracts::{Actor, Code, Hint, Problem};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Who makes a demonstration's board.
fn maker() -> Actor {
    Actor::system("demo")
}

/// Where a demonstration is made when nobody says where.
pub fn default_directory() -> PathBuf {
    std::env::temp_dir().join("callboard-demo")
}

/// The demonstration in this folder, made if it is not there. `fresh` makes one anew in its place.
///
/// # Errors
/// `bad_request` for a folder that holds something else; as git and the board refuse.
pub async fn prepare(directory: &Path, fresh: bool, zone: &str) -> Result<git::Place, Problem> {
    match kind_of(directory)? {
        Found::Ours if !fresh => return find(directory),
        Found::Ours => {
            fs::remove_dir_all(directory).map_err(|fault| unusable(&fault))?;
        }
        Found::Nothing => {}
        Found::Other => {
            return Err(Problem::bad_request("DIR", "the folder is not empty and holds no demonstration of ours")
                .hint(Hint::text("name another folder, or an empty one")));
        }
    }
    fs::create_dir_all(directory).map_err(|fault| unusable(&fault))?;
    let repository = git::Repository::init(directory).map_err(|fault| git_failed(&fault))?;
    let place = find(directory)?;
    init::files(&place)?;
    let place = git::Place { project: true, ..place };
    story::tell(place.clone(), &repository, zone).await?;
    Ok(place)
}

fn find(directory: &Path) -> Result<git::Place, Problem> {
    let place = git::Repository::find(directory, Some(Path::new("."))).map_err(|fault| git_failed(&fault))?;
    Ok(place)
}

/// What a folder holds.
enum Found {
    Nothing,
    Ours,
    Other,
}

fn kind_of(directory: &Path) -> Result<Found, Problem> {
    let mut entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(fault) => return Err(unusable(&fault)),
    };
    if entries.next().is_none() {
        return Ok(Found::Nothing);
    }
    Ok(if is_ours(&directory.join(git::PROJECT_DIRECTORY)) { Found::Ours } else { Found::Other })
}

/// Whether a log in this folder begins with an event by our own hand.
pub fn is_ours(project: &Path) -> bool {
    let Ok(files) = fs::read_dir(project.join("log")) else { return false };
    let first_line = |path: PathBuf| {
        let mut line = String::new();
        let read = fs::File::open(path).and_then(|file| BufReader::new(file).read_line(&mut line));
        read.ok().and_then(|_| serde_json::from_str::<serde_json::Value>(&line).ok())
    };
    files.flatten().filter_map(|file| first_line(file.path())).any(|event| event["kind"] == "project.created" && event["actor"] == maker().as_str())
}

fn unusable(fault: &std::io::Error) -> Problem {
    Problem::new(Code::BadRequest, format!("the demonstration's folder can't be used: {}", fault.kind()))
}

fn git_failed(fault: &git::GitError) -> Problem {
    Problem::new(Code::GitFailed, fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_folder_or_our_own_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("demo");
        assert!(matches!(kind_of(&path), Ok(Found::Nothing)));
        fs::create_dir_all(path.join(".callboard/log")).unwrap();
        assert!(matches!(kind_of(&path), Ok(Found::Other)));
        fs::write(path.join(".callboard/log/00000000.jsonl"), "{\"kind\":\"project.created\",\"actor\":\"dev:ada\"}\n").unwrap();
        assert!(matches!(kind_of(&path), Ok(Found::Other)));
        fs::write(path.join(".callboard/log/00000001.jsonl"), "{\"kind\":\"project.created\",\"actor\":\"system:demo\"}\n").unwrap();
        assert!(matches!(kind_of(&path), Ok(Found::Ours)));
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(kind_of(&folder.path().join("file")).is_err());
    }
}
