//! The state of one subject as its events make it: a task, a milestone, the project.
//!
//! Each is the fold of its own events and nothing else: no neighbour, no lease, no clock. They are plain data (storage keeps them as
//! JSON), so everything that depends on others lives in [`crate::facts::Counters`].

use crate::event::Order;
use contracts::command::{BoundHow, Held};
use contracts::standing::{Complexity, Status, Verdict, Via};
use contracts::view::Criterion;
use contracts::{Actor, BlockerId, EventId, MilestoneId, Moment, QuestionId, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A task: the fold of the events about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields carry their own names; what is special is said beside it")]
pub struct Task {
    pub id: TaskId,
    /// By whom, when, and with which event it was created.
    pub created_by: Actor,
    pub created_at: Moment,
    /// Where its creation stands in the total order: the last sort key of `next`.
    pub created: Order,
    pub title: String,
    /// Stored in a column of its own beside the JSON, because it may have 64 KiB and lists never need it.
    #[serde(skip)]
    pub spec: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub priority: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertical: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Complexity>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<Actor>,
    /// The task had no claim since it was assigned: such a task is said to be assigned, not stalled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assigned_unclaimed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Value>,
    /// Body keys of `task.created` that this version does not know (and `requirements`, `workflow`, `run`).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// Facts of another board that are in it already: kind and name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub imported: BTreeSet<String>,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
    /// The latest submission, judged or not; withdrawn ones are gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<Submission>,
    /// The verdict on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Judged>,
    /// The published claim nothing has ended yet; whether it still runs is the lease's and the clock's business.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The greatest fence of any claim.
    #[serde(default)]
    pub fence: i64,
    /// How often it was claimed.
    #[serde(default)]
    pub claims: u32,
    /// Whether an actor other than the one who created it ever claimed it: then its creator's say over its words ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed_by_other: bool,
    /// How it was last given back, for the next holder's sake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_release: Option<Released>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Open ones only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
    /// Open ones only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<OpenQuestion>,
    /// Open ones only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<Commit>,
    /// Its waits-for edges, as added and removed by its own effective events, in total order. The project-wide fold over them decides which
    /// are inert (they would close a loop).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<EdgeChange>,
    /// Comments, messages, questions and answers in its thread.
    #[serde(default)]
    pub comments: u32,
    /// Number of events that changed it: all but comments, messages, questions, commits and renewals.
    pub version: i64,
    pub updated_at: Moment,
    /// The newest event applied; a later one is applied to this state, an earlier one folds the subject anew.
    pub last: Order,
}

/// How it was closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys of task.closed and task.cancelled")]
pub struct Closed {
    pub event: EventId,
    pub by: Actor,
    pub at: Moment,
    pub note: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_code: bool,
}

/// Work handed in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys of task.submitted")]
pub struct Submission {
    pub event: EventId,
    pub by: Actor,
    pub at: Moment,
    pub note: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_code: bool,
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys of task.reviewed")]
pub struct Judged {
    pub event: EventId,
    pub verdict: Verdict,
    pub by: Actor,
    pub at: Moment,
    pub note: String,
}

/// A published claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys of task.claimed")]
pub struct Claim {
    pub event: EventId,
    pub actor: Actor,
    pub principal: String,
    pub at: Moment,
    /// Published end; moves with `task.renewed`.
    pub expires: Moment,
    pub ttl_s: i64,
    pub fence: i64,
    /// The fence this holding began with: whoever takes its own lapsed claim back gets another one, and nobody had the task between.
    #[serde(default)]
    pub first_fence: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Whose lapsed lease it replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_over: Option<Actor>,
}

/// How it was last given back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys of task.released")]
pub struct Released {
    pub holder: Option<Actor>,
    pub by: Actor,
    pub at: Moment,
    pub reason: String,
    pub note: String,
}

/// Something outside the board it waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys of task.blocked")]
pub struct Blocker {
    pub id: BlockerId,
    pub reason: String,
    pub by: Actor,
    pub at: Moment,
}

/// A question only a person settles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys of task.asked")]
pub struct OpenQuestion {
    pub id: QuestionId,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    pub by: Actor,
    pub at: Moment,
}

/// A fact that found no effect and waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// The event that found no effect.
    pub event: EventId,
    /// Its kind's word.
    pub kind: String,
    /// By whom.
    pub actor: Actor,
    /// When.
    pub at: Moment,
    /// What does not fit: `closed_done`, `double_claim`, `stale_verdict`, `duplicate_id`, …
    pub code: String,
    /// In words.
    pub text: String,
}

/// A commit bound to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys of commit.bound")]
pub struct Commit {
    pub sha: String,
    pub subject: String,
    pub how: BoundHow,
    pub by: Actor,
    pub at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, Option<u32>, Option<u32>)>,
    #[serde(default)]
    pub files_dropped: u32,
    #[serde(default)]
    pub added: u32,
    #[serde(default)]
    pub deleted: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// No path changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// `Some(None)`: superseded without a successor; `Some(Some(sha))`: by that one.
    #[serde(default, deserialize_with = "successor", skip_serializing_if = "Option::is_none")]
    pub superseded: Option<Option<String>>,
}

/// `null` is a commit without a successor, and not the absence of the key.
fn successor<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}

/// An edge added or removed: `task` waits for `on`. For a parent, `task` is the parent and `on` the child, recorded with the child's events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeChange {
    /// When, in the total order.
    pub order: Order,
    /// Added, or removed.
    pub add: bool,
    /// Who waits.
    pub task: TaskId,
    /// For whom.
    pub on: TaskId,
    /// What made it.
    pub via: Via,
    /// Who did.
    pub by: Actor,
}

/// A milestone: the fold of the events about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields carry their own names")]
pub struct Milestone {
    pub id: MilestoneId,
    pub title: String,
    pub slug: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub goal: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reviews: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Moment>,
    pub status: Status,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    pub created_by: Actor,
    pub created_at: Moment,
    pub last: Order,
}

/// The project: the fold of the events about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Who created it, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<Actor>,
    /// When.
    #[serde(default)]
    pub created_at: Moment,
    /// What people call it.
    #[serde(default)]
    pub name: String,
    /// IANA time zone.
    #[serde(default)]
    pub zone: String,
    /// Settings that are not at their default, by key.
    #[serde(default)]
    pub settings: BTreeMap<String, Value>,
    /// The newest event applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Order>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_is_gone_is_still_gone_when_it_is_read_again() {
        let commit = |superseded: Value| serde_json::json!({"sha": "a", "subject": "", "how": "branch", "by": "dev:ana", "at": "2026-11-29T11:37:08.123Z", "superseded": superseded});
        let read: Commit = serde_json::from_value(commit(Value::Null)).unwrap();
        assert_eq!(read.superseded, Some(None));
        assert_eq!(serde_json::to_value(&read).unwrap()["superseded"], Value::Null);
        let read: Commit = serde_json::from_value(commit("b".into())).unwrap();
        assert_eq!(read.superseded, Some(Some("b".to_owned())));
    }
}
