//! What others have, as far as it was fetched: the branches of a remote, and files out of them without checking them out.
//!
//! Invariant: nothing here talks to a network.

use crate::command::Git;
use crate::history::lines;
use crate::repository::ask;
use crate::{GitError, Repository, checked};

/// A branch of a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTip {
    /// `remote/branch`.
    pub name: String,
    /// In full.
    pub sha: String,
}

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

    /// The regular files directly in a folder (from the top of the repository) of a commit; none when the folder is not there.
    /// Links and submodules are left out.
    pub fn ls_tree(&self, rev: &str, folder: &str) -> Result<Vec<TreeFile>, GitError> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        let out = Git::new(self.directory(), &["--literal-pathspecs", "ls-tree", "-z", "--long", "--full-tree", checked(rev)?, "--", &prefix]).run()?;
        let file = |record: &str| {
            let (meta, path) = record.split_once('\t')?;
            let mut meta = meta.split_whitespace();
            let (mode, kind, blob, size) = (meta.next()?, meta.next()?, meta.next()?, meta.next()?);
            let regular = kind == "blob" && mode.starts_with("100");
            let size = size.parse().ok().filter(|_| regular)?;
            Some(TreeFile { name: path.strip_prefix(&prefix)?.to_owned(), blob: blob.to_owned(), size })
        };
        Ok(String::from_utf8_lossy(&out).split('\0').filter_map(file).collect())
    }

    /// The bytes of blobs, in the order asked for, by one git. One that is not here is left out. The caller knows their sizes.
    pub fn blobs(&self, blobs: &[&str]) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        if blobs.is_empty() {
            return Ok(Vec::new());
        }
        let asked = blobs.join("\n") + "\n";
        let out = Git::new(self.directory(), &["cat-file", "--batch"]).stdin(asked.as_bytes()).run()?;
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
