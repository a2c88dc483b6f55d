//! The full-text index: one row a task (id, title, spec) and one an event that carries words, so a comment adds a row and rewrites none.

use super::rows::Changed;
use super::{Arrived, task_of};
use crate::script::Script;
use crate::sql::list;
use engine::{Event, Kind};

/// Rows a statement.
const ROWS_MAX: usize = 250;

/// An event's row in the index: odd numbers. Even ones are tasks'.
pub(crate) fn event_number(seq: i64) -> i64 {
    seq * 2 + 1
}

/// The words of an event: what stands in the thread, and what is a commit's subject.
pub(crate) fn words_of(event: &Event) -> Option<(&str, &str)> {
    task_of(event)?;
    let (thread, commits) = match event.kind {
        Kind::CommitBound => ("", event.text("subject")),
        Kind::TaskCreated | Kind::TaskEdited => return None,
        _ if event.text("text").is_empty() => (event.text("note"), ""),
        _ => (event.text("text"), ""),
    };
    (!thread.is_empty() || !commits.is_empty()).then_some((thread, commits))
}

/// Indexes events that have just come.
pub(crate) fn index_events(script: &mut Script, arrived: &[Arrived]) {
    let rows: Vec<EventText> = arrived.iter().filter_map(|one| EventText::of(one.seq, &one.event)).collect();
    insert_events(script, rows);
}

/// One event's row.
pub(crate) struct EventText {
    number: i64,
    subject: String,
    event: String,
    thread: String,
    commits: String,
}

impl EventText {
    pub(crate) fn of(seq: i64, event: &Event) -> Option<EventText> {
        let (thread, commits) = words_of(event)?;
        Some(EventText {
            number: event_number(seq),
            subject: event.subject.clone(),
            event: event.id.as_str().to_owned(),
            thread: thread.to_owned(),
            commits: commits.to_owned(),
        })
    }
}

pub(crate) fn insert_events(script: &mut Script, rows: Vec<EventText>) {
    let rows = rows.into_iter().map(|text| [text.number.into(), text.subject.into(), text.event.into(), text.thread.into(), text.commits.into()]);
    script.insert_without_project("insert or replace into search (rowid, subject, event, thread, commits)", rows);
}

/// Indexes tasks whose title or spec changed; their rows are there.
pub(crate) fn index_tasks(script: &mut Script, changed: &[Changed<'_>]) {
    let differs = |(old, new): &&Changed<'_>| old.is_none_or(|old| old.task.title != new.task.title || old.task.spec != new.task.spec);
    let stale: Vec<&str> = changed.iter().filter(differs).map(|(_, new)| new.task.id.as_str()).collect();
    for chunk in stale.chunks(ROWS_MAX) {
        script.add(INDEX_TASKS, [list(chunk.iter().copied()).into()]);
    }
}

/// A task's row in the index has twice its number.
const INDEX_TASKS: &str = "insert or replace into search (rowid, subject, id, title, spec) \
    select t.rowid * 2, t.id, t.id, t.title, t.spec from task t where t.project = ?1 and t.id in (select value from json_each(?2))";
