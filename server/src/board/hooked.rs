//! What hooks ask of the board beside its commands: who holds what and where, and what they remember between two of their short lives.

use super::ServerPort;
use super::assemble::told;
use contracts::standing::{Standing, Status};
use contracts::{Actor, Caller, Moment, Problem, TaskId};
use engine::{LeaseState, Settings};
use std::collections::BTreeSet;
use storage::{CardRow, Work};

/// A task as hooks see it.
#[derive(Clone, Debug)]
pub struct HookedTask {
    /// Which.
    pub id: TaskId,
    /// Its title.
    pub title: String,
    /// Whether it is open.
    pub open: bool,
    /// Its branch, as recorded.
    pub branch: Option<String>,
    /// Whom it is for.
    pub assignee: Option<Actor>,
    /// Who has a lease on it, also a lapsed one that nobody took.
    pub lease: Option<HookedLease>,
}

/// A lease as hooks see it.
#[derive(Clone, Debug)]
pub struct HookedLease {
    /// Whose.
    pub actor: Actor,
    /// Until when.
    pub until: Moment,
    /// When it was last renewed.
    pub renewed_at: Moment,
    /// Length of one term, seconds.
    pub ttl_s: i64,
    /// Where the holder works.
    pub worktree: Option<String>,
    /// Whether it runs, or is late: nobody else may take it.
    pub runs: bool,
}

/// The board of one moment, as far as hooks need it.
#[derive(Clone, Debug)]
pub struct HookedBoard {
    /// The moment.
    pub now: Moment,
    /// What the board decides.
    pub settings: Settings,
    /// Every task with a lease, and those that were asked for.
    pub tasks: Vec<HookedTask>,
}

impl HookedBoard {
    /// A task that was asked for, if it is known here.
    pub fn task(&self, id: &TaskId) -> Option<&HookedTask> {
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// What an actor holds. A lapsed lease that nobody took counts: it is still the holder's to go on with.
    pub fn held_by(&self, actor: &Actor) -> Vec<&HookedTask> {
        self.tasks.iter().filter(|task| task.open && task.lease.as_ref().is_some_and(|lease| lease.actor == *actor)).collect()
    }
}

impl ServerPort {
    /// The board of this moment, with these tasks and all that are leased.
    ///
    /// # Errors
    /// As reading does; `not_initialized` without a project.
    pub async fn hooked(&self, asked: &[TaskId]) -> Result<HookedBoard, Problem> {
        let mut read = self.store().reader().begin().await.map_err(told)?;
        let project = read.project().await.map_err(told)?.ok_or_else(crate::boot::not_initialized)?;
        let settings = Settings::of(&project);
        let mut ids = read.leased_tasks().await.map_err(told)?;
        for id in asked {
            if !ids.contains(id) {
                ids.push(id.clone());
            }
        }
        let now = read.now();
        let rows = read.card_rows(&ids).await.map_err(told)?;
        let tasks = rows.into_iter().map(|row| hooked(row, now, settings.grace_s)).collect();
        Ok(HookedBoard { now, settings, tasks })
    }

    /// Whether a task is known here.
    pub async fn knows(&self, task: &TaskId) -> bool {
        self.known_of([task]).await.contains(task)
    }

    /// Which of these tasks are known here; none when the board can't be read.
    pub async fn known_of<'a>(&self, tasks: impl IntoIterator<Item = &'a TaskId>) -> BTreeSet<TaskId> {
        let Ok(mut read) = self.store().reader().begin().await else { return BTreeSet::new() };
        let titles = read.titles(tasks.into_iter().map(TaskId::as_str)).await.unwrap_or_default();
        titles.keys().filter_map(|id| TaskId::parse(id).ok()).collect()
    }

    /// Other actors' live tasks that declare or touch a path.
    ///
    /// # Errors
    /// As reading does.
    pub async fn who_declares(&self, path: &str, but: &Actor) -> Result<Vec<(TaskId, Option<Actor>)>, Problem> {
        let mut read = self.store().reader().begin().await.map_err(told)?;
        let surfaces = read.surfaces().await.map_err(told)?;
        let others = surfaces.into_iter().filter(|row| row.standing != Standing::Assigned && row.actor.as_ref() != Some(but));
        let declaring = others.filter(|row| row.patterns.iter().any(|pattern| engine::overlap(pattern, path)));
        Ok(declaring.map(|row| (row.task, row.actor)).collect())
    }

    /// The tasks a commit is bound to.
    ///
    /// # Errors
    /// As reading does.
    pub async fn tasks_of_commit(&self, sha: &str) -> Result<Vec<TaskId>, Problem> {
        self.store().reader().begin().await.map_err(told)?.tasks_of_commit(sha).await.map_err(told)
    }

    /// What was remembered, and since when.
    ///
    /// # Errors
    /// As reading does.
    pub async fn recall(&self, kind: &str, key: &str) -> Result<Option<(String, Moment)>, Problem> {
        let mark = self.store().reader().begin().await.map_err(told)?.mark(kind, key).await.map_err(told)?;
        Ok(mark.map(|mark| (mark.value, mark.at)))
    }

    /// Remembers something in place of what was there.
    ///
    /// # Errors
    /// As writing does.
    pub async fn remember(&self, kind: &str, key: &str, value: &str) -> Result<(), Problem> {
        self.store().mark(kind, key, value).await.map_err(told)
    }

    /// Remembers that something was done; says whether it is the first time.
    ///
    /// # Errors
    /// As writing does.
    pub async fn first_time(&self, kind: &str, key: &str) -> Result<bool, Problem> {
        self.store().mark_once(kind, key, "").await.map_err(told)
    }

    /// Notes where a holder works; anybody else's lease keeps its place.
    ///
    /// # Errors
    /// As writing does.
    pub async fn note_place(&self, task: &TaskId, holder: &Actor, worktree: &str, branch: &str) -> Result<bool, Problem> {
        self.store().note_place(task, holder, worktree, branch).await.map_err(told)
    }

    /// Notes that somebody is there, at most once a minute.
    pub async fn present(&self, caller: &Caller) {
        if let Err(problem) = self.enqueue(caller, Work::Seen).await {
            tracing::debug!(code = %problem.code, "presence was not noted");
        }
    }
}

fn hooked(row: CardRow, now: Moment, grace_s: i64) -> HookedTask {
    let lease = row.lease.map(|lease| HookedLease {
        runs: engine::lease_state(&lease, now, grace_s) != LeaseState::Lapsed,
        actor: lease.actor,
        until: lease.expires_at,
        renewed_at: lease.renewed_at,
        ttl_s: lease.ttl_s,
        worktree: lease.worktree,
    });
    HookedTask { open: row.task.status == Status::Open, id: row.task.id, title: row.task.title, branch: row.task.branch, assignee: row.task.assignee, lease }
}
