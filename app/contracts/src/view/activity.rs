//! What the activity shows: what happened, newest first; who did how much of it; and how it lies over time.

use super::{HistoryRow, is_default};
use crate::id::{Actor, MilestoneId, TaskId};
use crate::moment::Moment;
use crate::settings::LogCheck;
use serde::{Deserialize, Serialize};

/// Which happenings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ActivityQuery {
    /// One kind, or a family with `.*`; several with commas between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// By this actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// About this task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// About this milestone or a task that is in it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    /// At or after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    /// Before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
    /// A text that stands in what the event says or in its task's title; letters of ASCII in either case. What an event holds beyond
    /// 16 KiB is not looked through.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// 200 at most and by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl ActivityQuery {
    /// The same over all time.
    #[must_use]
    pub fn of_all_time(&self) -> ActivityQuery {
        ActivityQuery { since: None, until: None, cursor: None, ..self.clone() }
    }
}

/// What the activity page asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineQuery {
    /// Which happenings.
    pub of: ActivityQuery,
    /// Whether to check the chains of the log, which reads all of it.
    pub verify: bool,
}

/// What kinds of event are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KindGroup {
    /// Work itself: tasks, milestones, steps, the project.
    Work,
    /// Commits.
    Commits,
    /// What somebody said.
    Talk,
    /// What asks a person or settles it: questions, submissions, verdicts, gates, conflicts.
    Decisions,
}

impl KindGroup {
    /// All, from the foot of a bar to its head.
    pub const ALL: [KindGroup; 4] = [KindGroup::Work, KindGroup::Commits, KindGroup::Talk, KindGroup::Decisions];

    /// The group of a kind, whatever version knows it.
    pub fn of(kind: &str) -> KindGroup {
        match kind {
            "task.commented" | "message.sent" => KindGroup::Talk,
            "task.asked" | "task.answered" | "task.submitted" | "task.reviewed" | "conflict.settled" => KindGroup::Decisions,
            _ => match kind.split_once('.').map_or(kind, |(family, _)| family) {
                "commit" => KindGroup::Commits,
                "gate" | "approval" => KindGroup::Decisions,
                _ => KindGroup::Work,
            },
        }
    }

    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            KindGroup::Work => "tasks and steps",
            KindGroup::Commits => "commits",
            KindGroup::Talk => "talk",
            KindGroup::Decisions => "decisions",
        }
    }
}

/// How many events lie in each of equal steps of time, by group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Where the first step begins.
    pub from: Moment,
    /// Length of a step, seconds.
    pub step_s: i64,
    /// For each step, the events of each group, in the order of [`KindGroup::ALL`].
    pub bars: Vec<[i64; 4]>,
}

impl Histogram {
    /// Where a step begins; the number of steps gives the end of the last.
    pub fn start(&self, step: usize) -> Moment {
        self.from.plus_seconds(i64::try_from(step).unwrap_or(i64::MAX).saturating_mul(self.step_s))
    }
}

/// What one actor did among the events asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Who.
    pub actor: Actor,
    /// Tasks their events are about.
    pub tasks: i64,
    /// Their events.
    pub events: i64,
    /// Tasks they closed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub closed: i64,
    /// Commits of theirs that were bound and that no other took the place of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub commits: i64,
    /// Lines those add.
    #[serde(default, skip_serializing_if = "is_default")]
    pub added: i64,
    /// Lines those delete.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deleted: i64,
    /// Their last event among these.
    pub last_at: Moment,
    /// When they were last seen at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Moment>,
    /// What they hold now, with until when.
    #[serde(default, skip_serializing_if = "is_default")]
    pub holds: Vec<(TaskId, Moment)>,
}

/// Everything the activity page shows, read at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActivityView {
    /// Position of the log.
    pub seq: i64,
    /// The server's clock.
    pub now: Moment,
    /// Events of the log, whatever was asked for.
    pub ever: i64,
    /// Events that were asked for.
    pub total: i64,
    /// A part of them, newest first.
    pub rows: Vec<HistoryRow>,
    /// Where to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Who did how much, those with the most tasks first.
    pub tallies: Vec<Tally>,
    /// Actors beyond these.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tallies_more: i64,
    /// How events lie over time: of the time asked for, and some around it.
    pub histogram: Histogram,
    /// The chains of the log, when they were checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogCheck>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_counted_in_one_group_even_those_of_other_versions() {
        for (kind, group) in [
            ("task.closed", KindGroup::Work),
            ("step.reported", KindGroup::Work),
            ("commit.superseded", KindGroup::Commits),
            ("message.sent", KindGroup::Talk),
            ("gate.approved", KindGroup::Decisions),
            ("task.reviewed", KindGroup::Decisions),
            ("odd", KindGroup::Work),
        ] {
            assert_eq!(KindGroup::of(kind), group, "{kind}");
        }
    }
}
