//! Who waits for whom: the project-wide fold of every task's edge changes, in total order.
//!
//! Changes that come in order are added to the stored result; a late one folds all of them anew, once a transaction.

use super::Change;
use crate::error::StoreError;
use crate::script::Script;
use crate::sql::{actor, blob, event_id, id_list, list, order, q, task_id, word};
use contracts::standing::Via;
use contracts::{EventId, TaskId};
use engine::graph::Edges;
use engine::task::EdgeChange;
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Stores what changed about edges and folds it; gives the tasks at the ends of edges that changed.
pub(crate) async fn apply(conn: &mut SqliteConnection, changes: &BTreeMap<TaskId, Change>) -> Result<BTreeSet<TaskId>, StoreError> {
    let mut new: Vec<(&TaskId, usize, &EdgeChange)> = Vec::new();
    let mut rewritten: Vec<(&TaskId, &[EdgeChange])> = Vec::new();
    for (id, change) in changes {
        let before = change.old_task().map(|task| task.edges.as_slice()).unwrap_or_default();
        let now = change.new.as_ref().map(|task| task.edges.as_slice()).unwrap_or_default();
        match now.strip_prefix(before) {
            Some(tail) => new.extend(tail.iter().enumerate().map(|(at, change)| (id, before.len() + at, change))),
            None => rewritten.push((id, now)),
        }
    }
    if new.is_empty() && rewritten.is_empty() {
        return Ok(BTreeSet::new());
    }
    new.sort_by(|a, b| (&a.2.order, a.1).cmp(&(&b.2.order, b.1)));
    let mut script = Script::default();
    let newest = script.add("select at, writer, n, id from edge_change where project = ?1 order by at desc, writer desc, n desc, id desc limit 1", []);
    if !rewritten.is_empty() {
        let stale = id_list(rewritten.iter().map(|(id, _)| *id));
        script.add("delete from edge_change where project = ?1 and owner in (select value from json_each(?2))", [stale.into()]);
    }
    let is_rewritten = !rewritten.is_empty();
    let kept = rewritten.into_iter().flat_map(|(id, all)| all.iter().enumerate().map(move |(at, change)| (id, at, change)));
    let rows: Vec<(&TaskId, usize, &EdgeChange)> = new.iter().copied().chain(kept).collect();
    insert_changes(&mut script, &rows);
    let answers = script.run(conn).await?;
    let newest = answers.first(newest).map(|row| order(row, 0)).transpose()?;
    let late = is_rewritten || new.first().is_some_and(|first| newest.is_some_and(|newest| first.2.order <= newest));
    if late { fold_all(conn).await } else { append(conn, new.into_iter().map(|(_, _, change)| change).collect()).await }
}

/// Stores edge changes; `i` is the place in the owner's list.
pub(crate) fn insert_changes(script: &mut Script, rows: &[(&TaskId, usize, &EdgeChange)]) {
    let rows = rows.iter().map(|(owner, at, change)| {
        [
            owner.as_str().into(),
            change.order.at.to_string().into(),
            change.order.writer.as_str().into(),
            change.order.n.into(),
            blob(&change.order.id).into(),
            i64::try_from(*at).unwrap_or(i64::MAX).into(),
            i64::from(change.add).into(),
            change.task.as_str().into(),
            change.on.as_str().into(),
            change.via.as_str().into(),
            change.by.as_str().into(),
        ]
    });
    script.insert("insert or replace into edge_change (project, owner, at, writer, n, id, i, add_it, task, waits_on, via, by_actor)", rows, "");
}

type Key = (TaskId, TaskId, Via);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub by: String,
    pub inert: bool,
    pub event: EventId,
}

pub(crate) fn insert_edges(script: &mut Script, rows: &[(Key, Stored)]) {
    let rows = rows.iter().map(|((task, on, via), stored)| {
        [task.as_str().into(), on.as_str().into(), via.as_str().into(), (&stored.by).into(), i64::from(stored.inert).into(), blob(&stored.event).into()]
    });
    script.insert("insert or replace into edge (project, task, waits_on, via, by_actor, inert, event)", rows, "");
}

/// Writes what differs.
async fn write(conn: &mut SqliteConnection, gone: &[Key], new: &[(Key, Stored)]) -> Result<(), StoreError> {
    let mut script = Script::default();
    for (task, on, via) in gone {
        let sql = "delete from edge where project = ?1 and task = ?2 and waits_on = ?3 and via = ?4";
        script.add(sql, [task.as_str().into(), on.as_str().into(), via.as_str().into()]);
    }
    insert_edges(&mut script, new);
    script.run(conn).await.map(drop)
}

fn read_edge(row: &sqlx::sqlite::SqliteRow) -> Result<(Key, Stored), StoreError> {
    let key = (task_id(row.get(0))?, task_id(row.get(1))?, word(Via::parse(row.get(2)))?);
    Ok((key, Stored { by: row.get(3), inert: row.get::<i64, _>(4) != 0, event: event_id(row.get(5)) }))
}

/// The rows the fold of all changes gives.
pub(crate) fn folded<'a>(changes: impl IntoIterator<Item = &'a EdgeChange>) -> BTreeMap<Key, Stored> {
    let mut edges = Edges::new();
    changes.into_iter().for_each(|change| edges.push(change));
    edges
        .rows()
        .map(|edge| {
            let stored = Stored { by: edge.by.as_str().to_owned(), inert: edge.inert, event: edge.order.id.clone() };
            ((edge.task.clone(), edge.on.clone(), edge.via), stored)
        })
        .collect()
}

/// Folds every change of the project anew and writes what differs.
async fn fold_all(conn: &mut SqliteConnection) -> Result<BTreeSet<TaskId>, StoreError> {
    let sql = "select at, writer, n, id, add_it, task, waits_on, via, by_actor from edge_change where project = ?1 order by at, writer, n, id, i";
    let mut changes = Vec::new();
    for row in q(sql).fetch_all(&mut *conn).await? {
        changes.push(EdgeChange {
            order: order(&row, 0)?,
            add: row.get::<i64, _>(4) != 0,
            task: task_id(row.get(5))?,
            on: task_id(row.get(6))?,
            via: word(Via::parse(row.get(7)))?,
            by: actor(row.get(8))?,
        });
    }
    let now = folded(&changes);
    let mut before = BTreeMap::new();
    for row in q("select task, waits_on, via, by_actor, inert, event from edge where project = ?1").fetch_all(&mut *conn).await? {
        let (key, stored) = read_edge(&row)?;
        before.insert(key, stored);
    }
    let gone: Vec<Key> = before.keys().filter(|key| !now.contains_key(*key)).cloned().collect();
    let new: Vec<(Key, Stored)> = now.into_iter().filter(|(key, stored)| before.get(key) != Some(stored)).collect();
    write(conn, &gone, &new).await?;
    Ok(gone.iter().chain(new.iter().map(|(key, _)| key)).flat_map(|(task, on, _)| [task.clone(), on.clone()]).collect())
}

/// Adds changes that are later than all before. Says of each new edge whether it closes a loop, as the fold would.
async fn append(conn: &mut SqliteConnection, changes: Vec<&EdgeChange>) -> Result<BTreeSet<TaskId>, StoreError> {
    let mut near = Near::load(conn, &changes).await?;
    let mut gone: BTreeSet<Key> = BTreeSet::new();
    let mut new: BTreeMap<Key, Stored> = BTreeMap::new();
    for change in changes {
        let key = (change.task.clone(), change.on.clone(), change.via);
        if change.add {
            if near.rows.contains_key(&key) {
                continue;
            }
            let inert = near.closes_a_loop(&change.task, &change.on);
            if !inert {
                near.connect(&change.task, &change.on);
            }
            let stored = Stored { by: change.by.as_str().to_owned(), inert, event: change.order.id.clone() };
            near.rows.insert(key.clone(), inert);
            new.insert(key, stored);
            continue;
        }
        let vias: &[Via] = if change.via == Via::Parent { &[Via::Parent] } else { &[Via::After, Via::Block] };
        for via in vias {
            let key = (change.task.clone(), change.on.clone(), *via);
            let Some(inert) = near.rows.remove(&key) else { continue };
            if !inert {
                near.disconnect(&key.0, &key.1);
            }
            if new.remove(&key).is_none() {
                gone.insert(key);
            }
        }
    }
    let (gone, new): (Vec<Key>, Vec<(Key, Stored)>) = (gone.into_iter().collect(), new.into_iter().collect());
    write(conn, &gone, &new).await?;
    Ok(gone.iter().chain(new.iter().map(|(key, _)| key)).flat_map(|(task, on, _)| [task.clone(), on.clone()]).collect())
}

/// As much of the graph as the new changes can touch.
#[derive(Default)]
struct Near {
    /// Edges between the pairs the changes name: whether each is inert.
    rows: HashMap<Key, bool>,
    /// Active edges, by who waits; how many rows say so.
    out: HashMap<TaskId, BTreeMap<TaskId, u32>>,
    /// Tasks that something waits for.
    waited_for: HashSet<TaskId>,
}

impl Near {
    async fn load(conn: &mut SqliteConnection, changes: &[&EdgeChange]) -> Result<Near, StoreError> {
        let mut near = Near::default();
        let tasks: BTreeSet<&TaskId> = changes.iter().map(|change| &change.task).collect();
        let sql = "select task, waits_on, via, by_actor, inert, event from edge where project = ?1 and task in (select value from json_each(?2))";
        for row in q(sql).bind(id_list(tasks.iter().copied())).fetch_all(&mut *conn).await? {
            let (key, stored) = read_edge(&row)?;
            if !stored.inert {
                near.connect(&key.0, &key.1);
            }
            near.rows.insert(key, stored.inert);
        }
        let sql = "select distinct waits_on from edge where project = ?1 and inert = 0 and waits_on in (select value from json_each(?2))";
        for row in q(sql).bind(id_list(tasks.iter().copied())).fetch_all(&mut *conn).await? {
            near.waited_for.insert(task_id(row.get(0))?);
        }
        // A loop needs a way from a target back to a task that is waited for: without one, nothing further is read.
        let added: Vec<&&EdgeChange> = changes.iter().filter(|change| change.add).collect();
        let new_targets: HashSet<&TaskId> = added.iter().map(|change| &change.on).collect();
        let risky = added.iter().any(|change| near.waited_for.contains(&change.task) || new_targets.contains(&change.task));
        if risky {
            let sql = "with recursive ahead (id) as (select value from json_each(?2) union \
                         select e.waits_on from ahead join edge e on e.project = ?1 and e.task = ahead.id and e.inert = 0) \
                       select e.task, e.waits_on from ahead join edge e on e.project = ?1 and e.task = ahead.id and e.inert = 0";
            let targets = list(new_targets.into_iter().map(TaskId::as_str));
            for row in q(sql).bind(targets).fetch_all(&mut *conn).await? {
                let (task, on) = (task_id(row.get(0))?, task_id(row.get(1))?);
                if !tasks.contains(&task) {
                    near.connect(&task, &on);
                }
            }
        }
        Ok(near)
    }

    fn connect(&mut self, task: &TaskId, on: &TaskId) {
        *self.out.entry(task.clone()).or_default().entry(on.clone()).or_default() += 1;
        self.waited_for.insert(on.clone());
    }

    fn disconnect(&mut self, task: &TaskId, on: &TaskId) {
        if let Some(targets) = self.out.get_mut(task)
            && let Some(count) = targets.get_mut(on)
        {
            *count -= 1;
            if *count == 0 {
                targets.remove(on);
            }
        }
    }

    /// Whether `task` waiting for `on` would close a loop.
    fn closes_a_loop(&self, task: &TaskId, on: &TaskId) -> bool {
        if task == on {
            return true;
        }
        if !self.waited_for.contains(task) {
            return false;
        }
        let mut seen = HashSet::from([on]);
        let mut stack = vec![on];
        while let Some(node) = stack.pop() {
            for next in self.out.get(node).into_iter().flat_map(BTreeMap::keys) {
                if next == task {
                    return true;
                }
                if seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        false
    }
}
