//! What live pages hear, read from the tables: a command's events as changes, and what moved without an event.

use super::assemble::{Reading, told};
use super::{ServerPort, snapshot};
use contracts::{Actor, Batch, Change, MilestoneId, Moment, Problem, Surface, TaskId};
use engine::Kind;
use std::collections::BTreeSet;
use storage::{EventRow, Head};

/// Batches after a position, and the position after them.
pub struct Changes {
    /// One a command, in order.
    pub batches: Vec<Batch>,
    /// Position of the last event read.
    pub seq: i64,
}

impl ServerPort {
    /// Where the log stands.
    ///
    /// # Errors
    /// What the store says when it can't be read.
    pub async fn head(&self) -> Result<Head, Problem> {
        self.current().await?.reader().begin().await.map_err(told)?.head().await.map_err(told)
    }

    /// The same, with how many ends of leases and of their grace are past: what a conditional read compares.
    ///
    /// # Errors
    /// What the store says when it can't be read.
    pub async fn head_and_lapsed(&self) -> Result<(Head, i64), Problem> {
        let mut read = self.current().await?.reader().begin().await.map_err(told)?;
        Ok((read.head().await.map_err(told)?, read.lapsed().await.map_err(told)?))
    }

    async fn reading(&self) -> Result<Reading, Problem> {
        Reading::of(self.store().reader().begin().await.map_err(told)?, Surface::Web).await
    }

    /// Everything committed after `seq`, one batch a command, with the cards as they are now. At most about `limit` events; a command is
    /// never cut in two.
    pub(crate) async fn changes_since(&self, seq: i64, limit: usize) -> Result<Changes, Problem> {
        let mut reading = self.reading().await?;
        let rows = reading.read.events_since(seq, limit).await.map_err(told)?;
        let last = rows.last().map_or(seq, |row| row.seq);
        let mut batches = Vec::new();
        for command in rows.chunk_by(|a, b| a.command == b.command) {
            batches.push(batch(self, &mut reading, command).await?);
        }
        Ok(Changes { batches, seq: last })
    }

    /// One live batch with every card that has a lease now: what a resumed page can't learn from events.
    pub(crate) async fn lease_batch(&self) -> Result<Batch, Problem> {
        let mut reading = self.reading().await?;
        let actors = reading.read.actors().await.map_err(told)?;
        let ids: Vec<TaskId> = actors.iter().flat_map(|row| row.holds.iter().map(|(task, _)| task.clone())).collect();
        let mut changes = cards(&mut reading, &ids).await?;
        changes.push(Change::Actors { actors });
        changes.push(Change::Counts { counts: reading.read.counts().await.map_err(told)? });
        Ok(Batch::read_at(reading.seq().await?, changes).live())
    }

    /// One live batch of what moved without an event after `from`, and of what time alone changed between two looks; without the tasks in
    /// `told_already`, whose cards went out with the events of the same commit.
    pub(crate) async fn live_changes(&self, from: i64, (before, now): (Moment, Moment), told_already: &BTreeSet<TaskId>) -> Result<Batch, Problem> {
        let mut reading = self.reading().await?;
        let rows = reading.read.live_since(from).await.map_err(told)?;
        let lapsed = reading.read.lapsed_between(before, now).await.map_err(told)?;
        let mut tasks: BTreeSet<TaskId> = lapsed.iter().cloned().collect();
        let (mut actors, mut changes) = (false, Vec::new());
        for row in rows {
            match row.kind.as_str() {
                "task" => tasks.extend(TaskId::parse(&row.reference).ok()),
                "actors" => actors = true,
                "delivery" => changes.extend(delivery(&row.reference, row.at)),
                _ => {}
            }
        }
        let ids: Vec<TaskId> = tasks.difference(told_already).cloned().collect();
        changes.extend(cards(&mut reading, &ids).await?);
        if !lapsed.is_empty() {
            changes.push(Change::Counts { counts: reading.read.counts().await.map_err(told)? });
        }
        if actors || !ids.is_empty() {
            changes.push(Change::Actors { actors: reading.read.actors().await.map_err(told)? });
        }
        Ok(Batch::read_at(reading.seq().await?, changes).live())
    }
}

/// `<event> <actor>`, as the store notes a delivery.
fn delivery(reference: &str, at: Moment) -> Option<Change> {
    let (event, actor) = reference.split_once(' ')?;
    Some(Change::Delivery { event: contracts::EventId::parse(event).ok()?, actor: Actor::parse(actor).ok()?, at })
}

async fn cards(reading: &mut Reading, ids: &[TaskId]) -> Result<Vec<Change>, Problem> {
    let rows = reading.read.card_rows(ids).await.map_err(told)?;
    Ok(reading.cards(&rows).await?.into_iter().map(|card| Change::Task { card }).collect())
}

/// The changes of one command.
async fn batch(port: &ServerPort, reading: &mut Reading, events: &[EventRow]) -> Result<Batch, Problem> {
    let mut ids: Vec<TaskId> = Vec::new();
    let mut milestones: BTreeSet<MilestoneId> = BTreeSet::new();
    let mut left: Vec<TaskId> = Vec::new();
    let mut wide = false;
    for row in events {
        if let Ok(id) = TaskId::parse(&row.event.subject) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        } else if let Ok(id) = MilestoneId::parse(&row.event.subject) {
            milestones.insert(id);
        }
        milestones.extend(left_and_entered(row));
        left.extend(parted(&row.event).into_iter().filter_map(|id| TaskId::parse(id).ok()));
        wide |= moves_neighbours(&row.event.kind);
    }
    if wide {
        let around = reading.read.neighbours_of(&ids).await.map_err(told)?;
        for id in around.into_iter().chain(left) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let rows = reading.read.card_rows(&ids).await.map_err(told)?;
    let mut changes = Vec::new();
    if wide {
        milestones.extend(rows.iter().filter_map(|row| row.task.milestone.clone()));
    }
    if !milestones.is_empty() {
        let all = reading.read.milestones().await.map_err(told)?;
        let touched = all.iter().filter(|row| milestones.contains(&row.milestone.id));
        changes.extend(touched.map(|row| Change::Milestone { milestone: engine::views::milestone_view(row) }));
    }
    changes.extend(reading.cards(&rows).await?.into_iter().map(|card| Change::Task { card }));
    let of_events: Vec<contracts::EventId> = events.iter().map(|row| row.event.id.clone()).collect();
    let mut told_to = reading.read.told(&of_events).await.map_err(told)?;
    changes.extend(reading.entries(events).await?.into_iter().map(|entry| Change::Event { told: told_to.remove(&entry.event).unwrap_or_default(), entry }));
    let open = reading.conflicts().await?;
    let about = open.into_iter().filter(|row| ids.contains(&row.task));
    changes.extend(about.map(|row| Change::Conflict { row }));
    changes.extend(settled(events));
    changes.push(Change::Counts { counts: reading.read.counts().await.map_err(told)? });
    if events.iter().any(|row| matches!(row.event.kind, Kind::ProjectCreated | Kind::ProjectConfigured)) {
        changes.push(project(port, reading).await?);
    }
    let acted: BTreeSet<Actor> = events.iter().map(|row| row.event.actor.clone()).collect();
    let first = events.first().map_or(0, |row| row.seq);
    if events.iter().any(|row| moves_actors(&row.event.kind)) || reading.read.acted_first(&acted, first).await.map_err(told)? {
        changes.push(Change::Actors { actors: reading.read.actors().await.map_err(told)? });
    }
    let seq = events.last().map_or(0, |row| row.seq);
    Ok(Batch::read_at(reading.seq().await?, changes).told_after(seq))
}

/// The milestones between which an event moved a task: the numbers of both change, and the task's own card names the second alone.
fn left_and_entered(row: &EventRow) -> impl Iterator<Item = MilestoneId> {
    let moved = row.event.kind == Kind::TaskEdited && row.event.text("field") == "milestone";
    ["from", "to"].into_iter().filter(move |_| moved).filter_map(|end| MilestoneId::parse(row.event.text(end)).ok())
}

/// The project as it is now.
async fn project(port: &ServerPort, reading: &mut Reading) -> Result<Change, Problem> {
    let project = reading.read.project().await.map_err(told)?.unwrap_or_default();
    let settings = snapshot::shown_settings(reading, &project);
    let base = port.0.base.chosen(reading.settings.base.as_deref());
    Ok(Change::Project { project: snapshot::project_view(&project, reading.now, base), settings })
}

/// A conflict that was settled is no longer among the open ones; pages are told by the event that settled it.
fn settled(events: &[EventRow]) -> Vec<Change> {
    let settles = events.iter().filter(|row| row.event.kind == Kind::ConflictSettled);
    let row = |row: &EventRow| {
        Some(Change::Conflict {
            row: contracts::view::ConflictRow {
                event: contracts::EventId::parse(row.event.text("event")).ok()?,
                task: TaskId::parse(&row.event.subject).ok()?,
                title: String::new(),
                kind: row.event.kind.as_str().to_owned(),
                actor: row.event.actor.clone(),
                at: row.event.at.moment,
                text: row.event.text("note").to_owned(),
                status: contracts::Status::Open,
                settled: true,
                way_out: None,
            },
        })
    };
    settles.filter_map(row).collect()
}

/// Tasks and milestones an event names that a task was parted from: nothing of how it is now leads to them any more.
fn parted(event: &engine::Event) -> Vec<&str> {
    match event.kind {
        Kind::TaskEdited if event.text("field") == "parent" => vec![event.text("from")],
        Kind::TaskUnblocked => vec![event.text("on")],
        _ => Vec::new(),
    }
}

/// Whether events of this kind change how other cards stand.
fn moves_neighbours(kind: &Kind) -> bool {
    use Kind::{MilestoneCancelled, TaskBlocked, TaskCancelled, TaskClosed, TaskCreated, TaskEdited, TaskReopened, TaskReviewed, TaskUnblocked};
    matches!(kind, TaskCreated | TaskEdited | TaskClosed | TaskCancelled | TaskReopened | TaskReviewed | TaskBlocked | TaskUnblocked | MilestoneCancelled)
}

/// Whether events of this kind change what actors hold.
fn moves_actors(kind: &Kind) -> bool {
    use Kind::{TaskCancelled, TaskClaimed, TaskClosed, TaskReleased, TaskReviewed, TaskSubmitted};
    matches!(kind, TaskClaimed | TaskReleased | TaskClosed | TaskCancelled | TaskSubmitted | TaskReviewed)
}
