//! Events: the past-tense facts of the log, as the engine sees them, and the one table of their kinds.

use contracts::{Actor, EventId, Stamp, Writer};
use serde_json::{Map, Value};
use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)?) => {
        /// The kinds of event this version knows. No kind is ever used again with another meaning.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $variant,)+
            /// A kind of a newer version or of a part not built yet: stored, forwarded, shown as "unknown", never dropped.
            Other(String),
        }

        impl Kind {
            /// Every known kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant),+];

            /// The word in the log.
            pub fn as_str(&self) -> &str {
                match self { $(Kind::$variant => $word,)+ Kind::Other(word) => word }
            }

            /// Reads any word.
            pub fn of(word: &str) -> Kind {
                match word { $($word => Kind::$variant,)+ other => Kind::Other(other.to_owned()) }
            }
        }
    };
}

kinds! {
    /// The project exists.
    ProjectCreated = "project.created",
    /// A setting was replaced.
    ProjectConfigured = "project.configured",
    /// The task exists.
    TaskCreated = "task.created",
    /// One field was replaced.
    TaskEdited = "task.edited",
    /// Its branch was named; the first one wins.
    TaskBranched = "task.branched",
    /// It is for somebody, or for nobody.
    TaskAssigned = "task.assigned",
    /// Somebody took it.
    TaskClaimed = "task.claimed",
    /// The published expiry moved.
    TaskRenewed = "task.renewed",
    /// Given back.
    TaskReleased = "task.released",
    /// Handed in.
    TaskSubmitted = "task.submitted",
    /// Judged.
    TaskReviewed = "task.reviewed",
    /// Done.
    TaskClosed = "task.closed",
    /// Given up.
    TaskCancelled = "task.cancelled",
    /// Open again.
    TaskReopened = "task.reopened",
    /// Held back.
    TaskHeld = "task.held",
    /// No longer held back.
    TaskUnheld = "task.unheld",
    /// Waits for a task or for something outside.
    TaskBlocked = "task.blocked",
    /// No longer waits for it.
    TaskUnblocked = "task.unblocked",
    /// A question for a person.
    TaskAsked = "task.asked",
    /// Its answer.
    TaskAnswered = "task.answered",
    /// Somebody said something.
    TaskCommented = "task.commented",
    /// Somebody told somebody something.
    MessageSent = "message.sent",
    /// A commit is evidence.
    CommitBound = "commit.bound",
    /// A commit no longer is.
    CommitSuperseded = "commit.superseded",
    /// The milestone exists.
    MilestoneCreated = "milestone.created",
    /// One of its fields was replaced.
    MilestoneEdited = "milestone.edited",
    /// Reached.
    MilestoneClosed = "milestone.closed",
    /// Given up.
    MilestoneCancelled = "milestone.cancelled",
    /// Open again.
    MilestoneReopened = "milestone.reopened",
    /// A report was written.
    ReportWritten = "report.written",
    /// A person settled a conflict.
    ConflictSettled = "conflict.settled",
    /// A run began to carry its task.
    RunStarted = "run.started",
    /// A person holds a run back.
    RunPaused = "run.paused",
    /// No longer.
    RunResumed = "run.resumed",
    /// A run can't go on by itself.
    RunBlocked = "run.blocked",
    /// It can again.
    RunUnblocked = "run.unblocked",
    /// A run is over.
    RunEnded = "run.ended",
    /// A step was reached.
    StepActivated = "step.activated",
    /// A step may be taken.
    StepOpened = "step.opened",
    /// A step was passed over.
    StepSkipped = "step.skipped",
    /// Somebody took a step.
    StepClaimed = "step.claimed",
    /// A step was given back, or taken away.
    StepReleased = "step.released",
    /// A step was reported.
    StepSubmitted = "step.submitted",
    /// A report was not enough.
    StepRefused = "step.refused",
    /// A report came when another had the step.
    StepLate = "step.late",
    /// What a gate asks for is there.
    GateMet = "gate.met",
    /// A person opened a gate all the same.
    GateOverridden = "gate.overridden",
    /// A step is closed.
    StepFinished = "step.finished",
    /// Work is done again.
    StepSentBack = "step.sent_back",
    /// A branch was chosen.
    DecisionTaken = "decision.taken",
    /// A group of lanes is closed.
    LanesJoined = "lanes.joined",
    /// A loop goes on, or ends.
    LoopPassed = "loop.passed",
    /// A time came.
    TimerFired = "timer.fired",
    /// Something came from outside.
    SignalReceived = "signal.received",
    /// A person is asked for a yes.
    ApprovalRequested = "approval.requested",
    /// A person said yes.
    ApprovalGiven = "approval.given",
    /// A person said no.
    ApprovalRejected = "approval.rejected",
    /// Nobody is asked any more.
    ApprovalClosed = "approval.closed",
    /// Whoever has a step asks.
    StepAsked = "step.asked",
    /// The answer.
    StepAnswered = "step.answered",
    /// A note for whoever works next.
    NoteAdded = "note.added",
    /// What a note was about was dealt with.
    NoteResolved = "note.resolved",
    /// Evidence of a step.
    EvidenceAdded = "evidence.added",
    /// Data of a run changed.
    StoreChanged = "store.changed",
    /// An older board was read in.
    ImportApplied = "import.applied",
    /// A fact of an older board that has no counterpart.
    ImportOther = "import.other",
}

/// Every known kind: the one table.
pub fn kinds() -> &'static [Kind] {
    Kind::ALL
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An event as it stands in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// First 32 hexadecimal digits of the SHA-256 of the canonical JSON of everything else.
    pub id: EventId,
    /// Whose file it stands in.
    pub writer: Writer,
    /// Its place in that file, from 1.
    pub n: i64,
    /// The writer's event before it.
    pub prev: EventId,
    /// The log's clock.
    pub at: Stamp,
    /// Who says they acted.
    pub actor: Actor,
    /// Who was behind it.
    pub principal: String,
    /// What happened.
    pub kind: Kind,
    /// What it is about: a task, a milestone, or the word `project`.
    pub subject: String,
    /// Particulars, by the keys of the kind; unknown ones are kept.
    pub body: Map<String, Value>,
}

/// The total order of replay.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Order {
    /// The log's clock.
    pub at: Stamp,
    /// Then by writer,
    pub writer: Writer,
    /// then by place in its file,
    pub n: i64,
    /// then by id (two lines may claim one place in a forked file).
    pub id: EventId,
}

impl Event {
    /// Its place in the total order.
    pub fn order(&self) -> Order {
        Order { at: self.at, writer: self.writer.clone(), n: self.n, id: self.id.clone() }
    }

    /// A text of the body, empty when absent.
    pub fn text(&self, key: &str) -> &str {
        self.body.get(key).and_then(Value::as_str).unwrap_or("")
    }
}

/// The subject of events about the project itself.
pub const PROJECT: &str = "project";

/// An event to be: what `decide` wants written. Storage gives it `n`, `prev`, `at` and `id`.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What happened.
    pub kind: Kind,
    /// What it is about.
    pub subject: String,
    /// Particulars; a key at its default is left out.
    pub body: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back_as_itself() {
        for kind in Kind::ALL {
            assert_eq!(&Kind::of(kind.as_str()), kind);
        }
        assert_eq!(Kind::of("schedule.fired"), Kind::Other("schedule.fired".to_owned()));
    }
}
