//! What passes between the engine and whoever stores: the facts a command names, and what a decision wants done.
//!
//! [`crate::needs()`] says what to load, storage loads it by key into [`Facts`], `decide` looks at nothing else.

use crate::event::Draft;
use crate::next::SurfaceRow;
use crate::task::{Milestone, Project, Task};
use contracts::standing::{Standing, Status, Via};
use contracts::{Actor, BlockerId, Caller, EventId, MilestoneId, Moment, QuestionId, TaskId, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A lease: a live row, never rebuilt from the log except as a published claim (`authority` clone).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the columns of one live row carry their own names; what is special is said beside it")]
pub struct Lease {
    pub task: TaskId,
    pub actor: Actor,
    pub principal: String,
    pub fence: i64,
    pub session: Option<String>,
    pub branch: Option<String>,
    pub worktree: Option<String>,
    pub claimed_at: Moment,
    pub renewed_at: Moment,
    pub expires_at: Moment,
    /// Length of one term, seconds.
    pub ttl_s: i64,
    /// End as published in the log.
    pub published_until: Moment,
    pub claim_event: EventId,
    /// `here`, `clone` or `server`.
    pub authority: Authority,
}

/// Whose word a lease is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// Taken in this database.
    Here,
    /// Published by another clone (or by this one before its database was lost).
    Clone,
    /// The server's.
    Server,
}

/// What a task's neighbours make of it: derived, stored beside it, kept right by storage whenever a neighbour changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Targets of its own active `after` and `block` edges that are open or unknown here.
    pub waits_open: u32,
    /// One of them (the smallest id), for the card's words.
    pub waits_first: Option<TaskId>,
    /// Targets that were cancelled: never delivered.
    pub waits_cancelled: u32,
    /// Open tasks with an active `after` or `block` edge to it.
    pub blocks: u32,
    /// Subtasks that are open.
    pub children_open: u32,
    /// All subtasks.
    pub children: u32,
    /// Edges of it that are inert because they would close a loop (each is a conflict for a person).
    pub edges_inert: u32,
}

/// Another task, as a relation of one that was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "a row of the task table, cut down")]
pub struct Neighbour {
    pub id: TaskId,
    pub title: String,
    /// Absent while the task is not known here.
    pub status: Option<Status>,
    pub standing: Option<Standing>,
    pub holder: Option<Actor>,
    pub via: Via,
    pub inert: bool,
    /// Note it was closed with.
    pub note: String,
    /// Who added the edge.
    pub by: Option<Actor>,
}

impl Neighbour {
    /// Whether it is waited for: open, or not known here, by an edge that counts.
    pub fn is_open(&self) -> bool {
        !self.inert && matches!(self.status, None | Some(Status::Open))
    }
}

/// A task with all that decides about it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskFacts {
    /// Its own state.
    pub task: Task,
    /// What its neighbours make of it.
    pub counters: Counters,
    /// Its lease row, live, late or lapsed.
    pub lease: Option<Lease>,
    /// What it waits for (`after`, `block`), inert edges too.
    pub waits_on: Vec<Neighbour>,
    /// What waits for it (`after`, `block`).
    pub blocking: Vec<Neighbour>,
    /// Its subtasks.
    pub children: Vec<Neighbour>,
    /// Its parent and that one's parents, nearest first.
    pub ancestors: Vec<Neighbour>,
}

/// A milestone with its tasks' numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct MilestoneFacts {
    /// Its own state.
    pub milestone: Milestone,
    /// Open tasks in it (at most 1,001 ids; more are counted in `open`); loaded where the command names the milestone, else empty.
    pub open_tasks: Vec<TaskId>,
    /// All open ones.
    pub open: i64,
    /// All closed ones.
    pub closed: i64,
}

/// One lease of the caller, with its task.
#[derive(Clone, Debug, PartialEq)]
pub struct Holding {
    /// The lease row; live, late or lapsed.
    pub lease: Lease,
    /// The task's own state (spec not loaded).
    pub task: Task,
    /// What its neighbours make of it.
    pub counters: Counters,
}

impl Holding {
    /// Whether the task itself waits, for an open subtask, dependency, blocker or question: then it does not count towards `max_held`.
    pub fn waits(&self) -> bool {
        crate::standing::waits(&self.task, &self.counters) || !self.task.questions.is_empty()
    }
}

/// What `decide` needs loaded, by key. Ids in `tasks` that do not exist simply do not appear in the facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Tasks with their neighbours; the milestone each is in is loaded with it, into `Facts::milestones`.
    pub tasks: BTreeSet<TaskId>,
    /// Every open descendant of these too (cancel with children).
    pub descendants: BTreeSet<TaskId>,
    /// Milestones by id.
    pub milestones: BTreeSet<MilestoneId>,
    /// An open milestone by case-folded title.
    pub milestone_title: Option<String>,
    /// The task of this question.
    pub question: Option<QuestionId>,
    /// The task of this blocker.
    pub blocker: Option<BlockerId>,
    /// The task this conflict is open on; the conflicting event itself in `Facts::event`.
    pub conflict: Option<EventId>,
    /// Waits-for edges (all three kinds, active ones) reachable from these tasks: for loops.
    pub reach: BTreeSet<TaskId>,
    /// The caller's leases.
    pub holdings: bool,
    /// Which of these have acted or hold a task here (mentions found in text).
    pub actors: BTreeSet<Actor>,
    /// What `next` would offer, and what is being touched.
    pub candidates: bool,
    /// Names that begin with this and are in use: something is held or assigned, or was seen of them within [`contracts::limits::WORKER_NAME_HOURS`].
    pub workers: Option<String>,
    /// Every open task that an agent has a lease on or that is for an agent.
    pub agents_tasks: bool,
    /// When the holders and assignees of the tasks were last seen, and since when the tasks are assigned.
    pub seen: bool,
}

impl Needs {
    /// These and those.
    pub(crate) fn and(mut self, other: Needs) -> Needs {
        self.tasks.extend(other.tasks);
        self.descendants.extend(other.descendants);
        self.milestones.extend(other.milestones);
        self.reach.extend(other.reach);
        self.actors.extend(other.actors);
        Needs {
            milestone_title: self.milestone_title.or(other.milestone_title),
            question: self.question.or(other.question),
            blocker: self.blocker.or(other.blocker),
            conflict: self.conflict.or(other.conflict),
            workers: self.workers.or(other.workers),
            holdings: self.holdings || other.holdings,
            candidates: self.candidates || other.candidates,
            agents_tasks: self.agents_tasks || other.agents_tasks,
            seen: self.seen || other.seen,
            ..self
        }
    }
}

/// What was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The project; `None` before its first event.
    pub project: Option<Project>,
    /// By id.
    pub tasks: BTreeMap<TaskId, TaskFacts>,
    /// By id.
    pub milestones: BTreeMap<MilestoneId, MilestoneFacts>,
    /// `task` → what it waits for, as asked by `Needs::reach`.
    pub edges: BTreeMap<TaskId, BTreeSet<TaskId>>,
    /// The caller's leases, oldest claim first.
    pub holdings: Vec<Holding>,
    /// Those of `Needs::actors` that are known here.
    pub actors: BTreeSet<Actor>,
    /// The event of `Needs::conflict`.
    pub event: Option<crate::event::Event>,
    /// Rows of the candidate index.
    pub candidates: Vec<Candidate>,
    /// Tasks that touch files now, or that somebody is about to begin.
    pub surfaces: Vec<SurfaceRow>,
    /// Those of `Needs::workers`.
    pub busy: BTreeSet<Actor>,
    /// When each was last seen, as far as it was noted.
    pub seen: BTreeMap<Actor, Moment>,
    /// Since when each task is for its assignee.
    pub assigned_at: BTreeMap<TaskId, Moment>,
}

/// Ids minted by the caller of the engine, which has the randomness. Whoever mints them sees to it that none is in use; the engine refuses
/// those it can see to be, and they are minted again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Minted {
    /// As many as [`crate::ids_wanted`] says.
    pub tasks: Vec<TaskId>,
    /// One.
    pub milestone: Option<MilestoneId>,
    /// One.
    pub blocker: Option<BlockerId>,
    /// One.
    pub question: Option<QuestionId>,
}

/// The world of one decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// Wall clock.
    pub now: Moment,
    /// Who.
    pub caller: Caller,
    /// Ids to use.
    pub minted: Minted,
    /// The `version` the caller read.
    pub expect: Option<i64>,
    /// The fencing token the caller presents.
    pub fence: Option<i64>,
    /// Branch that work is cut from, when the process knows (git is outside the engine).
    pub base: Option<String>,
    /// Whether the caller's client hooks (or a supervisor) renew its leases; decides the default length.
    pub hooks_renew: bool,
}

/// What to do to the lease rows, in the same transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum LeaseChange {
    /// Insert or replace. `claim_event` is filled in by storage with the id of this decision's `task.claimed`.
    Take(Lease),
    /// Move the ends.
    Extend {
        /// Whose.
        task: TaskId,
        /// When the call came.
        renewed_at: Moment,
        /// New end.
        expires_at: Moment,
        /// New published end, when a `task.renewed` is among the events.
        published_until: Option<Moment>,
    },
    /// Delete.
    Drop(TaskId),
}

/// What a command comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// What the receipt is about.
    pub subject: String,
    /// In order.
    pub events: Vec<Draft>,
    /// In order.
    pub leases: Vec<LeaseChange>,
    /// What was done beside the point.
    pub warnings: Vec<Warning>,
    /// `Receipt::data`; storage may add what only it knows (`freed`).
    pub data: Value,
    /// Checked only: write nothing (`plan` with `dry_run`).
    pub dry_run: bool,
}

/// A row `next` may hand out, as storage reads it from the candidate index (at most 200, in the order of the index).
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its own state (spec not loaded).
    pub task: Task,
    /// What its neighbours make of it.
    pub counters: Counters,
    /// Its lease row, if one is left.
    pub lease: Option<Lease>,
    /// Whether it is a subtask of something the caller holds.
    pub child_of_mine: bool,
}
