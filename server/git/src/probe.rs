//! Proving that git calls hooks: a real commit in a linked worktree that is thrown away.
//!
//! Invariant: no branch moves and no file of anybody's is touched; what is left is one commit that nothing names.

use std::path::Path;

use crate::command::Git;
use crate::{GitError, Repository};

impl Repository {
    /// Makes a worktree at `path` with what is committed of `folder` in it, commits nothing with hooks on and `variable` set to `value`, and
    /// takes the worktree away again.
    pub fn probe_hooks(&self, path: &Path, folder: Option<&Path>, variable: &str, value: &Path) -> Result<(), GitError> {
        let value = value.to_str().ok_or_else(|| GitError::failed("git commit", "the folder's path is not UTF-8"))?;
        let name = path.to_str().ok_or_else(|| GitError::failed("git worktree add", "the folder's path is not UTF-8"))?;
        let set = [(variable, value)];
        Git::new(self.directory(), &["worktree", "add", "--quiet", "--detach", "--no-checkout", name]).envs(&set).run()?;
        if let Some(folder) = folder.and_then(|folder| folder.strip_prefix(self.directory()).ok()) {
            // Nothing of it may be committed; then the commit shows that.
            Git::new(path, &["--literal-pathspecs", "checkout", "--quiet", "HEAD"]).paths(&[folder]).envs(&set).output()?;
        }
        let who = [
            ("GIT_AUTHOR_NAME", "probe"),
            ("GIT_AUTHOR_EMAIL", "probe@localhost"),
            ("GIT_COMMITTER_NAME", "probe"),
            ("GIT_COMMITTER_EMAIL", "probe@localhost"),
        ];
        let args = ["-c", "commit.gpgSign=false", "commit", "--quiet", "--allow-empty", "--message=Probe"];
        let committed = Git::new(path, &args).envs(&set).envs(&who).run().map(drop);
        let removed = Git::new(self.directory(), &["worktree", "remove", "--force", name]).run().map(drop);
        committed.and(removed)
    }
}
