//! The full-text index: one row a task (id, title, spec) and one an event that carries words, so a comment adds a row and rewrites none.

use super::rows::{self, TaskRow};
use super::{Arrived, task_of};
use crate::error::StoreError;
use contracts::TaskId;
use engine::{Event, Kind};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

/// Rows a statement.
const ROWS_MAX: usize = 250;

/// A task's row in the index: even numbers.
pub(crate) fn task_number(row_number: i64) -> i64 {
    row_number * 2
}

/// An event's row in the index: odd numbers.
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
pub(crate) async fn index_events(conn: &mut SqliteConnection, arrived: &[Arrived]) -> Result<(), StoreError> {
    let rows: Vec<EventText> = arrived.iter().filter_map(|one| EventText::of(one.seq, &one.event)).collect();
    insert_events(conn, &rows).await
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

pub(crate) async fn insert_events(conn: &mut SqliteConnection, rows: &[EventText]) -> Result<(), StoreError> {
    for chunk in rows.chunks(ROWS_MAX) {
        let mut sql: QueryBuilder<'_, Sqlite> = QueryBuilder::new("insert or replace into search (rowid, subject, event, thread, commits) ");
        sql.push_values(chunk, |mut row, text| {
            row.push_bind(text.number).push_bind(&text.subject).push_bind(&text.event).push_bind(&text.thread).push_bind(&text.commits);
        });
        sql.build().execute(&mut *conn).await?;
    }
    Ok(())
}

/// Indexes tasks whose title or spec changed.
pub(crate) async fn index_tasks(conn: &mut SqliteConnection, changed: &[(Option<&TaskRow>, TaskRow)]) -> Result<(), StoreError> {
    let differs = |(old, new): &&(Option<&TaskRow>, TaskRow)| old.is_none_or(|old| old.task.title != new.task.title || old.task.spec != new.task.spec);
    let stale: Vec<&(Option<&TaskRow>, TaskRow)> = changed.iter().filter(differs).collect();
    if stale.is_empty() {
        return Ok(());
    }
    let ids: Vec<&TaskId> = stale.iter().map(|(_, new)| &new.task.id).collect();
    let numbers = rows::row_numbers(conn, ids).await?;
    for chunk in stale.chunks(ROWS_MAX) {
        let mut sql: QueryBuilder<'_, Sqlite> = QueryBuilder::new("insert or replace into search (rowid, subject, id, title, spec) ");
        sql.push_values(chunk, |mut row, (_, new)| {
            let number = numbers.get(new.task.id.as_str()).copied().map_or(0, task_number);
            row.push_bind(number).push_bind(new.task.id.as_str()).push_bind(new.task.id.as_str()).push_bind(&new.task.title).push_bind(&new.task.spec);
        });
        sql.build().execute(&mut *conn).await?;
    }
    Ok(())
}
