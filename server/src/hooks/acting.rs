//! Who acts in a hook: the session's link, the environment, the worktree, and only then a name made up for the person's agent.

use crate::board::{HookedBoard, ServerPort};
use crate::evidence;
use contracts::{Actor, Problem, TaskId};
use std::path::Path;

pub use crate::boot::ACTOR_VARIABLE as VARIABLE;
/// Kind of the mark that says who a session acts as.
pub const LINK: &str = "link";

/// Who acts, and whether anything but a guess says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acting {
    /// Who.
    pub actor: Actor,
    /// Known by link, environment or worktree.
    pub known: bool,
    /// Somebody else goes by that name now: what is theirs is not told here.
    pub taken: bool,
}

/// What the environment names. A malformed name is an error for stderr.
///
/// # Errors
/// The line to say.
pub fn environment() -> Result<Option<Actor>, String> {
    match std::env::var(VARIABLE) {
        Ok(raw) if !raw.is_empty() => Actor::parse(&raw).map(Some).map_err(|fault| format!("{VARIABLE}: {fault}")),
        Err(std::env::VarError::NotUnicode(_)) => Err(format!("{VARIABLE} is not UTF-8")),
        _ => Ok(None),
    }
}

/// The key of a session's link; a sub-agent has one of its own.
pub fn link_key(session: &str, agent: Option<&str>) -> String {
    format!("{session} {}", agent.unwrap_or_default())
}

/// Who a session acts as, as far as it is linked.
pub async fn linked(port: &ServerPort, session: &str, agent: Option<&str>) -> Result<Option<Actor>, Problem> {
    let found = port.recall(LINK, &link_key(session, agent)).await?;
    Ok(found.and_then(|(actor, _)| Actor::parse(&actor).ok()))
}

/// A worktree as the caller stands in it.
pub struct Stand<'a> {
    /// Its top.
    pub worktree: &'a Path,
    /// Whether it is a linked one, made for something.
    pub linked: bool,
    /// Its branch.
    pub branch: Option<&'a str>,
}

impl Stand<'_> {
    /// The task this worktree is for: one whose lease says so, else the one a linked worktree's branch or folder names.
    pub fn task(&self, board: &HookedBoard) -> Option<TaskId> {
        let here = self.worktree.to_string_lossy();
        let by_lease = board.tasks.iter().find(|task| task.open && task.lease.as_ref().is_some_and(|lease| lease.worktree.as_deref() == Some(&*here)));
        by_lease.map(|task| task.id.clone()).or_else(|| self.named())
    }

    /// What a linked worktree's branch or folder names.
    pub fn named(&self) -> Option<TaskId> {
        if !self.linked {
            return None;
        }
        let folder = self.worktree.file_name().and_then(|name| name.to_str());
        self.branch.and_then(evidence::task_in).or_else(|| folder.and_then(evidence::task_in))
    }

    /// The holder, else the assignee, of that task.
    pub fn actor(&self, board: &HookedBoard) -> Option<Actor> {
        let task = board.task(&self.task(board)?)?;
        task.lease.as_ref().map(|lease| lease.actor.clone()).or_else(|| task.assignee.clone())
    }
}
