//! Events as people page through them: a thread, a history, and what came since.

use super::{Read, cursor_of, cursor_values};
use crate::error::StoreError;
use crate::projection::whole;
use crate::sql::{EventRow, PROJECT, blob, event_columns, list, q};
use contracts::EventId;
use engine::Kind;
use sqlx::{QueryBuilder, Row, Sqlite};
use std::collections::BTreeMap;

/// A part of a list of events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventPage {
    /// Newest first.
    pub rows: Vec<EventRow>,
    /// All there are.
    pub total: i64,
    /// Where to go on.
    pub next: Option<String>,
}

impl Read {
    /// Events about one subject, newest first; of a thread only what stands in threads.
    pub async fn events_of(&mut self, subject: &str, thread_only: bool, cursor: Option<&str>, limit: usize) -> Result<EventPage, StoreError> {
        let condition = |sql: &mut QueryBuilder<'_, Sqlite>| {
            sql.push_bind(PROJECT).push(" and e.subject = ").push_bind(subject.to_owned());
            if thread_only {
                let kinds = Kind::ALL.iter().filter(|kind| engine::is_thread(kind)).map(Kind::as_str);
                sql.push(" and e.kind in (select value from json_each(").push_bind(list(kinds)).push("))");
            }
        };
        self.events(condition, cursor, limit).await
    }

    pub(super) async fn events(
        &mut self,
        condition: impl Fn(&mut QueryBuilder<'_, Sqlite>),
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<EventPage, StoreError> {
        let mut count = QueryBuilder::new("select count(*) from event e where e.project = ");
        condition(&mut count);
        let total: i64 = count.build().fetch_one(&mut *self.conn).await?.get(0);
        let mut sql = QueryBuilder::new(concat!("select ", event_columns!(), " from event e where e.project = "));
        condition(&mut sql);
        if let Some([at, writer, n, id]) = cursor_values(cursor, 4)?.as_deref() {
            let (Ok(n), Ok(id)) = (n.parse::<i64>(), EventId::parse(id)) else { return Err(StoreError::Cursor) };
            sql.push(" and (e.at, e.writer, e.n, e.id) < (")
                .push_bind(at.clone())
                .push(", ")
                .push_bind(writer.clone())
                .push(", ")
                .push_bind(n)
                .push(", ")
                .push_bind(blob(&id))
                .push(")");
        }
        sql.push(" order by e.at desc, e.writer desc, e.n desc, e.id desc limit ").push_bind(i64::try_from(limit + 1).unwrap_or(i64::MAX));
        let found = sql.build().fetch_all(&mut *self.conn).await?;
        let mut rows: Vec<EventRow> = found.iter().map(EventRow::read).collect::<Result<_, _>>()?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|row| {
            let event = &row.event;
            cursor_of(&[&event.at.to_string(), event.writer.as_str(), &event.n.to_string(), event.id.as_str()])
        });
        self.whole(&mut rows);
        Ok(EventPage { rows, total, next })
    }

    /// Events after `seq`, in the order they came: `limit` of them, and what is left of the last one's command.
    pub async fn events_since(&mut self, seq: i64, limit: usize) -> Result<Vec<EventRow>, StoreError> {
        let sql = concat!("select ", event_columns!(), " from event e where e.project = ?1 and e.seq > ?2 order by e.seq limit ?3");
        let found = q(sql).bind(seq).bind(i64::try_from(limit).unwrap_or(i64::MAX)).fetch_all(&mut *self.conn).await?;
        let mut rows: Vec<EventRow> = found.iter().map(EventRow::read).collect::<Result<_, _>>()?;
        if let Some((seq, command)) = rows.last().filter(|_| rows.len() >= limit).map(|last| (last.seq, last.command)) {
            // Events of one command follow each other.
            let sql = concat!(
                "select ",
                event_columns!(),
                " from event e where e.project = ?1 and e.seq > ?2 and e.command = ?3 and e.seq < coalesce( \
                    (select o.seq from event o where o.project = ?1 and o.seq > ?2 and o.command <> ?3 order by o.seq limit 1), ?4) order by e.seq"
            );
            let rest = q(sql).bind(seq).bind(command).bind(i64::MAX).fetch_all(&mut *self.conn).await?;
            for row in &rest {
                rows.push(EventRow::read(row)?);
            }
        }
        self.whole(&mut rows);
        Ok(rows)
    }

    /// Events by id; unknown ones are left out.
    pub async fn events_by_id(&mut self, ids: &[EventId]) -> Result<Vec<EventRow>, StoreError> {
        let sql = concat!("select ", event_columns!(), " from event e where e.project = ?1 and e.id in (select unhex(value) from json_each(?2)) order by e.at");
        let found = q(sql).bind(list(ids.iter().map(EventId::as_str))).fetch_all(&mut *self.conn).await?;
        let mut rows: Vec<EventRow> = found.iter().map(EventRow::read).collect::<Result<_, _>>()?;
        self.whole(&mut rows);
        Ok(rows)
    }

    /// Puts bodies that lie in blobs in their place; one whose blob is not here stays the reference that it is.
    pub(crate) fn whole(&self, rows: &mut [EventRow]) {
        for row in rows {
            let _ = whole(&self.place, &mut row.event);
        }
    }

    /// Titles of tasks and milestones, by subject.
    pub async fn titles<'a>(&mut self, subjects: impl IntoIterator<Item = &'a str>) -> Result<BTreeMap<String, String>, StoreError> {
        let sql = "select id, title from task where project = ?1 and id in (select value from json_each(?2)) \
                   union all select id, json_extract(state, '$.title') from milestone where project = ?1 and id in (select value from json_each(?2))";
        let rows = q(sql).bind(list(subjects)).fetch_all(&mut *self.conn).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }
}
