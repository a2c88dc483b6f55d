//! The project: its creation, settings, settled conflicts, milestones.

use super::{draft, drop_lease, note, replaced, warn};
use crate::case::Case;
use crate::event::{Event, Kind, PROJECT};
use crate::facts::Decision;
use crate::rejection::Rejection;
use crate::settings;
use crate::words::{count, slug};
use contracts::command::{
    Assign, Cancel, Close, Command, Configure, CreateProject, Edit, Hold, MilestoneCancel, MilestoneCreate, MilestoneEdit, MilestoneTasks, NoteReport, Review,
    Settle, SettleChoice, Submit,
};
use contracts::{Hint, MilestoneId, Note};
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

/// The command that a conflicting event stands for, to be given again.
pub(crate) fn kept(case: &Case, settle: &Settle) -> Result<Command, Rejection> {
    let task = case.conflicted(settle)?.task.id.clone();
    let event = case.facts.event.as_ref().filter(|event| event.id == settle.event).ok_or_else(|| Rejection::no_conflict(&settle.event))?;
    let note = Note::parse(event.text("note")).unwrap_or_default();
    let note = if note.is_blank() { settle.note.clone() } else { note };
    let no_code = event.body.get("no_code").and_then(Value::as_bool).unwrap_or(false);
    Ok(match event.kind {
        Kind::TaskClosed => Command::Close(Close { task, note, no_code, criteria: Vec::new(), unpushed: None, mentions: Vec::new() }),
        Kind::TaskCancelled => Command::Cancel(Cancel { task, note, with_children: false }),
        Kind::TaskSubmitted => Command::Submit(Submit { task, note, no_code, mentions: Vec::new() }),
        Kind::TaskHeld => Command::Hold(Hold { task, note }),
        // The claim of the other is kept by making the task theirs: a person does not claim for somebody.
        Kind::TaskClaimed => Command::Assign(Assign { task, to: Some(event.actor.clone()), note }),
        Kind::TaskAssigned => Command::Assign(Assign { task, to: read(event, "to"), note }),
        Kind::TaskReviewed => Command::Review(Review { task, verdict: read(event, "verdict").ok_or_else(|| no_way(event))?, note, mentions: Vec::new() }),
        Kind::TaskEdited => {
            let fields = [("task".to_owned(), json!(task)), (event.text("field").to_owned(), event.body.get("to").cloned().unwrap_or_default())];
            let edit: Edit = serde_json::from_value(Value::Object(fields.into_iter().collect())).map_err(|_| no_way(event))?;
            Command::Edit(edit)
        }
        Kind::TaskBlocked => {
            let on: Vec<_> = read(event, "on").into_iter().collect();
            let reason = Note::parse(event.text("reason")).ok().filter(|reason| !reason.is_blank());
            Command::Block(contracts::command::Block { task, on, reason })
        }
        _ => return Err(no_way(event)),
    })
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
    let task = &case.conflicted(settle)?.task.id;
    let value = json!({"event": settle.event, "choice": settle.choice, "note": settle.note});
    let settled = draft(Kind::ConflictSettled, task.as_str(), value);
    let mut decision = match settle.choice {
        SettleChoice::Keep => super::carry(case, &kept(case, settle)?)?,
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
    for task in &facts.open_tasks {
        match cancel.tasks {
            Some(MilestoneTasks::Cancel) => {
                decision.events.push(draft(Kind::TaskCancelled, task.as_str(), json!({"note": cancel.note})));
                drop_lease(&mut decision, task);
            }
            Some(MilestoneTasks::Detach) => {
                decision.events.push(replaced(Kind::TaskEdited, task.as_str(), "field", "milestone", json!(cancel.milestone), Value::Null));
            }
            None => {}
        }
    }
    if !facts.open_tasks.is_empty() {
        let done = if cancel.tasks == Some(MilestoneTasks::Cancel) { "cancelled with it" } else { "left open, in no milestone" };
        warn(&mut decision, "tasks", format!("{} {done}", count(facts.open_tasks.len() as i64, "task")));
        note(&mut decision, "tasks", json!(facts.open_tasks));
    }
    Ok(decision)
}
