//! Rows become views. Words and standings are the engine's; here they are only put together, for one caller, out of one read.

use super::offsets;
use contracts::graph::{GraphView, Walk};
use contracts::view::{ConflictRow, Entry, HistoryRow, InboxItem, Page, Relation, SearchHit, TaskCard, TaskQuery, TaskView};
use contracts::{Caller, Code, EventId, Hint, Moment, Problem, Surface, TaskId, limits};
use engine::next::SurfaceRow;
use engine::{Context, Minted, Needs, Settings};
use filter::{Around, Field, Filter};
use std::collections::BTreeMap;
use storage::{Asking, CardRow, EventRow, InboxRow, Read, StoreError};

/// One read transaction and what every view made of it needs.
pub(super) struct Reading {
    pub read: Read,
    pub now: Moment,
    pub settings: Settings,
    html: bool,
    surfaces: Option<Vec<SurfaceRow>>,
}

/// Cuts an error of the store down to what callers are told, and logs ours once.
pub(super) fn told(error: StoreError) -> Problem {
    let problem = error.problem();
    if problem.code == Code::Internal {
        tracing::error!(incident = problem.incident.as_deref(), %error, "a read failed");
    }
    problem
}

impl Reading {
    pub async fn of(mut read: Read, surface: Surface) -> Result<Reading, Problem> {
        let project = read.project().await.map_err(told)?.ok_or_else(crate::boot::not_initialized)?;
        let settings = Settings::of(&project);
        Ok(Reading { now: read.now(), read, settings, html: surface == Surface::Web, surfaces: None })
    }

    /// A filter as its asker means it; none when the text is empty.
    ///
    /// # Errors
    /// `bad_request` with every fault of the text at its place.
    pub async fn asking(&mut self, text: &str, caller: &Caller) -> Result<Option<Asking>, Problem> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let filter = filter::parse(text).map_err(|faults| filter::problem("filter", &faults))?;
        self.known_types(text, &filter).await?;
        let project = self.read.project().await.map_err(told)?.unwrap_or_default();
        let around = Around { now: self.now, me: caller.actor.clone(), clock: offsets::clock(&project.zone, self.now) };
        Ok(Some(Asking { filter, around }))
    }

    /// Refuses a filter by a type that nothing can have.
    async fn known_types(&mut self, text: &str, filter: &Filter) -> Result<(), Problem> {
        let leaves = filter.root().leaves();
        let named = leaves.iter().filter(|leaf| leaf.field == Field::Type).flat_map(|leaf| &leaf.values);
        let mut faults = Vec::new();
        for value in named {
            let filter::Value::Text(kind) = value else { continue };
            if let Some(legal) = self.types_without(kind).await? {
                let start = text.find(kind.as_str()).map_or(0, |byte| text[..byte].chars().count());
                let at = start..start + kind.chars().count();
                faults.push(filter::Fault { at, kind: filter::FaultKind::Value, text: format!("no task is of the type {kind:?}"), hint: legal });
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(filter::problem("filter", &faults)) }
    }

    /// Refuses a type that nothing can have.
    ///
    /// # Errors
    /// `bad_request` with those there are.
    pub async fn known_type(&mut self, kind: Option<&str>) -> Result<(), Problem> {
        let Some(kind) = kind else { return Ok(()) };
        match self.types_without(kind).await? {
            Some(legal) => Err(Problem::bad_request("type", format!("no task is of the type {kind:?}")).hint(Hint::text(legal))),
            None => Ok(()),
        }
    }

    /// The types there are, when this is none of them. One that the project gave up is one as long as a task has it.
    async fn types_without(&mut self, kind: &str) -> Result<Option<String>, Problem> {
        if self.settings.types.iter().any(|known| known == kind) {
            return Ok(None);
        }
        let query = TaskQuery { kind: Some(kind.to_owned()), all: true, limit: Some(1), ..TaskQuery::default() };
        let used = self.read.cards(&query, None).await.map_err(told)?.total > 0;
        Ok((!used).then(|| format!("types here: {}", self.settings.types.join(", "))))
    }

    /// Whether what is read goes to a surface that shows HTML.
    pub fn shows_html(&self) -> bool {
        self.html
    }

    /// What live, late and submitted tasks touch; read once.
    async fn surfaces(&mut self) -> Result<&[SurfaceRow], Problem> {
        if self.surfaces.is_none() {
            self.surfaces = Some(self.read.surfaces().await.map_err(told)?);
        }
        Ok(self.surfaces.as_deref().unwrap_or_default())
    }

    /// Cards of rows. Collisions are counted for tasks somebody is on or handed in.
    pub async fn cards(&mut self, rows: &[CardRow]) -> Result<Vec<TaskCard>, Problem> {
        self.surfaces().await?;
        let surfaces = self.surfaces.as_deref().unwrap_or_default();
        let card = |row: &CardRow| {
            let collides = if surfaces.iter().any(|surface| surface.task == row.task.id) {
                let (found, more) = engine::next::collisions(&row.task, surfaces);
                u32::try_from(found.len()).unwrap_or(u32::MAX).saturating_add(u32::try_from(more).unwrap_or(0))
            } else {
                0
            };
            engine::views::card(&row.task, &row.counters, row.lease.as_ref(), &self.settings, self.now, collides)
        };
        Ok(rows.iter().map(card).collect())
    }

    /// Entries of events, with the titles of their subjects and who has been handed them.
    pub async fn entries(&mut self, rows: &[EventRow]) -> Result<Vec<Entry>, Problem> {
        let titles = self.read.titles(rows.iter().map(|row| row.event.subject.as_str())).await.map_err(told)?;
        let ids: Vec<EventId> = rows.iter().map(|row| row.event.id.clone()).collect();
        let mut deliveries = self.read.deliveries(&ids).await.map_err(told)?;
        Ok(rows.iter().map(|row| self.entry(row, &titles, deliveries.remove(&row.event.id).unwrap_or_default())).collect())
    }

    fn entry(&self, row: &EventRow, titles: &BTreeMap<String, String>, delivered: Vec<(contracts::Actor, Moment)>) -> Entry {
        let title = titles.get(&row.event.subject).map_or("", String::as_str);
        let mut entry = engine::entries::entry(&row.event, row.seq, title, row.no_effect);
        entry.delivered = delivered;
        if self.html && !entry.text.is_empty() {
            entry.html = app::markdown::render(&entry.text);
        }
        entry
    }

    /// A page of a task's thread, oldest first.
    pub async fn thread(&mut self, id: &TaskId, cursor: Option<&str>) -> Result<Page<Entry>, Problem> {
        let mut page = self.read.events_of(id.as_str(), true, cursor, limits::THREAD_ENTRIES_MAX).await.map_err(told)?;
        page.rows.sort_by_key(|row| row.event.order());
        Ok(Page { items: self.entries(&page.rows).await?, total: page.total, next: page.next, seq: 0 })
    }

    /// A page of a task's history, newest first.
    pub async fn history(&mut self, id: &TaskId, cursor: Option<&str>) -> Result<Page<HistoryRow>, Problem> {
        let page = self.read.events_of(id.as_str(), false, cursor, limits::THREAD_ENTRIES_MAX).await.map_err(told)?;
        let titles = self.read.titles([id.as_str()]).await.map_err(told)?;
        let title = titles.get(id.as_str()).map_or("", String::as_str);
        let zone = offsets::clock(&self.settings.zone, self.now);
        let row = |row: &EventRow| {
            let mut row = engine::entries::history_row(&row.event, row.seq, title, row.no_effect);
            if self.html {
                row.html = app::history::changed(&row, zone);
                row.entry.html = app::markdown::render(&row.entry.text);
            }
            row
        };
        Ok(Page { items: page.rows.iter().map(row).collect(), total: page.total, next: page.next, seq: 0 })
    }

    /// One task, whole.
    pub async fn task(&mut self, id: &TaskId, caller: &Caller) -> Result<TaskView, Problem> {
        let needs = Needs { tasks: [id.clone()].into(), holdings: true, ..Needs::default() };
        let facts = self.read.facts(&needs, caller).await.map_err(told)?;
        let Some(of) = facts.tasks.get(id) else { return Err(no_task(id)) };
        let milestone = of.task.milestone.as_ref().and_then(|milestone| facts.milestones.get(milestone));
        let context = Context { now: self.now, caller: caller.clone(), minted: Minted::default(), expect: None, fence: None, base: None, hooks_renew: false };
        let mut view = engine::views::view(of, milestone, &facts, &context);
        let (collisions, more) = engine::next::collisions(&of.task, self.surfaces().await?);
        view.card.collides = u32::try_from(collisions.len()).unwrap_or(u32::MAX).saturating_add(u32::try_from(more).unwrap_or(0));
        view.collisions = collisions;
        let thread = self.thread(id, None).await?;
        (view.thread, view.thread_total, view.thread_next) = (thread.items, thread.total, thread.next);
        if self.html {
            view.spec_html = app::markdown::render(&view.spec);
            view.closing_html = app::markdown::render(&view.closing_note);
            for question in &mut view.questions {
                question.html = app::markdown::render(&question.text);
            }
        } else {
            view.history = self.history(id, None).await?.items;
        }
        view.seq = self.read.head().await.map_err(told)?.seq;
        Ok(view)
    }

    /// What a task waits for and what waits for it: one read of facts a step.
    pub async fn graph(&mut self, id: &TaskId, steps: u8, caller: &Caller) -> Result<GraphView, Problem> {
        let mut walk = Walk::from(id.clone(), steps);
        loop {
            let wanted = walk.wanted();
            if wanted.is_empty() {
                break;
            }
            let needs = Needs { tasks: wanted.iter().cloned().collect(), ..Needs::default() };
            let facts = self.read.facts(&needs, caller).await.map_err(told)?;
            if !facts.tasks.contains_key(id) && wanted.contains(id) {
                return Err(no_task(id));
            }
            for of in wanted.iter().filter_map(|other| facts.tasks.get(other)) {
                let card = engine::views::card(&of.task, &of.counters, of.lease.as_ref(), &self.settings, self.now, 0);
                let (waits_on, blocking) = engine::views::neighbours(of);
                walk.found(&Relation::to(&card), &waits_on, &blocking);
            }
        }
        let mut graph = walk.finish();
        if self.html {
            graph.html = app::graph::draw(&graph);
        }
        Ok(graph)
    }

    /// Inbox items of rows.
    pub async fn inbox(&mut self, rows: Vec<InboxRow>) -> Result<Vec<InboxItem>, Problem> {
        let events: Vec<EventRow> = rows.iter().map(|row| row.row.clone()).collect();
        let entries = self.entries(&events).await?;
        let item = |(entry, row): (Entry, InboxRow)| InboxItem { entry, why: row.why, delivered_at: row.delivered_at };
        Ok(entries.into_iter().zip(rows).map(item).collect())
    }

    /// Hits of a search.
    pub async fn search(&mut self, query: &str, cursor: Option<&str>) -> Result<Page<SearchHit>, Problem> {
        let (hits, total, next) = self.read.search(query, cursor).await.map_err(told)?;
        let mut items = Vec::with_capacity(hits.len());
        for hit in hits {
            let card = self.cards(std::slice::from_ref(&hit.row)).await?.remove(0);
            items.push(SearchHit { card, matched: hit.matched.to_owned(), excerpt: hit.excerpt });
        }
        Ok(Page { items, total, next, seq: self.seq().await? })
    }

    /// Position of the log in this read.
    pub async fn seq(&mut self) -> Result<i64, Problem> {
        Ok(self.read.head().await.map_err(told)?.seq)
    }

    /// Facts that wait for a person.
    pub async fn conflicts(&mut self) -> Result<Vec<ConflictRow>, Problem> {
        self.read.conflicts().await.map_err(told)
    }
}

/// The refusal for an id that is not here.
pub(super) fn no_task(id: &TaskId) -> Problem {
    let hint = Hint::call(contracts::Call::new("search").with("query", "<words of its title>"));
    Problem::new(Code::NotFound, format!("there is no task {id} on this board")).hint(hint)
}
