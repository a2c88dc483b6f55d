//! Facts about several workers: what can be given out, whose names are in use, who has which task, and who was seen when.

use super::{facts, queue};
use crate::error::StoreError;
use crate::next;
use crate::script::Script;
use crate::sql::{actor, from_micros, id_list, list, micros, q, stamp, task_id};
use contracts::view::NextRequest;
use contracts::{Actor, Caller, Moment, TaskId, limits};
use engine::{Facts, Needs, Settings};
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet};

/// Every open task that an agent has a lease on or that is for an agent.
pub(crate) async fn agents_tasks(conn: &mut SqliteConnection) -> Result<Vec<TaskId>, StoreError> {
    let sql = "select task from lease where project = ?1 and actor like 'agent:%' union \
               select id from task where project = ?1 and assignee is not null and assignee like 'agent:%' and status = 'open'";
    q(sql).fetch_all(&mut *conn).await?.iter().map(|row| task_id(row.get(0))).collect()
}

/// What a command about several workers needs beside its tasks.
pub(crate) async fn load(conn: &mut SqliteConnection, needs: &Needs, caller: &Caller, now: Moment, found: &mut Facts) -> Result<(), StoreError> {
    let grace_s = found.project.as_ref().map_or(limits::GRACE_SECONDS, |project| Settings::of(project).grace_s);
    if let Some(prefix) = &needs.workers {
        found.busy = busy(conn, prefix, now).await?;
        let mut script = Script::default();
        let (leased, not_live) = (queue::add_leased(&mut script), next::add_not_live(&mut script));
        let answers = script.run(conn).await?;
        let leased = queue::read_leased(answers.rows(leased), now, grace_s)?;
        found.surfaces = next::surfaces(&leased, &answers, not_live)?;
    }
    if needs.candidates {
        let mut script = Script::default();
        let holdings = facts::add_holdings(&mut script, &caller.actor);
        let holdings = facts::read_holdings(script.run(conn).await?.rows(holdings))?;
        let held: Vec<&TaskId> = holdings.iter().map(|holding| &holding.lease.task).collect();
        found.candidates = next::candidates(conn, &NextRequest::default(), &caller.actor, &held, now, grace_s).await?;
    }
    if needs.seen {
        let holders = found.tasks.values().flat_map(|of| of.lease.as_ref().map(|lease| &lease.actor).into_iter().chain(&of.task.assignee));
        found.seen = seen(conn, &holders.cloned().collect()).await?;
        found.assigned_at = assigned_at(conn, found.tasks.keys()).await?;
    }
    Ok(())
}

/// Names that begin so and are in use.
async fn busy(conn: &mut SqliteConnection, prefix: &str, now: Moment) -> Result<BTreeSet<Actor>, StoreError> {
    let sql = "select actor from (select actor from lease where project = ?1 union \
               select assignee from task where project = ?1 and assignee is not null and status = 'open' union \
               select actor from presence where project = ?1 and seen_at > ?3) where substr(actor, 1, length(?2)) = ?2";
    let from = micros(now.plus_seconds(-limits::WORKER_NAME_HOURS * 3_600));
    q(sql).bind(prefix).bind(from).fetch_all(&mut *conn).await?.iter().map(|row| actor(row.get(0))).collect()
}

async fn seen(conn: &mut SqliteConnection, actors: &BTreeSet<Actor>) -> Result<BTreeMap<Actor, Moment>, StoreError> {
    let sql = "select actor, seen_at from presence where project = ?1 and actor in (select value from json_each(?2))";
    let rows = q(sql).bind(list(actors.iter().map(Actor::as_str))).fetch_all(&mut *conn).await?;
    rows.iter().map(|row| Ok((actor(row.get(0))?, from_micros(row.get(1))))).collect()
}

/// When each task was last given to somebody, as its events tell.
async fn assigned_at<'a>(conn: &mut SqliteConnection, ids: impl IntoIterator<Item = &'a TaskId>) -> Result<BTreeMap<TaskId, Moment>, StoreError> {
    let sql = "select e.subject, max(e.at) from json_each(?2) j join event e on e.project = ?1 and e.subject = j.value \
               where e.kind in ('task.assigned', 'task.created') group by e.subject";
    let rows = q(sql).bind(id_list(ids)).fetch_all(&mut *conn).await?;
    rows.iter().map(|row| Ok((task_id(row.get(0))?, stamp(row.get(1))?.moment))).collect()
}
