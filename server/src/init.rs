//! Making a repository's board, and connecting agent clients to it; safe to repeat, and each step says what it did.
//!
//! Invariant: nothing of anybody else's is changed. In a client's settings only our own entry is put in or taken out, and every other
//! byte stays.

mod client;
mod guide;
pub mod hooked;
mod json_text;
pub mod settings;
pub mod status;
pub mod trees;
mod undo;

pub use settings::installed as client_hooks_are_there;

use crate::boot::{self, BootOptions};
use contracts::command::CreateProject;
use contracts::view::BoardQuery;
use contracts::{Actor, Caller, Code, Command, CommandRequest, Problem, Surface, Title};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The allow-list: a database, lock, token or worktree can't be committed, not even by `git add -A`.
pub const GITIGNORE: &str = "/*\n!/.gitignore\n!/.gitattributes\n!/log/\n!/blobs/\n!/reports/\n!/workflows/\n!/config.toml\n";
/// No line ending is ever rewritten: a log's hashes are over its bytes.
pub const GITATTRIBUTES: &str = "* -text\n";

/// How `init` works.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// Who makes the board.
    pub actor: Actor,
    /// IANA time zone of a new board.
    pub zone: String,
    /// Whether to connect the agent client.
    pub client: bool,
    /// Whether to wire git's hooks, and whether a committed file may get a line for that.
    pub hooks: Option<git::hooks::Mode>,
}

/// What became of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// It was not there.
    Created,
    /// It was there as it should be.
    Already,
    /// It was there, and not as it should be.
    Repaired,
    /// Somebody made it otherwise on purpose.
    Kept,
    /// It is gone.
    Removed,
}

impl Did {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Did::Created => "created",
            Did::Already => "already",
            Did::Repaired => "repaired",
            Did::Kept => "kept",
            Did::Removed => "removed",
        }
    }
}

/// One thing, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The file or thing.
    pub what: String,
    /// What was done.
    pub did: Did,
    /// More, when there is more to say.
    pub note: String,
}

impl Step {
    fn new(what: impl Into<String>, did: Did) -> Step {
        Step { what: what.into(), did, note: String::new() }
    }

    fn note(mut self, note: impl Into<String>) -> Step {
        self.note = note.into();
        self
    }
}

/// Where the board is or would be: the repository's, or the working directory outside of one.
///
/// # Errors
/// When the directory can't be read.
pub fn place(project: Option<&Path>) -> Result<git::Place, Problem> {
    match boot::find_place(project) {
        Err(problem) if problem.code == Code::NotInitialized => {
            let here = std::env::current_dir().and_then(fs::canonicalize).map_err(|_| problem)?;
            Ok(git::Place { root: here, project: false, common_dir: None, worktree: None })
        }
        other => other,
    }
}

/// Makes what is missing and repairs what is broken.
///
/// # Errors
/// When a file can't be written, or as opening a board does.
pub async fn init(place: &git::Place, options: InitOptions) -> Result<Vec<Step>, Problem> {
    let mut steps = files(place)?;
    let directory = place.directory();
    let place = git::Place { project: true, ..place.clone() };
    steps.extend(project(&place, &options).await?);
    steps.extend(remember(&place)?);
    let repository = place.repository();
    let repository = repository.as_ref();
    let binary = settings::binary();
    if let (Some(mode), Some(repository), Some(binary)) = (options.hooks, repository, &binary) {
        steps.extend(hooked::connect(repository, &place.root, binary, mode)?);
    }
    steps.push(guide::write_guide(&directory)?);
    if options.client {
        steps.push(client::connect(&place.root, &directory)?);
        if let Some(binary) = &binary {
            steps.push(settings::connect(&place.root, &directory, repository, binary)?);
            steps.extend(repository.map(|repository| trees::connect(repository, binary)).transpose()?.flatten());
        }
        steps.extend(guide::offer_skills(&place.root, repository)?);
        steps.push(guide::connect_agents(&place.root, &directory)?);
    }
    Ok(steps)
}

/// Takes our hooks, and our entries in the client's settings, out again. The board stays.
///
/// # Errors
/// When the file can't be written.
pub fn remove(place: &git::Place) -> Result<Vec<Step>, Problem> {
    let (root, directory) = (&place.root, place.directory());
    let repository = place.repository();
    let repository = repository.as_ref();
    let mut steps = vec![client::disconnect(root, &directory)?, settings::disconnect(root, &directory, repository)?];
    steps.push(guide::withdraw_skills(root, repository));
    steps.push(guide::disconnect_agents(root, &directory)?);
    if let Some(repository) = repository {
        trees::disconnect(repository);
        steps.push(hooked::disconnect(repository, root)?);
    }
    if place.project {
        steps.push(Step::new(".callboard/", Did::Kept).note("the board is yours: delete the folder to be rid of it"));
    }
    Ok(steps)
}

/// The folder and its two dot files, without which nothing may be written into it.
///
/// # Errors
/// When one can't be written.
pub fn files(place: &git::Place) -> Result<Vec<Step>, Problem> {
    let directory = place.directory();
    storage::Place::new(&directory).within_limit()?;
    Ok(vec![folder(place)?, ours(&directory, ".gitignore", GITIGNORE)?, ours(&directory, ".gitattributes", GITATTRIBUTES)?])
}

fn folder(place: &git::Place) -> Result<Step, Problem> {
    let directory = place.directory();
    let found = fs::symlink_metadata(&directory);
    let did = match found {
        Ok(found) if found.is_dir() => match storage::link(&directory) {
            Ok(None) => Did::Already,
            Ok(Some(link)) => return Err(Problem::new(Code::BadRequest, format!(".callboard/{link} is a link: see where it leads, then delete it"))),
            Err(fault) => return Err(fault.problem()),
        },
        Ok(_) => return Err(Problem::new(Code::BadRequest, ".callboard is not a folder of its own; a board is never behind a link or a file")),
        Err(_) => {
            fs::create_dir(&directory).map_err(|fault| unwritable(".callboard", &fault))?;
            Did::Created
        }
    };
    Ok(Step::new(".callboard/", did))
}

/// A file of ours: exactly this text, and after it whatever somebody added.
fn ours(directory: &Path, name: &str, text: &str) -> Result<Step, Problem> {
    let path = directory.join(name);
    let what = format!(".callboard/{name}");
    let found = match fs::read_to_string(&path) {
        Ok(found) => Some(found),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => None,
        Err(fault) => return Err(unwritable(&what, &fault)),
    };
    let (did, wanted) = match found {
        None => (Did::Created, text.to_owned()),
        Some(found) if found == text => return Ok(Step::new(what, Did::Already)),
        Some(found) if found.starts_with(text) => return Ok(Step::new(what, Did::Kept).note("with lines of your own")),
        Some(found) => {
            let own = |line: &&str| !line.trim().is_empty() && !text.lines().any(|ours| ours == line.trim());
            let more: String = found.lines().filter(own).map(|line| format!("{line}\n")).collect();
            (Did::Repaired, format!("{text}{more}"))
        }
    };
    write(&path, &wanted).map_err(|fault| unwritable(&what, &fault))?;
    Ok(Step::new(what, did))
}

/// The first event of the log, unless it is there: then the log is adopted.
async fn project(place: &git::Place, options: &InitOptions) -> Result<Vec<Step>, Problem> {
    let boot = boot::open(place.clone(), BootOptions::default()).await?;
    let caller = Caller { actor: options.actor.clone(), principal: boot.identity.principal.clone(), surface: Surface::Cli, session: None, client: None };
    let board = boot.port.for_caller(caller);
    let mut steps: Vec<Step> = boot.repaired.iter().map(|sentence| Step::new("log", Did::Repaired).note(sentence.clone())).collect();
    let named = |name: &str, zone: &str| format!("project {name} ({zone})");
    let found = match board.snapshot(BoardQuery { limit: Some(1), ..BoardQuery::default() }, None).await {
        Ok(snapshot) => Some(snapshot).filter(|snapshot| !snapshot.project.name.is_empty()),
        Err(problem) if problem.code == Code::NotInitialized => None,
        Err(problem) => return Err(problem),
    };
    steps.push(match found {
        Some(snapshot) => Step::new(named(&snapshot.project.name, &snapshot.project.zone), Did::Already).note(format!("{} events in its log", snapshot.seq)),
        None => {
            let create = CreateProject { name: name(&place.root)?, zone: options.zone.clone() };
            let what = named(create.name.as_str(), &create.zone);
            board.execute(CommandRequest::of(Command::CreateProject(create))).await?;
            Step::new(what, Did::Created)
        }
    });
    Ok(steps)
}

/// The folder's name, as far as it is a title.
fn name(root: &Path) -> Result<Title, Problem> {
    let folder = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain: String = folder.chars().filter(|character| !character.is_control()).take(100).collect();
    Title::parse(&plain).or_else(|_| Title::parse("project")).map_err(|fault| Problem::bad_request("name", fault))
}

/// Where git's own rules would not lead here (a bare repository, a named directory), the repository is told.
fn remember(place: &git::Place) -> Result<Option<Step>, Problem> {
    let Some(repository) = place.repository() else { return Ok(None) };
    let leads_here = git::Repository::find(repository.directory(), None).is_ok_and(|found| found.root == place.root);
    if leads_here {
        return Ok(None);
    }
    repository.remember_root(&place.root).map_err(|fault| Problem::new(Code::GitFailed, fault.to_string()))?;
    Ok(Some(Step::new("callboard.root in the repository's configuration", Did::Created)))
}

/// Writes a file whole or not at all. A link is followed, and who may read the file stays as it was.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = followed(path)?;
    let fresh = path.with_extension(format!("callboard-{}", std::process::id()));
    let written = fs::write(&fresh, text).and_then(|()| match fs::metadata(&path) {
        Ok(found) => fs::set_permissions(&fresh, found.permissions()),
        Err(_) => Ok(()),
    });
    let placed = written.and_then(|()| fs::rename(&fresh, &path));
    if placed.is_err() {
        let _ = fs::remove_file(&fresh); // the first fault is the one to tell
    }
    placed
}

/// Where a file really is. A link within the project is followed, one that leads out of it is not: a repository can bring one, and would
/// choose which of the person's files is written over.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let Some(home) = path.ancestors().skip(1).find(|folder| folder.join(".git").exists()) else {
        return Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
    };
    let home = fs::canonicalize(home)?;
    let there = path.ancestors().find_map(|part| Some((part, fs::canonicalize(part).ok()?)));
    let Some((part, real)) = there else { return Ok(path.to_owned()) };
    if !real.starts_with(&home) {
        return Err(io::Error::other("a link leads out of the project; see where to, then delete it"));
    }
    let rest = path.strip_prefix(part).unwrap_or(Path::new(""));
    Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
}

fn unwritable(what: &str, fault: &io::Error) -> Problem {
    let why = if fault.kind() == io::ErrorKind::Other { fault.to_string() } else { fault.kind().to_string() };
    Problem::new(Code::Busy, format!("{what} can't be written: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_files_are_made_kept_and_mended() {
        let directory = tempfile::tempdir().unwrap();
        let did = || ours(directory.path(), ".gitignore", GITIGNORE).unwrap().did;
        let path = directory.path().join(".gitignore");
        assert_eq!((did(), did()), (Did::Created, Did::Already));
        std::fs::write(&path, format!("{GITIGNORE}!/notes/\n")).unwrap();
        assert_eq!(did(), Did::Kept);
        std::fs::write(&path, "/*\n!/notes/\n!/log/\n").unwrap();
        assert_eq!(did(), Did::Repaired);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{GITIGNORE}!/notes/\n"));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
