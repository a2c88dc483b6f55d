//! Inbox rows: derived from events by the fold, but for those that tell the holder of a task that a dependency of it moved, which are
//! live. Unread is what has no delivery.

use crate::error::StoreError;
use crate::projection::Change;
use crate::sql::{blob, micros, q};
use contracts::{Actor, EventId, Moment, TaskId, limits};
use sqlx::SqliteConnection;
use std::collections::BTreeMap;

/// Tells an actor about an event that is stored, because the fold says so.
pub(crate) async fn tell(conn: &mut SqliteConnection, actor: &Actor, event: &EventId, why: &str) -> Result<(), StoreError> {
    q("insert into inbox (project, actor, event, at, why, live) select ?1, ?2, e.id, e.at, ?4, ?5 from event e where e.project = ?1 and e.id = ?3 \
       on conflict (project, actor, event) do update set why = excluded.why, live = excluded.live")
    .bind(actor.as_str())
    .bind(blob(event))
    .bind(why)
    .bind(0)
    .execute(&mut *conn)
    .await?;
    Ok(())
}

/// Takes back what the fold of these subjects (a JSON list) told.
pub(crate) async fn forget(conn: &mut SqliteConnection, subjects: &str) -> Result<(), StoreError> {
    q("delete from inbox where project = ?1 and live = 0 and event in \
       (select id from event where project = ?1 and subject in (select value from json_each(?2)))")
    .bind(subjects)
    .execute(&mut *conn)
    .await?;
    Ok(())
}

/// Tells the holders of tasks that wait for one whose status moved.
pub(crate) async fn tell_dependents(conn: &mut SqliteConnection, changes: &BTreeMap<TaskId, Change>) -> Result<(), StoreError> {
    for (id, change) in changes {
        let (Some(event), Some(_), true) = (&change.moved_by, &change.old, change.status_changed()) else { continue };
        q("insert or ignore into inbox (project, actor, event, at, why, live) \
           select distinct ?1, l.actor, ?3, ?4, 'dependency', 1 from edge e join lease l on l.project = e.project and l.task = e.task \
           where e.project = ?1 and e.waits_on = ?2 and e.inert = 0 and l.actor <> ?5")
        .bind(id.as_str())
        .bind(blob(&event.id))
        .bind(event.at.to_string())
        .bind(event.actor.as_str())
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// In a database made anew, what is older than a day counts as delivered: nobody is handed last month.
pub(crate) async fn settle_old(conn: &mut SqliteConnection, now: Moment) -> Result<(), StoreError> {
    let from = now.plus_seconds(-limits::INBOX_REBUILT_HOURS * 3_600);
    q("insert or ignore into delivery (project, actor, event, at, surface) select project, actor, event, ?3, 'before' from inbox where project = ?1 and at < ?2")
        .bind(from.to_string())
        .bind(micros(now))
        .execute(&mut *conn)
        .await?;
    Ok(())
}
