//! Worktrees: one directory a branch.
//!
//! Invariants: nothing here switches a branch or removes a file that is not committed; processes of ours take turns, because git does not:
//! whoever lists worktrees while another one is being made fails over the half of it that is there.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::Git;
use crate::history::lines;
use crate::{GitError, Repository, checked};

/// How long git may take to write or remove a worktree's files.
const FILES_SECONDS_MAX: u64 = 180;

/// How long a turn is waited for; then git is asked all the same, and may say no.
const TURN: Duration = Duration::from_secs(30);

/// A worktree of the repository, as git lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// Absolute.
    pub path: PathBuf,
    /// The commit it is at; none in a bare repository, and before the first commit.
    pub head: Option<String>,
    /// Without `refs/heads/`; none when HEAD is detached.
    pub branch: Option<String>,
    /// The bare repository itself.
    pub bare: bool,
    /// Git keeps it even when its directory is away.
    pub locked: bool,
    /// Its directory is gone.
    pub prunable: bool,
}

/// How [`Repository::worktree_add`] got what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It was there.
    Reused,
    /// The branch was there, here or at one remote, and got a directory.
    Attached,
    /// Both are new.
    Created,
}

/// A file that would be lost with its worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncommitted {
    /// From the top of the worktree, with a `/` at its end when a whole folder is meant.
    pub path: String,
    /// Whether git does not know it at all.
    pub untracked: bool,
}

impl Repository {
    /// All worktrees, the main one first.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let _turn = self.turn(File::try_lock_shared);
        self.list()
    }

    /// A turn among those who list, make and remove worktrees; it ends with the file. None when there is no getting one.
    fn turn(&self, take: impl Fn(&File) -> Result<(), fs::TryLockError>) -> Option<File> {
        // The folder itself: it is there, stays what it is, and nothing has to be left in it.
        let lock = File::open(self.common_dir()).ok()?;
        let began = Instant::now();
        while take(&lock).is_err() {
            if began.elapsed() > TURN {
                return None;
            }
            thread::sleep(Duration::from_millis(10));
        }
        Some(lock)
    }

    fn list(&self) -> Result<Vec<Worktree>, GitError> {
        Ok(listed(&Git::new(self.directory(), &["worktree", "list", "--porcelain", "-z"]).run()?))
    }

    /// Makes sure that `path` is a worktree on `branch`: reuses the one that is there, else attaches the branch if it exists, here or
    /// at exactly one remote, else cuts it from `base`.
    ///
    /// # Errors
    /// A directory on another branch, one that holds something else, and a branch that another worktree is on are refused; nothing
    /// is touched.
    pub fn worktree_add(&self, path: &Path, branch: &str, base: &str) -> Result<Added, GitError> {
        let _turn = self.turn(File::try_lock);
        let refuse = |why: String| Err(GitError::failed("git worktree add", why));
        let (branch, base) = (checked(branch)?, checked(base)?);
        let path = self.directory().join(path);
        for known in self.list()? {
            let here = same_place(&known.path, &path);
            let right = known.branch.as_deref() == Some(branch);
            match (here, right) {
                (true, true) if path.join(".git").exists() => return Ok(Added::Reused),
                (true, _) if known.prunable && !known.locked => self.remove(&known.path)?,
                (true, true) => return refuse(format!("the worktree of {branch} is away and locked")),
                (true, false) => return refuse(format!("the directory is on {}", known.branch.as_deref().unwrap_or("no branch"))),
                (false, true) if known.prunable && !known.locked => self.remove(&known.path)?,
                (false, true) => return refuse(format!("{branch} is checked out in another worktree")),
                (false, false) => {}
            }
        }
        if fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some()) || path.is_file() {
            return refuse(String::from("there is something else at the place of the worktree"));
        }
        let add = |args: &[&str], rest: &[&str]| {
            let git = Git::new(self.directory(), &["worktree", "add", "--quiet"]);
            let git = args.iter().fold(git, |git, arg| git.arg(*arg)).arg(&path);
            rest.iter().fold(git, |git, arg| git.arg(*arg)).limit(Duration::from_secs(FILES_SECONDS_MAX)).run()
        };
        if self.tip(&format!("refs/heads/{branch}"))?.is_some() {
            add(&[], &[branch])?;
            return Ok(Added::Attached);
        }
        if let Some(remote) = self.the_one_remote_branch(branch)? {
            add(&["--track", "-b", branch], &[&remote])?;
            return Ok(Added::Attached);
        }
        // It must not follow what it was cut from: then nothing of it would count as unpushed, and a push would go there.
        add(&["--no-track", "-b", branch], &[base])?;
        Ok(Added::Created)
    }

    /// `remote/branch`, if exactly one remote has it.
    fn the_one_remote_branch(&self, branch: &str) -> Result<Option<String>, GitError> {
        let remotes = lines(Git::new(self.directory(), &["remote"]))?;
        let mut found = Vec::new();
        for remote in remotes {
            let name = format!("{remote}/{branch}");
            if self.tip(&format!("refs/remotes/{name}"))?.is_some() {
                found.push(name);
            }
        }
        Ok(found.pop().filter(|_| found.is_empty()))
    }

    /// Removes a worktree's directory and git's note of it. Git refuses while anything in it is not committed.
    pub fn worktree_remove(&self, path: &Path) -> Result<(), GitError> {
        let _turn = self.turn(File::try_lock);
        self.remove(path)
    }

    fn remove(&self, path: &Path) -> Result<(), GitError> {
        let git = Git::new(self.directory(), &["worktree", "remove"]).arg("--").arg(path);
        git.limit(Duration::from_secs(FILES_SECONDS_MAX)).run().map(drop)
    }

    /// Deletes a branch that is still at `tip`, merged or not: the caller has looked. Git refuses one that a worktree is on.
    pub fn delete_branch(&self, branch: &str, tip: &str) -> Result<(), GitError> {
        if self.tip(&format!("refs/heads/{branch}"))?.as_deref() != Some(tip) {
            return Err(GitError::failed("git branch --delete", format!("{branch} has moved")));
        }
        Git::new(self.directory(), &["branch", "--quiet", "--delete", "--force", "--", branch]).run().map(drop)
    }

    /// Whether nothing would be lost with this worktree's directory: no changed, staged or unknown file, and nothing in progress.
    /// Ignored files do not count.
    pub fn is_clean(&self) -> Result<bool, GitError> {
        Ok(self.in_progress().is_none() && self.uncommitted()?.is_empty())
    }

    /// What is changed, staged or unknown in this worktree, in git's order.
    pub fn uncommitted(&self) -> Result<Vec<Uncommitted>, GitError> {
        self.status("--untracked-files=normal", &[])
    }

    /// The same below some paths alone, each untracked file by itself.
    pub fn uncommitted_below(&self, paths: &[&Path]) -> Result<Vec<Uncommitted>, GitError> {
        self.status("--untracked-files=all", paths)
    }

    fn status(&self, untracked: &str, paths: &[&Path]) -> Result<Vec<Uncommitted>, GitError> {
        let out = Git::new(self.directory(), &["--literal-pathspecs", "status", "--porcelain=v1", "-z", untracked]).paths(paths).run()?;
        let text = String::from_utf8_lossy(&out);
        let mut records = text.split('\0');
        let mut files = Vec::new();
        while let Some((state, path)) = records.next().and_then(|record| record.split_at_checked(3)) {
            if state.contains(['R', 'C']) {
                records.next(); // what it was called before
            }
            files.push(Uncommitted { path: path.to_owned(), untracked: state.starts_with('?') });
        }
        Ok(files)
    }
}

fn same_place(one: &Path, other: &Path) -> bool {
    one == other || matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Reads `worktree list --porcelain -z`: lines that end in NUL, an empty one behind each worktree.
fn listed(out: &[u8]) -> Vec<Worktree> {
    let mut worktrees: Vec<Worktree> = Vec::new();
    for line in out.split(|byte| *byte == 0) {
        if let Some(path) = line.strip_prefix(b"worktree ") {
            let path = crate::path_of(path);
            worktrees.push(Worktree { path, head: None, branch: None, bare: false, locked: false, prunable: false });
        }
        let Some(worktree) = worktrees.last_mut() else { continue };
        let line = String::from_utf8_lossy(line);
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("HEAD", sha) if !sha.chars().all(|c| c == '0') => worktree.head = Some(sha.to_owned()),
            ("branch", name) => worktree.branch = Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
            ("bare", _) => worktree.bare = true,
            ("locked", _) => worktree.locked = true,
            ("prunable", _) => worktree.prunable = true,
            _ => {}
        }
    }
    worktrees
}
