//! What a run asks of the world: its task, the task's children, other tasks, who may do what. It is loaded by whoever calls and handed in,
//! so that a decision looks at nothing but its arguments.

use contracts::Moment;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A subtask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Child {
    /// Its id.
    pub id: String,
    /// Its fields, as filters name them.
    pub fields: Map<String, Value>,
}

impl Child {
    /// Its status: `open`, `done` or `cancelled`.
    pub fn status(&self) -> &str {
        self.fields.get("status").and_then(Value::as_str).unwrap_or("open")
    }
}

/// What is known beside the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// Now, by the one clock that counts.
    pub now: Moment,
    /// Fields of the task, as filters name them.
    pub task: Map<String, Value>,
    /// Status and standing of the parent, when there is one.
    pub parent: Option<(String, String)>,
    /// Live direct subtasks, in order.
    pub children: Vec<Child>,
    /// Status and standing of other tasks that gates name.
    pub tasks: BTreeMap<String, (String, String)>,
    /// The newest commit bound to the task.
    pub head: Option<String>,
    /// Roles of each person, by principal; who is not in it belongs to nobody here.
    pub people: BTreeMap<String, BTreeSet<String>>,
}

impl World {
    /// A field of the task as text.
    pub fn text(&self, field: &str) -> &str {
        self.task.get(field).and_then(Value::as_str).unwrap_or_default()
    }
}
