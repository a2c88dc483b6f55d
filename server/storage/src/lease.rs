//! Lease rows: live, never rebuilt from the log except that a published claim nobody here knows of becomes a row of another clone's.

use crate::error::StoreError;
use crate::projection::Change;
use crate::script::{Script, Statement};
use crate::sql::{actor, blob, event_id, from_micros, id_list, list, micros, q, task_id};
use contracts::{EventId, Moment, TaskId};
use engine::facts::Authority;
use engine::{Lease, LeaseChange, Task};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, HashMap};

/// The columns [`read`] reads, of a table or alias `l`.
macro_rules! lease_columns {
    () => {
        "l.task, l.actor, l.principal, l.fence, l.session, l.branch, l.worktree, l.claimed_at, l.renewed_at, l.expires_at, l.ttl_s, l.published_until, l.claim_event, l.authority"
    };
}
pub(crate) use lease_columns;

/// Reads a lease from its columns, starting at `at`.
pub(crate) fn read(row: &SqliteRow, at: usize) -> Result<Lease, StoreError> {
    let moment = |column: usize| from_micros(row.get(at + column));
    Ok(Lease {
        task: task_id(row.get(at))?,
        actor: actor(row.get(at + 1))?,
        principal: row.get(at + 2),
        fence: row.get(at + 3),
        session: row.get(at + 4),
        branch: row.get(at + 5),
        worktree: row.get(at + 6),
        claimed_at: moment(7),
        renewed_at: moment(8),
        expires_at: moment(9),
        ttl_s: row.get(at + 10),
        published_until: moment(11),
        claim_event: event_id(row.get(at + 12)),
        authority: match row.get(at + 13) {
            "clone" => Authority::Clone,
            "server" => Authority::Server,
            _ => Authority::Here,
        },
    })
}

/// Leases of some tasks, whatever their state.
pub(crate) async fn of_tasks<'a>(conn: &mut SqliteConnection, ids: impl IntoIterator<Item = &'a TaskId>) -> Result<HashMap<TaskId, Lease>, StoreError> {
    let mut script = Script::default();
    let asked = add_of_tasks(&mut script, &id_list(ids));
    by_task(script.run(conn).await?.rows(asked))
}

/// Asks for the leases of some tasks (a JSON list of ids).
pub(crate) fn add_of_tasks(script: &mut Script, ids: &str) -> Statement {
    let sql = concat!("select ", lease_columns!(), " from lease l where l.project = ?1 and l.task in (select value from json_each(?2))");
    script.add(sql, [ids.into()])
}

pub(crate) fn by_task(rows: &[SqliteRow]) -> Result<HashMap<TaskId, Lease>, StoreError> {
    rows.iter().map(|row| read(row, 0).map(|lease| (lease.task.clone(), lease))).collect()
}

fn put(script: &mut Script, lease: &Lease) {
    let authority = match lease.authority {
        Authority::Here => "here",
        Authority::Clone => "clone",
        Authority::Server => "server",
    };
    script.add(
        "insert or replace into lease (project, task, actor, principal, fence, session, branch, worktree, claimed_at, renewed_at, expires_at, ttl_s, \
         published_until, claim_event, authority) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        [
            lease.task.as_str().into(),
            lease.actor.as_str().into(),
            (&lease.principal).into(),
            lease.fence.into(),
            lease.session.as_deref().into(),
            lease.branch.as_deref().into(),
            lease.worktree.as_deref().into(),
            micros(lease.claimed_at).into(),
            micros(lease.renewed_at).into(),
            micros(lease.expires_at).into(),
            lease.ttl_s.into(),
            micros(lease.published_until).into(),
            blob(&lease.claim_event).into(),
            authority.into(),
        ],
    );
}

fn drop_rows(script: &mut Script, ids: &[&TaskId]) {
    if !ids.is_empty() {
        script.add("delete from lease where project = ?1 and task in (select value from json_each(?2))", [id_list(ids.iter().copied()).into()]);
    }
}

/// Carries out what a decision wants done. `claimed`: the claim among the decision's own events, by task.
pub(crate) fn carry_out(script: &mut Script, changes: Vec<LeaseChange>, claimed: &BTreeMap<&str, &EventId>, now: Moment) {
    for change in changes {
        let task = match change {
            LeaseChange::Take(mut lease) => {
                if let Some(event) = claimed.get(lease.task.as_str()) {
                    lease.claim_event = (*event).clone();
                }
                put(script, &lease);
                lease.task
            }
            LeaseChange::Extend { task, renewed_at, expires_at, published_until } => {
                script.add(
                    "update lease set renewed_at = ?3, expires_at = ?4, published_until = coalesce(?5, published_until) where project = ?1 and task = ?2",
                    [task.as_str().into(), micros(renewed_at).into(), micros(expires_at).into(), published_until.map(micros).into()],
                );
                task
            }
            LeaseChange::Drop(task) => {
                drop_rows(script, &[&task]);
                task
            }
        };
        live_change(script, "task", task.as_str(), now);
    }
}

/// The row that a published claim alone gives.
fn published(task: &Task) -> Option<Lease> {
    let claim = task.claim.as_ref()?;
    Some(Lease {
        task: task.id.clone(),
        actor: claim.actor.clone(),
        principal: claim.principal.clone(),
        fence: claim.fence,
        session: claim.session.clone(),
        branch: claim.branch.clone(),
        worktree: claim.worktree.clone(),
        claimed_at: claim.at,
        renewed_at: claim.at,
        expires_at: claim.expires,
        ttl_s: claim.ttl_s,
        published_until: claim.expires,
        claim_event: claim.event.clone(),
        authority: Authority::Clone,
    })
}

/// Tasks whose published claim moved.
pub(crate) fn moved(changes: &BTreeMap<TaskId, Change>) -> Vec<&Task> {
    let claim_moved = |change: &&Change| {
        let before = change.old.as_ref().and_then(|row| row.task.claim.as_ref());
        before != change.new.as_ref().and_then(|task| task.claim.as_ref())
    };
    changes.values().filter(claim_moved).filter_map(|change| change.new.as_ref()).collect()
}

/// Makes the lease rows agree with the claims the events say: an ended claim has no row, an unknown one becomes another clone's, a row of
/// this database keeps its own ends while its claim stands. `rows` are those of these tasks as they stand, and as they will.
pub(crate) fn settle(script: &mut Script, tasks: &[&Task], rows: &mut HashMap<TaskId, Lease>) {
    let mut ended = Vec::new();
    for task in tasks {
        let Some(lease) = published(task) else {
            ended.extend(rows.remove(&task.id).map(|_| &task.id));
            continue;
        };
        match rows.get(&task.id) {
            Some(row) if row.claim_event == lease.claim_event && row.authority != Authority::Clone => {}
            Some(row) if *row == lease => {}
            _ => {
                put(script, &lease);
                rows.insert(task.id.clone(), lease);
            }
        }
    }
    drop_rows(script, &ended);
}

/// How many changes without an event are kept.
const LIVE_KEPT: i64 = 1_000;

/// Notes that something changed without an event, for the sockets of other processes.
fn live_change(script: &mut Script, kind: &str, reference: &str, now: Moment) {
    script.add("insert into live_change (project, k, ref, at) values (?1, ?2, ?3, ?4)", [kind.into(), reference.into(), micros(now).into()]);
    script.add("delete from live_change where project = ?1 and n <= last_insert_rowid() - ?2", [LIVE_KEPT.into()]);
}

/// Whether an actor was noted as seen within the last minute.
pub(crate) async fn seen_lately(conn: &mut SqliteConnection, caller: &contracts::Caller, now: Moment) -> Result<bool, StoreError> {
    let sql = "select exists (select 1 from presence where project = ?1 and actor = ?2 and seen_at > ?3)";
    let from = micros(now) - contracts::limits::SEEN_SECONDS * 1_000_000;
    Ok(q(sql).bind(caller.actor.as_str()).bind(from).fetch_one(&mut *conn).await?.get::<i64, _>(0) != 0)
}

/// Notes that an actor was seen, at most once a minute.
pub(crate) async fn seen(conn: &mut SqliteConnection, caller: &contracts::Caller, now: Moment) -> Result<(), StoreError> {
    let done = q("insert into presence (project, actor, session, surface, client, seen_at) values (?1, ?2, ?3, ?4, ?5, ?6) \
       on conflict (project, actor) do update set session = excluded.session, surface = excluded.surface, client = excluded.client, seen_at = excluded.seen_at \
       where presence.seen_at <= excluded.seen_at - ?7")
    .bind(caller.actor.as_str())
    .bind(caller.session.as_deref().unwrap_or(""))
    .bind(caller.surface.as_str())
    .bind(caller.client.as_deref().unwrap_or(""))
    .bind(micros(now))
    .bind(contracts::limits::SEEN_SECONDS * 1_000_000)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() > 0 {
        let mut script = Script::default();
        live_change(&mut script, "actors", caller.actor.as_str(), now);
        script.run(conn).await?;
    }
    Ok(())
}

/// Marks events as handed to an actor, each once.
pub(crate) async fn deliver(conn: &mut SqliteConnection, caller: &contracts::Caller, events: &[EventId], now: Moment) -> Result<(), StoreError> {
    let sql = "insert or ignore into delivery (project, actor, event, at, surface) \
               select ?1, ?3, i.event, ?4, ?5 from inbox i where i.project = ?1 and i.actor = ?3 and i.event in (select unhex(value) from json_each(?2))";
    let done = q(sql)
        .bind(list(events.iter().map(EventId::as_str)))
        .bind(caller.actor.as_str())
        .bind(micros(now))
        .bind(caller.surface.as_str())
        .execute(&mut *conn)
        .await?;
    if done.rows_affected() > 0 {
        let mut script = Script::default();
        for event in events {
            live_change(&mut script, "delivery", &format!("{event} {}", caller.actor), now);
        }
        script.run(conn).await?;
    }
    Ok(())
}

/// Takes marks of delivery back.
pub(crate) async fn undeliver(conn: &mut SqliteConnection, caller: &contracts::Caller, events: &[EventId]) -> Result<(), StoreError> {
    q("delete from delivery where project = ?1 and actor = ?3 and event in (select unhex(value) from json_each(?2))")
        .bind(list(events.iter().map(EventId::as_str)))
        .bind(caller.actor.as_str())
        .execute(&mut *conn)
        .await?;
    Ok(())
}
