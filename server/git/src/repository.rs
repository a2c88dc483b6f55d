//! A repository, and the few things asked of git about it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use crate::command::Git;
use crate::place::{self, Found, Place};
use crate::{GitError, config as files};

/// How long a person may take to sign a commit.
const SIGNING_SECONDS_MAX: u64 = 120;

/// A repository seen from one of its worktrees: every git here runs in that directory.
#[derive(Debug)]
pub struct Repository {
    directory: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    bare: bool,
    index_seen: Mutex<Option<Option<IndexStamp>>>,
}

/// What one `stat` of git's index tells. Git replaces the file on every change, so two equal stamps mean that nothing was staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexStamp {
    modified_ns: u128,
    size: u64,
    inode: u64,
}

impl std::fmt::Display for IndexStamp {
    /// A text to remember it by; only ever compared.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}-{}", self.modified_ns, self.size, self.inode)
    }
}

impl Repository {
    /// Finds the project for a caller who stands in `from`, without starting git. `named` is what `CALLBOARD_ROOT` or `--project`
    /// said: then nothing else is considered. The answer may be a place without a project yet (`Place::project`).
    ///
    /// # Errors
    /// [`GitError::NotARepository`] when `from` is neither in a repository nor below a `.callboard/`.
    pub fn find(from: &Path, named: Option<&Path>) -> Result<Place, GitError> {
        place::find(from, named)
    }

    /// Makes a repository with the branch `main`, and without the hooks a person's template would bring.
    pub fn init(directory: &Path) -> Result<Repository, GitError> {
        Git::new(directory, &["init", "--quiet", "--template=", "--initial-branch=main"]).run()?;
        let directory = fs::canonicalize(directory).map_err(|error| GitError::failed("git init", error))?;
        place::discover(&directory)?.map(Repository::new).ok_or(GitError::NotARepository)
    }

    pub(crate) fn new(found: Found) -> Repository {
        let bare = found.worktree.is_none();
        Repository {
            directory: found.worktree.unwrap_or_else(|| found.git_dir.clone()),
            git_dir: found.git_dir,
            common_dir: found.common_dir,
            bare,
            index_seen: Mutex::new(None),
        }
    }

    /// Every submodule that was ever checked out here, in the main worktree or a linked one, at any depth; without starting git.
    pub fn submodules(&self) -> Vec<Repository> {
        let found = Found { git_dir: self.git_dir.clone(), common_dir: self.common_dir.clone(), worktree: None };
        place::submodules(&found).into_iter().map(Repository::new).collect()
    }

    /// The worktree's top, or the git directory where there is none: where every git here runs.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// This worktree's own git directory.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git directory all worktrees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// `user.email` as git would use it here; none when it is not set. Every command asks for it, so git is started only when plain files
    /// don't settle it.
    pub fn user_email(&self) -> Result<Option<String>, GitError> {
        match self.settled("user", "email") {
            Some(email) => Ok(Some(email).filter(|email| !email.is_empty())),
            None => self.config("user.email"),
        }
    }

    /// A value that the repository's own configuration or the person's settles without git.
    fn settled(&self, section: &str, key: &str) -> Option<String> {
        let [strong, weak] = files::of_person()?;
        let own = self.common_dir.join("config");
        // A worktree's own half is git's business, and so is a repository of somebody else's, which git does not trust.
        let ours = owner(&own)? == owner(strong.parent()?)?;
        if !ours || self.git_dir.join("config.worktree").exists() {
            return None;
        }
        files::settled(&[own, strong, weak], section, key)
    }

    /// `user.name` as git would use it here; none when it is not set.
    pub fn user_name(&self) -> Result<Option<String>, GitError> {
        self.config("user.name")
    }

    /// A value of git's configuration, from any of its files; none when it is not set or empty.
    pub fn config(&self, key: &str) -> Result<Option<String>, GitError> {
        self::config(&self.directory, key)
    }

    /// A value of the repository's own configuration alone.
    pub fn local_config(&self, key: &str) -> Result<Option<String>, GitError> {
        ask(&self.directory, &["config", "--local", "--get", key])
    }

    /// Writes a value into the repository's own configuration, which its worktrees share and clones never see.
    pub fn set_config(&self, key: &str, value: &str) -> Result<(), GitError> {
        Git::new(&self.directory, &["config", "--local", key, value]).run().map(drop)
    }

    /// Takes every value of a key out of the repository's own configuration; the section goes with its last key.
    pub fn unset_config(&self, key: &str) -> Result<(), GitError> {
        let output = Git::new(&self.directory, &["config", "--local", "--unset-all", key]).output()?;
        match output.code {
            Some(0 | 5) => Ok(()), // 5: it was not there
            _ => Err(GitError::failed("git config --unset-all", output.stderr)),
        }
    }

    /// Whether this is a repository without files of its own.
    pub fn is_bare(&self) -> bool {
        self.bare
    }

    /// Notes down where the project is (`callboard.root`), relative to the common git directory, so that a repository that was
    /// moved or copied finds its own project and not the one it came from.
    pub fn remember_root(&self, root: &Path) -> Result<(), GitError> {
        let root = fs::canonicalize(root).map_err(|error| GitError::failed("find", error))?;
        let path = place::relative_to(&root, &self.common_dir);
        let path = path.to_str().ok_or_else(|| GitError::failed("git config callboard.root", "the path is not UTF-8"))?;
        self.set_config("callboard.root", path)
    }

    /// The stamp of this worktree's index; none while nothing was ever staged.
    pub fn index_stamp(&self) -> Option<IndexStamp> {
        let metadata = fs::metadata(self.git_dir.join("index")).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(IndexStamp { modified_ns: modified.as_nanos(), size: metadata.len(), inode: inode(&metadata) })
    }

    /// Whether the index changed since this was last asked; true the first time. One `stat`, no process.
    pub fn index_changed(&self) -> bool {
        let now = self.index_stamp();
        let mut seen = self.index_seen.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = *seen != Some(now);
        *seen = Some(now);
        changed
    }

    /// Whether git's index holds `path` (absolute, or relative to [`Repository::directory`]). A path outside the worktree is not held.
    pub fn tracks(&self, path: &Path) -> Result<bool, GitError> {
        let Some(inside) = self.inside(path) else { return Ok(false) };
        let output = Git::new(&self.directory, &["--literal-pathspecs", "ls-files", "--error-unmatch"]).paths(&[&inside]).output()?;
        match output.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(GitError::failed("git ls-files", output.stderr)),
        }
    }

    /// The rule, as `file:line:pattern`, that keeps `path` out of git's sight; none when git sees it, tracked or not.
    pub fn ignored_by(&self, path: &Path) -> Result<Option<String>, GitError> {
        let Some(inside) = self.inside(path) else { return Ok(None) };
        let output = Git::new(&self.directory, &["check-ignore", "--no-index", "--verbose"]).paths(&[&inside]).output()?;
        match output.code {
            Some(0) => Ok(String::from_utf8_lossy(&output.stdout).split('\t').next().map(str::to_owned).filter(|rule| !rule.contains(":!"))),
            Some(1) => Ok(None),
            _ => Err(GitError::failed("git check-ignore", output.stderr)),
        }
    }

    /// Whether a commit that some ref still reaches has changed `path`: a file that is gone from the worktree may be on another branch, or
    /// in a stash, which is a merge whose first parent knows nothing of it.
    pub fn remembers(&self, path: &Path) -> Result<bool, GitError> {
        let Some(inside) = self.inside(path) else { return Ok(false) };
        let found =
            Git::new(&self.directory, &["--literal-pathspecs", "log", "--all", "--full-history", "--max-count=1", "--format=%H"]).paths(&[&inside]).run()?;
        Ok(!found.is_empty())
    }

    /// The path from [`Repository::directory`]; none outside the worktree.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        let absolute = self.directory.join(path);
        // The file may be gone; its folder resolves the links that would make git refuse the path as outside.
        let resolved = match (absolute.parent().map(fs::canonicalize), absolute.file_name()) {
            (Some(Ok(parent)), Some(name)) => parent.join(name),
            _ => absolute,
        };
        let inside = resolved.strip_prefix(&self.directory).ok()?;
        (!self.bare && !inside.as_os_str().is_empty()).then(|| inside.to_owned())
    }

    /// The branch work starts from when nobody chose one: the remote's default branch (as `origin/main`), `main`, `master`, else the current branch.
    /// None when HEAD is detached and none of them exists.
    pub fn default_base(&self) -> Result<Option<String>, GitError> {
        if let Some(remote) = ask(&self.directory, &["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])? {
            return Ok(Some(remote));
        }
        for branch in ["main", "master"] {
            let full = format!("refs/heads/{branch}");
            if ask(&self.directory, &["rev-parse", "--quiet", "--verify", &full])?.is_some() {
                return Ok(Some(branch.to_owned()));
            }
        }
        self.branch()
    }

    /// The branch this worktree is on, also before its first commit; none when HEAD is detached.
    pub fn branch(&self) -> Result<Option<String>, GitError> {
        ask(&self.directory, &["symbolic-ref", "--quiet", "--short", "HEAD"])
    }

    /// The commit HEAD is at, in full; none before the first one.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        ask(&self.directory, &["rev-parse", "--quiet", "--verify", "HEAD^{commit}"])
    }

    /// Stages these paths, taken literally.
    pub fn add(&self, paths: &[&Path]) -> Result<(), GitError> {
        Git::new(&self.directory, &["--literal-pathspecs", "add"]).paths(paths).run().map(drop)
    }

    /// Commits what is staged, without hooks and signatures, and returns the new commit. `author` is `(name, email)`, `date` what
    /// git reads as one (RFC 3339); both are the committer's too, so that the same calls give the same commit everywhere.
    pub fn commit(&self, message: &str, author: (&str, &str), date: &str) -> Result<String, GitError> {
        let (name, email) = author;
        let off = self.configured_hooks_off()?;
        let mut args = vec!["-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null"];
        args.extend(off.iter().flat_map(|setting| ["-c", setting.as_str()]));
        args.extend(["commit", "--quiet", "--file=-"]);
        Git::new(&self.directory, &args)
            .stdin(message.as_bytes())
            .envs(&[("GIT_AUTHOR_NAME", name), ("GIT_AUTHOR_EMAIL", email), ("GIT_AUTHOR_DATE", date)])
            .envs(&[("GIT_COMMITTER_NAME", name), ("GIT_COMMITTER_EMAIL", email), ("GIT_COMMITTER_DATE", date)])
            .run()?;
        self.head()?.ok_or_else(|| GitError::failed("git commit", "no commit was made"))
    }

    /// Commits what changed below these paths and nothing else, as the person git is configured for; what else is staged stays so. No
    /// hook runs: this is no commit for a task. Gives the commit, none when nothing changed.
    pub fn commit_below(&self, paths: &[&Path], message: &str) -> Result<Option<String>, GitError> {
        let changed = self.uncommitted_below(paths)?;
        let with_changes: Vec<&Path> = paths.iter().copied().filter(|path| changed.iter().any(|file| Path::new(&file.path).starts_with(path))).collect();
        if with_changes.is_empty() {
            return Ok(None);
        }
        Git::new(&self.directory, &["--literal-pathspecs", "add", "--all"]).paths(&with_changes).run()?;
        let off = self.configured_hooks_off()?;
        let mut args = vec!["--literal-pathspecs", "-c", "core.hooksPath=/dev/null"];
        args.extend(off.iter().flat_map(|setting| ["-c", setting.as_str()]));
        args.extend(["commit", "--quiet", "--only", "--cleanup=verbatim", "--message", message]);
        // A signature may want a person's hand.
        Git::new(&self.directory, &args).paths(&with_changes).limit(Duration::from_secs(SIGNING_SECONDS_MAX)).run()?;
        self.head()
    }

    /// Settings that switch off every hook the configuration names, which `core.hooksPath` does not reach.
    fn configured_hooks_off(&self) -> Result<Vec<String>, GitError> {
        let output = Git::new(&self.directory, &["config", "-z", "--name-only", "--get-regexp", r"^hook\..*\.event$"]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let names = text.split('\0').filter_map(|key| key.strip_suffix(".event"));
        // `-c` ends a key at the first `=`.
        Ok(names.filter(|name| !name.contains('=')).map(|name| format!("{name}.enabled=false")).collect())
    }
}

/// A value of git's configuration as it holds in any directory, in a repository or not: who a person is outside of one.
pub fn config(directory: &Path, key: &str) -> Result<Option<String>, GitError> {
    ask(directory, &["config", "--get", key])
}

/// A question to which git answers one line, or exit code 1 and silence for "there is none".
pub(crate) fn ask(directory: &Path, args: &[&str]) -> Result<Option<String>, GitError> {
    let output = Git::new(directory, args).output()?;
    match output.code {
        Some(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|line| !line.is_empty())),
        Some(1) => Ok(None),
        _ => Err(GitError::failed(format!("git {}", args.join(" ")), output.stderr)),
    }
}

#[cfg(unix)]
fn owner(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata))
}

#[cfg(not(unix))]
fn owner(_: &Path) -> Option<u32> {
    None
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}
