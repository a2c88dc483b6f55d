//! The project: its creation, settings, settled conflicts, milestones.

use super::{draft, note, replaced, warn};
use crate::case::Case;
use crate::event::{Event, Kind, PROJECT};
use crate::facts::{Decision, Facts, TaskFacts};
use crate::rejection::Rejection;
use crate::settings;
use crate::words::{count, slug, some};
use contracts::command::{
    Assign, Cancel, Close, Command, Configure, CreateProject, Hold, MilestoneCancel, MilestoneCreate, MilestoneEdit, MilestoneTasks, NoteReport, Review,
    Settle, SettleChoice, Submit,
};
use contracts::{Actor, Hint, MilestoneId, Note, TaskId};
use serde_json::{Value, json};

pub(super) fn create(create: &CreateProject) -> Decision {
    let event = draft(Kind::ProjectCreated, PROJECT, json!({"name": create.name, "zone": create.zone}));
    Decision { subject: PROJECT.to_owned(), events: vec![event], ..Decision::default() }
}

pub(super) fn configure(case: &Case, configure: &Configure) -> Result<Decision, Rejection> {
    let from = case.facts.project.as_ref().map(|project| settings::present(project, &configure.key)).unwrap_or_default();
    let to = settings::changed(&from, &configure.key, &configure.value).map_err(|text| Rejection::Malformed { path: "value".to_owned(), text })?;
    let mut decision = Decision { subject: PROJECT.to_owned(), ..Decision::default() };
    if from != to {
        decision.events.push(replaced(Kind::ProjectConfigured, PROJECT, "key", &configure.key, from, to));
    }
    Ok(decision)
}

pub(super) fn note_report(note: &NoteReport) -> Decision {
    let NoteReport { stamp, sha256, narrated } = note;
    let value = json!({"label": stamp.label, "kind": stamp.kind, "stamp": stamp, "sha256": sha256, "narrated": narrated});
    Decision { subject: PROJECT.to_owned(), events: vec![draft(Kind::ReportWritten, PROJECT, value)], ..Decision::default() }
}

/// The task that a conflict is open on.
pub(crate) fn conflicted<'f>(facts: &'f Facts, settle: &Settle) -> Result<&'f TaskFacts, Rejection> {
    let has = |of: &&TaskFacts| of.task.conflicts.iter().any(|conflict| conflict.event == settle.event);
    facts.tasks.values().find(has).ok_or_else(|| Rejection::no_conflict(&settle.event))
}

/// The command that a conflicting event stands for, to be given again.
pub(crate) fn kept(facts: &Facts, settle: &Settle) -> Result<Command, Rejection> {
    let task = conflicted(facts, settle)?.task.id.clone();
    let event = facts.event.as_ref().filter(|event| event.id == settle.event).ok_or_else(|| Rejection::no_conflict(&settle.event))?;
    let note = Note::parse(event.text("note")).unwrap_or_default();
    let note = if note.is_blank() { settle.note.clone() } else { note };
    let no_code = event.body.get("no_code").and_then(Value::as_bool).unwrap_or(false);
    let mentions: Vec<Actor> = read(event, "mentions").unwrap_or_default();
    Ok(match event.kind {
        Kind::TaskClosed => {
            let criteria = read(event, "criteria").unwrap_or_default();
            Command::Close(Close { task, note, no_code, criteria, unpushed: None, mentions })
        }
        Kind::TaskCancelled => Command::Cancel(Cancel { task, note, with_children: event.body.contains_key("with") }),
        Kind::TaskSubmitted => Command::Submit(Submit { task, note, no_code, mentions }),
        Kind::TaskHeld => Command::Hold(Hold { task, note }),
        // The claim of the other is kept by making the task theirs: a person does not claim for somebody.
        Kind::TaskClaimed => Command::Assign(Assign { task, to: Some(event.actor.clone()), note }),
        Kind::TaskAssigned => Command::Assign(Assign { task, to: read(event, "to"), note }),
        Kind::TaskReviewed => Command::Review(Review { task, verdict: read(event, "verdict").ok_or_else(|| no_way(event))?, note, mentions }),
        Kind::TaskEdited => {
            let (field, to) = (event.text("field"), event.body.get("to").cloned().unwrap_or_default());
            let fields = match field {
                "criteria" => checklist(&to),
                _ => vec![(field.to_owned(), to)],
            };
            let fields = fields.into_iter().chain([("task".to_owned(), json!(task))]).collect();
            Command::Edit(serde_json::from_value(Value::Object(fields)).map_err(|_| no_way(event))?)
        }
        Kind::TaskBlocked => {
            let on: Vec<_> = read(event, "on").into_iter().collect();
            let reason = Note::parse(event.text("reason")).ok().filter(|reason| !reason.is_blank());
            Command::Block(contracts::command::Block { task, on, reason })
        }
        _ => return Err(no_way(event)),
    })
}

/// A checklist as an edit takes it: its texts, and the answers beside them.
fn checklist(to: &Value) -> Vec<(String, Value)> {
    let items = crate::fold::read_criteria(to);
    let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
    let answers: Vec<Value> = (1..).zip(&items).map(|(i, item)| json!({"i": i, "met": item.met, "note": item.note})).collect();
    vec![("criteria".to_owned(), json!(texts)), ("answers".to_owned(), json!(answers))]
}

fn read<T: serde::de::DeserializeOwned>(event: &Event, key: &str) -> Option<T> {
    event.body.get(key).and_then(|value| serde_json::from_value(value.clone()).ok())
}

fn no_way(event: &Event) -> Rejection {
    let hint = Hint {
        text: "dismiss it, and do by hand what should be".to_owned(),
        calls: vec![contracts::Call::new("settle").with("event", event.id.as_str()).with("choice", "dismiss")],
    };
    Rejection::Illegal { text: format!("{} can't be carried out again", event.kind), hint }
}

pub(super) fn settle(case: &Case, settle: &Settle) -> Result<Decision, Rejection> {
    let task = &conflicted(case.facts, settle)?.task.id;
    let value = json!({"event": settle.event, "choice": settle.choice, "note": settle.note});
    let settled = draft(Kind::ConflictSettled, task.as_str(), value);
    let mut decision = match settle.choice {
        SettleChoice::Keep => super::carry(case, &kept(case.facts, settle)?)?,
        SettleChoice::Dismiss => Decision { subject: task.to_string(), ..Decision::default() },
    };
    decision.events.insert(0, settled);
    Ok(decision)
}

pub(super) fn milestone_create(case: &Case, create: &MilestoneCreate) -> Result<Decision, Rejection> {
    let id = case.ctx.minted.milestone.as_ref().filter(|id| !case.facts.milestones.contains_key(id)).ok_or(Rejection::IdTaken)?;
    let value = json!({
        "title": create.title, "slug": slug(create.title.as_str()), "goal": create.goal, "rules": create.rules,
        "criteria": create.criteria.iter().map(|text| json!({"text": text})).collect::<Vec<_>>(), "reviews": create.reviews, "due_at": create.due_at,
    });
    let mut decision = Decision { subject: id.to_string(), events: vec![draft(Kind::MilestoneCreated, id.as_str(), value)], ..Decision::default() };
    decision.data = json!({"milestone": id});
    if case.facts.milestones.values().any(|other| other.milestone.title.to_lowercase() == create.title.as_str().to_lowercase()) {
        warn(&mut decision, "same_title", format!("there is another open milestone of the title {}", create.title));
    }
    Ok(decision)
}

pub(super) fn milestone_edit(case: &Case, edit: &MilestoneEdit) -> Result<Decision, Rejection> {
    let facts = case.milestone(&edit.milestone)?;
    let mut decision = Decision { subject: edit.milestone.to_string(), ..Decision::default() };
    for change in super::edit::milestone_changes(&facts.milestone, edit)? {
        decision.events.push(replaced(Kind::MilestoneEdited, edit.milestone.as_str(), "field", change.field, change.from, change.to));
    }
    Ok(decision)
}

pub(super) fn milestone_moved(case: &Case, id: &MilestoneId, kind: Kind, note: &str) -> Result<Decision, Rejection> {
    case.milestone(id)?;
    Ok(Decision { subject: id.to_string(), events: vec![draft(kind, id.as_str(), json!({"note": note}))], ..Decision::default() })
}

pub(super) fn milestone_cancel(case: &Case, cancel: &MilestoneCancel) -> Result<Decision, Rejection> {
    let facts = case.milestone(&cancel.milestone)?;
    let value = json!({"note": cancel.note, "tasks": cancel.tasks});
    let mut decision = Decision {
        subject: cancel.milestone.to_string(),
        events: vec![draft(Kind::MilestoneCancelled, cancel.milestone.as_str(), value)],
        ..Decision::default()
    };
    match cancel.tasks {
        Some(MilestoneTasks::Cancel) => {
            // A task that is cancelled leaves no open subtask behind, wherever that lies.
            let below: Vec<TaskId> = case.descendants(&facts.open_tasks).iter().map(|of| of.task.id.clone()).collect();
            for id in facts.open_tasks.iter().chain(&below) {
                decision.events.push(draft(Kind::TaskCancelled, id.as_str(), json!({"note": cancel.note})));
                super::work::end_lease(case, case.task(id)?, &mut decision);
            }
            if !below.is_empty() {
                warn(&mut decision, "with_children", format!("cancelled as their subtasks, though in no or another milestone: {}", some(&below, 20)));
            }
            told_of(&facts.open_tasks, "cancelled with it", &mut decision);
        }
        Some(MilestoneTasks::Detach) => {
            for id in &facts.open_tasks {
                decision.events.push(replaced(Kind::TaskEdited, id.as_str(), "field", "milestone", json!(cancel.milestone), Value::Null));
            }
            told_of(&facts.open_tasks, "left open, in no milestone", &mut decision);
        }
        None => {}
    }
    Ok(decision)
}

/// Says what became of a cancelled milestone's open tasks.
fn told_of(open: &[TaskId], became: &str, decision: &mut Decision) {
    if !open.is_empty() {
        warn(decision, "tasks", format!("{} {became}", count(open.len() as i64, "task")));
        note(decision, "tasks", json!(open));
    }
}
