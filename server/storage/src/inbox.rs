//! Inbox rows: derived from events by the fold, but for those that tell the holder of a task that a dependency of it moved, which are
//! live. Unread is what has no delivery.

use crate::error::StoreError;
use crate::projection::Change;
use crate::script::Script;
use crate::sql::{blob, micros, q};
use contracts::{Actor, EventId, Moment, TaskId, limits};
use sqlx::SqliteConnection;
use std::collections::BTreeMap;

/// Tells actors about events that are stored, because the fold says so: whom, of what, and why.
pub(crate) fn tell<'a>(script: &mut Script, notices: impl IntoIterator<Item = (&'a Actor, &'a EventId, &'a str)>) {
    let notices: Vec<[&str; 3]> = notices.into_iter().map(|(actor, event, why)| [actor.as_str(), event.as_str(), why]).collect();
    if notices.is_empty() {
        return;
    }
    // `cross` keeps the order of the joins: the events are few of many.
    script.add(
        "insert into inbox (project, actor, event, at, why, live) \
         select ?1, n.value ->> 0, e.id, e.at, n.value ->> 2, 0 from json_each(?2) n cross join event e on e.project = ?1 and e.id = unhex(n.value ->> 1) \
         where true on conflict (project, actor, event) do update set why = excluded.why, live = excluded.live",
        [serde_json::json!(notices).to_string().into()],
    );
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
pub(crate) fn tell_dependents(script: &mut Script, changes: &BTreeMap<TaskId, Change>) {
    for (id, change) in changes {
        let (Some(event), Some(_), true) = (&change.moved_by, &change.old, change.status_changed()) else { continue };
        script.add(
            "insert or ignore into inbox (project, actor, event, at, why, live) \
             select distinct ?1, l.actor, ?3, ?4, 'dependency', 1 from edge e join lease l on l.project = e.project and l.task = e.task \
             where e.project = ?1 and e.waits_on = ?2 and e.inert = 0 and l.actor <> ?5",
            [id.as_str().into(), blob(&event.id).into(), event.at.to_string().into(), event.actor.as_str().into()],
        );
    }
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
