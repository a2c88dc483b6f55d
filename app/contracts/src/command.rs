//! Every write of the board: [`Command`], the request around it, and the receipt it gives.
//!
//! On the wire a request is `{command, args, key?, expect?, fence?}`; unknown keys and unknown arguments are refused with the
//! legal names. Field types carry the proof that a value was checked; rules that need the board's state live in the engine.

use crate::fleet::{Branch, Dispatch, Recover};
use crate::id::{Actor, BlockerId, EventId, Key, MilestoneId, QuestionId, TaskId};
use crate::moment::Moment;
use crate::problem::{Code, FieldError, Problem};
use crate::report::ReportStamp;
use crate::standing::{Complexity, HoldKind, Standing, Verdict, word_type};
use crate::text::{CriterionNote, CriterionText, FilePattern, Goal, Label, Markdown, MilestoneTitle, Note, Slug, Title};
use crate::{Hint, limits};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A task of the same plan by its place (counted from 0), or an existing one by its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged, expecting = "expected an index within this plan (counted from 0) or a task id like tk-4f2a9c")]
pub enum TaskRef {
    /// The place in this call's list, from 0.
    Index(u32),
    /// A task that exists.
    Id(TaskId),
}

/// One task to create. Absent fields take their defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanTask {
    /// One line, 1 to 200 characters.
    pub title: Title,
    /// Markdown, at most 64 KiB.
    #[serde(default)]
    pub spec: Markdown,
    /// `task`, `feature`, `bug`, … or one the project added.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Slug>,
    /// 0 urgent, 1 high, 2 normal, 3 someday.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// What it waits for.
    #[serde(default)]
    pub after: Vec<TaskRef>,
    /// Existing tasks that shall wait for it.
    #[serde(default)]
    pub blocks: Vec<TaskId>,
    /// The task it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskRef>,
    /// Paths it will touch.
    #[serde(default)]
    pub files: Vec<FilePattern>,
    /// Its checklist.
    #[serde(default)]
    pub criteria: Vec<CriterionText>,
    /// A set of labels.
    #[serde(default)]
    pub labels: Vec<Label>,
    /// Area of the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertical: Option<Slug>,
    /// Size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Complexity>,
    /// RFC 3339, or a bare date (then the end of that day in the project's zone; the transport resolves it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Moment>,
    /// Whom it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<Actor>,
    /// Whether it needs a review; absent inherits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<bool>,
    /// Existing milestone by id; the plan's own `milestone` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    /// A person's hold from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Note>,
    /// Where an imported task came from, set once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Value>,
}

/// 0 urgent, 1 high, 2 normal, 3 someday. Booleans, floats and texts are refused, never coerced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Priority(u8);

impl Priority {
    /// The default.
    pub const NORMAL: Priority = Priority(2);

    /// Checks the range.
    pub fn parse(raw: i64) -> Result<Priority, String> {
        u8::try_from(raw)
            .ok()
            .filter(|number| *number <= 3)
            .map(Priority)
            .ok_or_else(|| format!("priority is 0 urgent, 1 high, 2 normal or 3 someday, not {raw}"))
    }

    /// The number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// What people read.
    pub fn words(self) -> &'static str {
        ["urgent", "high", "normal", "someday"][usize::from(self.0)]
    }
}

impl Default for Priority {
    fn default() -> Self {
        Priority::NORMAL
    }
}

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Priority::parse(i64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Priority {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Priority".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "integer", "minimum": 0, "maximum": 3})
    }
}

/// Creates tasks, and a milestone around them when one is named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// 1 to 1,000 tasks.
    pub tasks: Vec<PlanTask>,
    /// Title of the milestone; an open one of that title is used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneTitle>,
    /// The milestone's goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// The milestone's rules.
    #[serde(default)]
    pub rules: Vec<CriterionText>,
    /// The milestone's criteria.
    #[serde(default)]
    pub criteria: Vec<CriterionText>,
    /// Checks and answers as if, writes nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// A change to one item of a checklist, counted from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(deny_unknown_fields)]
pub struct CriterionAnswer {
    /// Which, counted from 1.
    pub i: u32,
    /// Met or not; null takes the answer back.
    #[serde(default)]
    pub met: Option<bool>,
    /// Why, or where to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<CriterionNote>,
}

/// A field that may be set to nothing: absent leaves it, null empties it.
pub type Clearable<T> = Option<Option<T>>;

fn clearable<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Clearable<T>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// Changes fields of an open task; at least one. List fields are replaced whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is the task's own, documented at PlanTask")]
pub struct Edit {
    pub task: TaskId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<Markdown>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Slug>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(default, deserialize_with = "clearable", skip_serializing_if = "Option::is_none")]
    pub vertical: Clearable<Slug>,
    #[serde(default, deserialize_with = "clearable", skip_serializing_if = "Option::is_none")]
    pub complexity: Clearable<Complexity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Label>>,
    #[serde(default, deserialize_with = "clearable", skip_serializing_if = "Option::is_none")]
    pub milestone: Clearable<MilestoneId>,
    #[serde(default, deserialize_with = "clearable", skip_serializing_if = "Option::is_none")]
    pub parent: Clearable<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FilePattern>>,
    /// The checklist replaced whole (answers of items whose text stays are kept).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Vec<CriterionText>>,
    /// Answers to items of the checklist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<CriterionAnswer>,
    #[serde(default, deserialize_with = "clearable", skip_serializing_if = "Option::is_none")]
    pub due_at: Clearable<Moment>,
    #[serde(default, deserialize_with = "clearable", skip_serializing_if = "Option::is_none")]
    pub review: Clearable<bool>,
}

impl Edit {
    /// An edit of `task` that changes nothing yet.
    pub fn of(task: TaskId) -> Edit {
        Edit {
            task,
            title: None,
            spec: None,
            kind: None,
            priority: None,
            vertical: None,
            complexity: None,
            labels: None,
            milestone: None,
            parent: None,
            files: None,
            criteria: None,
            answers: Vec::new(),
            due_at: None,
            review: None,
        }
    }
}

/// Takes a task for the caller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Which.
    pub task: TaskId,
    /// How long the lease lasts without a renewal, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<i64>,
    /// The caller's session, to tell two holders of one name apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Where the work is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
}

/// Extends the caller's lease on one task, or on all it holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renew {
    /// Which; all when absent (then nothing held is no refusal).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
}

/// Gives a task back, or takes an assignment off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Which.
    pub task: TaskId,
    /// What is done and what is left.
    #[serde(default)]
    pub note: Note,
    /// Whom to tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Actor>,
}

/// Hands work in for a review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submit {
    /// Which.
    pub task: TaskId,
    /// What was done.
    #[serde(default)]
    pub note: Note,
    /// The work has no commit; the note says why.
    #[serde(default)]
    pub no_code: bool,
    /// Whom to tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Actor>,
}

/// Judges a submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// Which.
    pub task: TaskId,
    /// Pass (people only) or changes.
    pub verdict: Verdict,
    /// What to change, or what was good.
    #[serde(default)]
    pub note: Note,
    /// Whom to tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Actor>,
}

/// Closes a task as done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Close {
    /// Which.
    pub task: TaskId,
    /// What was delivered.
    #[serde(default)]
    pub note: Note,
    /// The work has no commit; the note says why.
    #[serde(default)]
    pub no_code: bool,
    /// Answers to the checklist, stored with the close.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionAnswer>,
    /// Commits ahead of the upstream, as git says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpushed: Option<u32>,
    /// Whom to tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Actor>,
}

/// Closes a task without delivery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// Which.
    pub task: TaskId,
    /// Why.
    #[serde(default)]
    pub note: Note,
    /// Its open subtasks too.
    #[serde(default)]
    pub with_children: bool,
}

/// Opens a closed task again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reopen {
    /// Which.
    pub task: TaskId,
    /// Why.
    #[serde(default)]
    pub note: Note,
}

/// Holds a task back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// Which.
    pub task: TaskId,
    /// Why, and until when.
    #[serde(default)]
    pub note: Note,
}

/// Lifts a hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unhold {
    /// Which.
    pub task: TaskId,
    /// Why.
    #[serde(default)]
    pub note: Note,
}

/// Says whom a task is for; null clears it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assign {
    /// Which.
    pub task: TaskId,
    /// Whom, or nobody.
    #[serde(default)]
    pub to: Option<Actor>,
    /// Why.
    #[serde(default)]
    pub note: Note,
}

/// Says something in a task's thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// Which.
    pub task: TaskId,
    /// What.
    pub text: Note,
    /// Whom to tell, beside the `@actor`s in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Actor>,
    /// The entry this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<EventId>,
}

/// Asks what only a person settles; the task needs a person while it is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Which.
    pub task: TaskId,
    /// The question.
    pub text: Note,
    /// At most six answers to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<CriterionText>,
}

/// Answers a question: a text, a choice, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerQuestion {
    /// Which question.
    pub question: QuestionId,
    /// In words.
    #[serde(default)]
    pub text: Note,
    /// One of the choices, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
}

/// Tells actors something, about a task or the project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// 1 to 20 actors.
    pub to: Vec<Actor>,
    /// What.
    pub text: Note,
    /// About which task; the project when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The entry this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<EventId>,
}

/// Makes a task wait: for others, or for something outside the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Which waits.
    pub task: TaskId,
    /// For these tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<TaskId>,
    /// For this, outside the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Note>,
}

/// Takes an edge away, or resolves an outside blocker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unblock {
    /// Which waits.
    pub task: TaskId,
    /// No longer for this task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<TaskId>,
    /// This blocker is resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocker: Option<BlockerId>,
    /// Why.
    #[serde(default)]
    pub note: Note,
}

word_type!(
    /// What bound a commit to a task.
    BoundHow {
        /// A `Task:` trailer in its message.
        Trailer = "trailer",
        /// The branch it was made on.
        Branch = "branch",
        /// The agent client's hook saw it coming.
        Intent = "intent",
        /// Somebody said so.
        Manual = "manual",
    }
);

/// Binds a commit to a task: facts as git states them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bind {
    /// Which.
    pub task: TaskId,
    /// 40 or 64 hexadecimal digits.
    pub sha: String,
    /// First line of the message; cut to 200 characters.
    pub subject: String,
    /// What bound it.
    pub how: BoundHow,
    /// Path, lines added, lines deleted (null for a binary file).
    #[serde(default)]
    pub files: Vec<(String, Option<u32>, Option<u32>)>,
    /// Lines added in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u32>,
    /// Lines deleted in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<u32>,
    /// `Name <e-mail>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authored_at: Option<Moment>,
    /// When it was committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed_at: Option<Moment>,
    /// Its parents; two or more make it a merge, which is no evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// The branch it was made on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// `git patch-id --stable`: the same change under another sha counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
}

/// Says that a commit was replaced, or is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supersede {
    /// Which task it counted for.
    pub task: TaskId,
    /// The old sha.
    pub old: String,
    /// The new one, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// `amend`, `rebase` or `gone`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<SupersedeWhy>,
}

word_type!(
    /// Why a commit no longer counts.
    SupersedeWhy {
        /// `git commit --amend`.
        Amend = "amend",
        /// `git rebase`.
        Rebase = "rebase",
        /// No longer reachable.
        Gone = "gone",
    }
);

word_type!(
    /// A person's choice about a conflict.
    SettleChoice {
        /// The fact that found no effect is carried out now, with its guards.
        Keep = "keep",
        /// The present state stands.
        Dismiss = "dismiss",
    }
);

/// Settles a conflict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settle {
    /// The event that had no effect.
    pub event: EventId,
    /// Keep it or dismiss it.
    pub choice: SettleChoice,
    /// Why.
    #[serde(default)]
    pub note: Note,
}

/// Changes a setting of the project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configure {
    /// Which: `name`, `zone`, `review_default`, …
    pub key: String,
    /// The new value; null is the default again. Of `views`, `{name, query}` keeps one beside the others, and `{name}` forgets it.
    pub value: Value,
}

/// Notes that a report was written: what git has of it is a file, and this says who wrote which version of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteReport {
    /// What it was made of.
    pub stamp: ReportStamp,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Whether a narration was written, and not facts alone.
    #[serde(default)]
    pub narrated: bool,
}

/// Makes a project of a repository; the first event of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateProject {
    /// What people call it.
    pub name: Title,
    /// IANA time zone.
    pub zone: String,
}

/// Creates a milestone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is the milestone's own, documented at view::MilestoneView")]
pub struct MilestoneCreate {
    pub title: MilestoneTitle,
    #[serde(default)]
    pub goal: Goal,
    #[serde(default)]
    pub rules: Vec<CriterionText>,
    #[serde(default)]
    pub criteria: Vec<CriterionText>,
    #[serde(default)]
    pub reviews: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Moment>,
}

/// Changes fields of an open milestone; at least one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is the milestone's own, documented at view::MilestoneView")]
pub struct MilestoneEdit {
    pub milestone: MilestoneId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<MilestoneTitle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<CriterionText>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Vec<CriterionText>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<CriterionAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviews: Option<bool>,
    #[serde(default, deserialize_with = "clearable", skip_serializing_if = "Option::is_none")]
    pub due_at: Clearable<Moment>,
}

/// Closes or reopens a milestone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MilestoneMove {
    /// Which.
    pub milestone: MilestoneId,
    /// Why.
    #[serde(default)]
    pub note: Note,
}

word_type!(
    /// What becomes of the open tasks of a cancelled milestone.
    MilestoneTasks {
        /// Cancelled too.
        Cancel = "cancel",
        /// Left open, in no milestone.
        Detach = "detach",
    }
);

/// Cancels a milestone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MilestoneCancel {
    /// Which.
    pub milestone: MilestoneId,
    /// Why.
    #[serde(default)]
    pub note: Note,
    /// What becomes of its open tasks; required while there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<MilestoneTasks>,
}

macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident($arguments:ty) = $name:literal),+ $(,)?) => {
        /// Every write of the board.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Command { $($(#[$doc])* $variant($arguments)),+ }

        impl Command {
            /// Every command's name.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Its name on the wire.
            pub fn name(&self) -> &'static str {
                match self { $(Command::$variant(_) => $name),+ }
            }

            /// Its arguments as JSON.
            pub fn args(&self) -> Value {
                let written = match self { $(Command::$variant(arguments) => serde_json::to_value(arguments)),+ };
                written.unwrap_or(Value::Null)
            }

            /// Reads a command by name. Every fault is `bad_request` (or `too_large`) with its path.
            pub fn parse(name: &str, args: Value) -> Result<Command, Problem> {
                if name == "plan" {
                    return parse_plan(args).map(Command::Plan);
                }
                match name {
                    $($name => parse_args::<$arguments>(args).map(Command::$variant),)+
                    _ => Err(Problem::bad_request("command", format!("{name:?} is not a command")).hint(Hint::text(format!("commands: {}", Command::NAMES.join(", "))))),
                }
            }
        }
    };
}

commands! {
    /// Makes a project.
    CreateProject(CreateProject) = "create_project",
    /// Creates tasks.
    Plan(Plan) = "plan",
    /// Changes fields.
    Edit(Edit) = "edit",
    /// Takes a task.
    Claim(Claim) = "claim",
    /// Extends leases.
    Renew(Renew) = "renew",
    /// Gives back.
    Release(Release) = "release",
    /// Hands in.
    Submit(Submit) = "submit",
    /// Judges.
    Review(Review) = "review",
    /// Closes as done.
    Close(Close) = "close",
    /// Closes without delivery.
    Cancel(Cancel) = "cancel",
    /// Opens again.
    Reopen(Reopen) = "reopen",
    /// Holds back.
    Hold(Hold) = "hold",
    /// Lifts a hold.
    Unhold(Unhold) = "unhold",
    /// Says whom it is for.
    Assign(Assign) = "assign",
    /// Says something.
    Comment(Comment) = "comment",
    /// Asks a person.
    Question(Question) = "question",
    /// Answers.
    Answer(AnswerQuestion) = "answer",
    /// Tells actors.
    Message(Message) = "message",
    /// Makes wait.
    Block(Block) = "block",
    /// Lets go.
    Unblock(Unblock) = "unblock",
    /// Binds a commit.
    Bind(Bind) = "bind",
    /// Replaces a commit.
    Supersede(Supersede) = "supersede",
    /// Names its branch.
    Branch(Branch) = "branch",
    /// Gives tasks to workers.
    Dispatch(Dispatch) = "dispatch",
    /// Takes tasks back from agents that fell silent.
    Recover(Recover) = "recover",
    /// Settles a conflict.
    Settle(Settle) = "settle",
    /// Changes a setting.
    Configure(Configure) = "configure",
    /// Notes that a report was written.
    NoteReport(NoteReport) = "note_report",
    /// Creates a milestone.
    MilestoneCreate(MilestoneCreate) = "milestone_create",
    /// Edits a milestone.
    MilestoneEdit(MilestoneEdit) = "milestone_edit",
    /// Closes a milestone.
    MilestoneClose(MilestoneMove) = "milestone_close",
    /// Cancels a milestone.
    MilestoneCancel(MilestoneCancel) = "milestone_cancel",
    /// Reopens a milestone.
    MilestoneReopen(MilestoneMove) = "milestone_reopen",
}

/// Reads typed arguments; the fault carries its path and the legal names.
pub fn parse_args<T: DeserializeOwned>(args: Value) -> Result<T, Problem> {
    let args = if args.is_null() { Value::Object(Map::new()) } else { args };
    if !args.is_object() {
        // A list would be taken for the fields in the order they happen to have here.
        return Err(Problem::bad_request("", format!("an object with named fields is expected, not {}", kind_of(&args))));
    }
    serde_path_to_error::deserialize::<_, T>(args).map_err(|fault| {
        let path = fault.path().to_string();
        let path = if path == "." { String::new() } else { path };
        read_fault(path, fault.into_inner().to_string())
    })
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a list",
        Value::String(_) => "a text",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Null => "null",
    }
}

/// One fault as a problem: over a limit is `too_large`, everything else `bad_request`.
fn read_fault(path: String, text: String) -> Problem {
    let mut problem = Problem::bad_request(path, text.clone());
    if text.contains("the limit is") {
        problem.code = Code::TooLarge;
        problem.hint = Hint::text(text);
    }
    problem
}

/// Reads a plan entry by entry, so that one answer names the faults of up to 20 tasks.
fn parse_plan(args: Value) -> Result<Plan, Problem> {
    let listed = |entry: &Value| !entry.is_object();
    let in_order = args.get("tasks").and_then(Value::as_array).is_some_and(|entries| entries.iter().any(listed));
    let faulty = match parse_args::<Plan>(args.clone()) {
        Ok(plan) if !in_order => return Ok(plan),
        Ok(_) => Problem::bad_request("tasks", "each is an object with named fields"),
        Err(problem) => problem,
    };
    let Some(Value::Array(entries)) = args.get("tasks") else {
        return Err(faulty.hint(Hint::text(r#"tasks is a list: {"tasks": [{"title": "…", "after": [0]}]}"#)));
    };
    let mut errors = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        if let Err(problem) = parse_args::<PlanTask>(entry.clone()) {
            errors.extend(problem.errors.into_iter().map(|error| FieldError { path: join_path(&format!("tasks[{place}]"), &error.path), text: error.text }));
        }
        if errors.len() >= limits::PLAN_ERRORS_MAX {
            break;
        }
    }
    if errors.is_empty() {
        return Err(faulty);
    }
    let title = format!("{} of the plan's tasks can't be read", errors.len());
    Err(Problem { title, ..faulty }.errors(errors))
}

fn join_path(base: &str, rest: &str) -> String {
    match rest {
        "" => base.to_owned(),
        rest if rest.starts_with('[') => format!("{base}{rest}"),
        rest => format!("{base}.{rest}"),
    }
}

/// A command and what goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandRequest {
    /// What to do.
    pub command: Command,
    /// Makes a retry safe.
    pub key: Option<Key>,
    /// The task's `version` the caller read.
    pub expect: Option<i64>,
    /// The fencing token the caller was given.
    pub fence: Option<i64>,
}

impl CommandRequest {
    /// A request without key, version or fence.
    pub fn of(command: Command) -> CommandRequest {
        CommandRequest { command, key: None, expect: None, fence: None }
    }

    /// Reads `{command, args, key?, expect?, fence?}`.
    pub fn parse(raw: Value) -> Result<CommandRequest, Problem> {
        let wire: WireRequest = parse_args(raw)?;
        Ok(CommandRequest { command: Command::parse(&wire.command, wire.args)?, key: wire.key, expect: wire.expect, fence: wire.fence })
    }

    /// The form `parse` reads.
    pub fn to_value(&self) -> Value {
        let wire =
            WireRequest { command: self.command.name().to_owned(), args: self.command.args(), key: self.key.clone(), expect: self.expect, fence: self.fence };
        serde_json::to_value(wire).unwrap_or(Value::Null)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRequest {
    command: String,
    #[serde(default)]
    args: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Key>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expect: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fence: Option<i64>,
}

/// Something done beside the point, or to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What clients branch on: `no_spec`, `displaced`, `overlap`, `past_due`, `open_dependency`, …
    pub code: String,
    /// In words.
    pub text: String,
}

/// What a write gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Position in the log after it.
    pub seq: i64,
    /// What it was about: a task, milestone or `project`.
    pub subject: String,
    /// Where the task stands now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
    /// Ids of the events written; none when nothing changed.
    #[serde(default)]
    pub events: Vec<EventId>,
    /// What was done beside the point.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Whether this is the first receipt of a key seen before.
    #[serde(default)]
    pub repeated: bool,
    /// More, by command. `plan`: `{milestone?, tasks: [{index, id, title, priority, waits_for: [id]}], ready}`; `claim`: `{fence, until,
    /// how, branch, base}`; `close`, `cancel`: `{freed: [id]}`; `question`: `{question}`; `block` with a reason: `{blocker}`;
    /// `milestone_create`: `{milestone}`; `dispatch`: [`crate::fleet::Dispatched`]; `recover`: [`crate::fleet::Recovered`]; commands with
    /// mentions: `{told: [actor]}`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Whether a hold is a person's or an unapproved plan's, who holds it, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Person or plan.
    pub kind: HoldKind,
    /// Who.
    pub by: Actor,
    /// Why.
    #[serde(default)]
    pub note: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_commands_and_arguments_are_refused_with_the_legal_names() {
        let problem = Command::parse("frobnicate", json!({})).unwrap_err();
        assert_eq!(problem.code, Code::BadRequest);
        assert!(problem.hint.text.contains("claim"));
        let problem = Command::parse("claim", json!({"task": "tk-4f2a9c", "taks": 1})).unwrap_err();
        assert!(problem.title.contains("taks") && problem.title.contains("worktree"), "{problem:?}");
        let problem = CommandRequest::parse(json!({"command": "renew", "argz": {}})).unwrap_err();
        assert!(problem.title.contains("argz"), "{problem:?}");
    }

    #[test]
    fn fields_are_named_and_never_told_by_their_order() {
        for args in [json!(["tk-4f2a9c", "done", true]), json!([]), json!(5), json!("tk-4f2a9c"), json!(true)] {
            for problem in [CommandRequest::parse(args.clone()).unwrap_err(), Command::parse("close", args.clone()).unwrap_err()] {
                assert_eq!(problem.code, Code::BadRequest);
                assert!(problem.title.starts_with("an object with named fields is expected, not "), "{problem:?}");
            }
        }
        for tasks in [json!([["a title"]]), json!([{"title": "a"}, ["b"]]), json!([5])] {
            let problem = Command::parse("plan", json!({ "tasks": tasks })).unwrap_err();
            assert!(problem.errors[0].path.starts_with("tasks[") && !problem.errors[0].text.contains("struct"), "{problem:?}");
        }
    }

    #[test]
    fn priorities_are_never_coerced() {
        for bad in [json!(true), json!(1.0), json!("1"), json!(4), json!(-1), json!(null)] {
            let read = Command::parse("plan", json!({"tasks": [{"title": "a", "priority": bad}]}));
            match read {
                Ok(Command::Plan(plan)) => assert_eq!((bad.is_null(), plan.tasks[0].priority), (true, None)),
                Ok(other) => panic!("{other:?}"),
                Err(problem) => assert_eq!(problem.errors[0].path, "tasks[0].priority"),
            }
        }
    }

    #[test]
    fn a_faulty_plan_names_each_task() {
        let problem = Command::parse("plan", json!({"tasks": [{"title": ""}, {"title": "ok"}, {"title": "x", "after": [true]}, {"title": "y", "aftr": []}]}))
            .unwrap_err();
        let paths: Vec<&str> = problem.errors.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(paths, ["tasks[0].title", "tasks[2].after[0]", "tasks[3].aftr"]);
        assert!(Command::parse("plan", json!({"tasks": "[]"})).unwrap_err().hint.text.contains("tasks is a list"));
    }

    #[test]
    fn null_empties_and_absence_leaves() {
        let Command::Edit(edit) = Command::parse("edit", json!({"task": "tk-4f2a9c", "vertical": null})).unwrap() else { panic!() };
        assert_eq!((edit.vertical, edit.milestone), (Some(None), None));
    }

    #[test]
    fn every_command_survives_a_round_trip() {
        let request =
            CommandRequest::parse(json!({"command": "close", "args": {"task": "tk-4f2a9c", "note": "did it", "no_code": true}, "key": "k1", "fence": 3}))
                .unwrap();
        assert_eq!(CommandRequest::parse(request.to_value()).unwrap(), request);
    }
}
