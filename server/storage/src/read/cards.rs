//! Lists and columns of cards. Open tasks lie by priority, due date and age, closed ones by when they were closed, newest first.

use super::{Read, cursor_of, cursor_values, page_rows};
use crate::error::StoreError;
use crate::lease;
use crate::projection::rows;
use crate::read::queue::Leased;
use crate::sql::{PROJECT, list, task_id};
use contracts::standing::{Column, Standing};
use contracts::view::TaskQuery;
use contracts::{TaskId, limits};
use engine::{Counters, Lease, Task};
use sqlx::{QueryBuilder, Row, Sqlite};

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
}

impl Which<'_> {
    /// `from task …` with every condition but the cursor's. `s.standing` is where a task with a lease stands now.
    fn push(&self, sql: &mut QueryBuilder<'_, Sqlite>, leased: &[Leased]) {
        let moved: Vec<[&str; 2]> = leased.iter().map(|one| [one.row.task.id.as_str(), one.standing.as_str()]).collect();
        sql.push(" from task t left join (select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as standing from json_each(")
            .push_bind(serde_json::json!(moved).to_string())
            .push(")) s on s.id = t.id where t.project = ")
            .push_bind(PROJECT);
        match (self.open, self.closed) {
            (true, false) => drop(sql.push(" and t.status = 'open'")),
            (false, true) => drop(sql.push(" and t.closed_at is not null")),
            _ => {}
        }
        if !self.standing.is_empty() {
            let standings = list(self.standing.iter().map(|standing| standing.as_str()));
            sql.push(" and coalesce(s.standing, t.rest) in (select value from json_each(").push_bind(standings).push("))");
        }
        let folded = self.words.to_lowercase();
        let words: Vec<&str> = folded.split_whitespace().collect();
        if !words.is_empty() {
            sql.push(" and not exists (select 1 from json_each(").push_bind(list(words)).push(
                ") w where instr(t.words, w.value) = 0 and instr(coalesce((select l.actor from lease l where l.project = t.project and l.task = t.id), ''), w.value) = 0)",
            );
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
    }

    fn is_by_close(&self) -> bool {
        self.closed && !self.open
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

    /// A list.
    pub async fn cards(&mut self, query: &TaskQuery) -> Result<CardPage, StoreError> {
        let which = Which {
            open: !query.closed,
            closed: query.closed || query.all,
            standing: query.standing.clone(),
            words: &query.q,
            labels: &query.label,
            kind: query.kind.as_deref(),
            milestone: query.milestone.as_ref().map(|id| id.as_str()),
            assignee: query.assignee.as_ref().map(|actor| actor.as_str()),
        };
        let leased = self.leased().await?;
        let total = self.total(&which, &leased).await?;
        let (rows, next) = self.page(&which, &leased, query.cursor.as_deref(), page_rows(query.limit, limits::PAGE_ROWS_MAX)).await?;
        Ok(CardPage { rows, total, next })
    }

    /// A part of one column. Words must all stand in id, title, labels, assignee or holder.
    pub async fn column(&mut self, column: Column, words: &str, cursor: Option<&str>, limit: Option<u32>) -> Result<ColumnPage, StoreError> {
        let standing: Vec<Standing> = Standing::ALL.iter().copied().filter(|standing| standing.column() == column).collect();
        let done = column == Column::Done;
        let which = Which { open: !done, closed: done, standing, words, ..Which::default() };
        let leased = self.leased().await?;
        let all: i64 =
            super::queue::by_standing(&mut self.conn, &leased).await?.iter().filter(|(standing, _)| standing.column() == column).map(|(_, n)| n).sum();
        let total = if words.trim().is_empty() { all } else { self.total(&which, &leased).await? };
        let first = if done { limits::DONE_CARDS_FIRST } else { limits::COLUMN_CARDS_FIRST };
        let (rows, next) = self.page(&which, &leased, cursor, page_rows(limit, first)).await?;
        Ok(ColumnPage { page: CardPage { rows, total, next }, hidden: all - total })
    }

    async fn total(&mut self, which: &Which<'_>, leased: &[Leased]) -> Result<i64, StoreError> {
        let mut sql = QueryBuilder::new("select count(*)");
        which.push(&mut sql, leased);
        Ok(sql.build().fetch_one(&mut *self.conn).await?.get(0))
    }

    async fn page(&mut self, which: &Which<'_>, leased: &[Leased], cursor: Option<&str>, limit: usize) -> Result<(Vec<CardRow>, Option<String>), StoreError> {
        let mut sql = QueryBuilder::new("select t.id, t.priority, t.due_key, t.created_at, t.status <> 'open', t.closed_at");
        which.push(&mut sql, leased);
        if which.is_by_close() {
            if let Some([closed_at, id]) = cursor_values(cursor, 2).as_deref() {
                sql.push(" and (t.closed_at, t.id) < (").push_bind(closed_at.clone()).push(", ").push_bind(id.clone()).push(")");
            }
            sql.push(" order by t.closed_at desc, t.id desc");
        } else {
            if let Some([closed, priority, due, created, id]) = cursor_values(cursor, 5).as_deref() {
                let number = |text: &str| text.parse::<i64>().unwrap_or(0);
                sql.push(" and (t.status <> 'open', t.priority, t.due_key, t.created_at, t.id) > (")
                    .push_bind(number(closed))
                    .push(", ")
                    .push_bind(number(priority))
                    .push(", ")
                    .push_bind(due.clone())
                    .push(", ")
                    .push_bind(created.clone())
                    .push(", ")
                    .push_bind(id.clone())
                    .push(")");
            }
            sql.push(if which.closed {
                " order by t.status <> 'open', t.priority, t.due_key, t.created_at, t.id"
            } else {
                " order by t.priority, t.due_key, t.created_at, t.id"
            });
        }
        sql.push(" limit ").push_bind(i64::try_from(limit + 1).unwrap_or(i64::MAX));
        let found = sql.build().fetch_all(&mut *self.conn).await?;
        let next = (found.len() > limit).then(|| found.get(limit - 1)).flatten().map(|row| match which.is_by_close() {
            true => cursor_of(&[row.get(5), row.get(0)]),
            false => {
                let (closed, priority) = (row.get::<i64, _>(4).to_string(), row.get::<i64, _>(1).to_string());
                cursor_of(&[&closed, &priority, row.get(2), row.get(3), row.get(0)])
            }
        });
        let ids: Vec<TaskId> = found.iter().take(limit).map(|row| task_id(row.get(0))).collect::<Result<_, _>>()?;
        Ok((self.card_rows(&ids).await?, next))
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
