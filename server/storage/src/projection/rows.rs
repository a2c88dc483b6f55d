//! Rows of the task table and what hangs on it: labels, open items, bound commits, the search row, the tally.

use super::texts;
use crate::error::StoreError;
use crate::sql::{PROJECT, id_list, q, task_id, word};
use contracts::TaskId;
use contracts::standing::Standing;
use engine::{Counters, Task};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};
use std::collections::{BTreeMap, HashMap};

/// Rows a statement.
const ROWS_MAX: usize = 250;

/// A task as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaskRow {
    pub task: Task,
    pub counters: Counters,
    pub rest: Standing,
}

/// The columns [`read`] reads, of a table or alias `t`.
macro_rules! task_columns {
    () => {
        "t.id, t.state, t.rest, t.waits_open, t.waits_first, t.waits_cancelled, t.blocks, t.children_open, t.children, t.edges_inert"
    };
}
pub(crate) use task_columns;

/// How many columns [`task_columns`] names.
pub(crate) const TASK_COLUMNS: usize = 10;

/// Reads a row, without its spec.
pub(crate) fn read(row: &SqliteRow) -> Result<TaskRow, StoreError> {
    let count = |at: usize| u32::try_from(row.get::<i64, _>(at)).unwrap_or(0);
    let waits_first: Option<String> = row.get(4);
    let counters = Counters {
        waits_open: count(3),
        waits_first: waits_first.map(|id| task_id(&id)).transpose()?,
        waits_cancelled: count(5),
        blocks: count(6),
        children_open: count(7),
        children: count(8),
        edges_inert: count(9),
    };
    Ok(TaskRow { task: serde_json::from_str(row.get(1))?, counters, rest: word(Standing::parse(row.get(2)))? })
}

/// Loads tasks by id, specs too.
pub(crate) async fn load<'a>(conn: &mut SqliteConnection, ids: impl IntoIterator<Item = &'a TaskId>) -> Result<BTreeMap<TaskId, TaskRow>, StoreError> {
    let ids = id_list(ids);
    if ids == "[]" {
        return Ok(BTreeMap::new());
    }
    let sql = concat!("select ", task_columns!(), ", t.spec from task t where t.project = ?1 and t.id in (select value from json_each(?2))");
    let mut found = BTreeMap::new();
    for row in q(sql).bind(ids).fetch_all(&mut *conn).await? {
        let mut stored = read(&row)?;
        stored.task.spec = row.get(TASK_COLUMNS);
        found.insert(stored.task.id.clone(), stored);
    }
    Ok(found)
}

/// What a typed filter looks in, case-folded.
pub(crate) fn words(task: &Task) -> String {
    let assignee = task.assignee.as_ref().map_or("", |actor| actor.as_str());
    format!("{} {} {} {assignee}", task.id, task.title, task.labels.join(" ")).to_lowercase()
}

/// Sorts tasks without a due date last on every engine.
pub(crate) fn due_key(task: &Task) -> String {
    task.due_at.map_or_else(|| "9999".to_owned(), |due| due.to_string())
}

/// Inserts or replaces task rows and what hangs on them.
pub(crate) async fn upsert(conn: &mut SqliteConnection, changed: &[(Option<&TaskRow>, TaskRow)]) -> Result<(), StoreError> {
    for chunk in changed.chunks(ROWS_MAX) {
        let states: Vec<String> = chunk.iter().map(|(_, row)| serde_json::to_string(&row.task)).collect::<Result<_, _>>()?;
        let mut sql: QueryBuilder<'_, Sqlite> = QueryBuilder::new(
            "insert into task (project, id, title, words, rest, status, priority, due_key, created_at, type, assignee, parent, milestone, closed_at, conflicts, \
             waits_open, waits_first, waits_cancelled, blocks, children_open, children, edges_inert, state, spec) ",
        );
        sql.push_values(chunk.iter().zip(states), |mut row, ((_, stored), state)| {
            let (task, counters) = (&stored.task, &stored.counters);
            row.push_bind(PROJECT)
                .push_bind(task.id.as_str())
                .push_bind(&task.title)
                .push_bind(words(task))
                .push_bind(stored.rest.as_str())
                .push_bind(task.status.as_str())
                .push_bind(i64::from(task.priority))
                .push_bind(due_key(task))
                .push_bind(task.created.at.to_string())
                .push_bind(&task.kind)
                .push_bind(task.assignee.as_ref().map(|actor| actor.as_str()))
                .push_bind(task.parent.as_ref().map(TaskId::as_str))
                .push_bind(task.milestone.as_ref().map(|id| id.as_str()))
                .push_bind(task.closed.as_ref().map(|closed| closed.at.to_string()))
                .push_bind(i64::try_from(task.conflicts.len()).unwrap_or(i64::MAX))
                .push_bind(i64::from(counters.waits_open))
                .push_bind(counters.waits_first.as_ref().map(TaskId::as_str))
                .push_bind(i64::from(counters.waits_cancelled))
                .push_bind(i64::from(counters.blocks))
                .push_bind(i64::from(counters.children_open))
                .push_bind(i64::from(counters.children))
                .push_bind(i64::from(counters.edges_inert))
                .push_bind(state)
                .push_bind(&task.spec);
        });
        sql.push(
            " on conflict (project, id) do update set title = excluded.title, words = excluded.words, rest = excluded.rest, status = excluded.status, \
             priority = excluded.priority, due_key = excluded.due_key, created_at = excluded.created_at, type = excluded.type, assignee = excluded.assignee, \
             parent = excluded.parent, milestone = excluded.milestone, closed_at = excluded.closed_at, conflicts = excluded.conflicts, \
             waits_open = excluded.waits_open, waits_first = excluded.waits_first, waits_cancelled = excluded.waits_cancelled, blocks = excluded.blocks, \
             children_open = excluded.children_open, children = excluded.children, edges_inert = excluded.edges_inert, state = excluded.state, spec = excluded.spec",
        );
        sql.build().execute(&mut *conn).await?;
    }
    hangings(conn, changed, "task_label", "label", |task| task.labels.clone()).await?;
    hangings(conn, changed, "commit_bound", "sha", |task| task.commits.iter().map(|commit| commit.sha.clone()).collect()).await?;
    open_items(conn, changed).await?;
    texts::index_tasks(conn, changed).await
}

/// The values of a task in a table of `(project, task, value)`; only tasks whose values changed are written.
async fn hangings(
    conn: &mut SqliteConnection,
    changed: &[(Option<&TaskRow>, TaskRow)],
    table: &str,
    column: &str,
    of: impl Fn(&Task) -> Vec<String>,
) -> Result<(), StoreError> {
    let mut pairs: Vec<(&TaskId, String)> = Vec::new();
    let mut stale: Vec<&TaskId> = Vec::new();
    for (old, new) in changed {
        let (before, now) = (old.map(|row| of(&row.task)).unwrap_or_default(), of(&new.task));
        if before != now {
            if !before.is_empty() {
                stale.push(&new.task.id);
            }
            pairs.extend(now.into_iter().map(|value| (&new.task.id, value)));
        }
    }
    if !stale.is_empty() {
        let sql = format!("delete from {table} where project = ?1 and task in (select value from json_each(?2))");
        q(&sql).bind(id_list(stale)).execute(&mut *conn).await?;
    }
    for chunk in pairs.chunks(ROWS_MAX * 4) {
        let mut sql: QueryBuilder<'_, Sqlite> = QueryBuilder::new(format!("insert or ignore into {table} (project, task, {column}) "));
        sql.push_values(chunk, |mut row, (task, value)| {
            row.push_bind(PROJECT).push_bind(task.as_str()).push_bind(value);
        });
        sql.build().execute(&mut *conn).await?;
    }
    Ok(())
}

/// Open blockers, questions and conflicts of a task: kind and id.
fn items(task: &Task) -> Vec<(&'static str, &str)> {
    let blockers = task.blockers.iter().map(|blocker| ("blocker", blocker.id.as_str()));
    let questions = task.questions.iter().map(|question| ("question", question.id.as_str()));
    let conflicts = task.conflicts.iter().map(|conflict| ("conflict", conflict.event.as_str()));
    blockers.chain(questions).chain(conflicts).collect()
}

async fn open_items(conn: &mut SqliteConnection, changed: &[(Option<&TaskRow>, TaskRow)]) -> Result<(), StoreError> {
    for (old, new) in changed {
        let (before, now) = (old.map(|row| items(&row.task)).unwrap_or_default(), items(&new.task));
        if before == now {
            continue;
        }
        if !before.is_empty() {
            q("delete from open_item where project = ?1 and task = ?2").bind(new.task.id.as_str()).execute(&mut *conn).await?;
        }
        for (kind, id) in now {
            q("insert or ignore into open_item (project, kind, id, task) values (?1, ?2, ?3, ?4)")
                .bind(kind)
                .bind(id)
                .bind(new.task.id.as_str())
                .execute(&mut *conn)
                .await?;
        }
    }
    Ok(())
}

/// Writes what neighbours changed about a task.
pub(crate) async fn update_counters(conn: &mut SqliteConnection, id: &TaskId, counters: &Counters, rest: Standing) -> Result<(), StoreError> {
    q("update task set rest = ?3, waits_open = ?4, waits_first = ?5, waits_cancelled = ?6, blocks = ?7, children_open = ?8, children = ?9, edges_inert = ?10 \
       where project = ?1 and id = ?2")
    .bind(id.as_str())
    .bind(rest.as_str())
    .bind(i64::from(counters.waits_open))
    .bind(counters.waits_first.as_ref().map(TaskId::as_str))
    .bind(i64::from(counters.waits_cancelled))
    .bind(i64::from(counters.blocks))
    .bind(i64::from(counters.children_open))
    .bind(i64::from(counters.children))
    .bind(i64::from(counters.edges_inert))
    .execute(&mut *conn)
    .await?;
    Ok(())
}

/// Moves the counts of standings.
pub(crate) async fn add_to_tally(conn: &mut SqliteConnection, tally: &BTreeMap<Standing, i64>) -> Result<(), StoreError> {
    for (standing, change) in tally.iter().filter(|(_, change)| **change != 0) {
        q("insert into tally (project, rest, n) values (?1, ?2, ?3) on conflict (project, rest) do update set n = n + excluded.n")
            .bind(standing.as_str())
            .bind(change)
            .execute(&mut *conn)
            .await?;
    }
    q("delete from tally where project = ?1 and n = 0").execute(&mut *conn).await?;
    Ok(())
}

/// SQLite's own row numbers of some tasks.
pub(crate) async fn row_numbers<'a>(conn: &mut SqliteConnection, ids: impl IntoIterator<Item = &'a TaskId>) -> Result<HashMap<String, i64>, StoreError> {
    let sql = "select id, rowid from task where project = ?1 and id in (select value from json_each(?2))";
    let rows = q(sql).bind(id_list(ids)).fetch_all(&mut *conn).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Loads tasks by id, without their specs.
pub(crate) async fn load_cards(conn: &mut SqliteConnection, ids: &[TaskId]) -> Result<HashMap<TaskId, TaskRow>, StoreError> {
    let sql = concat!("select ", task_columns!(), " from task t where t.project = ?1 and t.id in (select value from json_each(?2))");
    let rows = q(sql).bind(id_list(ids)).fetch_all(&mut *conn).await?;
    rows.iter().map(|row| read(row).map(|stored| (stored.task.id.clone(), stored))).collect()
}
