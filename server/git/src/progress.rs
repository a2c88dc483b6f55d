//! What a worktree is in the middle of, told by the files git leaves for the time being. No process.

use crate::Repository;

/// Something that makes commits of its own, begun and not yet ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InProgress {
    /// `git rebase`, of either kind.
    Rebase,
    /// `git am`.
    Am,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git merge`.
    Merge,
}

impl Repository {
    /// What is in progress in this worktree; of several the outermost, since a rebase picks and merges too.
    pub fn in_progress(&self) -> Option<InProgress> {
        let there = |name: &str| self.git_dir().join(name).symlink_metadata().is_ok();
        let kinds = [
            (there("rebase-merge") || (there("rebase-apply") && !there("rebase-apply/applying")), InProgress::Rebase),
            (there("rebase-apply"), InProgress::Am),
            (there("CHERRY_PICK_HEAD"), InProgress::CherryPick),
            (there("REVERT_HEAD"), InProgress::Revert),
            (there("MERGE_HEAD"), InProgress::Merge),
        ];
        kinds.into_iter().find(|(found, _)| *found).map(|(_, kind)| kind)
    }
}
