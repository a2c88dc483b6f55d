//! What reads give. Shapes are good for one release of client and server; keys at their default are left out.

mod activity;
mod commit;

pub use activity::{ActivityQuery, ActivityView, Histogram, KindGroup, Tally, TimelineQuery};
pub use commit::{CommitDetail, DiffView, FileChanged, FileDiff, Hunk};

use crate::board::Surface;
use crate::command::{Held, Priority, Warning};
use crate::hint::Call;
use crate::id::{Actor, BlockerId, EventId, MilestoneId, QuestionId, TaskId};
use crate::moment::Moment;
use crate::offsets::Offsets;
use crate::problem::{Code, Problem};
use crate::standing::{Column, Complexity, Standing, Status, Via};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn normal_priority() -> u8 {
    Priority::NORMAL.number()
}

/// A part of a list, with how many there are and how to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page<T> {
    /// This part.
    pub items: Vec<T>,
    /// All there are.
    pub total: i64,
    /// What to pass as `cursor` for the next part; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Position of the log that was read.
    #[serde(default)]
    pub seq: i64,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Page { items: Vec::new(), total: 0, next: None, seq: 0 }
    }
}

/// A live or late lease, as a card shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaseView {
    /// Who holds it.
    pub actor: Actor,
    /// When it began.
    pub since: Moment,
    /// When it ends without a renewal.
    pub until: Moment,
    /// Length of one term, seconds: what a ring that empties is measured against.
    pub ttl_s: i64,
    /// Whether it is past its end, within the grace.
    #[serde(default, skip_serializing_if = "is_default")]
    pub late: bool,
    /// Held in another clone, as of the moment given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Moment>,
    /// Fencing token.
    pub fence: i64,
}

/// Where a review stands, as a card shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewView {
    /// `submitted`, `changes` or `passed`.
    pub state: String,
    /// Who submitted or judged.
    pub by: Actor,
    /// Their note, cut to 200 characters on cards.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// When.
    pub at: Moment,
}

/// Why a card stands where it stands, when the standing alone does not say it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Why {
    /// In words, without a time: "waits for tk-4f2a9c", "no word from bo/w2", "bo/w1 asks: level 3 or 9?".
    pub text: String,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
}

/// A task as lists, columns and live changes carry it. Counts are of open things unless said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are the task's own; what is special is said beside it")]
pub struct TaskCard {
    pub id: TaskId,
    pub title: String,
    #[serde(rename = "type", default = "default_type")]
    pub kind: String,
    /// Always written: scripts ask for it by value.
    #[serde(default = "normal_priority")]
    pub priority: u8,
    pub status: Status,
    pub standing: Standing,
    pub column: Column,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<Actor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewView>,
    /// Its run, owned by the workflow part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Value>,
    /// Open tasks and blockers it waits for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub waits: u32,
    /// Open tasks that wait for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub blocks: u32,
    /// Closed subtasks, all subtasks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub children: (u32, u32),
    /// Commits that count.
    #[serde(default, skip_serializing_if = "is_default")]
    pub commits: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub added: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub deleted: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub comments: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Complexity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertical: Option<String>,
    /// Live, late and submitted tasks whose surface overlaps its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub collides: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub conflicts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// When it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Moment>,
    pub version: i64,
    /// Columns a person may drag it to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub moves: Vec<Column>,
}

fn default_type() -> String {
    "task".to_owned()
}

/// One item of a checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// What must hold.
    pub text: String,
    /// The answer, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
    /// Why, or where to see it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Another task, in a relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// Which.
    pub id: TaskId,
    /// Its title; empty while the task is not known here.
    pub title: String,
    /// Where it stands; absent while it is not known here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
    /// Who is on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Actor>,
    /// What made the edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
    /// The note it was closed with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Whether the edge is inert because it would have closed a loop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub inert: bool,
}

impl Relation {
    /// A task as others see it.
    pub fn to(card: &TaskCard) -> Relation {
        let holder = card.lease.as_ref().map(|lease| lease.actor.clone());
        Relation { id: card.id.clone(), title: card.title.clone(), standing: Some(card.standing), holder, via: None, note: String::new(), inert: false }
    }
}

/// Something outside the board that a task waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockerView {
    /// Which.
    pub id: BlockerId,
    /// What.
    pub reason: String,
    /// Who said so.
    pub by: Actor,
    /// Since when.
    pub at: Moment,
}

/// A question only a person settles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionView {
    /// Which.
    pub id: QuestionId,
    /// The question.
    pub text: String,
    /// The same as safe HTML, on surfaces that show it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub html: String,
    /// Answers to choose from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub choices: Vec<String>,
    /// Who asks.
    pub by: Actor,
    /// Since when.
    pub at: Moment,
}

/// A commit bound to a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are those of command::Bind")]
pub struct CommitView {
    pub sha: String,
    pub subject: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    pub at: Moment,
    pub added: u32,
    pub deleted: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub files: Vec<(String, Option<u32>, Option<u32>)>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub files_dropped: u32,
    /// Whether it is evidence; a merge, an empty or a superseded one is not.
    pub counts: bool,
}

/// One line of a thread or of the activity, rendered from an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The event it shows.
    pub event: EventId,
    /// Its place in the log here.
    #[serde(default)]
    pub seq: i64,
    /// The event's kind: `task.commented`, `task.closed`, …
    pub kind: String,
    /// What it is about: a task, a milestone or `project`.
    pub subject: String,
    /// The subject's title, in lists over many subjects.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Who.
    pub actor: Actor,
    /// When.
    pub at: Moment,
    /// The fact in words, without actor and subject: "closed it without code", "asked for changes".
    pub words: String,
    /// Markdown that somebody wrote: the comment, note or question.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The same as safe HTML, on surfaces that show it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub html: String,
    /// Whom it mentions or is for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub to: Vec<Actor>,
    /// Which of them have been handed it, and when.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivered: Vec<(Actor, Moment)>,
    /// The entry it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<EventId>,
    /// Whether the event found no effect (a conflict, or "already").
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_effect: bool,
}

impl Entry {
    /// Whether somebody speaks in it (it belongs in a thread as speech, not as a fact).
    pub fn is_speech(&self) -> bool {
        matches!(self.kind.as_str(), "task.commented" | "message.sent" | "task.asked" | "task.answered")
    }
}

/// Everything about one event of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryRow {
    /// The line.
    pub entry: Entry,
    /// Who was behind it.
    pub principal: String,
    /// The field that changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Before.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub from: Value,
    /// After.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub to: Value,
    /// The event's body.
    #[serde(default)]
    pub body: Map<String, Value>,
    /// Before and after as safe HTML, on surfaces that show it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub html: String,
}

/// Whether the reader may give a command, and if not why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Allowance {
    /// The command's name.
    pub command: String,
    /// Absent when every guard but missing text would pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refusal>,
}

/// A guard that fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Its code.
    pub code: Code,
    /// In words.
    pub text: String,
}

/// Another task whose files overlap this one's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collision {
    /// Which.
    pub id: TaskId,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub standing: Standing,
    /// Who is on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// Up to three shared paths.
    pub paths: Vec<String>,
}

/// One task, whole, as its reader sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are the task's own; what is special is said beside it")]
pub struct TaskView {
    #[serde(flatten)]
    pub card: TaskCard,
    /// Every command on a task, and whether this reader may give it.
    pub allowed: Vec<Allowance>,
    #[serde(default)]
    pub spec: String,
    /// The spec as safe HTML, on surfaces that show it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub spec_html: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub criteria: Vec<Criterion>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone_detail: Option<MilestoneView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_detail: Option<Relation>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub waits_on: Vec<Relation>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub blocking: Vec<Relation>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub subtasks: Vec<Relation>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub blockers: Vec<BlockerView>,
    /// Open questions.
    #[serde(default, skip_serializing_if = "is_default")]
    pub questions: Vec<QuestionView>,
    /// The newest page, oldest first.
    #[serde(default)]
    pub thread: Vec<Entry>,
    /// Cursor of the page before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_next: Option<String>,
    /// Entries in the thread.
    #[serde(default)]
    pub thread_total: i64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub commits_detail: Vec<CommitView>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub collisions: Vec<Collision>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub conflict_rows: Vec<ConflictRow>,
    /// The newest rows, newest first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub history: Vec<HistoryRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirements: Option<Value>,
    pub created_by: Actor,
    /// The note it was closed or cancelled with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub closing_note: String,
    /// The same as safe HTML, on surfaces that show it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub closing_html: String,
    /// Whether a close needs a passed review.
    #[serde(default)]
    pub review_required: bool,
    /// What this task's field is, null to inherit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_setting: Option<bool>,
    /// Position of the log that was read.
    #[serde(default)]
    pub seq: i64,
}

/// A milestone, with how far it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are the milestone's own; what is special is said beside it")]
pub struct MilestoneView {
    pub id: MilestoneId,
    /// 1 to 120 characters.
    pub title: String,
    /// ASCII, minted once from the first title.
    pub slug: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// At most 20 of 500 characters; they travel with every task of it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rules: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub criteria: Vec<Criterion>,
    /// Whether its tasks need a review.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reviews: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Moment>,
    pub status: Status,
    pub created_by: Actor,
    pub created_at: Moment,
    /// Open tasks in it.
    pub open: i64,
    /// Closed tasks in it.
    pub closed: i64,
}

/// One column of the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnView {
    /// Which.
    pub key: Column,
    /// Tasks that pass the filter.
    pub total: i64,
    /// Tasks the filter hides.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: i64,
    /// The first of them.
    pub cards: Vec<TaskCard>,
    /// Cursor for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// How many tasks stand where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// By standing; zeros are left out.
    pub by_standing: BTreeMap<Standing, i64>,
    /// Open conflicts on closed tasks (those on open ones make the task need a person).
    #[serde(default)]
    pub conflicts_on_closed: i64,
    /// Agents with a live lease here.
    #[serde(default)]
    pub agents_live: i64,
}

impl Counts {
    /// How many stand so.
    pub fn at(&self, standing: Standing) -> i64 {
        self.by_standing.get(&standing).copied().unwrap_or(0)
    }

    /// How many lie in a column.
    pub fn column(&self, column: Column) -> i64 {
        self.by_standing.iter().filter(|(standing, _)| standing.column() == column).map(|(_, count)| count).sum()
    }

    /// Every task.
    pub fn all(&self) -> i64 {
        self.by_standing.values().sum()
    }
}

/// The board's columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardView {
    /// Position of the log that was read.
    pub seq: i64,
    /// In order.
    pub columns: Vec<ColumnView>,
    /// Over all tasks, whatever the filter.
    pub counts: Counts,
    /// Open tasks of these columns and what each waits for, when that was asked for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub edges: Vec<(TaskId, TaskId)>,
}

/// Which cards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BoardQuery {
    /// Words that must all stand in id, title, labels, assignee or holder (case-folded).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub q: String,
    /// A filter in the one grammar: `type = bug and stale_days >= 3`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// One column only, for more of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<Column>,
    /// Where to go on in that column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Cards a column; 100 (Done 20) when absent, 200 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// What waits for what, too.
    #[serde(skip_serializing_if = "is_default")]
    pub edges: bool,
}

/// Which tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaskQuery {
    /// As in [`BoardQuery`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub q: String,
    /// As in [`BoardQuery`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// Closed ones too.
    #[serde(skip_serializing_if = "is_default")]
    pub all: bool,
    /// Closed ones only.
    #[serde(skip_serializing_if = "is_default")]
    pub closed: bool,
    /// Any of these. Done and cancelled ones are closed ones: asking for them needs no word for those.
    #[serde(skip_serializing_if = "is_default")]
    pub standing: Vec<Standing>,
    /// Any of these.
    #[serde(skip_serializing_if = "is_default")]
    pub label: Vec<String>,
    /// Of this type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// In this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    /// For this actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<Actor>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// 200 at most and by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Somebody known to the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActorRow {
    /// Who.
    pub actor: Actor,
    /// When last seen, and where (`mcp`, `cli`, `web`, `hook`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Moment>,
    /// Where last seen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub surface: String,
    /// The client's own name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// What they hold, with until when.
    #[serde(default, skip_serializing_if = "is_default")]
    pub holds: Vec<(TaskId, Moment)>,
}

impl ActorRow {
    /// Somebody seen just now on a surface.
    pub fn seen(actor: Actor, at: Moment, surface: Surface) -> ActorRow {
        ActorRow { actor, seen_at: Some(at), surface: surface.as_str().to_owned(), client: String::new(), holds: Vec::new() }
    }
}

/// Which inbox items. Unread ones come oldest first. With `all` the newest page comes first, as in a thread, each page oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InboxQuery {
    /// Those of the last seven days too that were delivered.
    pub all: bool,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Marks what is handed out as delivered.
    pub deliver: bool,
    /// Ten by default, 200 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Something for an actor to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InboxItem {
    /// What happened.
    pub entry: Entry,
    /// Why it is for this actor: `mention`, `message`, `assigned`, `verdict`, `answer`, `taken_over`, `displaced`, `double_claim`, `dependency`, `closed`, `held`.
    pub why: String,
    /// When it was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<Moment>,
}

/// A fact that found no effect and waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConflictRow {
    /// The event.
    pub event: EventId,
    /// About which task.
    pub task: TaskId,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// The event's kind.
    pub kind: String,
    /// By whom.
    pub actor: Actor,
    /// When.
    pub at: Moment,
    /// What does not fit, in words.
    pub text: String,
    /// The task's status.
    pub status: Status,
    /// Whether a person (or the course of things) settled it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settled: bool,
    /// What takes it out of the way where keeping and dismissing do not: the edge that has no effect is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_out: Option<Call>,
}

/// One search hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The card.
    pub card: TaskCard,
    /// Where it matched: `id`, `title`, `spec`, `thread`, `commits`.
    pub matched: String,
    /// The words around it, when not the title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
}

/// What to look for when asking for the next thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NextRequest {
    /// This task and no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Any of these.
    #[serde(skip_serializing_if = "is_default")]
    pub labels: Vec<crate::text::Label>,
    /// Of this type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<crate::text::Slug>,
    /// In this one, by id or exact title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Looks without taking or delivering.
    #[serde(skip_serializing_if = "is_default")]
    pub peek: bool,
    /// Makes a retry safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<crate::id::Key>,
    /// Lease length, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<i64>,
}

/// Where the work is done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The directory, when there is one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What the branch is cut from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The exact line that gets there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// Counts before the claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each counts the tasks its name says")]
pub struct Queue {
    pub ready: i64,
    /// Held by or assigned to the caller.
    pub yours: i64,
    pub working: i64,
    pub waiting: i64,
    pub blocked: i64,
    pub needs_people: i64,
    pub held: i64,
    pub stalled: i64,
    pub open: i64,
}

/// Why there is nothing: a normal answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhyNothing {
    /// `no_tasks`, `finished`, `filtered_out`, `raced`, `all_assigned`, `needs_people`, `all_running`, `all_blocked`; for a named task
    /// `already_done`, `already_cancelled`, `held_elsewhere`, `assigned_elsewhere`, `waits`, `on_hold`, `in_review`, `at_gate`, `at_limit`.
    pub code: String,
    /// In words, with who and what.
    pub text: String,
    /// What to do.
    pub next: crate::Hint,
}

/// The answer to `next`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NextAnswer {
    /// `claimed`, `resumed`, `assigned`, `changes`, `taken_over`; empty when there is nothing. With a peek: what it would be.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub how: String,
    /// That in words: "taken over from agent:bo/w2 (silent 2 h, 1 commit)".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub how_text: String,
    /// The task.
    pub task: Option<Box<TaskView>>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<WhyNothing>,
    /// The lease that was given or found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseView>,
    /// Where to work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Unread items, oldest first, marked as delivered unless it was a peek.
    #[serde(default)]
    pub inbox: Vec<InboxItem>,
    /// Items beyond these.
    #[serde(default)]
    pub inbox_more: i64,
    /// The reviewer's note when changes are wanted, the earlier holder's when taken over.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verdict: String,
    /// Tasks whose files overlap; five at most.
    #[serde(default)]
    pub collisions: Vec<Collision>,
    /// Collisions beyond these.
    #[serde(default)]
    pub collisions_more: i64,
    /// Counts before the claim.
    pub queue: Queue,
    /// What to know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Whether this is the first answer of a key seen before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repeated: bool,
    /// Position of the log.
    #[serde(default)]
    pub seq: i64,
    /// The server's clock.
    #[serde(default)]
    pub now: Moment,
}

/// The project, as pages show it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectView {
    /// What people call it.
    pub name: String,
    /// Its name in addresses.
    pub slug: String,
    /// IANA time zone.
    pub zone: String,
    /// Minutes east of UTC in that zone now, for showing clock times without a zone database.
    pub offset_minutes: i32,
    /// The same over the years around now: the first holds before the second begins, and so on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub offsets: Vec<(Moment, i32)>,
    /// The branch work is cut from, as set or else as git says, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Whether this is the demo.
    #[serde(default, skip_serializing_if = "is_default")]
    pub demo: bool,
}

impl ProjectView {
    /// How its wall clock reads over time.
    pub fn clock(&self) -> Offsets {
        match self.offsets.split_first() {
            Some(((_, first), changes)) => Offsets::new(*first, changes),
            None => Offsets::from(self.offset_minutes),
        }
    }
}

/// Who the reader is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// The actor.
    pub actor: Actor,
    /// Who is behind it.
    pub principal: String,
    /// Whether writes are taken.
    pub may_write: bool,
}

/// A refused form: the problem and what was typed, so that the page can show both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedForm {
    /// The command of the form.
    pub command: String,
    /// What was typed, by field.
    pub fields: BTreeMap<String, String>,
    /// What is wrong.
    pub problem: Problem,
}

/// Lines of the log that could not be used: how many, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantine {
    /// All there are.
    pub total: usize,
    /// At most 50, by file and line.
    pub lines: Vec<QuarantinedLine>,
}

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QuarantinedLine {
    /// The file it stood in.
    pub file: String,
    /// Where; 0 when it was at the end, or in no file of the log.
    pub line: u64,
    /// Why it could not be used: a word like `id_mismatch`, or a sentence.
    pub reason: String,
    /// How it begins.
    pub text: String,
}

/// Everything a page needs, read at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Position of the log.
    pub seq: i64,
    /// The database's.
    pub epoch: String,
    /// The only clock a view may use.
    pub now: Moment,
    /// Build of the server.
    pub version: String,
    /// The project.
    pub project: ProjectView,
    /// The reader.
    pub me: Me,
    /// Settings shown to clients: key to value.
    #[serde(default)]
    pub settings: BTreeMap<String, Value>,
    /// The columns.
    pub board: BoardView,
    /// All milestones.
    pub milestones: Vec<MilestoneView>,
    /// Who is there.
    pub actors: Vec<ActorRow>,
    /// Open conflicts.
    pub conflicts: Vec<ConflictRow>,
    /// Lines of the log that could not be used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quarantine: Quarantine,
    /// The reader's inbox, newest first: what is unread and, while there is room, what was delivered in the last days.
    #[serde(default)]
    pub inbox: Vec<InboxItem>,
    /// How many of the reader's items are unread, here or not.
    #[serde(default)]
    pub unread: i64,
    /// The open card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Box<TaskView>>,
    /// A refused form, when the page answers one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<RefusedForm>,
    /// Snippets for connecting agents, filled in (empty states, settings): title to text.
    #[serde(default, skip_serializing_if = "is_default")]
    pub connect: Vec<(String, String)>,
}
