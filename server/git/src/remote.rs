//! What others have, as far as it was fetched: the branches of a remote, and files out of them without checking them out.
//!
//! Invariant: nothing here talks to a network.

use std::fs;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use crate::command::Git;
use crate::history::lines;
use crate::repository::ask;
use crate::{GitError, Repository, checked};

/// In a partial clone git would fetch what it lacks, and these questions are about what was fetched.
pub(crate) const NO_NETWORK: (&str, &str) = ("GIT_NO_LAZY_FETCH", "1");

/// A branch of a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTip {
    /// `remote/branch`.
    pub name: String,
    /// In full.
    pub sha: String,
}

/// What a few `stat`s tell of the refs that a fetch moves. Two equal stamps mean that nothing was fetched in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefsStamp(Vec<Option<(u128, u64)>>);

/// A regular file in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Its name in the folder asked about.
    pub name: String,
    /// The blob with its bytes.
    pub blob: String,
    /// How many bytes these are.
    pub size: u64,
}

impl Repository {
    /// How the refs of remotes look now. No process, and the same few `stat`s whatever the size of the repository.
    pub fn refs_stamp(&self) -> RefsStamp {
        let common = self.common_dir();
        let remotes = common.join("refs").join("remotes");
        let mut paths = vec![common.join("FETCH_HEAD"), common.join("packed-refs"), common.join("reftable").join("tables.list"), remotes.clone()];
        let mut folders: Vec<PathBuf> = fs::read_dir(remotes).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path()).collect();
        folders.sort();
        paths.extend(folders);
        let stamp = |path: &PathBuf| {
            let metadata = fs::metadata(path).ok()?;
            let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some((modified.as_nanos(), metadata.len()))
        };
        RefsStamp(paths.iter().map(stamp).collect())
    }

    /// The remote that a branch follows: for `main` the one in its configuration, for `origin/main` `origin`. None for a branch that
    /// follows nothing, or another branch of this repository.
    pub fn remote_of(&self, branch: &str) -> Result<Option<String>, GitError> {
        if let Some(remote) = self.config(&format!("branch.{branch}.remote"))? {
            return Ok(Some(remote).filter(|remote| remote != "."));
        }
        let remotes = lines(Git::new(self.directory(), &["remote"]))?;
        let mut named: Vec<String> =
            remotes.into_iter().filter(|remote| branch.strip_prefix(remote.as_str()).is_some_and(|rest| rest.starts_with('/'))).collect();
        named.sort_by_key(String::len);
        let there = ask(self.directory(), &["rev-parse", "--quiet", "--verify", &format!("refs/remotes/{}", checked(branch)?)])?;
        Ok(named.pop().filter(|_| there.is_some()))
    }

    /// Whether there is any remote.
    pub fn has_remotes(&self) -> Result<bool, GitError> {
        Ok(!lines(Git::new(self.directory(), &["remote"]))?.is_empty())
    }

    /// Where the branches of the remote that `base` follows were when they were last fetched.
    pub fn remote_tips(&self, base: &str) -> Result<Vec<RemoteTip>, GitError> {
        let Some(remote) = self.remote_of(base)? else { return Ok(Vec::new()) };
        let below = format!("refs/remotes/{remote}/");
        let args = ["for-each-ref", "--format=%(objectname) %(objecttype) %(symref) %(refname)", &below];
        let tip = |line: String| {
            let mut parts = line.splitn(4, ' ');
            let (sha, kind, symref, name) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
            let name = name.strip_prefix("refs/remotes/")?;
            (kind == "commit" && symref.is_empty()).then(|| RemoteTip { name: name.to_owned(), sha: sha.to_owned() })
        };
        Ok(lines(Git::new(self.directory(), &args))?.into_iter().filter_map(tip).collect())
    }

    /// The branch of a remote that a base stands for, as `remote/branch`: what `main` follows, or `origin/main` itself.
    pub fn followed(&self, base: &str) -> Result<Option<String>, GitError> {
        let local = format!("refs/heads/{}", checked(base)?);
        let upstream = lines(Git::new(self.directory(), &["for-each-ref", "--format=%(upstream)", &local]))?;
        let remote = upstream.into_iter().next().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("refs/remotes/{base}"));
        let there = ask(self.directory(), &["rev-parse", "--quiet", "--verify", &remote])?;
        Ok(remote.strip_prefix("refs/remotes/").filter(|_| there.is_some()).map(str::to_owned))
    }

    /// Whether the branch this worktree is on follows another remote than `base` does: a fork's, say. What such a branch brings is its
    /// owner's word, not this repository's.
    pub fn follows_a_stranger(&self, base: &str) -> Result<bool, GitError> {
        let Some(branch) = self.branch()? else { return Ok(false) };
        let Some(remote) = self.config(&format!("branch.{branch}.remote"))?.filter(|remote| remote != ".") else { return Ok(false) };
        Ok(self.remote_of(base)?.is_some_and(|home| home != remote))
    }

    /// The tree of a folder (from the top of the repository) in each of these commits, in their order, by one git.
    pub fn folders(&self, revs: &[&str], folder: &str) -> Result<Vec<Option<String>>, GitError> {
        if revs.is_empty() {
            return Ok(Vec::new());
        }
        let asked: String = revs.iter().map(|rev| format!("{rev}:{folder}\n")).collect();
        let git = Git::new(self.directory(), &["cat-file", "--batch-check=%(objecttype) %(objectname)"]).envs(&[NO_NETWORK]);
        let answers = lines(git.stdin(asked.as_bytes()))?;
        let mut trees: Vec<Option<String>> = answers.iter().map(|line| line.strip_prefix("tree ").map(str::to_owned)).collect();
        trees.resize(revs.len(), None);
        Ok(trees)
    }

    /// The regular files directly in a tree. Links, folders and submodules are left out.
    pub fn files_of(&self, tree: &str) -> Result<Vec<TreeFile>, GitError> {
        let out = Git::new(self.directory(), &["ls-tree", "-z", "--long", "--full-tree", checked(tree)?]).envs(&[NO_NETWORK]).run()?;
        let file = |record: &str| {
            let (meta, name) = record.split_once('\t')?;
            let mut meta = meta.split_whitespace();
            let (mode, kind, blob, size) = (meta.next()?, meta.next()?, meta.next()?, meta.next()?);
            let regular = kind == "blob" && mode.starts_with("100");
            let size = size.parse().ok().filter(|_| regular)?;
            Some(TreeFile { name: name.to_owned(), blob: blob.to_owned(), size })
        };
        Ok(String::from_utf8_lossy(&out).split('\0').filter_map(file).collect())
    }

    /// What git would call the blobs of these files' bytes, in their order, by one git. Nothing is stored.
    pub fn blobs_of_files(&self, paths: &[PathBuf]) -> Result<Vec<String>, GitError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let asked: String = paths.iter().filter_map(|path| path.to_str()).map(|path| format!("{path}\n")).collect();
        lines(Git::new(self.directory(), &["hash-object", "--no-filters", "--stdin-paths"]).stdin(asked.as_bytes()))
    }

    /// The bytes of blobs, in the order asked for, by one git. One that is not here is left out. The caller knows their sizes.
    pub fn blobs(&self, blobs: &[&str]) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        if blobs.is_empty() {
            return Ok(Vec::new());
        }
        let asked = blobs.join("\n") + "\n";
        let out = Git::new(self.directory(), &["cat-file", "--batch"]).envs(&[NO_NETWORK]).stdin(asked.as_bytes()).run()?;
        let mut rest = out.as_slice();
        let mut found = Vec::new();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            let mut parts = head.split(' ');
            let (Some(sha), Some(kind), Some(size)) = (parts.next(), parts.next(), parts.next()) else { continue }; // `… missing`
            let size = size.parse().ok().filter(|size| *size < rest.len());
            let Some(size) = size else { return Err(GitError::failed("git cat-file", "the answer has another form than asked for")) };
            if kind == "blob" {
                found.push((sha.to_owned(), rest[..size].to_vec()));
            }
            rest = &rest[size + 1..];
        }
        Ok(found)
    }
}
