//! What issues of trackers without a log become: a task at the time it was made, what was said of it, and how it ended.
//!
//! A tracker says how an issue stands, not how it came to; so these facts are new issues, comments and ends, and edits are found by
//! comparing (`again.rs`).

use super::facts::{Facts, bits, object};
use super::{Board, Taken};
use contracts::{Actor, Moment, TaskId};
use engine::Kind;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An issue, in our words.
#[derive(Debug)]
pub struct Issue {
    /// Its name where it came from.
    pub name: String,
    /// Who made it.
    pub by: Actor,
    /// When.
    pub at: Moment,
    /// The fields of the task, without relations.
    pub body: Map<String, Value>,
    /// Names of those it waits for.
    pub after: Vec<String>,
    /// Name of the one it is part of.
    pub parent: Option<String>,
    /// What was said.
    pub comments: Vec<Comment>,
    /// When and with which words it was closed.
    pub closed: Option<(Moment, String)>,
}

/// Something said of an issue.
#[derive(Debug)]
pub struct Comment {
    /// Its name within the issue.
    pub name: String,
    /// Who.
    pub by: Actor,
    /// When.
    pub at: Moment,
    /// The text.
    pub text: String,
}

/// One thing that happened to an issue.
struct Happening {
    at: Moment,
    by: Actor,
    kind: Kind,
    task: TaskId,
    name: String,
    body: Value,
}

/// Words issues as facts. `tracker` tells its names from another's.
pub fn facts(mut issues: Vec<Issue>, tracker: &str, ready: bool, taken: &Taken, mut facts: Facts, board: &mut Board) {
    issues.sort_by(|a, b| (a.at, &a.name).cmp(&(b.at, &b.name)));
    let mut ids: BTreeMap<String, TaskId> = BTreeMap::new();
    let mut used: BTreeSet<TaskId> = BTreeSet::new();
    for issue in &issues {
        let id = id_of(&format!("{tracker}:{}", issue.name), taken, &used);
        used.insert(id.clone());
        ids.insert(issue.name.clone(), id);
    }
    let mut edges = Edges::default();
    let mut all: Vec<Happening> = Vec::new();
    for issue in issues {
        let Some(id) = ids.get(&issue.name).cloned() else { continue };
        let name = format!("{tracker}:{}", issue.name);
        let mut body = issue.body;
        let parent = issue.parent.as_ref().and_then(|parent| ids.get(parent));
        if let Some(parent) = parent
            && edges.link(parent, &id, board)
        {
            body.insert("parent".to_owned(), json!(parent));
        }
        let mut after = Vec::new();
        for wanted in &issue.after {
            match ids.get(wanted) {
                Some(on) if edges.link(&id, on, board) => after.push(on.clone()),
                Some(_) => {}
                None => facts.warn(format!("{} waits for {wanted}, which is not in the import", issue.name)),
            }
        }
        body.insert("after".to_owned(), json!(after));
        if issue.closed.is_none() && !ready {
            body.insert("held".to_owned(), json!({"kind": "plan", "note": format!("imported from {tracker}")}));
        }
        let created =
            Happening { at: issue.at, by: issue.by.clone(), kind: Kind::TaskCreated, task: id.clone(), name: name.clone(), body: Value::Object(body) };
        all.push(created);
        let mut end = issue.at;
        for comment in issue.comments {
            let at = comment.at.max(issue.at);
            end = end.max(at);
            let (name, body) = (format!("{name}#{}", comment.name), json!({"text": comment.text}));
            all.push(Happening { at, by: comment.by, kind: Kind::TaskCommented, task: id.clone(), name, body });
        }
        if let Some((at, note)) = issue.closed {
            let note = if note.trim().is_empty() { "imported as done".to_owned() } else { note };
            let body = json!({"note": note, "no_code": true});
            all.push(Happening { at: at.max(end), by: issue.by, kind: Kind::TaskClosed, task: id, name, body });
        }
    }
    all.sort_by_key(|one| one.at);
    for Happening { at, by, kind, task, name, body } in all {
        facts.add(at, &by, kind, task.as_str(), &name, object(body));
    }
    (board.facts, board.warnings, board.skipped) = (facts.facts, facts.warnings, facts.skipped);
}

/// The task an issue became here before, else an id made of its name that nobody has.
fn id_of(name: &str, taken: &Taken, used: &BTreeSet<TaskId>) -> TaskId {
    if let Some(id) = taken.adopted.get(name).and_then(|task| TaskId::parse(&task.subject).ok()) {
        return id;
    }
    let mut tries = (1_u32..).map(|n| if n == 1 { TaskId::from_bits(bits(name)) } else { TaskId::from_bits(bits(&format!("{name}/{n}"))) });
    let free = tries.find(|id| !used.contains(id) && !taken.tasks.contains(id.as_str()));
    free.unwrap_or_else(|| TaskId::from_bits(bits(name)))
}

/// Who waits for whom, a parent for its children.
#[derive(Default)]
struct Edges(BTreeMap<TaskId, BTreeSet<TaskId>>);

impl Edges {
    /// Adds an edge, unless it would close a loop; then it is listed.
    fn link(&mut self, task: &TaskId, on: &TaskId, board: &mut Board) -> bool {
        let (mut seen, mut ways) = (BTreeSet::new(), vec![on.clone()]);
        while let Some(at) = ways.pop() {
            if at == *task {
                board.inert.push((task.to_string(), on.to_string()));
                return false;
            }
            if seen.insert(at.clone()) {
                ways.extend(self.0.get(&at).into_iter().flatten().cloned());
            }
        }
        self.0.entry(task.clone()).or_default().insert(on.clone());
        true
    }
}
