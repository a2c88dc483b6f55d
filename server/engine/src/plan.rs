//! The check of a plan: all its faults at once, each at its path, because a plan is written as a whole.

use crate::case::Case;
use crate::graph::{Edges, closes_a_loop};
use crate::lifecycle::at_most;
use crate::rejection::{Fault, Rejection};
use crate::words::folded;
use contracts::command::{Plan, PlanTask, TaskRef};
use contracts::standing::{Status, Via};
use contracts::{Code, MilestoneId, TaskId, limits};
use std::collections::{BTreeMap, BTreeSet};

/// A plan whose references are resolved.
pub(crate) struct Planned {
    /// An open milestone that is used again, or none.
    pub reused: Option<MilestoneId>,
    pub tasks: Vec<PlannedTask>,
}

pub(crate) struct PlannedTask {
    pub id: TaskId,
    pub after: Vec<TaskId>,
    pub parent: Option<TaskId>,
}

struct Check<'a> {
    case: &'a Case<'a>,
    ids: Vec<TaskId>,
    /// How many of the entries each task that is there already is made to wait for.
    blocked: BTreeMap<&'a TaskId, usize>,
    faults: Vec<Fault>,
}

/// Checks everything; at most 20 faults are named.
pub(crate) fn check<'a>(case: &'a Case<'a>, plan: &'a Plan) -> Result<Planned, Rejection> {
    if plan.tasks.is_empty() {
        return Err(Rejection::Malformed { path: "tasks".to_owned(), text: format!("a plan has 1 to {} tasks", limits::PLAN_TASKS_MAX) });
    }
    at_most("tasks", plan.tasks.len(), limits::PLAN_TASKS_MAX, "tasks")?;
    at_most("rules", plan.rules.len(), limits::RULES_MAX, "rules")?;
    at_most("criteria", plan.criteria.len(), limits::CRITERIA_MAX, "items")?;
    let ids = &case.ctx.minted.tasks;
    let distinct: BTreeSet<&TaskId> = ids.iter().collect();
    if ids.len() < plan.tasks.len() || distinct.len() < ids.len() || ids.iter().any(|id| case.facts.tasks.contains_key(id)) {
        return Err(Rejection::IdTaken);
    }
    let mut check = Check { case, ids: ids.clone(), blocked: BTreeMap::new(), faults: Vec::new() };
    if plan.milestone.is_none() && (plan.goal.is_some() || !plan.rules.is_empty() || !plan.criteria.is_empty()) {
        check.fault(Code::BadRequest, "milestone", "goal, rules and criteria belong to a milestone: name one");
    }
    let tasks: Vec<PlannedTask> = plan.tasks.iter().enumerate().map(|(place, task)| check.entry(place, task, plan.tasks.len())).collect();
    if check.faults.is_empty() {
        check.loops(plan, &tasks);
    }
    if check.faults.is_empty() {
        check.depth(&tasks);
    }
    if !check.faults.is_empty() {
        check.faults.truncate(limits::PLAN_ERRORS_MAX);
        return Err(Rejection::Plan(check.faults));
    }
    let title = plan.milestone.as_ref().map(|title| folded(title.as_str()));
    let same = |facts: &&crate::facts::MilestoneFacts| facts.milestone.status == Status::Open && Some(folded(&facts.milestone.title)) == title;
    let reused = case.facts.milestones.values().find(same).map(|facts| facts.milestone.id.clone());
    if title.is_some() && reused.is_none() && case.ctx.minted.milestone.as_ref().is_none_or(|id| case.facts.milestones.contains_key(id)) {
        return Err(Rejection::IdTaken);
    }
    Ok(Planned { reused, tasks })
}

impl<'a> Check<'a> {
    fn fault(&mut self, code: Code, path: impl Into<String>, text: impl Into<String>) {
        self.faults.push(Fault { code, path: path.into(), text: text.into() });
    }

    fn size(&mut self, path: String, size: usize, limit: usize) {
        if size > limit {
            self.fault(Code::TooLarge, path, format!("{size} items, the limit is {limit}"));
        }
    }

    fn entry(&mut self, place: usize, task: &'a PlanTask, entries: usize) -> PlannedTask {
        let at = |field: &str| format!("tasks[{place}].{field}");
        self.size(at("labels"), task.labels.len(), limits::LABELS_MAX);
        self.size(at("after"), task.after.len(), limits::AFTER_MAX);
        self.size(at("blocks"), task.blocks.len(), limits::AFTER_MAX);
        self.size(at("files"), task.files.len(), limits::FILES_MAX);
        self.size(at("criteria"), task.criteria.len(), limits::CRITERIA_MAX);
        if let Some(kind) = task.kind.as_ref().filter(|kind| !self.case.settings.types.iter().any(|known| known == kind.as_str())) {
            let text = self.case.no_type(kind.as_str());
            self.fault(Code::BadRequest, at("type"), text);
        }
        if task.held.is_some() && self.case.caller().is_agent() {
            self.fault(Code::Forbidden, at("held"), "a person holds tasks back");
        }
        if let Err(refused) = self.case.assignable("assignee", task.assignee.as_ref()) {
            let problem = refused.problem();
            self.fault(problem.code, at("assignee"), problem.title);
        }
        if let Some(id) = &task.milestone {
            match self.case.facts.milestones.get(id).map(|facts| facts.milestone.status) {
                None => self.fault(Code::BadRequest, at("milestone"), format!("there is no milestone {id}")),
                Some(Status::Open) => {}
                Some(status) => self.fault(Code::IllegalMove, at("milestone"), format!("milestone {id} is {status}")),
            }
        }
        let mut after: Vec<TaskId> = Vec::new();
        for (n, reference) in task.after.iter().enumerate() {
            let path = at(&format!("after[{n}]"));
            let Some(id) = self.resolve(reference, &path, place, entries) else { continue };
            if self.status(&id) == Some(Status::Cancelled) {
                self.fault(Code::IllegalMove, path, format!("{id} was cancelled, it will never be delivered"));
            } else if after.contains(&id) {
                self.fault(Code::BadRequest, path, format!("{id} is named twice"));
            } else {
                after.push(id);
            }
        }
        let parent = task.parent.as_ref().and_then(|parent| self.resolve(parent, &at("parent"), place, entries));
        if let Some((id, status)) = parent.as_ref().and_then(|id| self.status(id).filter(|status| *status != Status::Open).map(|status| (id.clone(), status))) {
            self.fault(Code::IllegalMove, at("parent"), format!("{id} is {status}"));
        }
        let mut seen = BTreeSet::new();
        for (n, id) in task.blocks.iter().enumerate().filter(|(_, id)| seen.insert(*id)) {
            let path = at(&format!("blocks[{n}]"));
            match self.status(id) {
                None => self.fault(Code::BadRequest, path, format!("there is no task {id}")),
                Some(Status::Open) => self.waits_more(id, path),
                Some(status) => self.fault(Code::IllegalMove, path, format!("{id} is {status}, it waits for nothing any more")),
            }
        }
        PlannedTask { id: self.ids[place].clone(), after, parent }
    }

    /// One more thing that a task which is there already waits for.
    fn waits_more(&mut self, id: &'a TaskId, path: String) {
        let edges = |of: &crate::facts::TaskFacts| of.waits_on.iter().filter(|on| on.via != Via::Parent).count();
        let before = self.case.facts.tasks.get(id).map_or(0, edges);
        let added = self.blocked.entry(id).or_default();
        *added += 1;
        let waits = before + *added;
        if waits > limits::AFTER_MAX {
            self.fault(Code::TooLarge, path, format!("{id} would wait for {waits} tasks, the limit is {}", limits::AFTER_MAX));
        }
    }

    fn status(&self, id: &TaskId) -> Option<Status> {
        self.case.facts.tasks.get(id).map(|of| of.task.status)
    }

    fn resolve(&mut self, reference: &TaskRef, path: &str, place: usize, entries: usize) -> Option<TaskId> {
        match reference {
            TaskRef::Index(index) => match usize::try_from(*index).ok().filter(|index| *index < entries) {
                Some(index) if index == place => {
                    self.fault(Code::Cycle, path, format!("entry {index} names itself"));
                    None
                }
                Some(index) => Some(self.ids[index].clone()),
                None => {
                    self.fault(Code::BadRequest, path, format!("there is no entry {index} in this plan, they are counted from 0 to {}", entries - 1));
                    None
                }
            },
            TaskRef::Id(id) if self.case.facts.tasks.contains_key(id) => Some(id.clone()),
            TaskRef::Id(id) => {
                self.fault(Code::BadRequest, path, format!("there is no task {id}"));
                None
            }
        }
    }

    fn loops(&mut self, plan: &Plan, tasks: &[PlannedTask]) {
        let mut edges = Edges::new();
        let mut graph: BTreeMap<TaskId, BTreeSet<TaskId>> = self.case.facts.edges.clone();
        for (from, targets) in &graph {
            for to in targets {
                edges.try_edge(from, to);
            }
        }
        let mut add = |faults: &mut Vec<Fault>, from: &TaskId, to: &TaskId, path: String| {
            if edges.try_edge(from, to) {
                graph.entry(from.clone()).or_default().insert(to.clone());
            } else {
                let loop_ = closes_a_loop(&graph, from, to).unwrap_or_default();
                let words: Vec<String> =
                    loop_.iter().map(|id| self.ids.iter().position(|own| own == id).map_or_else(|| id.to_string(), |place| format!("[{place}]"))).collect();
                faults.push(Fault { code: Code::Cycle, path, text: format!("it would wait for itself: {}", words.join(" → ")) });
            }
        };
        let mut faults = Vec::new();
        for (place, task) in tasks.iter().enumerate() {
            if let Some(parent) = &task.parent {
                add(&mut faults, parent, &task.id, format!("tasks[{place}].parent"));
            }
            for (n, on) in task.after.iter().enumerate() {
                add(&mut faults, &task.id, on, format!("tasks[{place}].after[{n}]"));
            }
            for (n, waiting) in plan.tasks[place].blocks.iter().enumerate() {
                add(&mut faults, waiting, &task.id, format!("tasks[{place}].blocks[{n}]"));
            }
        }
        self.faults.extend(faults);
    }

    fn depth(&mut self, tasks: &[PlannedTask]) {
        let parents: BTreeMap<&TaskId, &TaskId> = tasks.iter().filter_map(|task| task.parent.as_ref().map(|parent| (&task.id, parent))).collect();
        for (place, task) in tasks.iter().enumerate() {
            let mut depth = 0;
            let mut at = &task.id;
            while let Some(parent) = parents.get(at).copied().filter(|_| depth <= limits::PARENT_DEPTH_MAX) {
                depth += 1;
                at = parent;
            }
            depth += self.case.facts.tasks.get(at).map_or(0, |of| of.ancestors.len());
            if depth > limits::PARENT_DEPTH_MAX {
                self.fault(
                    Code::BadRequest,
                    format!("tasks[{place}].parent"),
                    format!("subtasks would be deeper than the limit of {}", limits::PARENT_DEPTH_MAX),
                );
            }
        }
    }
}
