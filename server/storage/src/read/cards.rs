//! Lists and columns of cards. Open tasks lie by priority, due date and age, closed ones by when they were closed, newest first.

use super::filter::{self, Asking};
use super::{Read, cursor_of, cursor_values, page_rows};
use crate::error::StoreError;
use crate::lease;
use crate::projection::rows;
use crate::read::queue::Leased;
use crate::sql::{PROJECT, id_list, list, task_id};
use contracts::standing::{Column, Standing};
use contracts::view::TaskQuery;
use contracts::{TaskId, limits};
use engine::{Counters, Lease, Task};
use sqlx::{QueryBuilder, Row, Sqlite};
use std::cmp::Ordering;

/// What a card is made of. The task's spec is not loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct CardRow {
    /// Its own state.
    pub task: Task,
    /// What its neighbours make of it.
    pub counters: Counters,
    /// Its lease row, live, late or lapsed.
    pub lease: Option<Lease>,
}

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardPage {
    /// In order.
    pub rows: Vec<CardRow>,
    /// All that pass the filter.
    pub total: i64,
    /// Where to go on.
    pub next: Option<String>,
}

/// A part of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnPage {
    /// The cards.
    pub page: CardPage,
    /// Tasks the filter hides.
    pub hidden: i64,
}

/// Words of a filter that are looked at.
const WORDS_MAX: usize = 20;

/// Which tasks a list is of.
#[derive(Default)]
struct Which<'a> {
    open: bool,
    closed: bool,
    standing: Vec<Standing>,
    words: &'a str,
    labels: &'a [String],
    kind: Option<&'a str>,
    milestone: Option<&'a str>,
    assignee: Option<&'a str>,
    asking: Option<&'a Asking>,
}

/// A part of a list that one statement asks for.
enum Part {
    /// All of it.
    Whole,
    /// Tasks of one standing at rest, but for these (a JSON list of ids).
    AtRest(Standing, String),
    /// These.
    Moved(String),
}

/// Where a task lies in a list.
struct Lies {
    closed: bool,
    priority: i64,
    due_key: String,
    created_at: String,
    closed_at: Option<String>,
    id: String,
}

impl Lies {
    fn by_close(&self, other: &Lies) -> Ordering {
        (&other.closed_at, &other.id).cmp(&(&self.closed_at, &self.id))
    }

    fn by_rank(&self, other: &Lies) -> Ordering {
        let rank = |lies: &Lies| (lies.closed, lies.priority);
        rank(self).cmp(&rank(other)).then_with(|| (&self.due_key, &self.created_at, &self.id).cmp(&(&other.due_key, &other.created_at, &other.id)))
    }
}

impl Which<'_> {
    /// `from task …` with every condition but the cursor's.
    fn push(&self, sql: &mut QueryBuilder<'_, Sqlite>, part: &Part, leased: &[Leased]) {
        sql.push(" from task t where t.project = ").push_bind(PROJECT);
        match part {
            Part::Whole => {}
            Part::AtRest(rest, moved) => {
                sql.push(" and t.rest = ").push_bind(rest.as_str());
                sql.push(" and t.id not in (select value from json_each(").push_bind(moved.clone()).push("))");
            }
            Part::Moved(here) => drop(sql.push(" and t.id in (select value from json_each(").push_bind(here.clone()).push("))")),
        }
        match (self.open, self.closed) {
            (true, false) => drop(sql.push(" and t.status = 'open'")),
            (false, true) => drop(sql.push(" and t.closed_at is not null")),
            _ => {}
        }
        for word in self.words.to_lowercase().split_whitespace().take(WORDS_MAX) {
            sql.push(" and (instr(t.words, ")
                .push_bind(word.to_owned())
                .push(") > 0 or exists (select 1 from lease l where l.project = t.project and l.task = t.id and instr(l.actor, ")
                .push_bind(word.to_owned())
                .push(") > 0))");
        }
        if !self.labels.is_empty() {
            sql.push(" and exists (select 1 from task_label b where b.project = t.project and b.task = t.id and b.label in (select value from json_each(")
                .push_bind(list(self.labels.iter().map(String::as_str)))
                .push(")))");
        }
        for (column, value) in [("t.type", self.kind), ("t.milestone", self.milestone), ("t.assignee", self.assignee)] {
            if let Some(value) = value {
                sql.push(format!(" and {column} = ")).push_bind(value.to_owned());
            }
        }
        if let Some(asking) = self.asking {
            sql.push(" and ");
            filter::push(sql, asking, leased);
        }
    }

    /// What to ask for so that each part is one walk along an index: a standing at rest, and what few leases make stand elsewhere.
    fn parts(&self, leased: &[Leased]) -> Vec<Part> {
        if self.standing.is_empty() {
            return vec![Part::Whole];
        }
        let moved = || leased.iter().filter(|one| one.standing != one.row.rest);
        let away = id_list(moved().map(|one| &one.row.task.id));
        let here = id_list(moved().filter(|one| self.standing.contains(&one.standing)).map(|one| &one.row.task.id));
        self.standing.iter().map(|rest| Part::AtRest(*rest, away.clone())).chain([Part::Moved(here)]).collect()
    }

    fn is_by_close(&self) -> bool {
        self.closed && !self.open
    }

    /// What lies after the cursor, in order.
    fn push_order(&self, sql: &mut QueryBuilder<'_, Sqlite>, cursor: Option<&str>) -> Result<(), StoreError> {
        if self.is_by_close() {
            if let Some([closed_at, id]) = cursor_values(cursor, 2)?.as_deref() {
                sql.push(" and (t.closed_at, t.id) < (").push_bind(closed_at.clone()).push(", ").push_bind(id.clone()).push(")");
            }
            sql.push(" order by t.closed_at desc, t.id desc");
            return Ok(());
        }
        let closed = if self.closed { "t.status <> 'open', " } else { "" };
        if let Some([is_closed, priority, due, created, id]) = cursor_values(cursor, 5)?.as_deref() {
            let number = |text: &str| text.parse::<i64>().map_err(|_| StoreError::Cursor);
            sql.push(format!(" and ({closed}t.priority, t.due_key, t.created_at, t.id) > ("));
            if self.closed {
                sql.push_bind(number(is_closed)?).push(", ");
            }
            sql.push_bind(number(priority)?).push(", ").push_bind(due.clone()).push(", ").push_bind(created.clone()).push(", ").push_bind(id.clone()).push(")");
        }
        sql.push(format!(" order by {closed}t.priority, t.due_key, t.created_at, t.id"));
        Ok(())
    }
}

impl Read {
    /// Tasks by id, in the order given; unknown ones are left out.
    pub async fn card_rows(&mut self, ids: &[TaskId]) -> Result<Vec<CardRow>, StoreError> {
        let mut leases = lease::of_tasks(&mut self.conn, ids).await?;
        let mut stored = rows::load_cards(&mut self.conn, ids).await?;
        let card = |id: &TaskId| stored.remove(id).map(|row| CardRow { task: row.task, counters: row.counters, lease: leases.remove(id) });
        Ok(ids.iter().filter_map(card).collect())
    }

    /// A list. The query's `filter` is read by whoever asks, and comes as a tree.
    pub async fn cards(&mut self, query: &TaskQuery, asking: Option<&Asking>) -> Result<CardPage, StoreError> {
        let which = Which {
            open: !query.closed,
            closed: query.closed || query.all,
            standing: query.standing.clone(),
            words: &query.q,
            labels: &query.label,
            kind: query.kind.as_deref(),
            milestone: query.milestone.as_ref().map(|id| id.as_str()),
            assignee: query.assignee.as_ref().map(|actor| actor.as_str()),
            asking,
        };
        let leased = self.leased().await?;
        let total = self.total(&which, &leased).await?;
        let (rows, next) = self.page(&which, &leased, query.cursor.as_deref(), page_rows(query.limit, limits::PAGE_ROWS_MAX)).await?;
        Ok(CardPage { rows, total, next })
    }

    /// A part of one column. Words must all stand in id, title, labels, assignee or holder.
    pub async fn column(
        &mut self,
        column: Column,
        words: &str,
        asking: Option<&Asking>,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<ColumnPage, StoreError> {
        let standing: Vec<Standing> = Standing::ALL.iter().copied().filter(|standing| standing.column() == column).collect();
        let done = column == Column::Done;
        // Whatever is closed is done.
        let asked = if done { Vec::new() } else { standing };
        let which = Which { open: !done, closed: done, standing: asked, words, asking, ..Which::default() };
        let leased = self.leased().await?;
        let all: i64 =
            super::queue::by_standing(&mut self.conn, &leased).await?.iter().filter(|(standing, _)| standing.column() == column).map(|(_, n)| n).sum();
        let total = if words.trim().is_empty() && asking.is_none() { all } else { self.total(&which, &leased).await? };
        let first = if done { limits::DONE_CARDS_FIRST } else { limits::COLUMN_CARDS_FIRST };
        let (rows, next) = self.page(&which, &leased, cursor, page_rows(limit, first)).await?;
        Ok(ColumnPage { page: CardPage { rows, total, next }, hidden: all - total })
    }

    async fn total(&mut self, which: &Which<'_>, leased: &[Leased]) -> Result<i64, StoreError> {
        let mut total = 0;
        for part in which.parts(leased) {
            let mut sql = QueryBuilder::new("select count(*)");
            which.push(&mut sql, &part, leased);
            total += sql.build().fetch_one(&mut *self.conn).await?.get::<i64, _>(0);
        }
        Ok(total)
    }

    async fn page(&mut self, which: &Which<'_>, leased: &[Leased], cursor: Option<&str>, limit: usize) -> Result<(Vec<CardRow>, Option<String>), StoreError> {
        let mut found: Vec<Lies> = Vec::new();
        for part in which.parts(leased) {
            let mut sql = QueryBuilder::new("select t.status <> 'open', t.priority, t.due_key, t.created_at, t.closed_at, t.id");
            which.push(&mut sql, &part, leased);
            which.push_order(&mut sql, cursor)?;
            sql.push(" limit ").push_bind(i64::try_from(limit + 1).unwrap_or(i64::MAX));
            for row in sql.build().fetch_all(&mut *self.conn).await? {
                let closed = row.get::<i64, _>(0) != 0;
                found.push(Lies { closed, priority: row.get(1), due_key: row.get(2), created_at: row.get(3), closed_at: row.get(4), id: row.get(5) });
            }
        }
        found.sort_by(if which.is_by_close() { Lies::by_close } else { Lies::by_rank });
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(|last| match which.is_by_close() {
            true => cursor_of(&[last.closed_at.as_deref().unwrap_or_default(), &last.id]),
            false => cursor_of(&[if last.closed { "1" } else { "0" }, &last.priority.to_string(), &last.due_key, &last.created_at, &last.id]),
        });
        let ids: Vec<TaskId> = found.iter().map(|lies| task_id(&lies.id)).collect::<Result<_, _>>()?;
        Ok((self.card_rows(&ids).await?, next))
    }

    /// What waits for what among these tasks: each pair once, those that wait first; edges without effect are left out.
    pub async fn edges_among(&mut self, ids: &[TaskId]) -> Result<Vec<(TaskId, TaskId)>, StoreError> {
        let sql = "select distinct task, waits_on from edge where project = ?1 and inert = 0 and task in (select value from json_each(?2)) \
                   and waits_on in (select value from json_each(?2)) order by task, waits_on";
        let rows = crate::sql::q(sql).bind(id_list(ids)).fetch_all(&mut *self.conn).await?;
        rows.iter().map(|row| Ok((task_id(row.get(0))?, task_id(row.get(1))?))).collect()
    }

    /// Tasks whose card changes when these change: their neighbours over edges, and their parents.
    pub async fn neighbours_of(&mut self, ids: &[TaskId]) -> Result<Vec<TaskId>, StoreError> {
        let sql = "select task from edge where project = ?1 and waits_on in (select value from json_each(?2)) \
                   union select waits_on from edge where project = ?1 and task in (select value from json_each(?2))";
        let rows = crate::sql::q(sql).bind(crate::sql::id_list(ids)).fetch_all(&mut *self.conn).await?;
        let all: Vec<TaskId> = rows.iter().map(|row| task_id(row.get(0))).collect::<Result<_, _>>()?;
        Ok(all.into_iter().filter(|id| !ids.contains(id)).collect())
    }
}
