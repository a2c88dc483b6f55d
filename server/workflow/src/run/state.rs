//! The state of a run: the fold of its events and nothing else. No clock, no lease row, no task: what depends on those is asked for when it
//! is needed. It is plain data, written in one way, so that two replays can be compared byte for byte.

use crate::document::NoteKind;
use contracts::{Actor, Moment};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Well.
    Completed,
    /// Badly.
    Failed,
    /// Given up.
    Cancelled,
}

/// How an instance, or the work on it, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepOutcome {
    /// Well.
    Done,
    /// Badly.
    Failed,
    /// It can't be done.
    Cannot,
    /// Somebody else's work must be done again first.
    Back,
    /// Given up with the run, or no longer wanted.
    Cancelled,
    /// Done again.
    Superseded,
}

/// How a request for approval ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Enough said yes.
    Met,
    /// Somebody said no.
    Rejected,
    /// The work changed.
    Stale,
    /// Nobody answered in time.
    Expired,
    /// The step is done again.
    Superseded,
    /// The run was given up.
    Cancelled,
}

/// Why a run can't go on by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// `no_branch`, `back_max`, `rejected`, `cannot`, `lane_failed`, `write_conflict`, `lapsed_3x`, `transitions`, `gate_config`.
    pub reason: String,
    /// Where.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Lease and fence of an instance in one: `st-7c19e24b.3`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HandleId(pub String);

impl HandleId {
    /// The handle's instance and its token, if it has the form of one.
    pub fn parts(&self) -> Option<(&str, u64)> {
        let (instance, fence) = self.0.strip_prefix("st-")?.split_once('.')?;
        let hex = instance.len() == 8 && instance.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex.then(|| fence.parse().ok()).flatten().map(|fence| (instance, fence))
    }
}

/// An instance's name: its path, and which attempt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// `build/repair`, `sweep[3]/repair`.
    pub path: String,
    /// From 1; 0 for the run itself, as the parent of its outermost steps.
    pub attempt: u32,
}

impl Key {
    /// A key.
    pub fn of(path: impl Into<String>, attempt: u32) -> Key {
        Key { path: path.into(), attempt }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}", self.path, self.attempt)
    }
}

// Keys of maps in JSON are texts.
impl Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        let (path, attempt) = raw.rsplit_once('#').ok_or_else(|| serde::de::Error::custom("path#attempt is wanted"))?;
        Ok(Key::of(path, attempt.parse().map_err(serde::de::Error::custom)?))
    }
}

/// What state an instance is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstanceState {
    /// Its entry gate is not met.
    Held,
    /// The engine's: what stands inside it is under way, or it waits.
    Within,
    /// Nobody has it.
    Open,
    /// Somebody has it.
    Taken,
    /// Its holder asked, and waits for the answer.
    Asking,
    /// The work is in; its gate is not met.
    Gated,
    /// Closed well.
    Done,
    /// Closed badly.
    Failed,
    /// Closed without work.
    Skipped,
    /// Closed with the run, or no longer wanted.
    Cancelled,
    /// Done again.
    Superseded,
}

impl InstanceState {
    /// Whether nothing more happens to it.
    pub fn is_closed(self) -> bool {
        !matches!(self, InstanceState::Held | InstanceState::Within | InstanceState::Open | InstanceState::Taken | InstanceState::Asking | InstanceState::Gated)
    }
}

/// Who has an instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// The handle.
    pub handle: HandleId,
    /// Who says they act.
    pub actor: Actor,
    /// Who answers for it.
    pub principal: String,
    /// Until when, as it was promised. A handle that lapsed still counts while nobody else took the step.
    pub expires: Moment,
}

/// What was reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// With which handle.
    pub handle: HandleId,
    /// How the work ended.
    pub outcome: StepOutcome,
    /// What came of it.
    pub output: Value,
    /// Fields of the task it writes.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub writes: Map<String, Value>,
    /// Who answers for it.
    pub principal: String,
    /// When.
    pub at: Moment,
}

/// A step as it was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// What it stands in: the run, a container, a branch, a pass.
    pub parent: Key,
    /// Where it is.
    pub state: InstanceState,
    /// What a pass is about.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub item: Value,
    /// The how manieth it is of those that were reached.
    pub order: u32,
    /// When it was reached.
    pub activated_at: Moment,
    /// When it could be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<Moment>,
    /// When it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Moment>,
    /// Who has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Holder>,
    /// The greatest token handed out.
    pub fence: u64,
    /// Tokens that lapsed without a report.
    pub lapses: u32,
    /// What came of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Reported>,
    /// What it hands on.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Whether its gate was met, or opened by a person.
    pub passed: bool,
    /// Whether its lanes were joined.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub joined: bool,
    /// Whether a person opened it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overridden: bool,
    /// Whether its failure is passed over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// Why it is done again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The branch that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Taken>,
    /// Passes of a loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<Passes>,
    /// Reports that were refused, by what was missing.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub refusals: BTreeSet<String>,
}

/// A branch that was chosen, and what was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// Its name.
    pub branch: String,
    /// What was read.
    pub inputs: BTreeMap<String, Value>,
    /// What each branch's filter said; none is unknown.
    pub results: BTreeMap<String, Option<bool>>,
    /// `engine` or `person`.
    pub by: String,
}

/// Passes of a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Passes {
    /// The pass that is under way, from 1.
    pub index: u32,
    /// Whether there is none any more.
    pub over: bool,
    /// What it goes over, read once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<Value>,
    /// What came of the passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Value>,
}

/// A note for whoever works next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoteRow {
    /// Its id.
    pub note: String,
    /// On which instance.
    pub on: Key,
    /// What it is.
    pub kind: NoteKind,
    /// What it says.
    pub text: String,
    /// Who wrote it.
    pub actor: Actor,
    /// Whether what it is about was dealt with.
    pub resolved: bool,
}

/// Evidence of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRow {
    /// Its id.
    pub evidence: String,
    /// On which instance.
    pub on: Key,
    /// Its name.
    pub name: String,
    /// Whether it went well.
    pub pass: bool,
    /// `agent`, `ci` or `person`.
    pub source: String,
    /// The commit it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// When it came.
    pub at: Moment,
}

/// A request for approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Which instance.
    pub on: Key,
    /// What was shown.
    pub digest: String,
    /// The question.
    pub prompt: String,
    /// How many must say yes.
    pub min: u32,
    /// When it was asked.
    pub at: Moment,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Moment>,
    /// Who said what, one verdict a principal.
    pub verdicts: BTreeMap<String, Said>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Verdict>,
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// Yes or no.
    pub yes: bool,
    /// Who says they are.
    pub actor: Actor,
    /// How sure it is that a person said it.
    pub assurance: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// When.
    pub at: Moment,
}

/// A question of a holder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Which instance.
    pub on: Key,
    /// `question` or `need`.
    pub kind: String,
    /// What is asked.
    pub text: String,
    /// What may be chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// Data of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoreValue {
    /// What is in it.
    pub value: Value,
    /// How often it changed.
    pub rev: u64,
}

/// Something from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Map<String, Value>,
    /// When it came.
    pub at: Moment,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// `rn-4f2a9c`.
    pub id: String,
    /// The workflow.
    pub workflow: String,
    /// Its version.
    pub hash: String,
    /// What it was given.
    pub input: Value,
    /// Values the steps share.
    pub vars: Map<String, Value>,
    /// By what it began.
    pub origin: String,
    /// Who began it.
    pub started_by: Actor,
    /// When.
    pub started_at: Moment,
    /// When it last changed.
    pub changed_at: Moment,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why it ended so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// A person's reason to hold it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// Why it can't go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<Blocked>,
    /// Steps reached.
    pub transitions: u32,
    /// Every instance.
    pub instances: BTreeMap<Key, Instance>,
    /// How often each way back was gone: `prove>build`.
    pub backs: BTreeMap<String, u32>,
    /// In order.
    pub notes: Vec<NoteRow>,
    /// In order.
    pub evidence: Vec<EvidenceRow>,
    /// By id.
    pub requests: BTreeMap<String, Request>,
    /// By id.
    pub asks: BTreeMap<String, Ask>,
    /// By name.
    pub stores: BTreeMap<String, StoreValue>,
    /// In order.
    pub signals: Vec<Signal>,
}

/// Where a run stands, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It ended.
    Ended,
    /// A person is needed.
    NeedsYou,
    /// Somebody works on it.
    Working,
    /// A person holds it back.
    Held,
    /// A step is open whose last holder fell silent.
    Stalled,
    /// A step is open.
    Ready,
    /// Only machines are waited for.
    Waiting,
}

impl Run {
    /// The newest attempt at a path.
    pub fn newest(&self, path: &str) -> Option<(&Key, &Instance)> {
        self.instances.range(Key::of(path, 0)..=Key::of(path, u32::MAX)).next_back()
    }

    /// The newest attempt at a path below this parent.
    pub fn below(&self, path: &str, parent: &Key) -> Option<(&Key, &Instance)> {
        self.newest(path).filter(|(_, instance)| instance.parent == *parent)
    }

    /// The instance whose newest handle this is, and any instance it once was a handle of.
    pub fn of_handle(&self, handle: &HandleId) -> Option<(&Key, &Instance)> {
        let (name, _) = handle.parts()?;
        self.instances.iter().find(|(key, _)| instance_name(&self.id, key) == name)
    }

    /// The newest instances of a step by its id, wherever it stands, the latest reached last.
    pub fn of_step(&self, id: &str) -> Option<(&Key, &Instance)> {
        let ends = |path: &str| path == id || path.strip_suffix(id).is_some_and(|rest| rest.ends_with('/'));
        self.instances.iter().filter(|(key, _)| ends(&key.path)).max_by_key(|(_, instance)| instance.order)
    }

    /// The open request of an instance.
    pub fn open_request(&self, on: &Key) -> Option<(&String, &Request)> {
        self.requests.iter().find(|(_, request)| request.on == *on && request.closed.is_none())
    }

    /// Where it stands.
    pub fn standing(&self, now: Moment) -> Standing {
        let open = |instance: &&Instance| instance.state == InstanceState::Open;
        if self.outcome.is_some() {
            Standing::Ended
        } else if self.blocked.is_some() || self.requests.values().any(|request| request.closed.is_none()) || self.asks.values().any(|ask| ask.answer.is_none())
        {
            Standing::NeedsYou
        } else if self
            .instances
            .values()
            .any(|instance| instance.state == InstanceState::Taken && instance.holder.as_ref().is_some_and(|holder| holder.expires >= now))
        {
            Standing::Working
        } else if self.paused.is_some() {
            Standing::Held
        } else if self.instances.values().any(|instance| instance.state == InstanceState::Taken || (open(&instance) && instance.lapses > 0)) {
            Standing::Stalled
        } else if self.instances.values().any(|instance| open(&instance)) {
            Standing::Ready
        } else {
            Standing::Waiting
        }
    }
}

/// Eight digits that name an instance, the same in every clone.
pub fn instance_name(run: &str, key: &Key) -> String {
    digits(&[run, key.path.as_str(), key.attempt.to_string().as_str()], 8)
}

/// The first digits of the hash over a cause.
pub fn digits(cause: &[&str], many: usize) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for part in cause {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().flat_map(|byte| format!("{byte:02x}").chars().collect::<Vec<_>>()).take(many).collect()
}
