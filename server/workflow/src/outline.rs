//! A workflow as an indented list: what a person reads before saving it, and what an agent reads back.

use crate::document::{Branch, Document, Gate, Given, Part, Step};
use serde::Serialize;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// `4.1`; empty for a branch.
    pub number: String,
    /// How far it is indented, from 0.
    pub depth: usize,
    /// Its path: `build/repair`.
    pub path: String,
    /// Its name for people.
    pub name: String,
    /// What kind of step it is, or `branch`.
    pub kind: &'static str,
    /// Who does it, when it is taken, where it leads.
    pub notes: Vec<String>,
    /// Keys of its gate.
    pub gate: Vec<&'static str>,
}

/// The lines of a workflow.
pub fn outline(document: &Document) -> Vec<Line> {
    let mut lines = Vec::new();
    list(&document.steps, "", "", 0, &mut lines);
    lines
}

/// The same as text.
pub fn text(document: &Document) -> String {
    let mut whole = String::new();
    for line in outline(document) {
        let number = if line.number.is_empty() { "-".to_owned() } else { line.number.clone() };
        whole.push_str(&format!("{}{number} {}", "  ".repeat(line.depth), line.name));
        if line.kind != "work" && line.kind != "branch" {
            whole.push_str(&format!(" [{}]", line.kind));
        }
        for note in &line.notes {
            whole.push_str(&format!(" · {note}"));
        }
        if !line.gate.is_empty() {
            whole.push_str(&format!(" · gate: {}", line.gate.join(", ")));
        }
        whole.push('\n');
    }
    whole
}

/// What kind of step it is, in one word.
pub fn kind(step: &Step) -> &'static str {
    match step.kinds().first().copied() {
        Some("instructions" | "op") => "work",
        Some("steps") => "steps",
        Some("parallel") => "lanes",
        Some(other) => other,
        None => "checkpoint",
    }
}

fn list(steps: &[Step], number: &str, path: &str, depth: usize, lines: &mut Vec<Line>) {
    for (place, step) in steps.iter().enumerate() {
        let number = if number.is_empty() { (place + 1).to_string() } else { format!("{number}.{}", place + 1) };
        let path = join(path, step.id.as_deref().unwrap_or_default());
        let gates = [&step.entry_gate, &step.gate].into_iter().flatten();
        let gate = gates.flat_map(Gate::predicates).collect();
        lines.push(Line { number: number.clone(), depth, path: path.clone(), name: step.label().to_owned(), kind: kind(step), notes: notes(step), gate });
        for body in step.bodies() {
            match body.part {
                Part::Branch(place, id) => {
                    let branch = &step.decision.as_deref().unwrap_or_default()[place];
                    let path = join(&path, id);
                    lines.push(branch_line(branch, &path, depth + 1));
                    list(body.steps, &number, &path, depth + 2, lines);
                }
                Part::Container | Part::Lanes | Part::Pass => list(body.steps, &number, &path, depth + 1, lines),
            }
        }
    }
}

fn join(path: &str, id: &str) -> String {
    if path.is_empty() { id.to_owned() } else { format!("{path}/{id}") }
}

fn branch_line(branch: &Branch, path: &str, depth: usize) -> Line {
    let mut notes = Vec::new();
    match branch.when.as_deref() {
        Some("default") => notes.push("otherwise".to_owned()),
        Some(when) => notes.push(format!("when {when}")),
        None => {}
    }
    notes.extend(branch.invoke.iter().map(|slug| format!("carries out {slug}")));
    notes.extend(branch.goto.iter().map(|target| format!("goes on at {target}")));
    notes.extend(branch.end.iter().map(|end| format!("ends the run: {}", end.as_str())));
    let name = branch.id.clone().unwrap_or_default();
    Line { number: String::new(), depth, path: path.to_owned(), name, kind: "branch", notes, gate: Vec::new() }
}

fn notes(step: &Step) -> Vec<String> {
    let mut notes = Vec::new();
    if step.by == Some(crate::document::By::Human) {
        notes.push("a person".to_owned());
    }
    notes.extend(step.agent.clone());
    notes.extend(step.when.iter().map(|when| format!("when {when}")));
    if let Some(repeat) = &step.repeat {
        let max = repeat.max.map(|max| format!(", at most {max} times")).unwrap_or_default();
        let test = match (&repeat.over, &repeat.go_on, &repeat.until) {
            (Some(over), _, _) => format!("for each of {}", over.as_str().map_or_else(|| over.to_string(), str::to_owned)),
            (_, Some(test), _) => format!("while {test}"),
            (_, _, Some(test)) => format!("until {test}"),
            _ => String::new(),
        };
        notes.push(format!("{test}{max}"));
    }
    match step.join.as_ref().map(|join| &join.0) {
        Some(Given::Word(word)) if word != "all" => notes.push(format!("until {word} is done")),
        Some(Given::Map(join)) => {
            notes.extend(join.quorum.map(|quorum| format!("until {quorum} are done")));
            notes.extend(join.required.iter().map(|ids| format!("until {} are done", ids.join(", "))));
        }
        _ => {}
    }
    if let Some(target) = step.gate.as_ref().and_then(|gate| gate.on_reject.as_ref()).and_then(|reject| reject.goto.as_ref()) {
        notes.push(format!("a no leads back to {target}"));
    }
    notes
}
