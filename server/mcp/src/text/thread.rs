//! What was said and done: entries of a thread, rows of a history, commits.

use super::fit::{List, Oldest};
use super::safe::{line, quote};
use super::{call, when};
use contracts::view::{CommitView, Entry, HistoryRow, TaskView};
use contracts::{Moment, TaskId};
use serde_json::{Value, json};

/// Thread entries in an answer that is about more than the thread.
const ENTRIES_SHOWN: usize = 10;
/// Bytes of one entry there.
const ENTRY_BYTES: usize = 500;
/// Commits in an answer that is about more than them.
const COMMITS_SHOWN: usize = 12;
/// Paths shown of one commit.
const PATHS_SHOWN: usize = 4;

/// One entry: who, when, what, and their words quoted; and whether those were cut.
pub(crate) fn entry(entry: &Entry, bytes: usize, now: Option<Moment>) -> (String, bool) {
    let mut head = format!("- {} · {} {}", when::clock(entry.at, now), entry.actor, line(&entry.words, 200));
    if !entry.to.is_empty() {
        let to: Vec<&str> = entry.to.iter().map(|actor| actor.as_str()).collect();
        head.push_str(&format!(" → {}", to.join(", ")));
    }
    if entry.no_effect {
        head.push_str(" (no effect)");
    }
    let (text, was_cut) = quote(&entry.text, bytes);
    (if text.is_empty() { head } else { format!("{head}\n{text}") }, was_cut)
}

/// The last entries of a task's thread.
pub(crate) fn latest(view: &TaskView, now: Option<Moment>) -> List {
    let mut list = List::new("## Thread", Oldest::First, section(&view.card.id, "thread"));
    let skipped = view.thread.len().saturating_sub(ENTRIES_SHOWN);
    for row in &view.thread[skipped..] {
        let (text, was_cut) = entry(row, ENTRY_BYTES, now);
        list.items.push(text);
        list.shortened |= was_cut;
    }
    list.more = view.thread_total.max(view.thread.len() as i64) - list.items.len() as i64;
    list
}

/// The last commits of a task.
pub(crate) fn commits(view: &TaskView) -> List {
    let mut list = List::new("## Commits", Oldest::First, section(&view.card.id, "commits"));
    let sorted = in_order(&view.commits_detail);
    let skipped = sorted.len().saturating_sub(COMMITS_SHOWN);
    list.items = sorted[skipped..].iter().map(|row| commit(row, PATHS_SHOWN)).collect();
    list.more = skipped as i64;
    list
}

/// Every commit of a task with up to `paths` paths each.
pub(crate) fn all_commits(view: &TaskView, paths: usize) -> String {
    in_order(&view.commits_detail).into_iter().map(|row| commit(row, paths)).collect::<Vec<_>>().join("\n")
}

fn in_order(commits: &[CommitView]) -> Vec<&CommitView> {
    let mut sorted: Vec<&CommitView> = commits.iter().collect();
    sorted.sort_by_key(|commit| commit.at);
    sorted
}

fn commit(commit: &CommitView, paths: usize) -> String {
    let sha = commit.sha.get(..12).unwrap_or(&commit.sha);
    let mut text = format!("- {sha} {} · +{} −{}", line(&commit.subject, 200), commit.added, commit.deleted);
    let shown: Vec<String> = commit.files.iter().take(paths).map(|(path, ..)| line(path, 120)).collect();
    let more = commit.files.len().saturating_sub(paths) as u64 + u64::from(commit.files_dropped);
    if !shown.is_empty() {
        text.push_str(&format!(" · {}", shown.join(", ")));
    }
    if more > 0 {
        text.push_str(&format!(", +{more}"));
    }
    if !commit.counts {
        text.push_str(" · does not count as evidence");
    }
    text
}

/// One row of a history: the entry, with the field that changed and who was behind it.
pub(crate) fn history(row: &HistoryRow, bytes: usize) -> String {
    let (text, _) = entry(&row.entry, bytes, None);
    let (head, rest) = text.split_once('\n').map_or((text.as_str(), None), |(head, rest)| (head, Some(rest)));
    let mut head = format!("{head} · {}", row.entry.kind);
    if let Some(field) = &row.field {
        head.push_str(&format!(" · {field}: {} → {}", value(&row.from), value(&row.to)));
    }
    head.push_str(&format!(" · by {}", line(&row.principal, 120)));
    rest.map_or(head.clone(), |rest| format!("{head}\n{rest}"))
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => line(text, 300),
        other => line(&other.to_string(), 300),
    }
}

/// The call that shows one section of a task.
pub(crate) fn section(task: &TaskId, section: &str) -> String {
    call("ask", json!({"task": task, "section": section}))
}
