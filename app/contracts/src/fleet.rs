//! Several workers at once: a task's branch, tasks given out to workers, and what is taken back from those that fell silent.

use crate::id::{Actor, TaskId};
use crate::problem::Code;
use crate::standing::word_type;
use crate::view::Collision;
use serde::{Deserialize, Serialize};

/// Names a task's branch; the first name stays for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// Which task.
    pub task: TaskId,
    /// A branch that is there already; the task's own form when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What it was cut from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// Gives tasks to workers, one each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispatch {
    /// These; else the first `count` in the order of `next`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// How many, when none is named: 1 to 12, 3 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// What the workers' names begin with; `w` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Whether each gets a worktree; they do when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktrees: Option<bool>,
    /// Says what would be done, and does nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// What a dispatch came to: `Receipt::data`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dispatched {
    /// Workers and their tasks.
    pub started: Vec<Started>,
    /// Tasks that were wanted, and why nobody got them.
    #[serde(default)]
    pub not_started: Vec<NotStarted>,
}

/// A worker and its task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Which task.
    pub task: TaskId,
    /// Its title.
    pub title: String,
    /// Who is to do it.
    pub worker: Actor,
    /// On which branch.
    pub branch: String,
    /// What that is cut from, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The worktree; none where none was wanted or made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Others whose files overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collisions: Vec<Collision>,
    /// Instructions to hand to the worker word for word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub brief: String,
}

/// A task that nobody got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotStarted {
    /// Which.
    pub task: TaskId,
    /// The code of the reason.
    pub code: Code,
    /// In words.
    pub text: String,
}

/// Takes tasks back from agents that fell silent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recover {
    /// These; else all that agents hold or are meant for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// How long an agent was silent, seconds; 60 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_s: Option<i64>,
    /// Also from one that still reports.
    #[serde(default)]
    pub force: bool,
    /// Says what would be done, and does nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Why: it fell silent, or somebody stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<RecoverWhy>,
    /// What git says is left in the worktrees; the process that has git fills it in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leftovers: Vec<Leftovers>,
}

word_type!(
    /// Why a task is taken back.
    RecoverWhy {
        /// Nobody heard of the holder any more.
        Silent = "recovered",
        /// Somebody ended its worker.
        Stopped = "stopped",
    }
);

/// What a worker left in its worktree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leftovers {
    /// For which task.
    pub task: TaskId,
    /// Where, from the project's root when it is in it.
    pub worktree: String,
    /// Changed and staged paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// Paths git does not know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untracked: Vec<String>,
    /// Paths beyond those that are listed.
    #[serde(default)]
    pub more: u32,
    /// Commits that are not pushed; absent when the branch follows nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpushed: Option<u32>,
}

impl Leftovers {
    /// In words: `2 uncommitted (a.rs, b.rs), 1 untracked (c.rs), 3 commits not pushed, in .callboard/trees/tk-4f2a9c`.
    pub fn words(&self) -> String {
        let list = |paths: &[String], what: &str| {
            let shown: Vec<&str> = paths.iter().take(5).map(String::as_str).collect();
            let more = paths.len().saturating_sub(shown.len());
            let more = if more > 0 { format!(", +{more}") } else { String::new() };
            (!paths.is_empty()).then(|| format!("{} {what} ({}{more})", paths.len(), shown.join(", ")))
        };
        let mut parts: Vec<String> = list(&self.uncommitted, "uncommitted").into_iter().chain(list(&self.untracked, "untracked")).collect();
        if self.more > 0 {
            parts.push(format!("{} more paths", self.more));
        }
        match self.unpushed {
            Some(0) | None => {}
            Some(1) => parts.push("1 commit not pushed".to_owned()),
            Some(commits) => parts.push(format!("{commits} commits not pushed")),
        }
        if parts.is_empty() {
            return format!("nothing uncommitted in {}", self.worktree);
        }
        format!("{}, in {}", parts.join(", "), self.worktree)
    }
}

/// What a recovery came to: `Receipt::data`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recovered {
    /// Tasks that are free again.
    pub freed: Vec<Freed>,
    /// Tasks that were looked at and left with whom they are.
    #[serde(default)]
    pub left_alone: Vec<LeftAlone>,
}

/// A task that is free again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Freed {
    /// Which.
    pub task: TaskId,
    /// Its title.
    pub title: String,
    /// Who had it.
    pub holder: Actor,
    /// Whether it was only meant for them: they never claimed it, or owed changes.
    #[serde(default)]
    pub never_started: bool,
    /// How long nobody had heard of them, seconds; absent when nobody ever had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_s: Option<i64>,
    /// Commits that count.
    pub commits: u32,
    /// What is in its worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leftovers: Option<Leftovers>,
}

/// A task that stays with whom it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftAlone {
    /// Which.
    pub task: TaskId,
    /// Who has it.
    pub holder: Actor,
    /// Why it stays.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_said_in_few_words() {
        let paths = |count: usize| (0..count).map(|n| format!("src/{n}.rs")).collect::<Vec<_>>();
        let left = |uncommitted, untracked, more, unpushed| Leftovers {
            task: TaskId::from_bits(1),
            worktree: ".callboard/trees/tk-000001".to_owned(),
            uncommitted: paths(uncommitted),
            untracked: paths(untracked),
            more,
            unpushed,
        };
        assert_eq!(left(0, 0, 0, None).words(), "nothing uncommitted in .callboard/trees/tk-000001");
        assert_eq!(
            left(7, 1, 2, Some(1)).words(),
            "7 uncommitted (src/0.rs, src/1.rs, src/2.rs, src/3.rs, src/4.rs, +2), 1 untracked (src/0.rs), 2 more paths, 1 commit not pushed, \
             in .callboard/trees/tk-000001"
        );
    }
}
