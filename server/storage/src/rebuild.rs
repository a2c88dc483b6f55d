//! Everything anew: all projections emptied and made again from all events, folded in memory in total order and written in bulk.
//! Live rows stay.

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
use contracts::standing::Standing;
use contracts::{Actor, EventId, MilestoneId, TaskId};
use engine::event::PROJECT as PROJECT_SUBJECT;
use engine::fold::{self, Effect};
use engine::{Event, Milestone, Task};
use futures::TryStreamExt;
use sqlx::{Connection, Executor, QueryBuilder, Sqlite, SqliteConnection};
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
        conn.execute("pragma cache_size = -65536").await?;
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

/// What the fold of all events gives, kept until it is written.
#[derive(Default)]
struct Folded {
    events: i64,
    tasks: Vec<Task>,
    milestones: Vec<Milestone>,
    /// Events that found no effect.
    without: Vec<EventId>,
    /// Events that wait, and for what.
    parked: Vec<(EventId, String)>,
    notices: Vec<(Actor, EventId, &'static str)>,
    texts: Vec<EventText>,
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
}

/// Empties all projections and makes them anew, within the caller's transaction.
pub(crate) async fn project_all(conn: &mut SqliteConnection, place: &Place) -> Result<Rebuilt, StoreError> {
    for table in ["project_state", "task", "task_label", "open_item", "commit_bound", "edge_change", "edge", "milestone", "tally", "parked"] {
        q(&format!("delete from {table} where project = ?1")).execute(&mut *conn).await?;
    }
    q("delete from inbox where project = ?1 and live = 0").execute(&mut *conn).await?;
    conn.execute("delete from search").await?;
    let mut folded = fold_all(conn, place).await?;
    let rebuilt = Rebuilt { events: folded.events, tasks: i64::try_from(folded.tasks.len()).unwrap_or(i64::MAX), epoch: String::new() };
    write_tasks(conn, std::mem::take(&mut folded.tasks)).await?;
    write_rest(conn, folded).await?;
    Ok(rebuilt)
}

async fn fold_all(conn: &mut SqliteConnection, place: &Place) -> Result<Folded, StoreError> {
    let mut folded = Folded::default();
    let mut project = None;
    {
        let sql = concat!("select ", event_columns!(), " from event e where e.project = ?1 order by e.subject, e.at, e.writer, e.n, e.id");
        let mut rows = q(sql).fetch(&mut *conn);
        let mut subject = String::new();
        let mut events: Vec<Event> = Vec::new();
        while let Some(row) = rows.try_next().await? {
            let EventRow { seq, mut event, .. } = EventRow::read(&row)?;
            folded.events += 1;
            if event.subject != subject {
                fold_one(&mut folded, &subject, &mut events, &mut project);
                subject.clone_from(&event.subject);
                events.clear();
            }
            match whole(place, &mut event) {
                Ok(()) => {
                    folded.texts.extend(EventText::of(seq, &event));
                    events.push(event);
                }
                Err(sha256) => folded.parked.push((event.id, format!("blob:{sha256}"))),
            }
        }
        fold_one(&mut folded, &subject, &mut events, &mut project);
    }
    if let Some(project) = project {
        subjects::store_project(conn, &project).await?;
    }
    Ok(folded)
}

fn fold_one(folded: &mut Folded, subject: &str, events: &mut Vec<Event>, project: &mut Option<engine::Project>) {
    if events.is_empty() {
        return;
    }
    if TaskId::parse(subject).is_ok() {
        let (task, effects) = fold::fold_task(events);
        folded.tasks.extend(task);
        folded.note(effects, subject);
    } else if MilestoneId::parse(subject).is_ok() {
        let (milestone, effects) = fold::fold_milestone(events);
        folded.milestones.extend(milestone);
        folded.note(effects, subject);
    } else if subject == PROJECT_SUBJECT {
        let (state, effects) = fold::fold_project(events);
        *project = Some(state);
        folded.note(effects, subject);
    }
}

async fn write_tasks(conn: &mut SqliteConnection, tasks: Vec<Task>) -> Result<(), StoreError> {
    let mut changes: Vec<(&TaskId, usize, &engine::task::EdgeChange)> =
        tasks.iter().flat_map(|task| task.edges.iter().enumerate().map(move |(at, change)| (&task.id, at, change))).collect();
    changes.sort_by(|a, b| (&a.2.order, a.1).cmp(&(&b.2.order, b.1)));
    edges::insert_changes(conn, &changes).await?;
    let rows: Vec<_> = edges::folded(changes.iter().map(|(_, _, change)| *change)).into_iter().collect();
    edges::insert_edges(conn, &rows).await?;
    let links: Vec<Link> = rows.into_iter().map(|((task, on, via), stored)| Link { task, on, via, inert: stored.inert }).collect();
    let statuses: HashMap<&TaskId, _> = tasks.iter().map(|task| (&task.id, task.status)).collect();
    let mut counted = counters::count(&links, |id| statuses.get(id).copied());
    drop(statuses);
    let mut tally: BTreeMap<Standing, i64> = BTreeMap::new();
    let mut claimed = Vec::new();
    let mut batch: Vec<(Option<&TaskRow>, TaskRow)> = Vec::new();
    let mut tasks = tasks.into_iter().peekable();
    while let Some(task) = tasks.next() {
        let counters = counted.remove(&task.id).unwrap_or_default();
        let rest = engine::rest(&task, &counters);
        *tally.entry(rest).or_default() += 1;
        if task.claim.is_some() {
            claimed.push(task.clone());
        }
        batch.push((None, TaskRow { task, counters, rest }));
        if batch.len() == ROWS_MAX || tasks.peek().is_none() {
            rows::upsert(conn, &batch).await?;
            batch.clear();
        }
    }
    rows::add_to_tally(conn, &tally).await?;
    q("delete from lease where project = ?1 and task not in (select id from task where project = ?1 and json_extract(state, '$.claim') is not null)")
        .execute(&mut *conn)
        .await?;
    lease::settle_tasks(conn, &claimed.iter().collect::<Vec<_>>()).await
}

async fn write_rest(conn: &mut SqliteConnection, folded: Folded) -> Result<(), StoreError> {
    subjects::store_milestones(conn, &folded.milestones).await?;
    texts::insert_events(conn, &folded.texts).await?;
    for chunk in folded.parked.chunks(ROWS_MAX) {
        let mut sql: QueryBuilder<'_, Sqlite> = QueryBuilder::new("insert or ignore into parked (project, id, waits_for) ");
        sql.push_values(chunk, |mut row, (id, waits_for)| {
            row.push_bind(PROJECT).push_bind(blob(id)).push_bind(waits_for);
        });
        sql.build().execute(&mut *conn).await?;
    }
    q("update event set no_effect = 0 where project = ?1 and no_effect <> 0").execute(&mut *conn).await?;
    for id in &folded.without {
        q("update event set no_effect = 1 where project = ?1 and id = ?2").bind(blob(id)).execute(&mut *conn).await?;
    }
    for (actor, id, why) in &folded.notices {
        crate::inbox::tell(conn, actor, id, why).await?;
    }
    Ok(())
}
