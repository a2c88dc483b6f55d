//! What happens to a run, as it stands in the log.

use super::state::{Blocked, HandleId, InstanceState, Key, Outcome, StepOutcome, Verdict};
use crate::document::{End, NoteKind};
use contracts::Moment;
use engine::{Draft, Kind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// An event of a run. Each of an instance has its path and attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body")]
#[allow(missing_docs, reason = "the keys of the event, which are the log's words")]
pub enum RunEvent {
    /// The run lives.
    #[serde(rename = "run.started")]
    Started { run: String, workflow: String, hash: String, input: Value, vars: Map<String, Value>, origin: String },
    /// A person holds it back.
    #[serde(rename = "run.paused")]
    Paused { run: String, reason: String },
    /// No longer.
    #[serde(rename = "run.resumed")]
    Resumed { run: String, reason: String },
    /// It can't go on by itself.
    #[serde(rename = "run.blocked")]
    Blocked { run: String, blocked: Blocked },
    /// It can again.
    #[serde(rename = "run.unblocked")]
    Unblocked {
        run: String,
        how: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        choice: Option<String>,
    },
    /// It is over.
    #[serde(rename = "run.ended")]
    Ended {
        run: String,
        outcome: Outcome,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// An instance exists.
    #[serde(rename = "step.activated")]
    Activated {
        run: String,
        path: String,
        attempt: u32,
        parent: String,
        parent_attempt: u32,
        state: InstanceState,
        #[serde(default, skip_serializing_if = "Value::is_null")]
        item: Value,
    },
    /// Its entry gate let it open.
    #[serde(rename = "step.opened")]
    Opened { run: String, path: String, attempt: u32, state: InstanceState, keys: BTreeMap<String, Value> },
    /// It is closed without work.
    #[serde(rename = "step.skipped")]
    Skipped { run: String, path: String, attempt: u32, why: String },
    /// Somebody took it.
    #[serde(rename = "step.claimed")]
    Claimed {
        run: String,
        path: String,
        attempt: u32,
        handle: HandleId,
        fence: u64,
        expires: Moment,
        mode: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        took_over: Option<HandleId>,
    },
    /// Its handle is dead.
    #[serde(rename = "step.released")]
    Released { run: String, path: String, attempt: u32, handle: HandleId, why: String },
    /// Work is in.
    #[serde(rename = "step.submitted")]
    Submitted { run: String, path: String, attempt: u32, handle: HandleId, outcome: StepOutcome, output: Value, writes: Map<String, Value> },
    /// A report was refused.
    #[serde(rename = "step.refused")]
    Refused { run: String, path: String, attempt: u32, handle: HandleId, unmet: Vec<String> },
    /// A report came when another had the step.
    #[serde(rename = "step.late")]
    Late { run: String, path: String, attempt: u32, handle: HandleId, output: Value },
    /// The gate was met.
    #[serde(rename = "gate.met")]
    GateMet { run: String, path: String, attempt: u32, which: String, keys: BTreeMap<String, Value>, vacuous: Vec<String>, approvals: Vec<String> },
    /// A person opened it all the same.
    #[serde(rename = "gate.overridden")]
    GateOverridden { run: String, path: String, attempt: u32, keys: Vec<String>, reason: String },
    /// The instance is closed.
    #[serde(rename = "step.finished")]
    Finished {
        run: String,
        path: String,
        attempt: u32,
        outcome: StepOutcome,
        #[serde(default, skip_serializing_if = "Value::is_null")]
        output: Value,
        /// Whether a failure is passed over.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        continued: bool,
    },
    /// Work is done again.
    #[serde(rename = "step.sent_back")]
    SentBack { run: String, path: String, attempt: u32, to: String, reason: String, count: u32, undone: Vec<Key> },
    /// A branch was chosen.
    #[serde(rename = "decision.taken")]
    DecisionTaken {
        run: String,
        path: String,
        attempt: u32,
        branch: String,
        inputs: BTreeMap<String, Value>,
        results: BTreeMap<String, Option<bool>>,
        by: String,
    },
    /// A group of lanes is closed.
    #[serde(rename = "lanes.joined")]
    LanesJoined { run: String, path: String, attempt: u32, rule: String, lanes: BTreeMap<String, String>, writes: Map<String, Value> },
    /// A pass of a loop is over, or its first was asked for.
    #[serde(rename = "loop.passed")]
    LoopPassed { run: String, path: String, attempt: u32, index: u32, go_on: bool, list: Vec<Value> },
    /// A time came.
    #[serde(rename = "timer.fired")]
    TimerFired { run: String, path: String, attempt: u32, key: String, due: Moment },
    /// Something from outside.
    #[serde(rename = "signal.received")]
    Signal { run: String, name: String, source: String, fields: Map<String, Value> },
    /// A person is asked.
    #[serde(rename = "approval.requested")]
    ApprovalRequested {
        run: String,
        path: String,
        attempt: u32,
        request: String,
        digest: String,
        prompt: String,
        min: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires: Option<Moment>,
    },
    /// A person said yes.
    #[serde(rename = "approval.given")]
    ApprovalGiven { run: String, request: String, digest: String, assurance: String, comment: String },
    /// A person said no.
    #[serde(rename = "approval.rejected")]
    ApprovalRejected { run: String, request: String, digest: String, assurance: String, comment: String },
    /// No more verdicts.
    #[serde(rename = "approval.closed")]
    ApprovalClosed { run: String, request: String, how: Verdict },
    /// The holder asks.
    #[serde(rename = "step.asked")]
    Asked { run: String, path: String, attempt: u32, ask: String, handle: HandleId, ask_kind: String, text: String, choices: Vec<String> },
    /// It was answered.
    #[serde(rename = "step.answered")]
    Answered { run: String, ask: String, text: String },
    /// A note for whoever works next.
    #[serde(rename = "note.added")]
    NoteAdded { run: String, path: String, attempt: u32, note: String, note_kind: NoteKind, text: String },
    /// What stood in the way no longer does.
    #[serde(rename = "note.resolved")]
    NoteResolved { run: String, note: String },
    /// Evidence of a step.
    #[serde(rename = "evidence.added")]
    EvidenceAdded {
        run: String,
        path: String,
        attempt: u32,
        evidence: String,
        name: String,
        pass: bool,
        source: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sha: Option<String>,
    },
    /// Data of the run changed.
    #[serde(rename = "store.changed")]
    StoreChanged { run: String, store: String, value: Value, rev: u64 },
}

impl RunEvent {
    /// The event as it is written: its kind, its task, its body.
    ///
    /// # Errors
    /// A body that can't be written as JSON, in words.
    pub fn draft(&self, task: &str) -> Result<Draft, String> {
        let Value::Object(mut whole) = serde_json::to_value(self).map_err(|fault| fault.to_string())? else { return Err("an event is a map".to_owned()) };
        let kind = whole.get("kind").and_then(Value::as_str).map(Kind::of).ok_or("an event has a kind")?;
        let Some(Value::Object(body)) = whole.remove("body") else { return Err("an event has a body".to_owned()) };
        Ok(Draft { kind, subject: task.to_owned(), body })
    }

    /// Reads an event of the log; `None` for one that is not a run's, or that a newer version wrote.
    pub fn read(kind: &Kind, body: &Map<String, Value>) -> Option<RunEvent> {
        serde_json::from_value(serde_json::json!({"kind": kind.as_str(), "body": body})).ok()
    }

    /// Whether only a person may write it.
    pub fn is_a_persons(&self) -> bool {
        matches!(self, RunEvent::GateOverridden { .. } | RunEvent::ApprovalGiven { .. } | RunEvent::ApprovalRejected { .. })
            || matches!(self, RunEvent::Unblocked { how, .. } if how == "pick")
    }
}

impl From<End> for Outcome {
    fn from(end: End) -> Outcome {
        match end {
            End::Completed => Outcome::Completed,
            End::Cancelled => Outcome::Cancelled,
            End::Failed => Outcome::Failed,
        }
    }
}

impl RunEvent {
    /// The instance it is about.
    pub fn key(&self) -> Option<Key> {
        match self {
            RunEvent::Activated { path, attempt, .. }
            | RunEvent::Opened { path, attempt, .. }
            | RunEvent::Skipped { path, attempt, .. }
            | RunEvent::Claimed { path, attempt, .. }
            | RunEvent::Released { path, attempt, .. }
            | RunEvent::Submitted { path, attempt, .. }
            | RunEvent::Refused { path, attempt, .. }
            | RunEvent::Late { path, attempt, .. }
            | RunEvent::GateMet { path, attempt, .. }
            | RunEvent::GateOverridden { path, attempt, .. }
            | RunEvent::Finished { path, attempt, .. }
            | RunEvent::SentBack { path, attempt, .. }
            | RunEvent::DecisionTaken { path, attempt, .. }
            | RunEvent::LanesJoined { path, attempt, .. }
            | RunEvent::LoopPassed { path, attempt, .. }
            | RunEvent::TimerFired { path, attempt, .. }
            | RunEvent::ApprovalRequested { path, attempt, .. }
            | RunEvent::Asked { path, attempt, .. }
            | RunEvent::NoteAdded { path, attempt, .. }
            | RunEvent::EvidenceAdded { path, attempt, .. } => Some(Key::of(path.clone(), *attempt)),
            _ => None,
        }
    }
}
