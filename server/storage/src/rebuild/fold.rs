//! The fold of all events, page by page; a subject that goes on over the end of a page is folded when it is complete.

use crate::error::StoreError;
use crate::log_file::Place;
use crate::projection::rows::{self, Changed, TaskRow};
use crate::projection::texts::EventText;
use crate::projection::{found_none, subjects, texts, whole};
use crate::script::Script;
use crate::sql::{actor, blob, event_id, list, stamp, writer};
use contracts::standing::{Standing, Status};
use contracts::{Actor, EventId, MilestoneId, TaskId};
use engine::event::PROJECT as PROJECT_SUBJECT;
use engine::fold::{self, Effect};
use engine::task::EdgeChange;
use engine::{Counters, Event, Kind, Milestone, Project, Task};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, HashMap};

/// Events read at once.
pub(crate) const PAGE: usize = 2_000;

/// What is kept of all events.
#[derive(Default)]
pub(super) struct Folded {
    pub events: i64,
    pub project: Option<Project>,
    pub statuses: HashMap<TaskId, Status>,
    pub edges: Vec<(TaskId, usize, EdgeChange)>,
    pub claimed: Vec<Task>,
    /// How many tasks stand where when nobody has neighbours.
    pub tally: BTreeMap<Standing, i64>,
    /// The subject that may go on, and its events so far.
    subject: String,
    begun: Vec<Event>,
}

/// What a page comes to, to be written.
#[derive(Default)]
struct Page {
    tasks: Vec<Task>,
    milestones: Vec<Milestone>,
    texts: Vec<EventText>,
    /// Events that found no effect.
    without: Vec<EventId>,
    /// Events that wait, and for what.
    parked: Vec<(EventId, String)>,
    notices: Vec<(Actor, EventId, &'static str)>,
}

/// Folds everything, and writes what needs no neighbours. While a page is folded the one before is written and the next is read.
pub(super) async fn all(conn: &mut SqliteConnection, place: &Place) -> Result<Folded, StoreError> {
    let (mut folded, mut ready) = (Folded::default(), Script::default());
    let mut rows = read(conn, None).await?;
    loop {
        let is_last = rows.len() < PAGE;
        let after = rows.last().map(After::of);
        let place = place.clone();
        let folding = tokio::task::spawn_blocking(move || folded.page(&place, &rows, is_last).map(|script| (folded, script)));
        ready.run(conn).await?;
        rows = if is_last { Vec::new() } else { read(conn, after).await? };
        (folded, ready) = folding.await.map_err(std::io::Error::other)??;
        if is_last {
            ready.run(conn).await?;
            return Ok(folded);
        }
    }
}

/// Where a page ended.
pub(crate) struct After {
    subject: String,
    at: String,
    writer: String,
    n: i64,
    id: Vec<u8>,
}

impl After {
    pub(crate) fn of(row: &SqliteRow) -> After {
        After { subject: row.get(8), at: row.get(4), writer: row.get(2), n: row.get(3), id: row.get(1) }
    }
}

/// The next page of events. Their predecessors are not read: no fold looks at them.
pub(crate) async fn read(conn: &mut SqliteConnection, after: Option<After>) -> Result<Vec<SqliteRow>, StoreError> {
    let after = after.unwrap_or(After { subject: String::new(), at: String::new(), writer: String::new(), n: 0, id: Vec::new() });
    let mut script = Script::default();
    let asked = script.add(
        "select e.seq, e.id, e.writer, e.n, e.at, e.actor, e.principal, e.kind, e.subject, e.body from event e \
         where e.project = ?1 and (e.subject, e.at, e.writer, e.n, e.id) > (?2, ?3, ?4, ?5, ?6) order by e.subject, e.at, e.writer, e.n, e.id limit ?7",
        [after.subject.into(), after.at.into(), after.writer.into(), after.n.into(), after.id.into(), i64::try_from(PAGE).unwrap_or(i64::MAX).into()],
    );
    Ok(script.run(conn).await?.take(asked))
}

/// The event of a row of such a page.
pub(crate) fn event_of(row: &SqliteRow) -> Result<Event, StoreError> {
    Ok(Event {
        id: event_id(row.get(1)),
        writer: writer(row.get(2))?,
        n: row.get(3),
        prev: EventId::none(),
        at: stamp(row.get(4))?,
        actor: actor(row.get(5))?,
        principal: row.get(6),
        kind: Kind::of(row.get(7)),
        subject: row.get(8),
        body: serde_json::from_str(row.get(9))?,
    })
}

impl Folded {
    /// Folds a page, and gives what is to be written of it.
    fn page(&mut self, place: &Place, rows: &[SqliteRow], is_last: bool) -> Result<Script, StoreError> {
        let mut page = Page::default();
        for row in rows {
            let mut event = event_of(row)?;
            self.events += 1;
            if event.subject != self.subject {
                self.complete(&mut page);
                self.subject.clone_from(&event.subject);
            }
            match whole(place, &mut event) {
                Ok(()) => {
                    page.texts.extend(EventText::of(row.get(0), &event));
                    self.begun.push(event);
                }
                Err(sha256) => page.parked.push((event.id, format!("blob:{sha256}"))),
            }
        }
        if is_last {
            self.complete(&mut page);
        }
        page.script()
    }

    /// Folds all events of one subject.
    fn complete(&mut self, page: &mut Page) {
        let mut events = std::mem::take(&mut self.begun);
        if events.is_empty() {
            return;
        }
        if TaskId::parse(&self.subject).is_ok() {
            let (task, effects) = fold::fold_task(&mut events);
            if let Some(task) = task {
                self.statuses.insert(task.id.clone(), task.status);
                self.edges.extend(task.edges.iter().enumerate().map(|(at, change)| (task.id.clone(), at, change.clone())));
                if task.claim.is_some() {
                    self.claimed.push(task.clone());
                }
                *self.tally.entry(engine::rest(&task, &Counters::default())).or_default() += 1;
                page.tasks.push(task);
            }
            page.note(effects, &self.subject);
        } else if MilestoneId::parse(&self.subject).is_ok() {
            let (milestone, effects) = fold::fold_milestone(&mut events);
            page.milestones.extend(milestone);
            page.note(effects, &self.subject);
        } else if self.subject == PROJECT_SUBJECT {
            let (state, effects) = fold::fold_project(&mut events);
            self.project = Some(state);
            page.note(effects, &self.subject);
        }
    }
}

impl Page {
    fn note(&mut self, effects: Vec<(EventId, Effect)>, subject: &str) {
        for (id, effect) in effects {
            if found_none(&effect) {
                self.without.push(id.clone());
            }
            if effect.waits {
                self.parked.push((id.clone(), subject.to_owned()));
            }
            self.notices.extend(effect.notices.into_iter().map(|notice| (notice.actor, id.clone(), notice.why)));
        }
    }

    /// Tasks stand as if they had no neighbours.
    fn script(self) -> Result<Script, StoreError> {
        let alone = |task: Task| {
            let rest = engine::rest(&task, &Counters::default());
            (None, TaskRow { task, counters: Counters::default(), rest })
        };
        let rows: Vec<Changed<'_>> = self.tasks.into_iter().map(alone).collect();
        let mut script = Script::default();
        rows::upsert(&mut script, &rows)?;
        subjects::add_milestones(&mut script, &self.milestones)?;
        texts::insert_events(&mut script, self.texts);
        let parked = self.parked.iter().map(|(id, waits_for)| [blob(id).into(), waits_for.into()]);
        script.insert("insert or ignore into parked (project, id, waits_for)", parked, "");
        if !self.without.is_empty() {
            let sql = "update event set no_effect = 1 where project = ?1 and id in (select unhex(value) from json_each(?2))";
            script.add(sql, [list(self.without.iter().map(EventId::as_str)).into()]);
        }
        crate::inbox::tell(&mut script, self.notices.iter().map(|(actor, id, why)| (actor, id, *why)));
        Ok(script)
    }
}
