//! Tasks created, in the order of the list.

use super::{body, draft, note, warn};
use crate::case::Case;
use crate::event::{Draft, Kind, PROJECT};
use crate::facts::Decision;
use crate::plan::{PlannedTask, check};
use crate::rejection::Rejection;
use crate::words::{count, slug, some};
use contracts::command::{Plan, PlanTask, Priority};
use contracts::standing::Status;
use contracts::{MilestoneId, TaskId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn plan(case: &Case, plan: &Plan) -> Result<Decision, Rejection> {
    let planned = check(case, plan)?;
    let mut decision = Decision { dry_run: plan.dry_run, ..Decision::default() };
    let mut milestone: Option<MilestoneId> = planned.reused.clone();
    if let Some(title) = &plan.milestone {
        if let Some(id) = &planned.reused {
            if plan.goal.is_some() || !plan.rules.is_empty() || !plan.criteria.is_empty() {
                warn(&mut decision, "milestone_reused", format!("{id} is open under that title and keeps its own goal, rules and criteria"));
            }
        } else {
            let id = case.ctx.minted.milestone.clone().ok_or(Rejection::IdTaken)?;
            let criteria: Vec<Value> = plan.criteria.iter().map(|text| json!({"text": text})).collect();
            let value = json!({"title": title, "slug": slug(title.as_str()), "goal": plan.goal, "rules": plan.rules, "criteria": criteria});
            decision.events.push(draft(Kind::MilestoneCreated, id.as_str(), value));
            milestone = Some(id);
        }
    }
    let mut open_children: BTreeMap<&TaskId, Vec<&TaskId>> = BTreeMap::new();
    for task in &planned.tasks {
        if let Some(parent) = &task.parent {
            open_children.entry(parent).or_default().push(&task.id);
        }
    }
    let mut rows = Vec::new();
    let mut ready = 0;
    for (index, (task, planned)) in plan.tasks.iter().zip(&planned.tasks).enumerate() {
        decision.events.push(created(task, planned, task.milestone.as_ref().or(milestone.as_ref())));
        let is_open = |id: &&TaskId| case.facts.tasks.get(*id).is_none_or(|of| of.task.status == Status::Open);
        let waits: Vec<&TaskId> = planned.after.iter().filter(is_open).chain(open_children.get(&planned.id).into_iter().flatten().copied()).collect();
        if waits.is_empty() && task.held.is_none() {
            ready += 1;
        }
        let priority = task.priority.unwrap_or_default();
        rows.push(json!({"index": index, "id": planned.id, "title": task.title, "priority": priority, "waits_for": waits}));
    }
    for (task, planned) in plan.tasks.iter().zip(&planned.tasks) {
        for waiting in task.blocks.iter().collect::<BTreeSet<_>>() {
            decision.events.push(draft(Kind::TaskBlocked, waiting.as_str(), json!({"on": planned.id})));
        }
    }
    let all = |which: &dyn Fn(&PlanTask) -> bool| -> Vec<TaskId> {
        plan.tasks.iter().zip(&planned.tasks).filter(|(task, _)| which(task)).map(|(_, planned)| planned.id.clone()).collect()
    };
    for (code, words, ids) in [
        ("no_spec", "no spec", all(&|task| task.spec.is_blank())),
        ("past_due", "a due date in the past", all(&|task| task.due_at.is_some_and(|due| due < case.ctx.now))),
    ] {
        if !ids.is_empty() {
            warn(&mut decision, code, format!("{} with {words}: {}", count(ids.len() as i64, "task"), some(&ids, 10)));
        }
    }
    decision.subject = match (&milestone, planned.tasks.as_slice()) {
        (_, [one]) => one.id.to_string(),
        (Some(milestone), _) => milestone.to_string(),
        _ => PROJECT.to_owned(),
    };
    if let Some(milestone) = milestone {
        note(&mut decision, "milestone", json!(milestone));
    }
    note(&mut decision, "tasks", json!(rows));
    note(&mut decision, "ready", json!(ready));
    Ok(decision)
}

fn created(task: &PlanTask, planned: &PlannedTask, milestone: Option<&MilestoneId>) -> Draft {
    let labels: BTreeSet<&str> = task.labels.iter().map(|label| label.as_str()).collect();
    let mut body = body(json!({
        "title": task.title, "spec": task.spec, "type": task.kind.as_ref().filter(|kind| kind.as_str() != "task"),
        "priority": task.priority.filter(|priority| *priority != Priority::NORMAL), "vertical": task.vertical, "complexity": task.complexity,
        "labels": labels, "milestone": milestone, "parent": planned.parent, "after": planned.after, "files": super::edit::once(&task.files),
        "criteria": task.criteria.iter().map(|text| json!({"text": text})).collect::<Vec<_>>(), "due_at": task.due_at, "assignee": task.assignee,
        "held": task.held.as_ref().map(|note| json!({"kind": "person", "note": note})), "source": task.source,
    }));
    // `false` is not the default here: it says no where the milestone says yes.
    if let Some(review) = task.review {
        body.insert("review".to_owned(), review.into());
    }
    Draft { kind: Kind::TaskCreated, subject: planned.id.to_string(), body }
}
