//! Gates: what must hold before a step may be left, or entered.

use super::form::{Course, Length, Switch, WordOr, WordsOr};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A gate. All its predicates must hold; the last four keys say how a person is asked.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gate {
    /// Enough people said yes to the work as it is.
    pub requires_approval: Option<Switch<Approval>>,
    /// Every subtask is closed. Without subtasks it holds; `min_children` guards against none.
    pub wait_for_children: Option<Switch<Children>>,
    /// Every subtask is closed, and they are let go one after the other.
    pub sequential_children: Option<Switch<Sequence>>,
    /// The task's status or standing is one of these, now.
    pub task_status: Option<WordsOr<TaskStatus>>,
    /// Enough notes, long enough, written on this attempt.
    pub require_context: Option<Switch<Notes>>,
    /// These fields of the task have a value, or compare as said: `due_at`, `{field: priority, is: "<= 1"}`.
    pub require_fields: Option<Vec<WordOr<FieldWanted>>>,
    /// The newest evidence of each name on this attempt says this.
    pub require_evidence: Option<Vec<EvidenceWanted>>,
    /// So many subtasks at least.
    pub min_children: Option<u32>,
    /// These tasks are closed: their ids, or a filter.
    pub wait_for_tasks: Option<WordsOr<Never>>,
    /// Such an event or signal was recorded.
    pub wait_for_event: Option<EventWanted>,
    /// It is later than this: a time, `+2h` from the opening, or a field of the task.
    pub wait_until: Option<WordOr<UntilField>>,
    /// This filter holds.
    pub condition: Option<String>,
    /// What the person is asked; plain text.
    pub prompt: Option<String>,
    /// Who counts.
    pub approvers: Option<Approvers>,
    /// Where the work goes when a person says no; without it a no blocks the run.
    pub on_reject: Option<OnReject>,
    /// What happens when nobody answers.
    pub timeout: Option<GateTimeout>,
}

impl Gate {
    /// The predicates that stand in it, in the order they are told.
    pub fn predicates(&self) -> Vec<&'static str> {
        let on = |switch: bool, key: &'static str| switch.then_some(key);
        [
            on(self.wait_for_children.as_ref().is_some_and(|switch| switch.on().is_some()), "wait_for_children"),
            on(self.sequential_children.as_ref().is_some_and(|switch| switch.on().is_some()), "sequential_children"),
            on(self.task_status.is_some(), "task_status"),
            on(self.require_context.as_ref().is_some_and(|switch| switch.on().is_some()), "require_context"),
            on(self.require_fields.is_some(), "require_fields"),
            on(self.require_evidence.is_some(), "require_evidence"),
            on(self.min_children.is_some(), "min_children"),
            on(self.wait_for_tasks.is_some(), "wait_for_tasks"),
            on(self.wait_for_event.is_some(), "wait_for_event"),
            on(self.wait_until.is_some(), "wait_until"),
            on(self.condition.is_some(), "condition"),
            on(self.requires_approval.as_ref().is_some_and(|switch| switch.on().is_some()), "requires_approval"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// How an approval is asked for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Approval {
    /// When people are asked: once all else holds, or at once.
    pub opens: Opens,
    /// What a yes is bound to: the work as it is, or the attempt whatever becomes of it.
    pub binds: Binds,
    /// How sure it must be that a person said it.
    pub assurance: Option<Assurance>,
    /// Whether a single no decides while the step has not been left.
    pub veto: bool,
    /// Whether who said yes must still have the role when the step is left.
    pub recheck_role: bool,
}

/// When people are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Opens {
    /// Once all else holds.
    #[default]
    Ready,
    /// At once.
    Early,
}

/// What a yes is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Binds {
    /// The work as it is.
    #[default]
    Digest,
    /// The attempt.
    Attempt,
}

/// How sure it is that a person spoke, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Assurance {
    /// At a terminal.
    Terminal,
    /// In a signed-in page.
    Session,
    /// With a signature.
    Signed,
    /// With a touch.
    Presence,
}

/// Which subtasks are waited for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Children {
    /// Only those this filter matches.
    pub filter: Option<String>,
    /// What counts as closed: `done` and `cancelled` when left out.
    pub states: Option<Vec<String>>,
    /// Subtasks, sub-runs, or both.
    pub include: Include,
}

/// What `wait_for_children` waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Include {
    /// Subtasks.
    Tasks,
    /// Sub-runs.
    Runs,
    /// Both.
    #[default]
    Both,
}

/// How subtasks follow each other.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sequence {
    /// By what they are ordered.
    pub order: ChildOrder,
    /// Whether one that failed holds back the rest.
    pub stop_on: StopOn,
}

/// By what subtasks are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChildOrder {
    /// As the board shows them.
    #[default]
    Position,
    /// As they were made.
    Created,
    /// The most urgent first.
    Priority,
}

/// What ends the sequence early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StopOn {
    /// A subtask that was given up.
    Failed,
    /// Nothing.
    #[default]
    None,
}

/// Which words, and whose.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskStatus {
    /// One of these.
    #[serde(rename = "in")]
    pub is_in: Option<Vec<String>>,
    /// None of these.
    pub not_in: Option<Vec<String>>,
    /// `self`, `parent`, or a task's id.
    pub of: Option<String>,
}

/// Which notes are wanted.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Notes {
    /// Of which kinds; any when left out.
    pub kinds: Option<Vec<NoteKind>>,
    /// Shortest note that counts, characters that are not spaces.
    pub min_length: u32,
    /// How many.
    pub count: u32,
}

impl Default for Notes {
    fn default() -> Notes {
        Notes { kinds: None, min_length: 20, count: 1 }
    }
}

/// What a note is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum NoteKind {
    /// What was decided.
    Decision,
    /// What stands in the way.
    Blocker,
    /// What is good to know.
    #[default]
    Context,
}

/// A field and what it must be.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FieldWanted {
    /// The field.
    pub field: String,
    /// The rest of a comparison: `<= 1`, `in [S, M]`; that it has a value when left out.
    pub is: Option<String>,
}

/// Evidence that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceWanted {
    /// Its name.
    pub name: String,
    /// What it must say.
    pub verdict: WantedVerdict,
    /// Where it must come from.
    pub from: WantedSource,
    /// How old it may be.
    pub max_age: Option<Length>,
    /// Whether it must be about the newest commit.
    pub sha: WantedSha,
}

/// What evidence must say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WantedVerdict {
    /// It went well.
    #[default]
    Pass,
    /// It went wrong, as it should.
    Fail,
    /// Either.
    Any,
}

/// Where evidence must come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WantedSource {
    /// An agent's word.
    Agent,
    /// A machine that is not the agent's.
    Ci,
    /// A person's word.
    Person,
    /// Any of them.
    #[default]
    Any,
}

/// Which commit evidence must be about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WantedSha {
    /// The newest one bound to the task.
    Head,
    /// Any.
    #[default]
    Any,
}

/// A map that has no keys: the form is never right.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Never {}

/// An event that is waited for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EventWanted {
    /// A kind of event, or `signal:<name>`.
    pub name: String,
    /// Fields it must have, each with its value.
    #[serde(rename = "match")]
    pub matching: Option<Map<String, Value>>,
    /// From when on it counts.
    pub since: Since,
    /// How many.
    pub count: Option<u32>,
}

/// From when on an event counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Since {
    /// Since the step was reached.
    #[default]
    Activation,
    /// Since the run began.
    Run,
}

/// A field of the task, and how long before or after it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UntilField {
    /// The field: `due_at`.
    pub field: String,
    /// `-1d`, `+2h`; nothing when left out.
    pub offset: Option<String>,
}

/// Who may say yes.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Approvers {
    /// These people.
    pub people: Vec<String>,
    /// People of these roles.
    pub roles: Vec<String>,
    /// How many different ones.
    pub min: u32,
    /// Whether who answers for the work may say yes to it.
    #[serde(rename = "self")]
    pub own: Option<bool>,
    /// Whether no two may be of the same role.
    pub distinct_roles: bool,
}

impl Default for Approvers {
    fn default() -> Approvers {
        Approvers { people: Vec::new(), roles: Vec::new(), min: 1, own: None, distinct_roles: false }
    }
}

/// Where a no leads.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OnReject {
    /// The step that is done again.
    pub goto: Option<String>,
    /// How often.
    pub max: u32,
    /// Whether a no needs a reason.
    pub reason_required: bool,
    /// Fields of the task that are set anew.
    pub set: Map<String, Value>,
}

impl Default for OnReject {
    fn default() -> OnReject {
        OnReject { goto: None, max: 3, reason_required: true, set: Map::new() }
    }
}

/// What happens when nobody answers. There is no way to say that silence approves.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GateTimeout {
    /// How long after the question.
    pub after: Option<Length>,
    /// `escalate`, `reject`, `fail` or `goto:<step>`.
    pub then: Option<Course>,
}
