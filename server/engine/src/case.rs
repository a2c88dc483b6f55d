//! What one decision looks at: facts, caller, clock, and the small questions that guards and events both ask of them.

use crate::facts::{Context, Facts, Lease, MilestoneFacts, TaskFacts};
use crate::rejection::Rejection;
use crate::settings::Settings;
use crate::standing::{LeaseState, lease_state};
use crate::task::Task;
use crate::words::{Mention, mentioned};
use contracts::command::AnswerQuestion;
use contracts::standing::Status;
use contracts::{Actor, MilestoneId, TaskId, limits};
use std::collections::BTreeSet;

/// One decision: facts, caller, clock.
pub(crate) struct Case<'a> {
    pub facts: &'a Facts,
    pub ctx: &'a Context,
    pub settings: Settings,
    /// Texts and evidence that could still be given are not asked for.
    pub lenient: bool,
}

/// By what right somebody works on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// A live or late lease.
    Holder,
    /// Its own lapsed lease that nobody took.
    Lapsed,
    /// It is for the caller, and nobody else holds it.
    Assignee,
    /// A person may.
    Person,
    /// Callboard itself (landing, workflow).
    System,
}

impl<'a> Case<'a> {
    pub fn of(facts: &'a Facts, ctx: &'a Context, lenient: bool) -> Case<'a> {
        let settings = Settings::of(facts.project.as_ref().unwrap_or(&crate::task::Project::default()));
        Case { facts, ctx, settings, lenient }
    }

    pub fn caller(&self) -> &'a Actor {
        &self.ctx.caller.actor
    }

    pub fn is_person(&self) -> bool {
        self.caller().is_dev()
    }

    /// What work is cut from: as set, else as git says.
    pub fn base(&self) -> Option<String> {
        self.settings.base.clone().or_else(|| self.ctx.base.clone())
    }

    pub fn task(&self, id: &TaskId) -> Result<&'a TaskFacts, Rejection> {
        self.facts.tasks.get(id).ok_or_else(|| Rejection::NoTask(id.clone()))
    }

    pub fn lease_state(&self, lease: &Lease) -> LeaseState {
        lease_state(lease, self.ctx.now, self.settings.grace_s)
    }

    /// The lease row while it is live or late.
    pub fn running<'t>(&self, of: &'t TaskFacts) -> Option<&'t Lease> {
        of.lease.as_ref().filter(|lease| self.lease_state(lease) != LeaseState::Lapsed)
    }

    /// Whether the caller's claim lapsed, and the task is still there for it.
    pub fn lapsed_own(&self, of: &TaskFacts) -> bool {
        self.may_take_back(&of.task, of.lease.as_ref())
    }

    /// Whether the caller's claim lapsed, nobody took the task since, and it was given to nobody else either.
    pub fn may_take_back(&self, task: &Task, lease: Option<&Lease>) -> bool {
        let given_on = task.assigned_unclaimed && task.assignee.as_ref() != Some(self.caller());
        let lapsed = match lease {
            Some(lease) => lease.actor == *self.caller() && self.lease_state(lease) == LeaseState::Lapsed,
            None => task.status == Status::Open && task.claim.as_ref().is_some_and(|claim| claim.actor == *self.caller()),
        };
        lapsed && !given_on
    }

    /// The lease that still keeps a task for its holder: while it runs, and after it lapsed as long as the task is meant for the same one.
    pub fn keeping<'t>(&self, of: &'t TaskFacts) -> Option<&'t Lease> {
        of.lease.as_ref().filter(|lease| self.lease_state(lease) != LeaseState::Lapsed || of.task.assignee.as_ref() == Some(&lease.actor))
    }

    /// The fencing token that counts: that of the claim which holds the task, lapsed or not; the greatest there ever was where nobody does.
    /// A claim that lost against the holder's may have a greater one.
    pub fn fence(&self, of: &TaskFacts) -> i64 {
        let held = of.lease.as_ref().map(|lease| lease.fence).or(of.task.claim.as_ref().map(|claim| claim.fence));
        held.unwrap_or(of.task.fence)
    }

    /// Whether a close needs a passed review: the task's own word, else its milestone's, else the project's.
    pub fn review_required(&self, of: &TaskFacts) -> bool {
        let milestone = of.task.milestone.as_ref().and_then(|id| self.facts.milestones.get(id)).is_some_and(|facts| facts.milestone.reviews);
        of.task.review.unwrap_or(milestone || self.settings.review_default)
    }

    /// Whom a text tells: those named, and those in the text who are known here; at most 20.
    pub fn told(&self, mentions: &[Actor], text: &str) -> Vec<Actor> {
        let mut told: Vec<Actor> = Vec::new();
        let known = mentioned(text, self.caller()).into_iter().filter_map(|mention| self.known(&mention).cloned());
        for actor in mentions.iter().cloned().chain(known) {
            if !told.contains(&actor) && told.len() < limits::MENTIONS_MAX {
                told.push(actor);
            }
        }
        told
    }

    /// Who a mention means: the first of its readings that is known here.
    fn known<'m>(&self, mention: &'m Mention) -> Option<&'m Actor> {
        mention.readings.iter().find(|actor| self.facts.actors.contains(*actor))
    }

    /// Names in a text that mean nobody known here, as they are written.
    pub fn unknown(&self, text: &str) -> Vec<String> {
        let unknown = |mention: &Mention| self.known(mention).is_none() && !mention.readings.contains(self.caller());
        mentioned(text, self.caller()).iter().filter(|mention| unknown(mention)).map(|mention| format!("@{}", mention.name)).collect()
    }

    /// What a caller may change of an open task.
    pub fn editor(&self, of: &TaskFacts) -> Editor {
        let holds = self.running(of).is_some_and(|lease| lease.actor == *self.caller()) || self.lapsed_own(of);
        let created = of.task.created_by == *self.caller() && !of.task.claimed_by_other;
        Editor { all: !self.caller().is_agent(), created, holds }
    }

    /// Levels of open subtasks below a task, as far as they were loaded.
    pub fn height(&self, id: &TaskId, most: usize) -> usize {
        let children = self.facts.tasks.values().filter(|of| of.task.parent.as_ref() == Some(id));
        if most == 0 { 0 } else { children.map(|child| 1 + self.height(&child.task.id, most - 1)).max().unwrap_or(0) }
    }

    /// Open tasks below these, nearest first, as far as they were loaded.
    pub fn descendants(&self, of: &[TaskId]) -> Vec<&'a TaskFacts> {
        let mut seen: BTreeSet<&TaskId> = of.iter().collect();
        let mut above = seen.clone();
        let mut found: Vec<&TaskFacts> = Vec::new();
        while !above.is_empty() {
            let is_below = |of: &&TaskFacts| of.task.status == Status::Open && of.task.parent.as_ref().is_some_and(|parent| above.contains(parent));
            let below: Vec<&TaskFacts> = self.facts.tasks.values().filter(is_below).filter(|of| seen.insert(&of.task.id)).collect();
            above = below.iter().map(|of| &of.task.id).collect();
            found.extend(below);
        }
        found
    }

    pub fn asked(&self, answer: &AnswerQuestion) -> Option<(&'a TaskFacts, &'a crate::task::OpenQuestion)> {
        self.facts.tasks.values().find_map(|of| of.task.questions.iter().find(|question| question.id == answer.question).map(|question| (of, question)))
    }

    pub fn milestone(&self, id: &MilestoneId) -> Result<&'a MilestoneFacts, Rejection> {
        self.facts.milestones.get(id).ok_or_else(|| Rejection::NoMilestone(id.clone()))
    }
}

/// What somebody may change of an open task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Editor {
    pub all: bool,
    pub created: bool,
    pub holds: bool,
}

impl Editor {
    const OF_HOLDER: [&'static str; 4] = ["files", "labels", "complexity", "answers"];
    const OF_CREATOR: [&'static str; 12] =
        ["title", "spec", "type", "vertical", "complexity", "labels", "milestone", "parent", "files", "criteria", "answers", "due_at"];

    pub fn may(self, field: &str) -> bool {
        self.all || (self.holds && Editor::OF_HOLDER.contains(&field)) || (self.created && Editor::OF_CREATOR.contains(&field))
    }

    pub fn fields(self) -> Vec<String> {
        Editor::OF_CREATOR.iter().filter(|field| self.may(field)).map(|field| (*field).to_owned()).collect()
    }
}
