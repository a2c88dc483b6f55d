//! What may be written in a workflow: one type for what is read, what is published as a JSON Schema, and what is run.
//!
//! Every key is optional to the reader, so that one left out hides no other fault; what must be there is `check`'s to say.

mod form;
mod gate;

pub use form::{Course, Form, Given, Length, Switch, WordOr, WordsOr};
pub use gate::{
    Approval, Approvers, Assurance, Binds, ChildOrder, Children, EventWanted, EvidenceWanted, FieldWanted, Gate, GateTimeout, Include, Never, NoteKind, Notes,
    OnReject, Opens, Sequence, Since, StopOn, TaskStatus, UntilField, WantedSha, WantedSource, WantedVerdict,
};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The version of the language.
pub const SCHEMA: u32 = 1;

/// A written process that carries one task.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "A workflow of Callboard")]
pub struct Document {
    /// Its name, as commands and files know it: lower case, digits and dashes.
    pub workflow: Option<String>,
    /// The version of the language: 1.
    pub schema: Option<u32>,
    /// Its name for people.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Which tasks it takes; a facet left out means any.
    pub applies_to: Vec<Rule>,
    /// Titles of tasks it is made for.
    pub examples: Vec<String>,
    /// Titles of tasks that look like it and are not.
    pub not_examples: Vec<String>,
    /// Breaks ties between workflows; the greater wins.
    pub priority: i64,
    /// Values the steps share, with their defaults.
    pub vars: BTreeMap<String, Value>,
    /// Labels of agents, with what each is for.
    pub agents: BTreeMap<String, String>,
    /// Rules for every step. Not carried out yet.
    pub policies: Vec<Value>,
    /// Data of a run by name.
    pub stores: BTreeMap<String, Store>,
    /// What a run is given: a JSON Schema.
    pub input: Option<Value>,
    /// What a run gives: a JSON Schema.
    pub output: Option<Value>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Steps that are carried out when a run is cancelled.
    pub on_cancel: Vec<Step>,
    /// What happens when a subtask opens again after a gate let the run pass.
    pub on_child_reopen: Option<OnChildReopen>,
    /// Bounds of a run.
    pub limits: Limits,
}

/// Which tasks a workflow takes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// The task's type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The part of the product.
    pub vertical: Option<String>,
    /// It has all of these labels.
    pub labels_all: Vec<String>,
    /// It has one of these labels.
    pub labels_any: Vec<String>,
    /// The milestone, by id or title.
    pub milestone: Option<String>,
    /// Where it came from.
    pub source: Option<String>,
    /// Whether it is taken when words do not decide between workflows of this rule's kind.
    #[serde(rename = "default")]
    pub is_default: bool,
    /// Whether only a person may carry such a task another way.
    pub required: bool,
}

/// What happens when a subtask opens again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnChildReopen {
    /// People are told.
    Notify,
    /// The run stops before it closes, sets or asks for approval.
    Hold,
    /// The work goes back, as after a no.
    Rewind,
}

/// Bounds of a run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Steps it may reach.
    pub transitions: u32,
    /// How long it may live.
    pub age: Length,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { transitions: 500, age: Length { seconds: 30 * 86_400 } }
    }
}

/// Data of a run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    /// One value, a list, or values by key.
    pub kind: StoreKind,
    /// What the values are: `text`, `number`, `bool` or `any`.
    pub of: Option<String>,
    /// What it is for.
    pub text: Option<String>,
    /// Steps that may read it; all when left out.
    pub read: Option<WordsOr<Never>>,
    /// Steps that may write it; all when left out.
    pub write: Option<WordsOr<Never>>,
    /// How long it is kept. Only `run` is carried out yet.
    pub keep: Option<String>,
    /// How many entries it may hold.
    pub max: Option<u32>,
}

/// The form of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// One value.
    #[default]
    Scalar,
    /// A list.
    List,
    /// Values by key.
    Dict,
}

/// A step: an id, exactly one of the keys that say what kind it is, and what is said about it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// Its name among the steps; no two are alike.
    pub id: Option<String>,
    /// Its name for people.
    pub name: Option<String>,

    /// Work: what is to be done, in words.
    pub instructions: Option<String>,
    /// Typed work of a library. Not carried out yet.
    pub op: Option<String>,
    /// A container: steps in order.
    pub steps: Option<Vec<Step>>,
    /// A decision: the first branch whose filter holds is taken.
    pub decision: Option<Vec<Branch>>,
    /// Lanes that are worked on at the same time.
    pub parallel: Option<Vec<Step>>,
    /// Steps that are done several times.
    #[serde(rename = "loop")]
    pub repeat: Option<Loop>,
    /// Another workflow on the same task: its name, or name@hash.
    pub invoke: Option<String>,
    /// Steps of a sequence, pasted in. Not carried out yet.
    #[serde(rename = "use")]
    pub include: Option<String>,
    /// A wait: for a time, until a time, for an event.
    pub wait: Option<Wait>,
    /// Fields of the task that are set.
    pub set: Option<Map<String, Value>>,
    /// Closes the task: `done`, `cancelled`, or `{status: done, no_code: why}`.
    pub close: Option<WordOr<Close>>,
    /// Ends the run here.
    pub end: Option<End>,

    /// What invoked work is given.
    #[serde(rename = "with")]
    pub given: Option<Value>,
    /// What is taken over from an invoked run.
    pub merge: Option<Merge>,
    /// How often a workflow may stand in its own chain of invocations.
    pub allow_recursion: Option<u32>,
    /// When lanes are done: `all`, `any`, `{quorum: n}` or `{required: [ids]}`.
    pub join: Option<WordOr<Join>>,
    /// What the other lanes do when one fails.
    pub on_lane_fail: Option<OnLaneFail>,
    /// What happens when lanes write a field differently.
    pub conflict: Option<LaneConflict>,
    /// How many lanes are open at once.
    pub max_parallel: Option<u32>,
    /// Text that is repeated with each step of a container.
    pub header: Option<String>,

    /// `human`: a person does it.
    pub by: Option<By>,
    /// Label of the agent it is for.
    pub agent: Option<String>,
    /// Where it is done. Not carried out yet.
    pub executor: Option<String>,
    /// Which provider. Not carried out yet.
    pub provider: Option<String>,
    /// Which model.
    pub model: Option<String>,
    /// How much thought.
    pub effort: Option<String>,
    /// What must hold before it is left.
    pub gate: Option<Gate>,
    /// What must hold before it is opened.
    pub entry_gate: Option<Gate>,
    /// Skipped unless this filter holds.
    pub when: Option<String>,
    /// How long it may be held.
    pub timeout: Option<Length>,
    /// `fail`, `ask` or `goto:<step>`.
    pub on_timeout: Option<Course>,
    /// Whether it is tried again.
    pub retry: Option<Retry>,
    /// `fail_run`, `continue`, `ask` or `goto:<step>`.
    pub on_fail: Option<Course>,
    /// What its report must look like: a JSON Schema.
    pub returns: Option<Value>,
    /// Fields of the task its holder may write.
    pub writes: Vec<Writable>,
    /// Names of evidence it is expected to add.
    pub evidence: Vec<String>,
    /// Whether it makes subtasks.
    pub creates_children: bool,
    /// A question to what earlier runs learned. Not carried out yet.
    pub recall: Option<String>,
    /// Who is told: `assignee`, `dev:<name>`.
    pub notify: Vec<String>,
    /// Where else it may be done. Not carried out yet.
    pub fallback: Vec<String>,
}

/// A branch of a decision.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Branch {
    /// Its name among the branches.
    pub id: Option<String>,
    /// A filter, or `default`.
    pub when: Option<String>,
    /// Its steps.
    pub steps: Option<Vec<Step>>,
    /// Another workflow on the same task.
    pub invoke: Option<String>,
    /// What the invoked work is given.
    #[serde(rename = "with")]
    pub given: Option<Value>,
    /// What is taken over from it.
    pub merge: Option<Merge>,
    /// What happens when the invoked work fails.
    pub on_fail: Option<Course>,
    /// The step the run goes on with; the one after the decision when left out.
    pub goto: Option<String>,
    /// How often a way back is gone.
    pub max: Option<u32>,
    /// Ends the run here.
    pub end: Option<End>,
}

/// Steps that are done several times; exactly one of `over`, `while`, `until`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Loop {
    /// Once for each of these: a list, or a reference to one.
    pub over: Option<Value>,
    /// As long as this filter holds, asked before each pass.
    #[serde(rename = "while")]
    pub go_on: Option<String>,
    /// Until this filter holds, asked after each pass.
    pub until: Option<String>,
    /// Most passes.
    pub max: Option<u32>,
    /// The steps of a pass.
    pub steps: Vec<Step>,
    /// Values taken from pass to pass.
    pub carry: BTreeMap<String, Value>,
    /// What happens when the passes run out.
    pub on_max: OnMax,
    /// How many passes run at once. Not carried out yet.
    pub concurrency: Option<u32>,
}

/// What happens when the passes of a loop run out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnMax {
    /// The step fails.
    #[default]
    Fail,
    /// The run goes on with what there is.
    Continue,
    /// A person decides.
    Ask,
}

/// A wait; exactly one of `for`, `until`, `event`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wait {
    /// So long.
    #[serde(rename = "for")]
    pub length: Option<Length>,
    /// Until then.
    pub until: Option<String>,
    /// For this event or signal.
    pub event: Option<String>,
}

/// How the task is closed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Close {
    /// `done` or `cancelled`.
    pub status: Option<String>,
    /// Why no commit belongs to it.
    pub no_code: Option<String>,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// Well.
    Completed,
    /// Given up.
    Cancelled,
    /// Badly.
    Failed,
}

impl End {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            End::Completed => "completed",
            End::Cancelled => "cancelled",
            End::Failed => "failed",
        }
    }
}

/// What is taken over from an invoked run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Merge {
    /// Values: mine from theirs.
    pub vars: BTreeMap<String, String>,
    /// Notes: `all`, `decisions` or `none`.
    pub notes: Option<MergeNotes>,
    /// Names of evidence that is taken over.
    pub evidence: Vec<String>,
}

/// Which notes are taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergeNotes {
    /// All.
    All,
    /// What was decided.
    Decisions,
    /// None.
    None,
}

/// When lanes are done.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Join {
    /// So many.
    pub quorum: Option<u32>,
    /// These.
    pub required: Option<Vec<String>>,
}

/// What the other lanes do when one fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnLaneFail {
    /// They finish, then the group fails.
    #[default]
    WaitAll,
    /// They are stopped.
    FailFast,
    /// The lane counts as closed while the rest can still be enough.
    Continue,
}

/// What happens when lanes write a field differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LaneConflict {
    /// A person picks.
    #[default]
    Fail,
    /// The lane written last wins.
    Order,
}

/// Who does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A person.
    Human,
    /// An agent.
    Agent,
}

/// A field a holder may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Writable {
    /// The files it touches.
    Files,
    /// Its labels.
    Labels,
    /// How large it is.
    Complexity,
}

impl Writable {
    /// The field's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Writable::Files => "files",
            Writable::Labels => "labels",
            Writable::Complexity => "complexity",
        }
    }
}

/// Whether a step is tried again.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// How often.
    pub max: u32,
    /// How long until then.
    pub backoff: Option<Length>,
    /// After which outcomes: `failed` when left out.
    pub of: Vec<String>,
}

/// The keys that say what kind a step is, in the order they are told.
pub const KINDS: [&str; 12] = ["instructions", "op", "steps", "decision", "parallel", "loop", "invoke", "use", "wait", "set", "close", "end"];

impl Step {
    /// Those of [`KINDS`] that stand in it.
    pub fn kinds(&self) -> Vec<&'static str> {
        let there = [
            self.instructions.is_some(),
            self.op.is_some(),
            self.steps.is_some(),
            self.decision.is_some(),
            self.parallel.is_some(),
            self.repeat.is_some(),
            self.invoke.is_some(),
            self.include.is_some(),
            self.wait.is_some(),
            self.set.is_some(),
            self.close.is_some(),
            self.end.is_some(),
        ];
        KINDS.into_iter().zip(there).filter_map(|(key, there)| there.then_some(key)).collect()
    }

    /// The name people read.
    pub fn label(&self) -> &str {
        self.name.as_deref().or(self.id.as_deref()).unwrap_or("a step without an id")
    }
}

impl Document {
    /// Its name, or nothing.
    pub fn slug(&self) -> &str {
        self.workflow.as_deref().unwrap_or_default()
    }
}

/// Whether a name may be used: lower case letters, digits and dashes, a letter or digit first.
pub fn is_slug(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=63).contains(&name.len()) && plain(name.as_bytes()[0]) && name.bytes().all(|byte| plain(byte) || byte == b'-')
}

/// The JSON Schema of what may be written.
pub fn schema() -> Value {
    schemars::generate::SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Document>().to_value()
}

/// A list of steps inside a step.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Which of the step's lists.
    pub part: Part<'a>,
    /// The steps.
    pub steps: &'a [Step],
}

/// Which list of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Of a container.
    Container,
    /// Of a branch, by its place and name.
    Branch(usize, &'a str),
    /// The lanes of a group.
    Lanes,
    /// Of a loop.
    Pass,
}

impl Part<'_> {
    /// Where it stands below the step, as a JSON pointer.
    pub fn pointer(self) -> String {
        match self {
            Part::Container => "/steps".to_owned(),
            Part::Branch(place, _) => format!("/decision/{place}/steps"),
            Part::Lanes => "/parallel".to_owned(),
            Part::Pass => "/loop/steps".to_owned(),
        }
    }

    /// Whether no way leads out of it or into it.
    pub fn is_shut(self) -> bool {
        matches!(self, Part::Lanes | Part::Pass)
    }
}

impl Step {
    /// The lists of steps inside it, in order.
    pub fn bodies(&self) -> Vec<Body<'_>> {
        let mut bodies = Vec::new();
        if let Some(steps) = &self.steps {
            bodies.push(Body { part: Part::Container, steps });
        }
        for (place, branch) in self.decision.iter().flatten().enumerate() {
            let steps = branch.steps.as_deref().unwrap_or_default();
            bodies.push(Body { part: Part::Branch(place, branch.id.as_deref().unwrap_or_default()), steps });
        }
        if let Some(steps) = &self.parallel {
            bodies.push(Body { part: Part::Lanes, steps });
        }
        if let Some(repeat) = &self.repeat {
            bodies.push(Body { part: Part::Pass, steps: &repeat.steps });
        }
        bodies
    }
}
