//! Everything anew: all projections emptied and made again from all events, subject by subject in total order, written in bulk.
//! Live rows stay.
//!
//! Memory holds a page of events, the edges and each task's status; tasks go to the table as they are folded, and those at the end of an
//! edge get their counters afterwards.

use crate::error::StoreError;
use crate::head::Head;
use crate::lease;
use crate::lock;
use crate::log_file::Place;
use crate::projection::counters::{self, Link};
use crate::projection::rows::{self, TaskRow};
use crate::projection::texts::EventText;
use crate::projection::{edges, found_none, subjects, texts, whole};
use crate::sql::{EventRow, PROJECT, blob, event_columns, q};
use crate::store::Store;
use contracts::standing::Status;
use contracts::{Actor, EventId, MilestoneId, TaskId};
use engine::event::PROJECT as PROJECT_SUBJECT;
use engine::fold::{self, Effect};
use engine::task::EdgeChange;
use engine::{Counters, Event, Milestone, Project, Task};
use sqlx::{Connection, Executor, QueryBuilder, Row, Sqlite, SqliteConnection};
use std::collections::HashMap;

/// Rows a statement.
const ROWS_MAX: usize = 500;

/// What a rebuild did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Events folded.
    pub events: i64,
    /// Tasks they made.
    pub tasks: i64,
    /// The new epoch.
    pub epoch: String,
}

/// A new epoch from random bits.
pub(crate) fn epoch(bits: u128) -> String {
    contracts::Writer::from_bits(bits).as_str().to_owned()
}

impl Store {
    /// Makes all projections anew from the events, in one transaction, under a new epoch.
    pub async fn rebuild(&self) -> Result<Rebuilt, StoreError> {
        let inner = &self.inner;
        let mut conn = inner.writer.lock().await;
        let _lock = lock::exclusive(&inner.place.run("write.lock")).await?;
        // Much is written at once: pages stay in memory until the commit.
        conn.execute("pragma cache_size = -49152").await?;
        let mut tx = conn.begin_with("begin immediate").await?;
        let mut rebuilt = project_all(&mut tx, &inner.place).await?;
        let mut head = Head::require(&mut tx).await?;
        head.epoch = epoch((inner.options.bits)());
        head.store(&mut tx).await?;
        rebuilt.epoch = head.epoch;
        tx.commit().await?;
        conn.execute("pragma cache_size = -8000").await?;
        drop(conn);
        inner.announce();
        Ok(rebuilt)
    }
}

/// Events read at once.
const PAGE: i64 = 2_000;

/// What is kept while events are folded.
#[derive(Default)]
struct Folded {
    events: i64,
    project: Option<Project>,
    /// Of the page, not yet written.
    tasks: Vec<Task>,
    milestones: Vec<Milestone>,
    texts: Vec<EventText>,
    /// Events that found no effect, of the page.
    without: Vec<EventId>,
    /// Events that wait, and for what.
    parked: Vec<(EventId, String)>,
    notices: Vec<(Actor, EventId, &'static str)>,
    /// Of all.
    statuses: HashMap<TaskId, Status>,
    edges: Vec<(TaskId, usize, EdgeChange)>,
    claimed: Vec<Task>,
}

impl Folded {
    fn note(&mut self, effects: Vec<(EventId, Effect)>, subject: &str) {
        for (id, effect) in effects {
            if found_none(&effect) {
                self.without.push(id.clone());
            }
            if effect.waits {
                self.parked.push((id.clone(), subject.to_owned()));
            }
            self.notices.extend(effect.notices.into_iter().map(|notice| (notice.actor, id.clone(), notice.why)));
        }
    }

    /// Folds all events of one subject.
    fn subject(&mut self, subject: &str, events: &mut Vec<Event>) {
        if events.is_empty() {
            return;
        }
        if TaskId::parse(subject).is_ok() {
            let (task, effects) = fold::fold_task(events);
            if let Some(task) = task {
                self.statuses.insert(task.id.clone(), task.status);
                self.edges.extend(task.edges.iter().enumerate().map(|(at, change)| (task.id.clone(), at, change.clone())));
                if task.claim.is_some() {
                    self.claimed.push(task.clone());
                }
                self.tasks.push(task);
            }
            self.note(effects, subject);
        } else if MilestoneId::parse(subject).is_ok() {
            let (milestone, effects) = fold::fold_milestone(events);
            self.milestones.extend(milestone);
            self.note(effects, subject);
        } else if subject == PROJECT_SUBJECT {
            let (state, effects) = fold::fold_project(events);
            self.project = Some(state);
            self.note(effects, subject);
        }
        events.clear();
    }
}

/// Empties all projections and makes them anew, within the caller's transaction.
pub(crate) async fn project_all(conn: &mut SqliteConnection, place: &Place) -> Result<Rebuilt, StoreError> {
    // A file holds one project: without a condition a table is emptied at once, and the index for words is made anew.
    for table in ["project_state", "task", "task_label", "open_item", "commit_bound", "edge_change", "edge", "milestone", "tally", "parked"] {
        conn.execute(format!("delete from {table}").as_str()).await?;
    }
    conn.execute("delete from inbox where live = 0").await?;
    conn.execute("update event set no_effect = 0 where no_effect <> 0").await?;
    conn.execute("drop table search").await?;
    conn.execute(crate::schema::SEARCH).await?;
    let indexes = Indexes::drop_all(conn).await?;
    let mut folded = Folded::default();
    fold_all(conn, place, &mut folded).await?;
    if let Some(project) = &folded.project {
        subjects::store_project(conn, project).await?;
    }
    let rebuilt = Rebuilt { events: folded.events, tasks: i64::try_from(folded.statuses.len()).unwrap_or(i64::MAX), epoch: String::new() };
    write_edges(conn, folded.edges, &folded.statuses).await?;
    indexes.make(conn).await?;
    q("insert into tally (project, rest, n) select project, rest, count(*) from task where project = ?1 group by rest").execute(&mut *conn).await?;
    q("delete from lease where project = ?1 and task not in (select id from task where project = ?1 and json_extract(state, '$.claim') is not null)")
        .execute(&mut *conn)
        .await?;
    lease::settle_tasks(conn, &folded.claimed.iter().collect::<Vec<_>>()).await?;
    Ok(rebuilt)
}

/// Secondary indexes of what is written in bulk: made once from sorted rows instead of row by row in the order of ids.
struct Indexes {
    made_by: Vec<String>,
    /// What the planner believes, which goes with an index.
    believed: Vec<(String, String, String)>,
}

impl Indexes {
    async fn drop_all(conn: &mut SqliteConnection) -> Result<Indexes, StoreError> {
        let sql = "select name, sql from sqlite_master where type = 'index' and sql is not null \
                   and tbl_name in ('task', 'task_label', 'commit_bound', 'edge_change', 'edge') order by name";
        let found = sqlx::query(sql).fetch_all(&mut *conn).await?;
        let believed = sqlx::query("select tbl, idx, stat from sqlite_stat1 where idx is not null").fetch_all(&mut *conn).await?;
        for row in &found {
            conn.execute(format!("drop index {}", row.get::<&str, _>(0)).as_str()).await?;
        }
        Ok(Indexes {
            made_by: found.iter().map(|row| row.get(1)).collect(),
            believed: believed.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect(),
        })
    }

    async fn make(self, conn: &mut SqliteConnection) -> Result<(), StoreError> {
        for sql in &self.made_by {
            conn.execute(sql.as_str()).await?;
        }
        conn.execute("delete from sqlite_stat1").await?;
        for (table, index, stat) in self.believed {
            sqlx::query("insert into sqlite_stat1 (tbl, idx, stat) values (?1, ?2, ?3)").bind(table).bind(index).bind(stat).execute(&mut *conn).await?;
        }
        conn.execute("analyze sqlite_schema").await?;
        Ok(())
    }
}

/// Folds page by page; a subject that goes on over the end of a page is folded when it is complete.
async fn fold_all(conn: &mut SqliteConnection, place: &Place, folded: &mut Folded) -> Result<(), StoreError> {
    let sql = concat!(
        "select ",
        event_columns!(),
        " from event e where e.project = ?1 and (e.subject, e.at, e.writer, e.n, e.id) > (?2, ?3, ?4, ?5, ?6) order by e.subject, e.at, e.writer, e.n, e.id limit ?7"
    );
    let (mut subject, mut at, mut writer, mut n, mut id) = (String::new(), String::new(), String::new(), 0_i64, Vec::new());
    let mut events: Vec<Event> = Vec::new();
    loop {
        let rows = q(sql).bind(&subject).bind(&at).bind(&writer).bind(n).bind(&id).bind(PAGE).fetch_all(&mut *conn).await?;
        for row in &rows {
            let EventRow { seq, mut event, .. } = EventRow::read(row)?;
            folded.events += 1;
            if event.subject != subject {
                folded.subject(&subject, &mut events);
            }
            subject.clone_from(&event.subject);
            (at, writer, n, id) = (event.at.to_string(), event.writer.as_str().to_owned(), event.n, blob(&event.id));
            match whole(place, &mut event) {
                Ok(()) => {
                    folded.texts.extend(EventText::of(seq, &event));
                    events.push(event);
                }
                Err(sha256) => folded.parked.push((event.id, format!("blob:{sha256}"))),
            }
        }
        let last = rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX);
        if last {
            folded.subject(&subject, &mut events);
        }
        write_page(conn, folded).await?;
        if last {
            return Ok(());
        }
    }
}

/// Writes what a page of events made. Tasks stand as if they had no neighbours.
async fn write_page(conn: &mut SqliteConnection, folded: &mut Folded) -> Result<(), StoreError> {
    let alone = |task: Task| {
        let rest = engine::rest(&task, &Counters::default());
        (None, TaskRow { task, counters: Counters::default(), rest })
    };
    let rows: Vec<(Option<&TaskRow>, TaskRow)> = folded.tasks.drain(..).map(alone).collect();
    rows::upsert(conn, &rows).await?;
    subjects::store_milestones(conn, &folded.milestones).await?;
    folded.milestones.clear();
    texts::insert_events(conn, &folded.texts).await?;
    folded.texts.clear();
    for chunk in folded.parked.chunks(ROWS_MAX) {
        let mut sql: QueryBuilder<'_, Sqlite> = QueryBuilder::new("insert or ignore into parked (project, id, waits_for) ");
        sql.push_values(chunk, |mut row, (id, waits_for)| {
            row.push_bind(PROJECT).push_bind(blob(id)).push_bind(waits_for);
        });
        sql.build().execute(&mut *conn).await?;
    }
    folded.parked.clear();
    for id in folded.without.drain(..) {
        q("update event set no_effect = 1 where project = ?1 and id = ?2").bind(blob(&id)).execute(&mut *conn).await?;
    }
    for (actor, id, why) in folded.notices.drain(..) {
        crate::inbox::tell(conn, &actor, &id, why).await?;
    }
    Ok(())
}

/// Folds the edges of all tasks, and gives those at their ends the counters and standings they come to.
async fn write_edges(conn: &mut SqliteConnection, mut changes: Vec<(TaskId, usize, EdgeChange)>, statuses: &HashMap<TaskId, Status>) -> Result<(), StoreError> {
    changes.sort_by(|a, b| (&a.2.order, a.1).cmp(&(&b.2.order, b.1)));
    let rows: Vec<(&TaskId, usize, &EdgeChange)> = changes.iter().map(|(id, at, change)| (id, *at, change)).collect();
    edges::insert_changes(conn, &rows).await?;
    let folded: Vec<_> = edges::folded(changes.iter().map(|(_, _, change)| change)).into_iter().collect();
    drop(rows);
    drop(changes);
    edges::insert_edges(conn, &folded).await?;
    let links: Vec<Link> = folded.into_iter().map(|((task, on, via), stored)| Link { task, on, via, inert: stored.inert }).collect();
    let counted: Vec<(TaskId, Counters)> = counters::count(&links, |id| statuses.get(id).copied()).into_iter().collect();
    conn.execute(
        "create temp table counted (id text primary key, rest text, waits_open integer, waits_first text, waits_cancelled integer, blocks integer, \
         children_open integer, children integer, edges_inert integer) without rowid",
    )
    .await?;
    for chunk in counted.chunks(ROWS_MAX) {
        update_many(conn, chunk).await?;
    }
    conn.execute("drop table counted").await?;
    Ok(())
}

/// Gives many tasks their counters with few statements.
async fn update_many(conn: &mut SqliteConnection, counted: &[(TaskId, Counters)]) -> Result<(), StoreError> {
    let ids: Vec<TaskId> = counted.iter().map(|(id, _)| id.clone()).collect();
    let stored = rows::load_cards(conn, &ids).await?;
    let known: Vec<_> = counted.iter().filter_map(|(id, counters)| stored.get(id).map(|row| (id, counters, engine::rest(&row.task, counters)))).collect();
    if known.is_empty() {
        return Ok(());
    }
    let mut sql: QueryBuilder<'_, Sqlite> = QueryBuilder::new("insert into counted ");
    sql.push_values(&known, |mut row, (id, counters, rest)| {
        row.push_bind(id.as_str())
            .push_bind(rest.as_str())
            .push_bind(i64::from(counters.waits_open))
            .push_bind(counters.waits_first.as_ref().map(TaskId::as_str))
            .push_bind(i64::from(counters.waits_cancelled))
            .push_bind(i64::from(counters.blocks))
            .push_bind(i64::from(counters.children_open))
            .push_bind(i64::from(counters.children))
            .push_bind(i64::from(counters.edges_inert));
    });
    sql.build().execute(&mut *conn).await?;
    q("update task set (rest, waits_open, waits_first, waits_cancelled, blocks, children_open, children, edges_inert) = \
       (select rest, waits_open, waits_first, waits_cancelled, blocks, children_open, children, edges_inert from counted where counted.id = task.id) \
       where project = ?1 and id in (select id from counted)")
    .execute(&mut *conn)
    .await?;
    conn.execute("delete from counted").await?;
    Ok(())
}
