//! Questions about many commits: which ones a branch has, which name something, which are still there.

use crate::command::Git;
use crate::facts::{trailer_format, trailer_values};
use crate::repository::ask;
use crate::{GitError, Repository, checked};

/// How many commits one trailer is looked for in; the newest count.
pub const TRAILER_COMMITS_MAX: usize = 1000;

impl Repository {
    /// The commit that a name stands for, in full; none when there is no such name.
    pub fn tip(&self, rev: &str) -> Result<Option<String>, GitError> {
        ask(self.directory(), &["rev-parse", "--quiet", "--verify", &format!("{}^{{commit}}", checked(rev)?)])
    }

    /// The commits of `branch` that `base` does not have, oldest first.
    pub fn commits_between(&self, base: &str, branch: &str) -> Result<Vec<String>, GitError> {
        let range = format!("{}..{}", checked(base)?, checked(branch)?);
        lines(Git::new(self.directory(), &["rev-list", "--reverse", "--topo-order", &range, "--"]))
    }

    /// The commits of any branch with a trailer `key: value`, newest first. `since` (RFC 3339) leaves out what is older, which spares
    /// reading a long history.
    pub fn commits_with_trailer(&self, key: &str, value: &str, since: Option<&str>) -> Result<Vec<String>, GitError> {
        let format = format!("--format=%H {}", trailer_format(key)?);
        let pattern = format!("--grep={value}");
        let since = since.map(|since| format!("--since={since}"));
        let count = format!("--max-count={TRAILER_COMMITS_MAX}");
        let mut args = vec!["log", "-z", "--no-show-signature", "--no-color", "--fixed-strings", &format, &pattern, &count];
        args.extend(since.as_deref());
        args.extend(["--exclude=refs/stash", "--all"]);
        let out = Git::new(self.directory(), &args).run()?;
        let text = String::from_utf8_lossy(&out);
        let named = |line: &str| {
            let (sha, values) = line.split_once(' ')?;
            trailer_values(values).iter().any(|given| given == value).then(|| sha.to_owned())
        };
        Ok(text.split('\0').filter_map(named).collect())
    }

    /// Whether some branch, tag or worktree still has this commit. One that was never here is not reachable.
    pub fn is_reachable(&self, sha: &str) -> Result<bool, GitError> {
        let Some(sha) = self.tip(sha)? else { return Ok(false) };
        Ok(lines(Git::new(self.directory(), &["rev-list", "-1", &sha, "--not", "--exclude=refs/stash", "--all"]))?.is_empty())
    }

    /// How many commits this worktree's branch is ahead of what it follows; none when it follows nothing, or HEAD is detached.
    pub fn unpushed(&self) -> Result<Option<u64>, GitError> {
        match self.branch()? {
            Some(branch) => self.unpushed_of(&branch),
            None => Ok(None),
        }
    }

    /// The same for any branch.
    pub fn unpushed_of(&self, branch: &str) -> Result<Option<u64>, GitError> {
        let local = format!("refs/heads/{branch}");
        let upstream = lines(Git::new(self.directory(), &["for-each-ref", "--format=%(upstream)", &local]))?;
        let Some(upstream) = upstream.into_iter().next().filter(|name| !name.is_empty()) else { return Ok(None) };
        if self.tip(&upstream)?.is_none() {
            return Ok(None); // it was deleted there
        }
        let count = Git::new(self.directory(), &["rev-list", "--count", &format!("{upstream}..{local}"), "--"]).run()?;
        Ok(String::from_utf8_lossy(&count).trim().parse().ok())
    }

    /// Whether everything on `branch` is in `base`: the commits themselves, or each one's change. A merge that is not in `base` cannot
    /// be compared by its change, so it counts as missing.
    pub fn merged_into(&self, base: &str, branch: &str) -> Result<bool, GitError> {
        let (base, branch) = (checked(base)?, checked(branch)?);
        let output = Git::new(self.directory(), &["merge-base", "--is-ancestor", branch, base]).output()?;
        match output.code {
            Some(0) => return Ok(true),
            Some(1) => {}
            _ => return Err(GitError::failed("git merge-base", output.stderr)),
        }
        let merges = lines(Git::new(self.directory(), &["rev-list", "-1", "--merges", &format!("{base}..{branch}"), "--"]))?;
        if !merges.is_empty() {
            return Ok(false);
        }
        Ok(lines(Git::new(self.directory(), &["cherry", base, branch]))?.iter().all(|line| line.starts_with('-')))
    }
}

/// Git's answer, line by line.
pub(crate) fn lines(git: Git<'_>) -> Result<Vec<String>, GitError> {
    Ok(String::from_utf8_lossy(&git.run()?).lines().map(str::to_owned).collect())
}
