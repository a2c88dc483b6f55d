//! Facts for a decision or a view, loaded by key: tasks with their neighbours, milestones, reach, holdings.

use super::fleet;
use crate::error::StoreError;
use crate::lease::{self, lease_columns};
use crate::log_file::Place;
use crate::projection::{rows, subjects, whole};
use crate::sql::{EventRow, actor, blob, event_columns, id_list, list, q, task_id, word};
use contracts::standing::{Standing, Status, Via};
use contracts::{Actor, Caller, EventId, MilestoneId, Moment, TaskId, limits};
use engine::{Event, Facts, Holding, MilestoneFacts, Minted, Needs, Neighbour, Settings, TaskFacts};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet};

/// Columns of the task at an edge's other end (`o`) and its lease (`l`).
macro_rules! neighbour_columns {
    () => {
        concat!("o.title, o.status, o.rest, json_extract(o.state, '$.closed.note'), ", lease_columns!())
    };
}
/// Loads what is needed.
pub(crate) async fn load(conn: &mut SqliteConnection, place: &Place, needs: &Needs, caller: &Caller, now: Moment) -> Result<Facts, StoreError> {
    let project = subjects::load_project(conn).await?;
    let grace_s = project.as_ref().map_or(limits::GRACE_SECONDS, |project| Settings::of(project).grace_s);
    let mut ids = needs.tasks.clone();
    descendants(conn, &needs.descendants, &mut ids).await?;
    if needs.agents_tasks {
        ids.extend(fleet::agents_tasks(conn).await?);
    }
    for (kind, id) in [
        ("question", needs.question.as_ref().map(|id| id.as_str())),
        ("blocker", needs.blocker.as_ref().map(|id| id.as_str())),
        ("conflict", needs.conflict.as_ref().map(|id| id.as_str())),
    ] {
        let Some(id) = id else { continue };
        for row in q("select task from open_item where project = ?1 and kind = ?2 and id = ?3").bind(kind).bind(id).fetch_all(&mut *conn).await? {
            ids.insert(task_id(row.get(0))?);
        }
    }
    let tasks = tasks(conn, &ids, now, grace_s).await?;
    let mut milestones = needs.milestones.clone();
    milestones.extend(tasks.values().filter_map(|facts| facts.task.milestone.clone()));
    if let Some(title) = &needs.milestone_title {
        let sql = "select id from milestone where project = ?1 and title_folded = ?2 and status = 'open' order by created_at, id limit 1";
        if let Some(row) = q(sql).bind(title).fetch_optional(&mut *conn).await? {
            milestones.insert(word(MilestoneId::parse(row.get(0)))?);
        }
    }
    let event = match &needs.conflict {
        Some(id) => event(conn, place, id).await?,
        None => None,
    };
    let mut found = Facts {
        project,
        milestones: self::milestones(conn, milestones.iter(), &needs.milestones).await?,
        edges: reach(conn, &needs.reach).await?,
        holdings: if needs.holdings { holdings(conn, &caller.actor).await? } else { Vec::new() },
        actors: known_actors(conn, &needs.actors).await?,
        event,
        tasks,
        ..Facts::default()
    };
    fleet::load(conn, needs, caller, now, grace_s, &mut found).await?;
    Ok(found)
}

/// Adds tasks that go by a minted id already: the engine refuses such an id.
pub(crate) async fn add_taken(conn: &mut SqliteConnection, facts: &mut Facts, minted: &Minted) -> Result<(), StoreError> {
    // Minted ids were checked against the table; only what a caller mints itself could be taken.
    let missing: Vec<&TaskId> = minted.tasks.iter().filter(|id| !facts.tasks.contains_key(*id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for (id, row) in rows::load(conn, missing).await? {
        let empty = TaskFacts {
            task: row.task,
            counters: row.counters,
            lease: None,
            waits_on: Vec::new(),
            blocking: Vec::new(),
            children: Vec::new(),
            ancestors: Vec::new(),
        };
        facts.tasks.insert(id, empty);
    }
    Ok(())
}

async fn descendants(conn: &mut SqliteConnection, of: &BTreeSet<TaskId>, ids: &mut BTreeSet<TaskId>) -> Result<(), StoreError> {
    if of.is_empty() {
        return Ok(());
    }
    let sql = "with recursive below (id) as (select value from json_each(?2) union \
                 select t.id from below join task t on t.project = ?1 and t.parent = below.id and t.status = 'open') select id from below";
    for row in q(sql).bind(id_list(of)).fetch_all(&mut *conn).await? {
        ids.insert(task_id(row.get(0))?);
    }
    Ok(())
}

/// Tasks with all that decides about them; unknown ids do not appear.
pub(crate) async fn tasks(conn: &mut SqliteConnection, ids: &BTreeSet<TaskId>, now: Moment, grace_s: i64) -> Result<BTreeMap<TaskId, TaskFacts>, StoreError> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let stored = rows::load(conn, ids).await?;
    let mut leases = lease::of_tasks(conn, ids).await?;
    let mut found: BTreeMap<TaskId, TaskFacts> = stored
        .into_iter()
        .map(|(id, row)| {
            let lease = leases.remove(&id);
            let facts = TaskFacts {
                task: row.task,
                counters: row.counters,
                lease,
                waits_on: Vec::new(),
                blocking: Vec::new(),
                children: Vec::new(),
                ancestors: Vec::new(),
            };
            (id, facts)
        })
        .collect();
    let ids = id_list(found.keys());
    let sql = concat!(
        "select e.task, e.waits_on, e.via, e.by_actor, e.inert, ",
        neighbour_columns!(),
        " from edge e left join task o on o.project = e.project and o.id = e.waits_on \
          left join lease l on l.project = e.project and l.task = e.waits_on \
          where e.project = ?1 and e.task in (select value from json_each(?2)) order by e.waits_on, e.via"
    );
    for row in q(sql).bind(&ids).fetch_all(&mut *conn).await? {
        let neighbour = edge_neighbour(&row, 1, now, grace_s)?;
        if let Some(facts) = found.get_mut(&task_id(row.get(0))?) {
            if neighbour.via == Via::Parent { &mut facts.children } else { &mut facts.waits_on }.push(neighbour);
        }
    }
    let sql = concat!(
        "select e.task, e.waits_on, e.via, e.by_actor, e.inert, ",
        neighbour_columns!(),
        " from edge e left join task o on o.project = e.project and o.id = e.task \
          left join lease l on l.project = e.project and l.task = e.task \
          where e.project = ?1 and e.via <> 'parent' and e.waits_on in (select value from json_each(?2)) order by e.task, e.via"
    );
    for row in q(sql).bind(&ids).fetch_all(&mut *conn).await? {
        let neighbour = edge_neighbour(&row, 0, now, grace_s)?;
        if let Some(facts) = found.get_mut(&task_id(row.get(1))?) {
            facts.blocking.push(neighbour);
        }
    }
    ancestors(conn, &mut found, now, grace_s).await?;
    Ok(found)
}

/// Reads a neighbour's columns, starting at `at`.
fn neighbour(row: &SqliteRow, at: usize, id: TaskId, via: Via, now: Moment, grace_s: i64) -> Result<Neighbour, StoreError> {
    let status: Option<&str> = row.get(at + 1);
    let rest: Option<&str> = row.get(at + 2);
    let lease = match row.get::<Option<&str>, _>(at + 4) {
        Some(_) => Some(lease::read(row, at + 4)?),
        None => None,
    };
    let standing = rest.map(|rest| word(Standing::parse(rest))).transpose()?.map(|rest| engine::standing(rest, lease.as_ref(), now, grace_s));
    Ok(Neighbour {
        id,
        title: row.get::<Option<String>, _>(at).unwrap_or_default(),
        status: status.map(|status| word(Status::parse(status))).transpose()?,
        standing,
        holder: lease.filter(|lease| engine::lease_state(lease, now, grace_s) != engine::LeaseState::Lapsed).map(|lease| lease.actor),
        via,
        inert: false,
        note: row.get::<Option<String>, _>(at + 3).unwrap_or_default(),
        by: None,
    })
}

fn edge_neighbour(row: &SqliteRow, id_at: usize, now: Moment, grace_s: i64) -> Result<Neighbour, StoreError> {
    let via = word(Via::parse(row.get(2)))?;
    let known = neighbour(row, 5, task_id(row.get(id_at))?, via, now, grace_s)?;
    Ok(Neighbour { inert: row.get::<i64, _>(4) != 0, by: Some(actor(row.get(3))?), ..known })
}

/// Parents of parents, nearest first. A chain that runs in a circle (a conflict for a person) is followed once around.
async fn ancestors(conn: &mut SqliteConnection, found: &mut BTreeMap<TaskId, TaskFacts>, now: Moment, grace_s: i64) -> Result<(), StoreError> {
    let with_parent = id_list(found.iter().filter(|(_, facts)| facts.task.parent.is_some()).map(|(id, _)| id));
    if with_parent == "[]" {
        return Ok(());
    }
    const STEPS: i64 = 32;
    let sql = concat!(
        "with recursive up (start, id, step) as (select t.id, t.parent, 1 from task t where t.project = ?1 and t.id in (select value from json_each(?2)) \
           union select up.start, t.parent, up.step + 1 from up join task t on t.project = ?1 and t.id = up.id \
           where t.parent is not null and t.parent <> up.start and up.step < ?3) \
         select up.start, up.id, ",
        neighbour_columns!(),
        " from up left join task o on o.project = ?1 and o.id = up.id left join lease l on l.project = ?1 and l.task = up.id order by up.start, up.step"
    );
    for row in q(sql).bind(with_parent).bind(STEPS).fetch_all(&mut *conn).await? {
        let parent = neighbour(&row, 2, task_id(row.get(1))?, Via::Parent, now, grace_s)?;
        if let Some(facts) = found.get_mut(&task_id(row.get(0))?)
            && facts.ancestors.iter().all(|known| known.id != parent.id)
        {
            facts.ancestors.push(parent);
        }
    }
    Ok(())
}

/// Open tasks of a milestone that are named; more are counted.
const OPEN_TASKS: i64 = 1_001;

/// Milestones with the numbers of their tasks, and for these few the open ones by id: only a command about a milestone asks for them, and
/// finding them walks all of its tasks.
pub(crate) async fn milestones<'a>(
    conn: &mut SqliteConnection,
    ids: impl IntoIterator<Item = &'a MilestoneId>,
    with_open_tasks: &BTreeSet<MilestoneId>,
) -> Result<BTreeMap<MilestoneId, MilestoneFacts>, StoreError> {
    let milestones = subjects::load_milestones(conn, ids).await?;
    let mut found = BTreeMap::new();
    if milestones.is_empty() {
        return Ok(found);
    }
    let mut counts: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let sql = "select milestone, sum(status = 'open'), sum(status <> 'open') from task where project = ?1 and milestone in (select value from json_each(?2)) group by milestone";
    for row in q(sql).bind(list(milestones.keys().map(MilestoneId::as_str))).fetch_all(&mut *conn).await? {
        counts.insert(row.get(0), (row.get(1), row.get(2)));
    }
    for (id, milestone) in milestones {
        let (open, closed) = counts.get(id.as_str()).copied().unwrap_or_default();
        let sql = "select id from task where project = ?1 and milestone = ?2 and status = 'open' order by id limit ?3";
        let open_tasks = match open > 0 && with_open_tasks.contains(&id) {
            false => Vec::new(),
            true => q(sql).bind(id.as_str()).bind(OPEN_TASKS).fetch_all(&mut *conn).await?.iter().map(|row| task_id(row.get(0))).collect::<Result<_, _>>()?,
        };
        found.insert(id, MilestoneFacts { milestone, open_tasks, open, closed });
    }
    Ok(found)
}

async fn reach(conn: &mut SqliteConnection, from: &BTreeSet<TaskId>) -> Result<BTreeMap<TaskId, BTreeSet<TaskId>>, StoreError> {
    let mut edges: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
    if from.is_empty() {
        return Ok(edges);
    }
    let sql = "with recursive ahead (id) as (select value from json_each(?2) union \
                 select e.waits_on from ahead join edge e on e.project = ?1 and e.task = ahead.id and e.inert = 0) \
               select e.task, e.waits_on from ahead join edge e on e.project = ?1 and e.task = ahead.id and e.inert = 0";
    for row in q(sql).bind(id_list(from)).fetch_all(&mut *conn).await? {
        edges.entry(task_id(row.get(0))?).or_default().insert(task_id(row.get(1))?);
    }
    Ok(edges)
}

/// The actor's leases, and whether each one's task itself waits.
pub(crate) async fn holdings(conn: &mut SqliteConnection, who: &Actor) -> Result<Vec<Holding>, StoreError> {
    let leases = lease::of_actor(conn, who).await?;
    if leases.is_empty() {
        return Ok(Vec::new());
    }
    let mut tasks = rows::load(conn, leases.iter().map(|lease| &lease.task)).await?;
    let of = leases.into_iter().filter_map(|lease| {
        let rows::TaskRow { task, counters, .. } = tasks.remove(&lease.task)?;
        let waits = counters.waits_open > 0 || counters.children_open > 0 || !task.blockers.is_empty() || !task.questions.is_empty();
        Some(Holding { lease, title: task.title, waits })
    });
    Ok(of.collect())
}

async fn known_actors(conn: &mut SqliteConnection, actors: &BTreeSet<Actor>) -> Result<BTreeSet<Actor>, StoreError> {
    if actors.is_empty() {
        return Ok(BTreeSet::new());
    }
    let sql = "select value from json_each(?2) where value in (select actor from actor where project = ?1) \
               or value in (select actor from lease where project = ?1)";
    let rows = q(sql).bind(list(actors.iter().map(Actor::as_str))).fetch_all(&mut *conn).await?;
    rows.iter().map(|row| actor(row.get(0))).collect()
}

async fn event(conn: &mut SqliteConnection, place: &Place, id: &EventId) -> Result<Option<Event>, StoreError> {
    let sql = concat!("select ", event_columns!(), " from event e where e.project = ?1 and e.id = ?2");
    let Some(row) = q(sql).bind(blob(id)).fetch_optional(&mut *conn).await? else { return Ok(None) };
    let mut event = EventRow::read(&row)?.event;
    // A body whose blob is not here stays the reference that it is.
    let _ = whole(place, &mut event);
    Ok(Some(event))
}
