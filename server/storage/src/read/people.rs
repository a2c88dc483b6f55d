//! Who is there, what is for whom, and what waits for a person.

use super::{Read, cursor_of, cursor_values, page_rows};
use crate::error::StoreError;
use crate::projection::rows;
use crate::script::Script;
use crate::sql::{EventRow, actor, blob, event_columns, event_id, from_micros, list, micros, q};
use contracts::standing::Via;
use contracts::view::{ActorRow, ConflictRow, InboxQuery};
use contracts::{Actor, EventId, Moment, TaskId, limits};
use engine::next::SurfaceRow;
use engine::{LeaseState, MilestoneFacts};
use sqlx::Row;
use std::collections::{BTreeMap, BTreeSet};

/// Something for an actor to know.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxRow {
    /// What happened.
    pub row: EventRow,
    /// Why it is for this actor.
    pub why: String,
    /// When it was handed over.
    pub delivered_at: Option<Moment>,
}

/// A part of an inbox.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InboxPage {
    /// Oldest first.
    pub rows: Vec<InboxRow>,
    /// All there are, on whatever page.
    pub total: i64,
    /// Where to go on.
    pub next: Option<String>,
}

/// A change without an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRow {
    /// Grows.
    pub n: i64,
    /// `task` (its lease), `actors`, `delivery`.
    pub kind: String,
    /// The task, the actor, or event and actor with a space between.
    pub reference: String,
    /// When.
    pub at: Moment,
}

impl Read {
    /// Everybody known: who acted, was seen, or holds something.
    pub async fn actors(&mut self) -> Result<Vec<ActorRow>, StoreError> {
        let mut holds: BTreeMap<Actor, Vec<(TaskId, Moment)>> = BTreeMap::new();
        for one in self.leased().await?.iter().filter(|one| one.state != LeaseState::Lapsed) {
            holds.entry(one.lease.actor.clone()).or_default().push((one.lease.task.clone(), one.lease.expires_at));
        }
        let sql = "select a.actor, p.seen_at, p.surface, p.client from \
                   (select actor from actor where project = ?1 union select actor from presence where project = ?1 union select actor from lease where project = ?1) a \
                   left join presence p on p.project = ?1 and p.actor = a.actor order by a.actor";
        let mut found = Vec::new();
        for row in q(sql).fetch_all(&mut *self.conn).await? {
            let who = actor(row.get(0))?;
            found.push(ActorRow {
                seen_at: row.get::<Option<i64>, _>(1).map(from_micros),
                surface: row.get::<Option<String>, _>(2).unwrap_or_default(),
                client: row.get::<Option<String>, _>(3).unwrap_or_default(),
                holds: holds.remove(&who).unwrap_or_default(),
                actor: who,
            });
        }
        Ok(found)
    }

    /// The actor's inbox: what is unread, the oldest page first; with `all` what was delivered in the last seven days too, the newest page first.
    pub async fn inbox(&mut self, who: &Actor, query: &InboxQuery) -> Result<InboxPage, StoreError> {
        let from = if query.all { self.now.plus_seconds(-limits::INBOX_ALL_DAYS * 86_400).to_string() } else { String::new() };
        let limit = page_rows(query.limit, if query.all { limits::PAGE_ROWS_MAX } else { limits::INBOX_ITEMS_MAX });
        const UNREAD: &str = "(d.at is null or (?3 <> '' and i.at >= ?3))";
        let from_where = format!(
            " from inbox i join event e on e.project = i.project and e.id = i.event \
              left join delivery d on d.project = i.project and d.actor = i.actor and d.event = i.event where i.project = ?1 and i.actor = ?2 and {UNREAD}"
        );
        let sql = format!("select count(*){from_where}");
        let total: i64 = q(&sql).bind(who.as_str()).bind(&from).fetch_one(&mut *self.conn).await?.get(0);
        let (before, order) = if query.all { ("<", "desc") } else { (">", "asc") };
        let (at, event) = match cursor_values(query.cursor.as_deref(), 2)?.as_deref() {
            Some([at, event]) => (Some(at.clone()), Some(EventId::parse(event).map_err(|_| StoreError::Cursor)?)),
            _ => (None, None),
        };
        let sql = format!(
            "select {}, i.why, d.at{from_where} and (?5 is null or (i.at, i.event) {before} (?5, ?6)) order by i.at {order}, i.event {order} limit ?4",
            event_columns!()
        );
        let asked = q(&sql).bind(who.as_str()).bind(&from).bind(i64::try_from(limit + 1).unwrap_or(i64::MAX)).bind(at).bind(event.as_ref().map(blob));
        let found = asked.fetch_all(&mut *self.conn).await?;
        let mut rows: Vec<InboxRow> = Vec::with_capacity(found.len());
        for row in &found {
            let mut event = [EventRow::read(row)?];
            self.whole(&mut event);
            let [event] = event;
            rows.push(InboxRow {
                row: event,
                why: row.get(EventRow::COLUMNS),
                delivered_at: row.get::<Option<i64>, _>(EventRow::COLUMNS + 1).map(from_micros),
            });
        }
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|last| cursor_of(&[&last.row.event.at.to_string(), last.row.event.id.as_str()]));
        if query.all {
            rows.reverse();
        }
        Ok(InboxPage { rows, total, next })
    }

    /// What a page begins to show of the actor's inbox, newest first: what is unread before what was delivered in the last seven days. With
    /// how many are unread, shown or not.
    pub async fn bell(&mut self, who: &Actor) -> Result<(Vec<InboxRow>, i64), StoreError> {
        let sql = "select count(*) from inbox i left join delivery d on d.project = i.project and d.actor = i.actor and d.event = i.event \
                   where i.project = ?1 and i.actor = ?2 and d.at is null";
        let unread: i64 = q(sql).bind(who.as_str()).fetch_one(&mut *self.conn).await?.get(0);
        let sql = concat!(
            "select ",
            event_columns!(),
            ", i.why, d.at from inbox i join event e on e.project = i.project and e.id = i.event \
             left join delivery d on d.project = i.project and d.actor = i.actor and d.event = i.event \
             where i.project = ?1 and i.actor = ?2 and (d.at is null or i.at >= ?3) order by d.at is not null, i.at desc, i.event desc limit ?4"
        );
        let from = self.now.plus_seconds(-limits::INBOX_ALL_DAYS * 86_400).to_string();
        let found = q(sql).bind(who.as_str()).bind(from).bind(i64::try_from(limits::INBOX_SHOWN_MAX).unwrap_or(i64::MAX)).fetch_all(&mut *self.conn).await?;
        let mut rows = Vec::with_capacity(found.len());
        for row in &found {
            let mut event = [EventRow::read(row)?];
            self.whole(&mut event);
            let [event] = event;
            rows.push(InboxRow { row: event, why: row.get(13), delivered_at: row.get::<Option<i64>, _>(14).map(from_micros) });
        }
        rows.sort_by(|a, b| (b.row.event.at, &b.row.event.id).cmp(&(a.row.event.at, &a.row.event.id)));
        Ok((rows, unread))
    }

    /// Whether one of these actors did nothing before this position of the log.
    pub async fn acted_first(&mut self, actors: &BTreeSet<Actor>, before: i64) -> Result<bool, StoreError> {
        // Backwards: who acts has mostly acted a moment ago.
        let sql = "select exists (select 1 from event where project = ?1 and actor = ?2 and seq < ?3 order by seq desc limit 1)";
        for who in actors {
            if q(sql).bind(who.as_str()).bind(before).fetch_one(&mut *self.conn).await?.get::<i64, _>(0) == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// In whose inboxes these events lie, and why.
    pub async fn told(&mut self, events: &[EventId]) -> Result<BTreeMap<EventId, Vec<(Actor, String)>>, StoreError> {
        let sql = "select event, actor, why from inbox where project = ?1 and event in (select unhex(value) from json_each(?2)) order by actor";
        let mut found: BTreeMap<EventId, Vec<(Actor, String)>> = BTreeMap::new();
        for row in q(sql).bind(list(events.iter().map(EventId::as_str))).fetch_all(&mut *self.conn).await? {
            found.entry(event_id(row.get(0))).or_default().push((actor(row.get(1))?, row.get(2)));
        }
        Ok(found)
    }

    /// Who has been handed these events, and when.
    pub async fn deliveries(&mut self, events: &[EventId]) -> Result<BTreeMap<EventId, Vec<(Actor, Moment)>>, StoreError> {
        let sql = "select event, actor, at from delivery where project = ?1 and surface <> 'before' and event in (select unhex(value) from json_each(?2)) order by at";
        let mut found: BTreeMap<EventId, Vec<(Actor, Moment)>> = BTreeMap::new();
        for row in q(sql).bind(list(events.iter().map(EventId::as_str))).fetch_all(&mut *self.conn).await? {
            found.entry(event_id(row.get(0))).or_default().push((actor(row.get(1))?, from_micros(row.get(2))));
        }
        Ok(found)
    }

    /// Facts that found no effect and wait for a person, and edges of open tasks that have none, oldest first.
    pub async fn conflicts(&mut self) -> Result<Vec<ConflictRow>, StoreError> {
        let sql = concat!("select ", rows::task_columns!(), " from task t where t.project = ?1 and t.conflicts > 0 order by t.id");
        let mut found = Vec::new();
        for row in q(sql).fetch_all(&mut *self.conn).await? {
            let task = rows::read(&row, 0)?.task;
            found.extend(engine::conflict_rows(&task));
        }
        // `cross` keeps the order of the joins: what is inert is few of many.
        let sql = concat!(
            "select g.waits_on, g.via, ",
            event_columns!(),
            ", ",
            rows::task_columns!(),
            " from task t cross join edge g on g.project = t.project and g.task = t.id and g.inert = 1 \
              cross join event e on e.project = g.project and e.id = g.event \
              where t.project = ?1 and t.edges_inert > 0 and t.status = 'open'"
        );
        for row in q(sql).fetch_all(&mut *self.conn).await? {
            let (event, task) = (EventRow::read_at(&row, 2)?.event, rows::read(&row, 2 + EventRow::COLUMNS)?.task);
            found.push(engine::views::inert_row(&task, &crate::sql::task_id(row.get(0))?, crate::sql::word(Via::parse(row.get(1)))?, &event));
        }
        found.sort_by(|a, b| (a.at, &a.event).cmp(&(b.at, &b.event)));
        Ok(found)
    }

    /// All milestones with their tasks' numbers, open ones first, each oldest first.
    pub async fn milestones(&mut self) -> Result<Vec<MilestoneFacts>, StoreError> {
        let sql = "select id from milestone where project = ?1 order by status <> 'open', created_at, id";
        let rows = q(sql).fetch_all(&mut *self.conn).await?;
        let ids: Vec<contracts::MilestoneId> = rows.iter().map(|row| crate::sql::word(contracts::MilestoneId::parse(row.get(0)))).collect::<Result<_, _>>()?;
        let mut found = super::facts::milestones(&mut self.conn, &ids).await?;
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// What live, late and submitted tasks touch.
    pub async fn surfaces(&mut self) -> Result<Vec<SurfaceRow>, StoreError> {
        let leased = self.leased().await?;
        let mut script = Script::default();
        let not_live = crate::next::add_not_live(&mut script);
        crate::next::surfaces(&leased, &script.run(&mut self.conn).await?, not_live)
    }

    /// Changes without an event after `n`.
    pub async fn live_since(&mut self, n: i64) -> Result<Vec<LiveRow>, StoreError> {
        let rows = q("select n, k, ref, at from live_change where project = ?1 and n > ?2 order by n").bind(n).fetch_all(&mut *self.conn).await?;
        Ok(rows.iter().map(|row| LiveRow { n: row.get(0), kind: row.get(1), reference: row.get(2), at: from_micros(row.get(3)) }).collect())
    }

    /// How many ends of leases and of their grace are past.
    pub async fn lapsed(&mut self) -> Result<i64, StoreError> {
        let (now, grace) = (micros(self.now), self.grace_s().await? * 1_000_000);
        let sql = "select (select count(*) from lease where project = ?1 and expires_at <= ?2) + (select count(*) from lease where project = ?1 and expires_at <= ?3)";
        Ok(q(sql).bind(now).bind(now - grace).fetch_one(&mut *self.conn).await?.get(0))
    }

    /// Tasks whose standing flipped by time alone in this interval: a lease ended, or its grace did.
    pub async fn lapsed_between(&mut self, after: Moment, until: Moment) -> Result<Vec<TaskId>, StoreError> {
        let grace = self.grace_s().await? * 1_000_000;
        let sql = "select task from lease where project = ?1 and ((expires_at > ?2 and expires_at <= ?3) or (expires_at + ?4 > ?2 and expires_at + ?4 <= ?3)) order by task";
        let rows = q(sql).bind(micros(after)).bind(micros(until)).bind(grace).fetch_all(&mut *self.conn).await?;
        rows.iter().map(|row| crate::sql::task_id(row.get(0))).collect()
    }
}
