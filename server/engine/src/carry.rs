//! What a command that passed its guards comes to: events, lease rows, warnings, the receipt's data.

pub(crate) mod claim;
pub(crate) mod edit;
pub(crate) mod fleet;
mod plan;
pub(crate) mod project;
mod work;

use crate::case::Case;
use crate::event::{Draft, Kind};
use crate::facts::{Decision, LeaseChange};
use crate::needs::task_of;
use crate::rejection::Rejection;
use contracts::command::Command;
use contracts::{Actor, TaskId, Warning};
use serde_json::{Map, Value, json};

/// Builds the decision. The guards have passed; what is refused here are minted ids that are missing.
pub(crate) fn carry(case: &Case, command: &Command) -> Result<Decision, Rejection> {
    let mut decision = match command {
        Command::CreateProject(create) => project::create(create),
        Command::Plan(plan) => plan::plan(case, plan)?,
        Command::Edit(command) => edit::edit(case, command)?,
        Command::Claim(command) => claim::claim(case, command)?,
        Command::Renew(command) => claim::renew(case, command)?,
        Command::Release(command) => work::release(case, command)?,
        Command::Submit(command) => work::submit(case, command)?,
        Command::Review(command) => work::review(case, command)?,
        Command::Close(command) => work::close(case, command)?,
        Command::Cancel(command) => work::cancel(case, command)?,
        Command::Reopen(command) => about(&command.task, Kind::TaskReopened, json!({"note": command.note})),
        Command::Hold(command) => work::hold(case, command)?,
        Command::Unhold(command) => about(&command.task, Kind::TaskUnheld, json!({"note": command.note})),
        Command::Assign(command) => work::assign(case, command)?,
        Command::Comment(command) => work::comment(case, command)?,
        Command::Question(command) => work::question(case, command)?,
        Command::Answer(command) => work::answer(case, command)?,
        Command::Message(command) => work::message(case, command),
        Command::Block(command) => work::block(case, command)?,
        Command::Unblock(command) => about(&command.task, Kind::TaskUnblocked, json!({"on": command.on, "blocker": command.blocker, "note": command.note})),
        Command::Bind(command) => work::bind(case, command)?,
        Command::Supersede(command) => work::supersede(case, command)?,
        Command::Branch(command) => fleet::branch(case, command)?,
        Command::Dispatch(command) => fleet::dispatch(case, command)?,
        Command::Recover(command) => fleet::recover(case, command)?,
        Command::Settle(command) => project::settle(case, command)?,
        Command::Configure(command) => project::configure(case, command)?,
        Command::NoteReport(command) => project::note_report(command),
        Command::MilestoneCreate(command) => project::milestone_create(case, command)?,
        Command::MilestoneEdit(command) => project::milestone_edit(case, command)?,
        Command::MilestoneClose(command) => project::milestone_moved(case, &command.milestone, Kind::MilestoneClosed, command.note.as_str())?,
        Command::MilestoneCancel(command) => project::milestone_cancel(case, command)?,
        Command::MilestoneReopen(command) => project::milestone_moved(case, &command.milestone, Kind::MilestoneReopened, command.note.as_str())?,
    };
    extend_own(case, command, &mut decision);
    Ok(decision)
}

/// A holder's own write on what it holds extends its lease.
fn extend_own(case: &Case, command: &Command, decision: &mut Decision) {
    let Some(of) = task_of(command).and_then(|id| case.facts.tasks.get(id)) else { return };
    let ends = matches!(command, Command::Claim(_) | Command::Renew(_) | Command::Bind(_) | Command::Supersede(_) | Command::Branch(_));
    if ends || !decision.leases.is_empty() {
        return;
    }
    if let Some(lease) = case.running(of).filter(|lease| lease.actor == *case.caller()) {
        claim::extend(case, lease, decision);
    }
}

/// A body without what is absent, empty or false: those are the defaults of its keys.
pub(crate) fn body(value: Value) -> Map<String, Value> {
    let is_default = |value: &Value| match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    match value {
        Value::Object(map) => map.into_iter().filter(|(_, value)| !is_default(value)).collect(),
        _ => Map::new(),
    }
}

pub(crate) fn draft(kind: Kind, subject: &str, value: Value) -> Draft {
    Draft { kind, subject: subject.to_owned(), body: body(value) }
}

/// One field replaced: `from` and `to` stand even when they are nothing.
pub(crate) fn replaced(kind: Kind, subject: &str, key: &str, name: &str, from: Value, to: Value) -> Draft {
    let body = [(key.to_owned(), Value::from(name)), ("from".to_owned(), from), ("to".to_owned(), to)].into_iter().collect();
    Draft { kind, subject: subject.to_owned(), body }
}

/// A decision of one event about a task.
fn about(task: &TaskId, kind: Kind, value: Value) -> Decision {
    Decision { subject: task.to_string(), events: vec![draft(kind, task.as_str(), value)], ..Decision::default() }
}

fn warn(decision: &mut Decision, code: &str, text: impl Into<String>) {
    decision.warnings.push(Warning { code: code.to_owned(), text: text.into() });
}

/// Adds a key to the receipt's data.
fn note(decision: &mut Decision, key: &str, value: Value) {
    match &mut decision.data {
        Value::Object(data) => drop(data.insert(key.to_owned(), value)),
        other => *other = json!({ key: value }),
    }
}

fn tell(decision: &mut Decision, told: &[Actor]) {
    if !told.is_empty() {
        note(decision, "told", json!(told));
    }
}

/// The lease row goes, whoever made the call.
fn drop_lease(decision: &mut Decision, task: &TaskId) {
    decision.leases.push(LeaseChange::Drop(task.clone()));
}
