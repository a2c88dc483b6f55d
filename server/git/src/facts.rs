//! What there is to know of one commit, all of it from git.

use crate::command::Git;
use crate::{GitError, Repository, checked};

/// The longest subject passed on; longer ones are cut.
pub const SUBJECT_CHARS_MAX: usize = 200;
/// A patch longer than this gets no id.
const PATCH_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitFacts {
    /// In full.
    pub sha: String,
    /// In full, in order; two or more make it a merge.
    pub parents: Vec<String>,
    /// The first paragraph of the message in one line, at most [`SUBJECT_CHARS_MAX`].
    pub subject: String,
    /// `Name <mail>`, as written in the commit.
    pub author: String,
    /// RFC 3339, in the author's zone.
    pub authored_at: String,
    /// RFC 3339, in the committer's zone.
    pub committed_at: String,
    /// The branch this worktree is on now; none when HEAD is detached.
    pub branch: Option<String>,
    /// The changed files, renamed ones under their new path. Nothing for a merge.
    pub files: Vec<FileChange>,
    /// The same for the same change on another parent; none for a merge, an empty commit, and a change of more than 32 MiB.
    pub patch: Option<String>,
    /// The values of the trailers asked for, in order.
    pub trailers: Vec<String>,
    /// Whether it changes no path, and is no merge.
    pub empty: bool,
    /// The whole message.
    pub message: String,
}

/// What a commit does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// From the top of the worktree.
    pub path: String,
    /// Lines; none for a binary file.
    pub added: Option<u64>,
    /// Lines; none for a binary file.
    pub deleted: Option<u64>,
}

impl Repository {
    /// The facts of the commit that `rev` names; `key` says which trailers are wanted.
    pub fn commit_facts(&self, rev: &str, key: &str) -> Result<CommitFacts, GitError> {
        let format = format!("--format=%H%x00%P%x00%an <%ae>%x00%aI%x00%cI%x00%s%x00{}%x00%B", trailer_format(key)?);
        let args = ["log", "-1", "--no-show-signature", "--no-color", "--encoding=UTF-8", &format, checked(rev)?, "--"];
        let out = Git::new(self.directory(), &args).run()?;
        let text = String::from_utf8_lossy(&out);
        let fields: Vec<&str> = text.splitn(8, '\0').collect();
        let &[sha, parents, author, authored_at, committed_at, subject, trailers, message] = fields.as_slice() else {
            return Err(GitError::failed("git log", "the answer has another form than asked for"));
        };
        let parents: Vec<String> = parents.split(' ').filter(|sha| !sha.is_empty()).map(str::to_owned).collect();
        let merge = 1 < parents.len();
        let files = if merge { Vec::new() } else { self.files(sha)? };
        Ok(CommitFacts {
            patch: if merge || files.is_empty() { None } else { self.patch(sha)? },
            branch: self.branch()?,
            sha: sha.to_owned(),
            subject: subject.chars().take(SUBJECT_CHARS_MAX).collect(),
            author: author.to_owned(),
            authored_at: authored_at.to_owned(),
            committed_at: committed_at.to_owned(),
            trailers: trailer_values(trailers),
            empty: !merge && files.is_empty(),
            message: message.trim_end_matches('\n').to_owned(),
            parents,
            files,
        })
    }

    fn files(&self, sha: &str) -> Result<Vec<FileChange>, GitError> {
        let args = ["diff-tree", "-r", "--root", "-M", "-z", "--numstat", "--no-commit-id", "--no-ext-diff", "--no-textconv", sha];
        numstat(&Git::new(self.directory(), &args).run()?)
    }

    fn patch(&self, sha: &str) -> Result<Option<String>, GitError> {
        let args = ["diff-tree", "-p", "--root", "--full-index", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", sha];
        let patch = Git::new(self.directory(), &args).stdout_at_most(PATCH_BYTES_MAX).output()?;
        if patch.cut {
            return Ok(None);
        }
        if patch.code != Some(0) {
            return Err(GitError::failed("git diff-tree", patch.stderr));
        }
        let id = Git::new(self.directory(), &["patch-id", "--stable"]).stdin(&patch.stdout).run()?;
        Ok(String::from_utf8_lossy(&id).split_whitespace().next().map(str::to_owned))
    }
}

/// How git is asked for the values of a trailer.
pub(crate) fn trailer_format(key: &str) -> Result<String, GitError> {
    if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(GitError::failed("git log", format!("{key:?} is no key of a trailer")));
    }
    Ok(format!("%(trailers:key={key},valueonly,unfold,separator=%x1f)"))
}

/// The values in git's answer to [`trailer_format`].
pub(crate) fn trailer_values(text: &str) -> Vec<String> {
    text.split('\u{1f}').map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect()
}

/// Reads `--numstat -z`: `added, tab, deleted, tab, path, NUL`; a renamed file has an empty path, then both, each with its NUL.
fn numstat(out: &[u8]) -> Result<Vec<FileChange>, GitError> {
    let text = String::from_utf8_lossy(out);
    let mut records = text.split('\0');
    let mut files = Vec::new();
    while let Some(record) = records.next().filter(|record| !record.is_empty()) {
        let mut parts = record.splitn(3, '\t');
        let (Some(added), Some(deleted), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(GitError::failed("git diff-tree", "the answer has another form than asked for"));
        };
        let path = if path.is_empty() { records.nth(1).unwrap_or_default() } else { path };
        files.push(FileChange { path: path.to_owned(), added: added.parse().ok(), deleted: deleted.parse().ok() });
    }
    Ok(files)
}
