//! Where a project lives, found by reading files: never by starting git.
//!
//! One project a repository. First hit: the root named by the caller (`CALLBOARD_ROOT`, `--project`) · `callboard.root` in the
//! configuration of the common git directory · `.callboard/` of the main worktree · a superproject's, for a submodule · outside git,
//! the nearest ancestor with `.callboard/`.
//!
//! Invariant: a `.callboard/` that was merely checked out in a linked worktree is never opened.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::repository::Repository;
use crate::{GitError, config};

/// The folder that makes a directory a project.
pub const PROJECT_DIRECTORY: &str = ".callboard";

/// A project's place, or the place where one would be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The directory that holds `.callboard/`, or would after `init`. Absolute, links resolved.
    pub root: PathBuf,
    /// Whether `.callboard/` is there. A link of that name does not count: a project is never somewhere else than it says.
    pub project: bool,
    /// The git directory shared by all worktrees; none outside git.
    pub common_dir: Option<PathBuf>,
    /// The worktree the caller stands in, which may be a linked one; none outside git, in a bare repository, or when the caller
    /// named a root in another repository.
    pub worktree: Option<PathBuf>,
}

impl Place {
    /// The project's own folder.
    pub fn directory(&self) -> PathBuf {
        self.root.join(PROJECT_DIRECTORY)
    }

    /// The repository the project lives in, seen from its root; none outside git.
    pub fn repository(&self) -> Option<Repository> {
        let found = discover(&self.root).ok().flatten().or_else(|| {
            // A bare main repository whose `callboard.root` points outside of any worktree.
            let common = self.common_dir.clone()?;
            Some(Found { git_dir: common.clone(), common_dir: common, worktree: None })
        })?;
        Some(Repository::new(found))
    }

    /// The repository seen from where the caller stands: same history, but this worktree's branch, index and files.
    pub fn here(&self) -> Option<Repository> {
        match &self.worktree {
            Some(worktree) => discover(worktree).ok().flatten().map(Repository::new),
            None => self.repository(),
        }
    }
}

/// A git directory and what belongs to it, as files tell.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// This worktree's own git directory: HEAD and index are here.
    pub git_dir: PathBuf,
    /// What all worktrees share: configuration, refs, objects.
    pub common_dir: PathBuf,
    /// The worktree walked up from; none inside a git directory.
    pub worktree: Option<PathBuf>,
}

/// The lookup of `Repository::find`.
pub(crate) fn find(from: &Path, named: Option<&Path>) -> Result<Place, GitError> {
    let from = fs::canonicalize(from).map_err(|error| GitError::failed("find", error))?;
    if let Some(named) = named {
        return Ok(named_place(&from, named));
    }
    let Some(found) = discover(&from)? else {
        let root = from.ancestors().find(|dir| holds_project(dir)).ok_or(GitError::NotARepository)?;
        return Ok(Place { root: root.to_owned(), project: true, common_dir: None, worktree: None });
    };
    let worktree = found.worktree.clone();
    let (root, home) = superproject_walk(found);
    Ok(Place { project: holds_project(&root), root, common_dir: Some(home.common_dir), worktree })
}

/// The caller said where: a project around that folder counts as it does for who stands in it, no other place is considered.
fn named_place(from: &Path, named: &Path) -> Place {
    let named = from.join(named);
    let named = fs::canonicalize(&named).unwrap_or(named);
    let around = || find(&named, None).ok().filter(|place| place.project).map(|place| place.root);
    let root = if holds_project(&named) { named } else { around().unwrap_or(named) };
    let home = discover(&root).ok().flatten();
    let here = discover(from).ok().flatten();
    let worktree = match (&home, &here) {
        (Some(home), Some(here)) if home.common_dir == here.common_dir => here.worktree.clone(),
        (None, Some(here)) if configured_root(here).as_ref() == Some(&root) => here.worktree.clone(),
        _ => None,
    };
    let common_dir = home.or(here.filter(|_| worktree.is_some())).map(|found| found.common_dir);
    Place { project: holds_project(&root), root, common_dir, worktree }
}

/// The root for a repository: its own, or its superproject's while it is a submodule without a project. The walk is as deep as
/// submodules are nested; with no project on the way, the innermost repository is the answer.
fn superproject_walk(found: Found) -> (PathBuf, Found) {
    let own = own_root(&found);
    let (mut root, mut home) = (own.clone(), found.clone());
    while !holds_project(&root) {
        let Some(outer) = superproject(&home) else { return (own, found) };
        root = own_root(&outer);
        home = outer;
    }
    (root, home)
}

/// The repository whose git directory holds this one's, which is how git keeps its submodules.
fn superproject(inner: &Found) -> Option<Found> {
    let outside = main_worktree(inner)?.parent()?.to_owned();
    let outer = discover(&outside).ok().flatten()?;
    let held = inner.common_dir != outer.common_dir && inner.common_dir.starts_with(&outer.common_dir);
    held.then_some(outer)
}

/// The repositories whose git directories `outer`'s holds: submodules of its main worktree, of linked ones, and theirs. Files alone say so,
/// and only that of a repository with submodules is more than one look.
pub(crate) fn submodules(outer: &Found) -> Vec<Found> {
    let mut folders = vec![outer.common_dir.join("modules")];
    folders.extend(below(&outer.common_dir.join("worktrees")).into_iter().map(|tree| tree.join("modules")));
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for dir in below(&folder) {
            if !is_git_dir(&dir) {
                folders.push(dir); // a name with a `/` in it
                continue;
            }
            folders.push(dir.join("modules"));
            let Ok(mut inner) = self::found(dir, None) else { continue };
            // One that is not checked out now still has its commits.
            inner.worktree = main_worktree(&inner).filter(|worktree| is_of(worktree, &inner));
            found.push(inner);
        }
    }
    found.sort_by(|one, other| one.git_dir.cmp(&other.git_dir));
    found
}

/// Whether a directory is a worktree of this repository.
fn is_of(worktree: &Path, repository: &Found) -> bool {
    let target = git_file_target(worktree, &worktree.join(".git")).and_then(|target| fs::canonicalize(target).ok());
    target.is_some_and(|target| target == repository.git_dir)
}

/// The folders directly in one.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

/// Where this repository's project is or would be, without looking at a superproject.
fn own_root(found: &Found) -> PathBuf {
    if let Some(root) = configured_root(found).filter(|root| holds_project(root)) {
        return root;
    }
    // A bare main repository has no worktree of its own: `init` would use the linked one it is called in, and note it down.
    main_worktree(found).or_else(|| found.worktree.clone()).unwrap_or_else(|| found.common_dir.clone())
}

/// `callboard.root`; a relative one counts from the common git directory, so that it survives a move or a copy of the repository.
fn configured_root(found: &Found) -> Option<PathBuf> {
    let root = local_value(&found.common_dir, "callboard", "root").filter(|root| !root.is_empty())?;
    let root = found.common_dir.join(root);
    Some(fs::canonicalize(&root).unwrap_or(root))
}

fn local_value(common_dir: &Path, section: &str, key: &str) -> Option<String> {
    // `config.worktree` is the main worktree's own half, where git moves `core.bare` and `core.worktree`.
    ["config.worktree", "config"].iter().find_map(|name| {
        let text = fs::read(common_dir.join(name)).ok()?;
        config::value(&String::from_utf8_lossy(&text), section, key)
    })
}

/// The main worktree by git's own rules; none for a bare repository.
fn main_worktree(found: &Found) -> Option<PathBuf> {
    let common = &found.common_dir;
    if local_value(common, "core", "bare").is_some_and(|bare| truthy(&bare)) {
        return None;
    }
    if let Some(worktree) = local_value(common, "core", "worktree") {
        return fs::canonicalize(common.join(worktree)).ok();
    }
    if common.file_name().is_some_and(|name| name == ".git") {
        return common.parent().map(Path::to_owned);
    }
    // `--separate-git-dir`: only the `.git` file in the worktree knows the other.
    if found.git_dir == *common { found.worktree.clone() } else { None }
}

fn truthy(value: &str) -> bool {
    ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Walks up to the first repository, as git does: a `.git` directory, a `.git` file, or a git directory itself. A `.git` that leads
/// nowhere is an error, not a reason to walk on into a repository the caller did not mean.
pub(crate) fn discover(from: &Path) -> Result<Option<Found>, GitError> {
    for dir in from.ancestors() {
        let dot_git = dir.join(".git");
        let Ok(metadata) = fs::metadata(&dot_git) else {
            if is_git_dir(dir) {
                return found(dir.to_owned(), None).map(Some);
            }
            continue;
        };
        if metadata.is_dir() {
            if is_git_dir(&dot_git) {
                return found(dot_git, Some(dir.to_owned())).map(Some);
            }
            continue; // an empty `.git` directory: git walks on as well
        }
        let target = git_file_target(dir, &dot_git).filter(|target| is_git_dir(target)).ok_or(GitError::NotARepository)?;
        return found(target, Some(dir.to_owned())).map(Some);
    }
    Ok(None)
}

fn found(git_dir: PathBuf, worktree: Option<PathBuf>) -> Result<Found, GitError> {
    let git_dir = fs::canonicalize(&git_dir).map_err(|error| GitError::failed("find", error))?;
    let common_dir = match fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => {
            let common = git_dir.join(text.trim_end_matches(['\n', '\r']));
            fs::canonicalize(&common).map_err(|error| GitError::failed("find", error))?
        }
        Err(_) => git_dir.clone(),
    };
    Ok(Found { git_dir, common_dir, worktree })
}

/// Where a `.git` file points: `gitdir: <path>`, relative to the directory it is in.
fn git_file_target(dir: &Path, dot_git: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(dot_git).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim_start_matches(' ').trim_end_matches(['\n', '\r']);
    Some(dir.join(target))
}

fn is_git_dir(dir: &Path) -> bool {
    // HEAD may be a link that points nowhere yet, so its target is not asked for.
    fs::symlink_metadata(dir.join("HEAD")).is_ok() && (dir.join("commondir").is_file() || (dir.join("objects").is_dir() && dir.join("refs").is_dir()))
}

fn holds_project(root: &Path) -> bool {
    fs::symlink_metadata(root.join(PROJECT_DIRECTORY)).is_ok_and(|metadata| metadata.is_dir())
}

/// `root` as seen from `base`, when neither needs a link to be followed: what is written into `callboard.root`.
pub(crate) fn relative_to(root: &Path, base: &Path) -> PathBuf {
    let mut from = base.components().peekable();
    let mut to = root.components().peekable();
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let mut path: PathBuf = from.map(|_| Component::ParentDir).collect();
    path.extend(to);
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}
