//! Where a task stands: the only place that says so.

use crate::facts::{Counters, Lease};
use crate::task::{Commit, Task};
use contracts::Moment;
use contracts::standing::{Standing, Status, Verdict};
use std::collections::BTreeSet;

/// How a lease stands at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    /// Before its end.
    Live,
    /// Past its end, within the grace: only the holder may use it.
    Late,
    /// Over, unless its holder calls before anybody takes it.
    Lapsed,
}

/// How this lease stands now.
pub fn lease_state(lease: &Lease, now: Moment, grace_s: i64) -> LeaseState {
    if now < lease.expires_at {
        LeaseState::Live
    } else if now < lease.expires_at.plus_seconds(grace_s) {
        LeaseState::Late
    } else {
        LeaseState::Lapsed
    }
}

/// Whether a submission waits for a verdict.
pub fn under_review(task: &Task) -> bool {
    task.submission.is_some() && task.verdict.is_none()
}

/// Whether the latest submission was passed.
pub fn passed(task: &Task) -> bool {
    task.submission.is_some() && task.verdict.as_ref().is_some_and(|verdict| verdict.verdict == Verdict::Pass)
}

/// Whether it waits for another task, an open subtask or something outside.
pub fn waits(task: &Task, counters: &Counters) -> bool {
    counters.waits_open > 0 || counters.children_open > 0 || !task.blockers.is_empty()
}

/// The standing without leases and clock; storage keeps it beside the task.
pub fn rest(task: &Task, counters: &Counters) -> Standing {
    match task.status {
        Status::Done => return Standing::Done,
        Status::Cancelled => return Standing::Cancelled,
        Status::Open => {}
    }
    let verdict = task.verdict.as_ref().map(|verdict| verdict.verdict);
    if !task.conflicts.is_empty() || !task.questions.is_empty() || counters.edges_inert > 0 {
        Standing::NeedsYou
    } else if under_review(task) {
        Standing::InReview
    } else if waits(task, counters) {
        Standing::Blocked
    } else if task.held.is_some() {
        Standing::Held
    } else if verdict == Some(Verdict::Changes) {
        Standing::Changes
    } else if task.claim.is_some() && !task.assigned_unclaimed {
        Standing::Stalled
    } else if task.assignee.is_some() {
        Standing::Assigned
    } else {
        Standing::Ready
    }
}

/// The standing now: what it has at rest, unless a live or late lease makes it `working`.
pub fn standing(rest: Standing, lease: Option<&Lease>, now: Moment, grace_s: i64) -> Standing {
    match lease {
        Some(lease) if !outranks_a_lease(rest) && lease_state(lease, now, grace_s) != LeaseState::Lapsed => Standing::Working,
        _ => rest,
    }
}

/// The standing at a moment as the log alone tells it: a published claim that still runs is work.
pub fn published(rest: Standing, task: &Task, as_of: Moment) -> Standing {
    let runs = task.claim.as_ref().is_some_and(|claim| as_of < claim.expires);
    if runs && !outranks_a_lease(rest) { Standing::Working } else { rest }
}

fn outranks_a_lease(rest: Standing) -> bool {
    matches!(rest, Standing::Done | Standing::Cancelled | Standing::NeedsYou | Standing::InReview)
}

/// Whether a commit is evidence by itself: no merge, not empty, not only about Callboard's own files, not superseded.
pub fn is_evidence(commit: &Commit) -> bool {
    let only_ours = !commit.files.is_empty() && commit.files_dropped == 0 && commit.files.iter().all(|file| file.0.starts_with(".callboard/"));
    commit.parents.len() < 2 && !commit.empty && !only_ours && commit.superseded.is_none()
}

/// The commits that count; the same change under another sha counts once.
pub fn counting(task: &Task) -> Vec<&Commit> {
    let mut patches = BTreeSet::new();
    task.commits.iter().filter(|commit| is_evidence(commit) && commit.patch.as_ref().is_none_or(|patch| patches.insert(patch))).collect()
}
