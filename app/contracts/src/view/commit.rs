//! One bound commit, and what it changes where this clone has it.

use super::{CommitView, is_default};
use crate::id::TaskId;
use serde::{Deserialize, Serialize};

/// A commit that is bound on this board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommitDetail {
    /// What the board knows of it.
    #[serde(flatten)]
    pub commit: CommitView,
    /// The tasks it is bound to.
    pub tasks: Vec<TaskId>,
    /// Whether this clone has the commit. If not, there is no change to show.
    pub in_clone: bool,
    /// The command that brings it here, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch: Option<String>,
    /// What it changes; absent when this clone does not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<DiffView>,
    /// The change as safe HTML, on surfaces that show it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub html: String,
}

/// A change: of a commit against its parent, of a merge what it changed itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffView {
    /// The files, in git's order.
    pub files: Vec<FileDiff>,
    /// Whether there is more than is shown: more than 512 KiB.
    #[serde(default, skip_serializing_if = "is_default")]
    pub truncated: bool,
}

/// What happens to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// From the top of the repository; where it was, when it is deleted.
    pub path: String,
    /// Where it was before, when it was moved or copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// In one word.
    #[serde(default, skip_serializing_if = "is_default")]
    pub what: FileChanged,
    /// Whether it holds no lines that could be shown.
    #[serde(default, skip_serializing_if = "is_default")]
    pub binary: bool,
    /// The modes before and after, when these differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<(String, String)>,
    /// The changed places, in order.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hunks: Vec<Hunk>,
}

/// What happens to a file, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChanged {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It has another path.
    Renamed,
    /// It is a copy of another one.
    Copied,
    /// It has other lines, or another mode.
    #[default]
    Modified,
}

impl FileChanged {
    /// The word on a screen.
    pub fn words(self) -> &'static str {
        match self {
            FileChanged::Added => "new",
            FileChanged::Deleted => "deleted",
            FileChanged::Renamed => "moved",
            FileChanged::Copied => "copied",
            FileChanged::Modified => "changed",
        }
    }
}

/// One changed place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// First line and count before; of a merge, in its first parent.
    pub old: (u64, u64),
    /// First line and count after.
    pub new: (u64, u64),
    /// The function it stands in, as git found it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// Each with its mark first: `+`, `-`, a space, or `\` for a note of git's own.
    pub lines: Vec<String>,
}
