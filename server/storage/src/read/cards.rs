//! Lists and columns of cards. Open tasks lie by priority, due date and age, closed ones by when they were closed, newest first.

use super::filter::{self, Asking};
use super::{Read, cursor_of, cursor_values, page_rows};
use crate::error::StoreError;
use crate::lease;
use crate::projection::rows::{self, task_columns};
use crate::read::queue::{Leased, add_tally, by_standing};
use crate::script::{Answers, Script, Statement, Text};
use crate::sql::{PROJECT, id_list, list, task_id};
use contracts::standing::{Column, Standing, Status};
use contracts::view::TaskQuery;
use contracts::{TaskId, limits};
use engine::{Counters, Lease, LeaseState, Task};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

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
    asking: Option<&'a Asking>,
}

/// A part of a list that is one walk along an index.
enum Part {
    /// All of it.
    Whole,
    /// Tasks of one standing at rest, but for these (a JSON list of ids).
    AtRest(Standing, String),
    /// These.
    Moved(String),
}

impl Which<'_> {
    /// `from task …` with every condition but the cursor's.
    fn push(&self, sql: &mut Text, part: &Part, leased: &[Leased]) {
        sql.push(" from task t where t.project = ").push_bind(PROJECT);
        match part {
            Part::Whole => {}
            Part::AtRest(rest, moved) => {
                sql.push(" and t.rest = ").push_bind(rest.as_str());
                if moved != "[]" {
                    sql.push(" and t.id not in (select value from json_each(").push_bind(moved.clone()).push("))");
                }
            }
            Part::Moved(here) => drop(sql.push(" and t.id in (select value from json_each(").push_bind(here.clone()).push("))")),
        }
        match (self.open, self.closed) {
            (true, false) => drop(sql.push(" and t.status = 'open'")),
            (false, true) => drop(sql.push(" and t.closed_at is not null")),
            _ => {}
        }
        for word in self.words.to_lowercase().split_whitespace() {
            let held = leased.iter().filter(|one| one.state != LeaseState::Lapsed && one.lease.actor.as_str().contains(word));
            sql.push(" and (instr(t.words, ")
                .push_bind(word.to_owned())
                .push(") > 0 or t.id in (select value from json_each(")
                .push_bind(id_list(held.map(|one| &one.row.task.id)))
                .push(")))");
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
            // Whatever is open, leased or not, rests at one of these.
            let open = || Standing::ALL.iter().filter(|standing| !CLOSED.contains(standing)).map(|rest| Part::AtRest(*rest, id_list([])));
            return if self.open && !self.closed { open().collect() } else { vec![Part::Whole] };
        }
        let moved = || leased.iter().filter(|one| one.standing != one.row.rest);
        let away = id_list(moved().map(|one| &one.row.task.id));
        let here: Vec<&TaskId> = moved().filter(|one| self.standing.contains(&one.standing)).map(|one| &one.row.task.id).collect();
        let here = (!here.is_empty()).then(|| Part::Moved(id_list(here)));
        self.standing.iter().map(|rest| Part::AtRest(*rest, away.clone())).chain(here).collect()
    }

    /// Whether more than a standing is asked for.
    fn is_narrowed(&self) -> bool {
        self.asking.is_some()
            || !self.words.trim().is_empty()
            || !self.labels.is_empty()
            || [self.kind, self.milestone, self.assignee].iter().any(Option::is_some)
    }

    /// Whether tasks that stand so are of this list.
    fn wants(&self, standing: &Standing) -> bool {
        let asked = self.standing.is_empty() || self.standing.contains(standing);
        asked && if CLOSED.contains(standing) { self.closed } else { self.open }
    }

    fn is_by_close(&self) -> bool {
        self.closed && !self.open
    }

    /// What a list is sorted by.
    fn order(&self) -> &'static str {
        match (self.open, self.closed) {
            (false, true) => "closed_at desc, id desc",
            (_, true) => "closed, priority, due_key, created_at, id",
            _ => "priority, due_key, created_at, id",
        }
    }

    /// What lies after the cursor.
    fn push_after(&self, sql: &mut Text, cursor: Option<&str>) -> Result<(), StoreError> {
        if self.is_by_close() {
            if let Some([closed_at, id]) = cursor_values(cursor, 2)?.as_deref() {
                sql.push(" and (t.closed_at, t.id) < (").push_bind(closed_at.clone()).push(", ").push_bind(id.clone()).push(")");
            }
            return Ok(());
        }
        if let Some([is_closed, priority, due, created, id]) = cursor_values(cursor, 5)?.as_deref() {
            let number = |text: &str| text.parse::<i64>().map_err(|_| StoreError::Cursor);
            let closed = if self.closed { "t.status <> 'open', " } else { "" };
            sql.push(format!(" and ({closed}t.priority, t.due_key, t.created_at, t.id) > ("));
            if self.closed {
                sql.push_bind(number(is_closed)?).push(", ");
            }
            sql.push_bind(number(priority)?).push(", ").push_bind(due.clone()).push(", ").push_bind(created.clone()).push(", ").push_bind(id.clone()).push(")");
        }
        Ok(())
    }
}

/// Standings of what is closed.
const CLOSED: [Standing; 2] = [Standing::Done, Standing::Cancelled];

/// How many there are: by the kept tally where nothing but the standing is asked for, else counted.
enum TotalAsked {
    Tally(Statement),
    Counts(Vec<Statement>),
}

impl TotalAsked {
    fn add(script: &mut Script, which: &Which<'_>, leased: &[Leased]) -> TotalAsked {
        if !which.is_narrowed() {
            return TotalAsked::Tally(add_tally(script));
        }
        let count = |part: &Part| {
            let mut sql = Text::new("select count(*)");
            which.push(&mut sql, part, leased);
            script.add_text(sql)
        };
        TotalAsked::Counts(which.parts(leased).iter().map(count).collect())
    }

    fn read(&self, answers: &Answers, which: &Which<'_>, leased: &[Leased]) -> Result<i64, StoreError> {
        match self {
            TotalAsked::Tally(tally) => {
                Ok(by_standing(answers.rows(*tally), leased)?.iter().filter(|(standing, _)| which.wants(standing)).map(|(_, n)| n).sum())
            }
            TotalAsked::Counts(counts) => Ok(counts.iter().filter_map(|count| answers.first(*count)).map(|row| row.get::<i64, _>(0)).sum()),
        }
    }
}

/// A page of a list.
struct PageAsked {
    rows: Statement,
    by_close: bool,
    limit: usize,
}

impl PageAsked {
    fn add(script: &mut Script, which: &Which<'_>, leased: &[Leased], cursor: Option<&str>, limit: usize) -> Result<PageAsked, StoreError> {
        let (by_close, order) = (which.is_by_close(), which.order());
        let most = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        // Places are sorted out of the indexes alone; only the rows of the page are read whole.
        let places = match (by_close, which.closed) {
            (true, _) => "select closed_at, id, t.rowid as number",
            (false, true) => "select status <> 'open' as closed, priority, due_key, created_at, id, t.rowid as number",
            (false, false) => "select priority, due_key, created_at, id, t.rowid as number",
        };
        let mut sql = Text::new(concat!("select ", task_columns!(), " from (select * from ("));
        for (at, part) in which.parts(leased).iter().enumerate() {
            sql.push(if at == 0 { "select * from (" } else { " union all select * from (" }).push(places);
            which.push(&mut sql, part, leased);
            which.push_after(&mut sql, cursor)?;
            sql.push(format!(" order by {order} limit ")).push_bind(most).push(")");
        }
        sql.push(format!(") order by {order} limit ")).push_bind(most);
        let order = order.split(", ").map(|column| format!("p.{column}")).collect::<Vec<_>>().join(", ");
        // `cross` keeps the order of the joins: first the places.
        sql.push(format!(") p cross join task t on t.rowid = p.number order by {order}"));
        Ok(PageAsked { rows: script.add_text(sql), by_close, limit })
    }

    fn read(&self, answers: &Answers, leased: &[Leased]) -> Result<(Vec<CardRow>, Option<String>), StoreError> {
        let rows = answers.rows(self.rows);
        let card = |row: &SqliteRow| {
            let row = rows::read(row, 0)?;
            let lease = leased.iter().find(|one| one.lease.task == row.task.id).map(|one| one.lease.clone());
            Ok(CardRow { task: row.task, counters: row.counters, lease })
        };
        let found: Vec<CardRow> = rows.iter().take(self.limit).map(card).collect::<Result<_, StoreError>>()?;
        let next = found.last().filter(|_| rows.len() > self.limit).map(|last| self.after(&last.task));
        Ok((found, next))
    }

    /// The cursor behind a task.
    fn after(&self, task: &Task) -> String {
        let id = task.id.as_str();
        if self.by_close {
            return cursor_of(&[&task.closed.as_ref().map_or_else(String::new, |closed| closed.at.to_string()), id]);
        }
        let closed = if task.status == Status::Open { "0" } else { "1" };
        cursor_of(&[closed, &task.priority.to_string(), &rows::due_key(task), &task.created.at.to_string(), id])
    }
}

impl Read {
    /// Tasks by id, in the order given; unknown ones are left out.
    pub async fn card_rows(&mut self, ids: &[TaskId]) -> Result<Vec<CardRow>, StoreError> {
        let mut script = Script::default();
        let (cards, leases) = (rows::add_cards(&mut script, &id_list(ids)), lease::add_of_tasks(&mut script, &id_list(ids)));
        let answers = script.run(&mut self.conn).await?;
        let mut leases = lease::by_task(answers.rows(leases))?;
        let mut stored = rows::read_cards(answers.rows(cards))?;
        let card = |id: &TaskId| stored.remove(id).map(|row| CardRow { task: row.task, counters: row.counters, lease: leases.remove(id) });
        Ok(ids.iter().filter_map(card).collect())
    }

    /// A list. The query's `filter` is read by whoever asks, and comes as a tree.
    pub async fn cards(&mut self, query: &TaskQuery, asking: Option<&Asking>) -> Result<CardPage, StoreError> {
        let mut standing: Vec<Standing> = Vec::new();
        for asked in &query.standing {
            if !standing.contains(asked) {
                standing.push(*asked);
            }
        }
        // Who asks for a standing of closed tasks asks for closed tasks.
        let (of_closed, of_open) = (standing.iter().any(|one| CLOSED.contains(one)), standing.iter().any(|one| !CLOSED.contains(one)));
        let which = Which {
            open: !query.closed && (of_open || !of_closed),
            closed: query.closed || query.all || of_closed,
            standing,
            words: &query.q,
            labels: &query.label,
            kind: query.kind.as_deref(),
            milestone: query.milestone.as_ref().map(|id| id.as_str()),
            assignee: query.assignee.as_ref().map(|actor| actor.as_str()),
            asking,
        };
        let leased = self.leased().await?;
        let mut script = Script::default();
        let total = TotalAsked::add(&mut script, &which, &leased);
        let page = PageAsked::add(&mut script, &which, &leased, query.cursor.as_deref(), page_rows(query.limit, limits::PAGE_ROWS_MAX))?;
        let answers = script.run(&mut self.conn).await?;
        let (rows, next) = page.read(&answers, &leased)?;
        Ok(CardPage { rows, total: total.read(&answers, &which, &leased)?, next })
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
        let first = if done { limits::DONE_CARDS_FIRST } else { limits::COLUMN_CARDS_FIRST };
        let leased = self.leased().await?;
        let mut script = Script::default();
        let tally = add_tally(&mut script);
        let total = TotalAsked::add(&mut script, &which, &leased);
        let page = PageAsked::add(&mut script, &which, &leased, cursor, page_rows(limit, first))?;
        let answers = script.run(&mut self.conn).await?;
        let counts = by_standing(answers.rows(tally), &leased)?;
        let all: i64 = counts.iter().filter(|(standing, _)| standing.column() == column).map(|(_, n)| n).sum();
        let total = total.read(&answers, &which, &leased)?;
        let (rows, next) = page.read(&answers, &leased)?;
        Ok(ColumnPage { page: CardPage { rows, total, next }, hidden: all - total })
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
