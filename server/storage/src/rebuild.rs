//! Everything anew: all projections emptied and made again from all events, subject by subject in total order, written in bulk.
//! Live rows stay.
//!
//! Memory holds two pages of events, the edges and each task's status; tasks go to the table as they are folded, and those at the end of
//! an edge get their counters afterwards. A page is folded on a thread of its own while the one before is written.

pub(crate) mod fold;
mod indexes;

use crate::error::StoreError;
use crate::head::Head;
use crate::lease;
use crate::lock;
use crate::log_file::Place;
use crate::projection::counters::{self, Link};
use crate::projection::rows;
use crate::projection::{edges, subjects};
use crate::script::Script;
use crate::sql::q;
use crate::store::Store;
use contracts::TaskId;
use contracts::standing::{Standing, Status};
use engine::task::EdgeChange;
use engine::{Counters, Task};
pub(crate) use indexes::Indexes;
use sqlx::{Connection, Executor, Row, SqliteConnection};
use std::collections::{BTreeMap, HashMap};

/// Rows a statement.
const ROWS_MAX: usize = 500;

/// What a rebuild did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Events folded.
    pub events: i64,
    /// Tasks they made.
    pub tasks: i64,
    /// Events whose long body no file here holds: they count once it comes.
    pub bodiless: i64,
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
        let mut conn = inner.writer().await?;
        let _lock = lock::exclusive(&inner.place.run("write.lock")).await?;
        conn.execute(MUCH_IN_MEMORY).await?;
        let mut tx = conn.begin_with("begin immediate").await?;
        let mut rebuilt = project_all(&mut tx, &inner.place).await?;
        let mut head = Head::require(&mut tx).await?;
        head.epoch = epoch((inner.options.bits)());
        head.store(&mut tx).await?;
        rebuilt.epoch = head.epoch;
        let sql = "select count(*) from parked where project = ?1 and waits_for >= 'blob:' and waits_for < 'blob;'";
        rebuilt.bodiless = q(sql).fetch_one(&mut *tx).await?.get(0);
        tx.commit().await?;
        conn.execute(crate::sql::USUAL_MEMORY).await?;
        drop(conn);
        inner.announce();
        Ok(rebuilt)
    }
}

/// Much is written at once: pages stay in memory until the commit.
pub(crate) const MUCH_IN_MEMORY: &str = "pragma cache_size = -65536";

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
    // Words are gathered in larger heaps, so that fewer have to be merged.
    conn.execute("insert into search (search, rank) values ('hashsize', 16777216)").await?;
    let indexes = Indexes::drop_all(conn, &["task", "task_label", "commit_bound", "edge_change", "edge"]).await?;
    let folded = fold::all(conn, place).await?;
    if let Some(project) = &folded.project {
        subjects::store_project(conn, project).await?;
    }
    let rebuilt = Rebuilt { events: folded.events, tasks: i64::try_from(folded.statuses.len()).unwrap_or(i64::MAX), bodiless: 0, epoch: String::new() };
    let mut tally = folded.tally;
    write_edges(conn, folded.edges, &folded.statuses, &mut tally).await?;
    indexes.make(conn).await?;
    let mut script = Script::default();
    rows::add_to_tally(&mut script, &tally);
    script.add(
        "delete from lease where project = ?1 and not exists \
         (select 1 from task t where t.project = ?1 and t.id = lease.task and json_extract(t.state, '$.claim') is not null)",
        [],
    );
    script.add("insert into search (search, rank) values ('hashsize', ?2)", [HASH_BYTES.into()]);
    script.run(conn).await?;
    let claimed: Vec<&Task> = folded.claimed.iter().collect();
    let mut leases = lease::of_tasks(conn, claimed.iter().map(|task| &task.id)).await?;
    let mut script = Script::default();
    lease::settle(&mut script, &claimed, &mut leases);
    script.run(conn).await?;
    Ok(rebuilt)
}

/// How much SQLite's index for words usually keeps in memory.
const HASH_BYTES: i64 = 1 << 20;

/// Folds the edges of all tasks, and gives those at their ends the counters and standings they come to.
async fn write_edges(
    conn: &mut SqliteConnection,
    mut changes: Vec<(TaskId, usize, EdgeChange)>,
    statuses: &HashMap<TaskId, Status>,
    tally: &mut BTreeMap<Standing, i64>,
) -> Result<(), StoreError> {
    changes.sort_by(|a, b| (&a.2.order, a.1).cmp(&(&b.2.order, b.1)));
    let rows: Vec<(&TaskId, usize, &EdgeChange)> = changes.iter().map(|(id, at, change)| (id, *at, change)).collect();
    let folded: Vec<_> = edges::folded(changes.iter().map(|(_, _, change)| change)).into_iter().collect();
    for chunk in rows.chunks(ROWS_MAX) {
        let mut script = Script::default();
        edges::insert_changes(&mut script, chunk);
        script.run(conn).await?;
    }
    drop(rows);
    drop(changes);
    for chunk in folded.chunks(ROWS_MAX) {
        let mut script = Script::default();
        edges::insert_edges(&mut script, chunk);
        script.run(conn).await?;
    }
    let links: Vec<Link> = folded.into_iter().map(|((task, on, via), stored)| Link { task, on, via, inert: stored.inert }).collect();
    let mut counted: Vec<(TaskId, Counters)> = counters::count(&links, |id| statuses.get(id).copied()).into_iter().collect();
    // In the order of the table: neighbours lie on one page.
    counted.sort_by(|a, b| a.0.cmp(&b.0));
    conn.execute(
        "create temp table counted (id text primary key, rest text, waits_open integer, waits_first text, waits_cancelled integer, blocks integer, \
         children_open integer, children integer, edges_inert integer) without rowid",
    )
    .await?;
    for chunk in counted.chunks(ROWS_MAX) {
        update_many(conn, chunk, tally).await?;
    }
    conn.execute("drop table counted").await?;
    Ok(())
}

/// Gives many tasks their counters with few statements.
async fn update_many(conn: &mut SqliteConnection, counted: &[(TaskId, Counters)], tally: &mut BTreeMap<Standing, i64>) -> Result<(), StoreError> {
    let ids: Vec<TaskId> = counted.iter().map(|(id, _)| id.clone()).collect();
    let stored = rows::load_cards(conn, &ids).await?;
    let mut known = Vec::with_capacity(stored.len());
    for (id, counters) in counted {
        let Some(row) = stored.get(id) else { continue };
        let rest = engine::rest(&row.task, counters);
        *tally.entry(row.rest).or_default() -= 1;
        *tally.entry(rest).or_default() += 1;
        known.push((id, counters, rest));
    }
    let mut script = Script::default();
    let values = known.into_iter().map(|(id, counters, rest)| {
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
        ]
    });
    script.insert_without_project("insert into counted", values);
    script.add(
        "update task set (rest, waits_open, waits_first, waits_cancelled, blocks, children_open, children, edges_inert) = \
         (select rest, waits_open, waits_first, waits_cancelled, blocks, children_open, children, edges_inert from counted where counted.id = task.id) \
         where project = ?1 and id in (select id from counted)",
        [],
    );
    script.add("delete from counted", []);
    script.run(conn).await.map(drop)
}
