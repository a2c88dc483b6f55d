//! Worktrees of tasks: where one is, how it is made, what is left in it, and whether it may go.
//!
//! Invariants: everything here blocks on git and knows nothing of the board but what it is told; nothing here switches a branch, and
//! nothing that is not committed and merged is ever removed.

use crate::evidence;
use crate::init;
use contracts::fleet::Leftovers;
use contracts::{Call, Code, Hint, Problem, TaskId, limits};
use git::{Added, GitError, Repository, Worktree};
use std::path::{Path, PathBuf};

/// The worktree a task is to have.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// For which task.
    pub task: TaskId,
    /// On which branch.
    pub branch: String,
    /// What that is cut from when it is new.
    pub base: Option<String>,
}

/// Where the worktrees of a project's tasks are.
#[derive(Clone, Debug)]
pub struct Trees {
    /// The repository, seen from the project's root.
    pub repository: std::sync::Arc<Repository>,
    /// The project's root.
    pub root: PathBuf,
    /// The folder for new ones, from the root unless it is absolute.
    pub folder: String,
}

impl Trees {
    /// Where a task's worktree is made.
    pub fn place(&self, task: &TaskId) -> PathBuf {
        self.root.join(&self.folder).join(task.as_str())
    }

    /// Makes sure that a task has its worktree, with the client's hooks in it where the project has them.
    ///
    /// # Errors
    /// `git_failed` in git's own words; then nothing was touched.
    pub fn make(&self, wanted: &Wanted) -> Result<(PathBuf, Added), Problem> {
        let refused = |fault: &GitError| failed(&wanted.task, fault);
        let linked = |tree: &Worktree| tree.branch.as_deref() == Some(&wanted.branch) && !tree.prunable && tree.path.is_dir();
        // Wherever it is: a branch has one directory, and a second one could not be made.
        let there = self.linked().map_err(|fault| refused(&fault))?.into_iter().find(linked);
        let (path, added) = match there {
            Some(tree) => (tree.path, Added::Reused),
            None => {
                let path = self.place(&wanted.task);
                self.hide().map_err(|fault| refused(&fault))?;
                let base = wanted.base.as_deref().unwrap_or("HEAD");
                let added = self.repository.worktree_add(&path, &wanted.branch, base).map_err(|fault| refused(&fault))?;
                (path, added)
            }
        };
        if init::client_hooks_are_there(&self.root)
            && let Some(binary) = init::settings::binary()
            && let Err(problem) = init::trees::connect_one(&path, &binary)
        {
            tracing::warn!(code = %problem.code, task = %wanted.task, "the client's hooks are not in the worktree");
        }
        Ok((path, added))
    }

    /// A folder for worktrees that somebody chose inside the repository would be committed with it.
    fn hide(&self) -> Result<(), GitError> {
        let folder = Path::new(&self.folder);
        let ours = folder.starts_with(git::PROJECT_DIRECTORY);
        let inside = folder.is_relative() && !folder.components().any(|part| part == std::path::Component::ParentDir);
        if inside && !ours { self.repository.exclude(&format!("/{}/", self.folder.trim_matches('/'))) } else { Ok(()) }
    }

    /// Every worktree but the main one.
    fn linked(&self) -> Result<Vec<Worktree>, GitError> {
        Ok(self.repository.worktrees()?.into_iter().skip(1).collect())
    }

    /// The linked worktrees that are for a task, by their branch or else their folder.
    ///
    /// # Errors
    /// `git_failed` when git does not list them.
    pub fn of_tasks(&self) -> Result<Vec<(TaskId, Worktree)>, Problem> {
        let named = |tree: Worktree| {
            let folder = tree.path.file_name().and_then(|name| name.to_str());
            let task = tree.branch.as_deref().and_then(evidence::task_in).or_else(|| folder.and_then(evidence::task_in))?;
            Some((task, tree))
        };
        let linked = self.linked().map_err(|fault| Problem::new(Code::GitFailed, fault.to_string()))?;
        Ok(linked.into_iter().filter_map(named).collect())
    }

    /// What is left in a task's worktree; none when it has none.
    pub fn leftovers(&self, trees: &[(TaskId, Worktree)], task: &TaskId) -> Option<Leftovers> {
        let (_, tree) = trees.iter().find(|(of, tree)| of == task && !tree.prunable)?;
        let here = seen_from(&tree.path)?;
        let mut left = Leftovers {
            task: task.clone(),
            worktree: self.shown(&tree.path),
            uncommitted: Vec::new(),
            untracked: Vec::new(),
            more: 0,
            unpushed: tree.branch.as_deref().and_then(|branch| here.unpushed_of(branch).ok().flatten()).map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        };
        for file in here.uncommitted().ok()? {
            if left.uncommitted.len() + left.untracked.len() == limits::LEFTOVERS_MAX {
                left.more += 1;
            } else if file.untracked {
                left.untracked.push(file.path);
            } else {
                left.uncommitted.push(file.path);
            }
        }
        Some(left)
    }

    /// A path as it is told: from the root when it is below it.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Why a worktree must stay although its task is closed; none when nothing would be lost with it.
    pub fn stays(&self, tree: &Worktree, base: Option<&str>) -> Option<String> {
        if tree.locked {
            return Some("it is locked".to_owned());
        }
        let Some(branch) = &tree.branch else { return Some("it is on no branch".to_owned()) };
        if !tree.prunable {
            let Some(here) = seen_from(&tree.path) else { return Some("git can't read it".to_owned()) };
            match here.is_clean() {
                Ok(true) => {}
                Ok(false) => return Some(uncommitted(&here)),
                Err(fault) => return Some(fault.to_string()),
            }
        }
        self.unmerged(branch, base)
    }

    /// Why a branch must stay.
    fn unmerged(&self, branch: &str, base: Option<&str>) -> Option<String> {
        let Some(base) = base else { return Some("nobody knows what its branch is to be merged into".to_owned()) };
        // What the remote's branch lacks may be in the one of the same name here.
        let local = base.split_once('/').map(|(_, local)| local);
        let mut fault = None;
        for into in [Some(base), local].into_iter().flatten() {
            match self.repository.tip(into) {
                Ok(Some(_)) => match self.repository.merged_into(into, branch) {
                    Ok(true) => return None,
                    Ok(false) => {}
                    Err(error) => fault = Some(error.to_string()),
                },
                Ok(None) => {}
                Err(error) => fault = Some(error.to_string()),
            }
        }
        Some(fault.unwrap_or_else(|| format!("{branch} has commits that are not in {base}")))
    }

    /// Removes a worktree, and its branch when that is wanted. Git refuses what would lose a file.
    ///
    /// # Errors
    /// In git's words.
    pub fn remove(&self, tree: &Worktree, with_branch: bool) -> Result<(), GitError> {
        let branch = tree.branch.as_deref().filter(|_| with_branch);
        let tip = match branch {
            Some(branch) => self.repository.tip(&format!("refs/heads/{branch}"))?,
            None => None,
        };
        self.repository.worktree_remove(&tree.path)?;
        match (branch, tip) {
            (Some(branch), Some(tip)) => self.repository.delete_branch(branch, &tip),
            _ => Ok(()),
        }
    }
}

/// The repository as a worktree sees it.
fn seen_from(path: &Path) -> Option<Repository> {
    Repository::find(path, None).ok()?.here()
}

fn uncommitted(here: &Repository) -> String {
    match here.uncommitted() {
        Ok(files) if files.is_empty() => "something is in progress in it".to_owned(),
        Ok(files) => {
            let shown: Vec<&str> = files.iter().take(3).map(|file| file.path.as_str()).collect();
            let more = files.len().saturating_sub(shown.len());
            let more = if more > 0 { format!(", +{more}") } else { String::new() };
            format!("not committed: {}{more}", shown.join(", "))
        }
        Err(fault) => fault.to_string(),
    }
}

fn failed(task: &TaskId, fault: &GitError) -> Problem {
    Problem::new(Code::GitFailed, format!("{task} got no worktree: {fault}"))
        .hint(Hint { text: "see what is in the way (git worktree list), then".to_owned(), calls: vec![Call::new("worktree_add").with("task", task.as_str())] })
}
