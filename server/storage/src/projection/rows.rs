//! Rows of the task table and what hangs on it: labels, open items, bound commits, the search row, the tally.

use super::texts;
use crate::error::StoreError;
use crate::script::{Script, Statement, Value};
use crate::sql::{id_list, task_id, word};
use contracts::TaskId;
use contracts::standing::Standing;
use engine::{Counters, Task};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, HashMap};

/// A task as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaskRow {
    pub task: Task,
    pub counters: Counters,
    pub rest: Standing,
}

/// The columns [`read`] reads, of a table or alias `t`. Few, because each value of a row is copied twice on its way here: counters come as
/// one text, and as none where they are all zero, as most are.
macro_rules! task_columns {
    () => {
        "t.state, t.rest, case when t.waits_open + t.waits_cancelled + t.blocks + t.children + t.edges_inert > 0 then t.waits_open || ' ' || \
         t.waits_cancelled || ' ' || t.blocks || ' ' || t.children_open || ' ' || t.children || ' ' || t.edges_inert || ' ' || coalesce(t.waits_first, '') end"
    };
}
pub(crate) use task_columns;

/// How many columns [`task_columns`] names.
pub(crate) const TASK_COLUMNS: usize = 3;

/// Reads a row from its columns, starting at `at`, without its spec.
pub(crate) fn read(row: &SqliteRow, at: usize) -> Result<TaskRow, StoreError> {
    let counters = row.get::<Option<&str>, _>(at + 2).map(counters).transpose()?.unwrap_or_default();
    Ok(TaskRow { task: serde_json::from_str(row.get(at))?, counters, rest: word(Standing::parse(row.get(at + 1)))? })
}

fn counters(text: &str) -> Result<Counters, StoreError> {
    let mut parts = text.split(' ');
    let mut count = || parts.next().and_then(|count| count.parse().ok()).unwrap_or(0);
    let (waits_open, waits_cancelled, blocks, children_open, children, edges_inert) = (count(), count(), count(), count(), count(), count());
    let waits_first = parts.next().filter(|id| !id.is_empty()).map(task_id).transpose()?;
    Ok(Counters { waits_open, waits_first, waits_cancelled, blocks, children_open, children, edges_inert })
}

/// Loads tasks by id, specs too.
pub(crate) async fn load<'a>(conn: &mut SqliteConnection, ids: impl IntoIterator<Item = &'a TaskId>) -> Result<BTreeMap<TaskId, TaskRow>, StoreError> {
    let ids = id_list(ids);
    if ids == "[]" {
        return Ok(BTreeMap::new());
    }
    let mut script = Script::default();
    let asked = add_load(&mut script, &ids);
    read_load(script.run(conn).await?.rows(asked))
}

/// Asks for tasks by id (a JSON list), specs too.
pub(crate) fn add_load(script: &mut Script, ids: &str) -> Statement {
    let sql = concat!("select ", task_columns!(), ", t.spec from task t where t.project = ?1 and t.id in (select value from json_each(?2))");
    script.add(sql, [ids.into()])
}

pub(crate) fn read_load(rows: &[SqliteRow]) -> Result<BTreeMap<TaskId, TaskRow>, StoreError> {
    let mut found = BTreeMap::new();
    for row in rows {
        let mut stored = read(row, 0)?;
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

/// A task's row before, when there was one, and from now on.
pub(crate) type Changed<'a> = (Option<&'a TaskRow>, TaskRow);

/// Inserts or replaces task rows and what hangs on them.
pub(crate) fn upsert(script: &mut Script, changed: &[Changed<'_>]) -> Result<(), StoreError> {
    let rows: Vec<_> = changed.iter().map(|(_, row)| values(row)).collect::<Result<_, _>>()?;
    script.insert(
            "insert into task (project, id, title, words, rest, status, priority, due_key, created_at, type, assignee, parent, milestone, closed_at, conflicts, \
             waits_open, waits_first, waits_cancelled, blocks, children_open, children, edges_inert, state, spec)",
            rows,
            " on conflict (project, id) do update set title = excluded.title, words = excluded.words, rest = excluded.rest, status = excluded.status, \
             priority = excluded.priority, due_key = excluded.due_key, created_at = excluded.created_at, type = excluded.type, assignee = excluded.assignee, \
             parent = excluded.parent, milestone = excluded.milestone, closed_at = excluded.closed_at, conflicts = excluded.conflicts, \
             waits_open = excluded.waits_open, waits_first = excluded.waits_first, waits_cancelled = excluded.waits_cancelled, blocks = excluded.blocks, \
             children_open = excluded.children_open, children = excluded.children, edges_inert = excluded.edges_inert, state = excluded.state, spec = excluded.spec",
        );
    hangings(script, changed, "task_label", "label", |task| task.labels.clone());
    hangings(script, changed, "commit_bound", "sha", |task| task.commits.iter().map(|commit| commit.sha.clone()).collect());
    open_items(script, changed);
    texts::index_tasks(script, changed);
    Ok(())
}

/// A row's values, but for the project.
fn values(stored: &TaskRow) -> Result<[Value; 23], StoreError> {
    let (task, counters) = (&stored.task, &stored.counters);
    Ok([
        task.id.as_str().into(),
        (&task.title).into(),
        words(task).into(),
        stored.rest.as_str().into(),
        task.status.as_str().into(),
        u32::from(task.priority).into(),
        due_key(task).into(),
        task.created.at.to_string().into(),
        (&task.kind).into(),
        task.assignee.as_ref().map(|actor| actor.as_str()).into(),
        task.parent.as_ref().map(TaskId::as_str).into(),
        task.milestone.as_ref().map(|id| id.as_str()).into(),
        task.closed.as_ref().map(|closed| closed.at.to_string()).into(),
        i64::try_from(task.conflicts.len()).unwrap_or(i64::MAX).into(),
        counters.waits_open.into(),
        counters.waits_first.as_ref().map(TaskId::as_str).into(),
        counters.waits_cancelled.into(),
        counters.blocks.into(),
        counters.children_open.into(),
        counters.children.into(),
        counters.edges_inert.into(),
        serde_json::to_string(task)?.into(),
        (&task.spec).into(),
    ])
}

/// The values of a task in a table of `(project, task, value)`; only tasks whose values changed are written.
fn hangings(script: &mut Script, changed: &[Changed<'_>], table: &str, column: &str, of: impl Fn(&Task) -> Vec<String>) {
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
        script.add(&sql, [id_list(stale).into()]);
    }
    let rows = pairs.into_iter().map(|(task, value)| [task.as_str().into(), value.into()]);
    script.insert(&format!("insert or ignore into {table} (project, task, {column})"), rows, "");
}

/// Open blockers, questions and conflicts of a task: kind and id.
fn items(task: &Task) -> Vec<(&'static str, &str)> {
    let blockers = task.blockers.iter().map(|blocker| ("blocker", blocker.id.as_str()));
    let questions = task.questions.iter().map(|question| ("question", question.id.as_str()));
    let conflicts = task.conflicts.iter().map(|conflict| ("conflict", conflict.event.as_str()));
    blockers.chain(questions).chain(conflicts).collect()
}

fn open_items(script: &mut Script, changed: &[Changed<'_>]) {
    for (old, new) in changed {
        let (before, now) = (old.map(|row| items(&row.task)).unwrap_or_default(), items(&new.task));
        if before == now {
            continue;
        }
        if !before.is_empty() {
            script.add("delete from open_item where project = ?1 and task = ?2", [new.task.id.as_str().into()]);
        }
        let rows = now.into_iter().map(|(kind, id)| [kind.into(), id.into(), new.task.id.as_str().into()]);
        script.insert("insert or ignore into open_item (project, kind, id, task)", rows, "");
    }
}

/// Writes what neighbours changed about a task.
pub(crate) fn update_counters(script: &mut Script, id: &TaskId, counters: &Counters, rest: Standing) {
    script.add(
        "update task set rest = ?3, waits_open = ?4, waits_first = ?5, waits_cancelled = ?6, blocks = ?7, children_open = ?8, children = ?9, edges_inert = ?10 \
         where project = ?1 and id = ?2",
        [
            id.as_str().into(),
            rest.as_str().into(),
            counters.waits_open.into(),
            counters.waits_first.as_ref().map(TaskId::as_str).into(),
            counters.waits_cancelled.into(),
            counters.blocks.into(),
            counters.children_open.into(),
            counters.children.into(),
            counters.edges_inert.into(),
        ],
    );
}

/// Moves the counts of standings.
pub(crate) fn add_to_tally(script: &mut Script, tally: &BTreeMap<Standing, i64>) {
    let moved = tally.iter().filter(|(_, change)| **change != 0);
    let rows = moved.map(|(standing, change)| [standing.as_str().into(), (*change).into()]);
    script.insert("insert into tally (project, rest, n)", rows, " on conflict (project, rest) do update set n = n + excluded.n");
    if tally.values().any(|change| *change < 0) {
        script.add("delete from tally where project = ?1 and n = 0", []);
    }
}

/// Loads tasks by id, without their specs.
pub(crate) async fn load_cards(conn: &mut SqliteConnection, ids: &[TaskId]) -> Result<HashMap<TaskId, TaskRow>, StoreError> {
    let mut script = Script::default();
    let asked = add_cards(&mut script, &id_list(ids));
    read_cards(script.run(conn).await?.rows(asked))
}

/// Asks for tasks by id (a JSON list), without their specs.
pub(crate) fn add_cards(script: &mut Script, ids: &str) -> Statement {
    let sql = concat!("select ", task_columns!(), " from task t where t.project = ?1 and t.id in (select value from json_each(?2))");
    script.add(sql, [ids.into()])
}

pub(crate) fn read_cards(rows: &[SqliteRow]) -> Result<HashMap<TaskId, TaskRow>, StoreError> {
    rows.iter().map(|row| read(row, 0).map(|stored| (stored.task.id.clone(), stored))).collect()
}
