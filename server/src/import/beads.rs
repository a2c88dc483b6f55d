//! An export of beads: one issue a line, as it stands now.

use super::facts::{Facts, actor};
use super::issues::{self, Comment, Issue};
use super::{Board, Taken, Unusable, bytes_of, first_line, hex};
use contracts::{Actor, Moment, Problem, limits};
use engine::settings::TYPES;
use serde_json::{Map, Value, json};
use std::path::Path;
use storage::encoding::Reason;

/// Whether a file is such an export, by its first line.
pub fn is_one(path: &Path) -> bool {
    first_line(path).is_some_and(|line| ["id", "title", "status", "issue_type"].iter().all(|key| line.get(key).is_some_and(Value::is_string)))
}

/// Reads one.
///
/// # Errors
/// When the file can't be read.
pub fn read(path: &Path, ready: bool, taken: &Taken) -> Result<Board, Problem> {
    let bytes = bytes_of(path)?;
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut board = Board { format: "beads".to_owned(), sha256: hex(&bytes), ..Board::default() };
    let mut facts = Facts::default();
    let mut found = Vec::new();
    for (number, raw) in (1_u64..).zip(bytes.split(|byte| *byte == b'\n')) {
        let raw = raw.trim_ascii();
        if raw.is_empty() {
            continue;
        }
        board.lines += 1;
        match issue(raw, &mut facts) {
            Ok(Some(issue)) => found.push(issue),
            Ok(None) => facts.skip("an issue that was deleted there"),
            Err(reason) => board.unusable.push(Unusable { file: file.clone(), line: number, reason, bytes: raw.to_vec() }),
        }
    }
    board.first = found.first().map(|issue| issue.name.clone()).unwrap_or_default();
    issues::facts(found, "beads", ready, taken, facts, &mut board);
    Ok(board)
}

fn issue(raw: &[u8], facts: &mut Facts) -> Result<Option<Issue>, Reason> {
    let value: Value = serde_json::from_slice(raw).map_err(|_| Reason::NotJson)?;
    let Value::Object(members) = value else { return Err(Reason::NotObject) };
    let text = |key: &str| members.get(key).and_then(Value::as_str).unwrap_or_default();
    let when = |key: &str| Moment::parse(text(key));
    let name = text("id").to_owned();
    if name.is_empty() || !members.contains_key("title") || !members.contains_key("status") {
        return Err(Reason::MissingKey);
    }
    if text("status") == "tombstone" {
        return Ok(None);
    }
    let at = when("created_at").ok_or(Reason::BadValue)?;
    let by = |raw: &str| if raw.is_empty() { Actor::system("beads") } else { actor(raw) };
    let mut labels: Vec<&str> = members.get("labels").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let kind = text("issue_type");
    if !TYPES.contains(&kind) && !kind.is_empty() {
        labels.push(kind); // an epic is a task with subtasks here
    }
    if !matches!(text("status"), "open" | "in_progress" | "blocked" | "closed") {
        facts.warn(format!("the status {:?} of {name} has no counterpart: it is open here", text("status")));
    }
    if !text("assignee").is_empty() && text("status") != "closed" {
        facts.skip("an assignee of an open issue: here that would hide it from everybody else");
    }
    let mut body = Map::new();
    body.insert("title".to_owned(), facts.title(text("title"), &name).into());
    body.insert("spec".to_owned(), spec(&members, &name, facts).into());
    body.insert("labels".to_owned(), json!(facts.labels(labels, &name)));
    if TYPES.contains(&kind) && kind != "task" {
        body.insert("type".to_owned(), kind.into());
    }
    let priority = facts.priority(members.get("priority").and_then(Value::as_i64).unwrap_or(2), &name);
    if priority != 2 {
        body.insert("priority".to_owned(), priority.into());
    }
    let external = text("external_ref");
    let url = external.starts_with("https://").then_some(external);
    body.insert("source".to_owned(), json!({"kind": "beads", "ref": name, "url": url}));
    let mut issue = Issue { by: by(text("created_by")), at, body, after: Vec::new(), parent: None, comments: Vec::new(), closed: None, name };
    for edge in members.get("dependencies").and_then(Value::as_array).into_iter().flatten() {
        let on = edge.get("depends_on_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        match edge.get("type").and_then(Value::as_str) {
            Some("blocks") => issue.after.push(on),
            Some("parent-child") => issue.parent = Some(on),
            _ => facts.skip("a relation that orders nothing"),
        }
    }
    for comment in members.get("comments").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| comment.get(key).and_then(Value::as_str).unwrap_or_default();
        let words = facts.text(text("text"), limits::NOTE_BYTES_MAX, &issue.name);
        let name = comment.get("id").map(ToString::to_string).unwrap_or_default();
        issue.comments.push(Comment { name, by: by(text("author")), at: Moment::parse(text("created_at")).unwrap_or(at), text: words });
    }
    if text("status") == "closed" {
        let when = when("closed_at").or_else(|| when("updated_at")).unwrap_or(at);
        issue.closed = Some((when, facts.text(text("close_reason"), limits::NOTE_BYTES_MAX, &issue.name)));
    }
    Ok(Some(issue))
}

/// Everything that was written of it, under the names it had.
fn spec(members: &Map<String, Value>, name: &str, facts: &mut Facts) -> String {
    let mut spec = String::new();
    for (key, heading) in [("description", ""), ("design", "## Design\n\n"), ("acceptance_criteria", "## Acceptance criteria\n\n"), ("notes", "## Notes\n\n")] {
        let text = members.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        if !text.is_empty() {
            let gap = if spec.is_empty() { "" } else { "\n\n" };
            spec.push_str(&format!("{gap}{heading}{text}"));
        }
    }
    facts.text(&spec, limits::SPEC_BYTES_MAX, name)
}
