//! The activity: which events were asked for, who did how much among them, and how they lie over time.

use super::threads::EventPage;
use super::{Read, page_rows};
use crate::error::StoreError;
use crate::sql::{PROJECT, actor, q, stamp};
use contracts::view::ActivityQuery;
use contracts::{Actor, Moment, limits};
use sqlx::{QueryBuilder, Row, Sqlite};

/// What one actor did among the events asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of contracts::view::Tally")]
pub struct TallyRow {
    pub actor: Actor,
    pub tasks: i64,
    pub events: i64,
    pub closed: i64,
    pub commits: i64,
    pub added: i64,
    pub deleted: i64,
    pub last_at: Moment,
}

/// A bound commit that no other took the place of since: what a rebase made anew counts once.
const COMMIT_COUNTS: &str = "e.kind = 'commit.bound' and not exists (select 1 from event s where s.project = e.project and s.subject = e.subject \
     and s.kind = 'commit.superseded' and json_extract(s.body, '$.old') = json_extract(e.body, '$.sha'))";

impl Read {
    /// What happened on the board, newest first.
    pub async fn activity(&mut self, query: &ActivityQuery) -> Result<EventPage, StoreError> {
        self.events(|sql| narrow(sql, query), query.cursor.as_deref(), page_rows(query.limit, limits::PAGE_ROWS_MAX)).await
    }

    /// Who did how much of it, those with the most tasks first; with how many actors there are.
    pub async fn tallies(&mut self, query: &ActivityQuery, limit: usize) -> Result<(Vec<TallyRow>, i64), StoreError> {
        let mut sql = QueryBuilder::new(
            "select actor, count(distinct task), count(*), sum(closed), sum(counts), sum(case when counts then coalesce(json_extract(body, '$.added'), 0) else 0 end), \
             sum(case when counts then coalesce(json_extract(body, '$.deleted'), 0) else 0 end), max(at), count(*) over () from (select e.actor as actor, e.at as at, \
             e.body as body, case when e.subject like 'tk-%' then e.subject end as task, e.kind = 'task.closed' and e.no_effect = 0 as closed, ",
        );
        sql.push(COMMIT_COUNTS).push(" as counts from event e where e.project = ");
        narrow(&mut sql, query);
        sql.push(") group by actor order by 2 desc, 3 desc, actor limit ").push_bind(i64::try_from(limit).unwrap_or(i64::MAX));
        let found = sql.build().fetch_all(&mut *self.conn).await?;
        let all = found.first().map_or(0, |row| row.get(8));
        let row = |row: &sqlx::sqlite::SqliteRow| -> Result<TallyRow, StoreError> {
            Ok(TallyRow {
                actor: actor(row.get(0))?,
                tasks: row.get(1),
                events: row.get(2),
                closed: row.get(3),
                commits: row.get(4),
                added: row.get(5),
                deleted: row.get(6),
                last_at: stamp(row.get(7))?.moment,
            })
        };
        Ok((found.iter().map(row).collect::<Result<_, _>>()?, all))
    }

    /// Events by step of time and kind, of so many steps of `step_s` seconds from `from` on.
    pub async fn kinds_over_time(&mut self, query: &ActivityQuery, from: Moment, step_s: i64, steps: usize) -> Result<Vec<(i64, String, i64)>, StoreError> {
        let until = from.plus_seconds(step_s.saturating_mul(i64::try_from(steps).unwrap_or(i64::MAX)));
        let within = ActivityQuery { since: Some(from), until: Some(until), ..query.clone() };
        let mut sql = QueryBuilder::new("select (unixepoch(substr(e.at, 1, 19)) - ");
        sql.push_bind(from.0.div_euclid(1_000)).push(") / ").push_bind(step_s).push(", e.kind, count(*) from event e where e.project = ");
        narrow(&mut sql, &within);
        sql.push(" group by 1, 2");
        Ok(sql.build().fetch_all(&mut *self.conn).await?.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect())
    }

    /// How many events the log has, and when the first of them was.
    pub async fn ever(&mut self) -> Result<(i64, Option<Moment>), StoreError> {
        let row = q("select count(*), min(at) from event where project = ?1").fetch_one(&mut *self.conn).await?;
        let first = row.get::<Option<String>, _>(1).map(|at| stamp(&at)).transpose()?;
        Ok((row.get(0), first.map(|first| first.moment)))
    }
}

/// Says which events were asked for, after `e.project =`.
fn narrow(sql: &mut QueryBuilder<'_, Sqlite>, query: &ActivityQuery) {
    sql.push_bind(PROJECT);
    if let Some(kinds) = &query.kind {
        sql.push(" and (");
        for (place, kind) in kinds.split(',').map(str::trim).enumerate() {
            if place > 0 {
                sql.push(" or ");
            }
            match kind.strip_suffix(".*") {
                // A family is what lies between its dot and the sign after a dot.
                Some(family) => {
                    sql.push("(e.kind >= ").push_bind(format!("{family}.")).push(" and e.kind < ").push_bind(format!("{family}/")).push(")");
                }
                None => drop(sql.push("e.kind = ").push_bind(kind.to_owned())),
            }
        }
        sql.push(")");
    }
    if let Some(actor) = &query.actor {
        sql.push(" and e.actor = ").push_bind(actor.as_str().to_owned());
    }
    if let Some(task) = &query.task {
        sql.push(" and e.subject = ").push_bind(task.as_str().to_owned());
    }
    if let Some(milestone) = &query.milestone {
        let id = milestone.as_str().to_owned();
        sql.push(" and (e.subject = ").push_bind(id.clone());
        sql.push(" or e.subject in (select t.id from task t where t.project = e.project and t.milestone = ").push_bind(id).push("))");
    }
    if let Some(since) = query.since {
        sql.push(" and e.at >= ").push_bind(since.to_string());
    }
    if let Some(until) = query.until {
        sql.push(" and e.at < ").push_bind(until.to_string());
    }
    let text = query.text.trim();
    if !text.is_empty() {
        let like = format!("%{}%", text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
        sql.push(" and (exists (select 1 from json_tree(e.body) j where j.type = 'text' and j.value like ").push_bind(like.clone());
        sql.push(" escape '\\') or e.subject in (select t.id from task t where t.project = e.project and t.title like ").push_bind(like);
        sql.push(" escape '\\'))");
    }
}
