//! What a task's neighbours make of it, counted from the edges whenever one of them changes.

use super::Change;
use crate::error::StoreError;
use crate::sql::{id_list, q, task_id, word};
use contracts::TaskId;
use contracts::standing::{Status, Via};
use engine::Counters;
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The tasks whose counters may have changed: those at changed edges, and the neighbours of those whose status did.
pub(crate) async fn affected(
    conn: &mut SqliteConnection,
    changes: &BTreeMap<TaskId, Change>,
    mut affected: BTreeSet<TaskId>,
) -> Result<BTreeSet<TaskId>, StoreError> {
    let moved = id_list(changes.iter().filter(|(_, change)| change.status_changed()).map(|(id, _)| id));
    if moved != "[]" {
        let sql = "select task from edge where project = ?1 and waits_on in (select value from json_each(?2)) \
                   union select waits_on from edge where project = ?1 and task in (select value from json_each(?2))";
        for row in q(sql).bind(moved).fetch_all(&mut *conn).await? {
            affected.insert(task_id(row.get(0))?);
        }
    }
    Ok(affected)
}

/// An edge as counting needs it.
pub(crate) struct Link {
    pub task: TaskId,
    pub on: TaskId,
    pub via: Via,
    pub inert: bool,
}

/// Counts for the tasks at the ends of these links. A target that is not known here counts as open.
pub(crate) fn count<'a>(links: impl IntoIterator<Item = &'a Link>, status: impl Fn(&TaskId) -> Option<Status>) -> HashMap<TaskId, Counters> {
    let mut counted: HashMap<TaskId, Counters> = HashMap::new();
    // `after` and `block` may both join the same two tasks; they count once.
    let mut seen: BTreeSet<(&TaskId, &TaskId)> = BTreeSet::new();
    for link in links {
        let target = status(&link.on);
        let of_task = counted.entry(link.task.clone()).or_default();
        of_task.edges_inert += u32::from(link.inert);
        if link.via == Via::Parent {
            of_task.children += 1;
            of_task.children_open += u32::from(!link.inert && target == Some(Status::Open));
            continue;
        }
        if link.inert || !seen.insert((&link.task, &link.on)) {
            continue;
        }
        match target {
            None | Some(Status::Open) => {
                of_task.waits_open += 1;
                if of_task.waits_first.as_ref().is_none_or(|first| link.on < *first) {
                    of_task.waits_first = Some(link.on.clone());
                }
            }
            Some(Status::Cancelled) => of_task.waits_cancelled += 1,
            Some(Status::Done) => {}
        }
        if status(&link.task) == Some(Status::Open) {
            counted.entry(link.on.clone()).or_default().blocks += 1;
        }
    }
    counted
}

/// Counts for some tasks. `changes` stand for what is about to be written.
pub(crate) async fn load(
    conn: &mut SqliteConnection,
    ids: &BTreeSet<&TaskId>,
    changes: &BTreeMap<TaskId, Change>,
) -> Result<HashMap<TaskId, Counters>, StoreError> {
    let sql = "select e.task, e.waits_on, e.via, e.inert, a.status, b.status \
        from (select * from edge where project = ?1 and task in (select value from json_each(?2)) \
              union select * from edge where project = ?1 and waits_on in (select value from json_each(?2))) e \
        left join task a on a.project = ?1 and a.id = e.task left join task b on b.project = ?1 and b.id = e.waits_on";
    let mut links = Vec::new();
    let mut statuses: HashMap<TaskId, Status> = HashMap::new();
    for row in q(sql).bind(id_list(ids.iter().copied())).fetch_all(&mut *conn).await? {
        let (task, on) = (task_id(row.get(0))?, task_id(row.get(1))?);
        for (id, at) in [(&task, 4), (&on, 5)] {
            if let Some(status) = row.get::<Option<&str>, _>(at) {
                statuses.insert(id.clone(), word(Status::parse(status))?);
            }
        }
        links.push(Link { task, on, via: word(Via::parse(row.get(2)))?, inert: row.get::<i64, _>(3) != 0 });
    }
    for (id, change) in changes {
        if let Some(task) = &change.new {
            statuses.insert(id.clone(), task.status);
        }
    }
    Ok(count(&links, |id| statuses.get(id).copied()))
}
