//! A tracker imported again: what was changed there since then arrives, unless the board was changed too.
//!
//! Invariants: nothing that was changed on the board is overwritten; what is different here and there is told each time, until it is the
//! same. An edit has a name made of what it changes, so two clones that import the same make the same edits.

use super::facts::Facts;
use super::{Board, Source, hex};
use crate::boot::Boot;
use contracts::standing::Via;
use contracts::{Actor, Caller, Problem, Status, TaskId};
use engine::Kind;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use storage::AdoptedTask;

/// The fields that a tracker's edits reach, and what one is when it is left out.
const FIELDS: [(&str, Absent); 8] = [
    ("title", Absent::Text("")),
    ("spec", Absent::Text("")),
    ("type", Absent::Text("task")),
    ("priority", Absent::Number(2)),
    ("labels", Absent::List),
    ("files", Absent::List),
    ("criteria", Absent::List),
    ("due_at", Absent::Null),
];
/// Fields that are told and never changed: a relation is settled by a person.
const RELATIONS: [(&str, Absent); 2] = [("parent", Absent::Null), ("after", Absent::List)];

/// What a field is that is not written.
#[derive(Clone, Copy)]
enum Absent {
    Text(&'static str),
    Number(i64),
    List,
    Null,
}

impl Absent {
    fn value(self) -> Value {
        match self {
            Absent::Text(text) => text.into(),
            Absent::Number(number) => number.into(),
            Absent::List => json!([]),
            Absent::Null => Value::Null,
        }
    }
}

/// Something that was changed there since it was imported, and is otherwise here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The task here.
    pub task: TaskId,
    /// Its name there.
    pub name: String,
    /// Which field, or `status`.
    pub field: String,
    /// As it is here, and stays.
    pub here: Value,
    /// As it is there.
    pub there: Value,
}

/// Adds to `board` the edits that may arrive, and gives what differs.
///
/// # Errors
/// As reading a task does.
pub async fn compare(boot: &Boot, caller: &Caller, source: Source, board: &mut Board, known: &HashMap<String, AdoptedTask>) -> Result<Vec<Differing>, Problem> {
    let tracker = source.as_str();
    let port = boot.port.for_caller(caller.clone());
    let mut edits = Facts::default();
    let mut differing = Vec::new();
    for fact in board.facts.iter().filter(|fact| fact.kind == Kind::TaskCreated) {
        let Some(before) = known.get(&fact.name) else { continue };
        let changed: Vec<(&str, Absent)> =
            FIELDS.into_iter().chain(RELATIONS).filter(|(field, absent)| of(&fact.body, field, *absent) != of(&before.body, field, *absent)).collect();
        let closed = board.facts.iter().any(|other| other.kind == Kind::TaskClosed && other.name == fact.name);
        let opened = before.closed && !closed;
        if changed.is_empty() && !opened {
            continue;
        }
        let Ok(task) = TaskId::parse(&before.subject) else { continue };
        let view = port.task(task.clone()).await?;
        let now = current(&view);
        let name = fact.name.strip_prefix(&format!("{tracker}:")).unwrap_or(&fact.name).to_owned();
        let differs = |field: &str, here: Value, there: Value| Differing { task: task.clone(), name: name.clone(), field: field.to_owned(), here, there };
        for (field, absent) in changed {
            let (here, there, then) = (of(&now, field, absent), of(&fact.body, field, absent), of(&before.body, field, absent));
            let relation = RELATIONS.iter().any(|(name, _)| *name == field);
            if here == there {
                continue;
            }
            if relation || here != then || view.card.status != Status::Open {
                differing.push(differs(field, here, there));
                continue;
            }
            let turn = before.edits.get(field).copied().unwrap_or(0) + 1;
            let edit = format!("{}@{field}/{turn}/{}", fact.name, hex(there.to_string().as_bytes()).get(..8).unwrap_or_default());
            let body = [("field", json!(field)), ("from", then), ("to", there)].map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
            edits.add(boot.port.now(), &Actor::system(tracker), Kind::TaskEdited, task.as_str(), &edit, body);
        }
        if opened && view.card.status == Status::Done {
            differing.push(differs("status", json!("done"), json!("open")));
        }
    }
    board.facts.extend(edits.facts);
    Ok(differing)
}

/// A field of a body, in the one form that can be compared.
fn of(body: &Map<String, Value>, field: &str, absent: Absent) -> Value {
    let value = body.get(field).cloned().unwrap_or(Value::Null);
    let mut value = if value.is_null() { absent.value() } else { value };
    if field == "after"
        && let Value::Array(items) = &mut value
    {
        items.sort_by_key(ToString::to_string);
    }
    value
}

/// A task as it is, in the words of a body.
fn current(view: &contracts::view::TaskView) -> Map<String, Value> {
    // A task also waits for its subtasks.
    let after: Vec<&str> = view.waits_on.iter().filter(|relation| relation.via != Some(Via::Parent)).map(|relation| relation.id.as_str()).collect();
    let card = &view.card;
    let fields = json!({
        "title": card.title, "spec": view.spec, "type": card.kind, "priority": card.priority, "labels": card.labels, "files": view.files,
        "criteria": view.criteria, "due_at": card.due_at, "parent": card.parent, "after": after,
    });
    fields.as_object().cloned().unwrap_or_default()
}
