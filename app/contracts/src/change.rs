//! What a live page hears: [`Frame`]s on a socket, each batch the changes of one command.

use crate::id::{Actor, EventId};
use crate::moment::Moment;
use crate::report::NarrationNews;
use crate::view::{ActorRow, ConflictRow, Counts, Entry, MilestoneView, ProjectView, TaskCard};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One thing that is now as it says. Each is whole, so applying one twice is harmless; an unknown kind is skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a change lives as text; it is parsed once and taken apart")]
pub enum Change {
    /// A card.
    Task {
        /// As it is now.
        card: TaskCard,
    },
    /// A milestone.
    Milestone {
        /// As it is now.
        milestone: MilestoneView,
    },
    /// Something happened: a line of the activity and, for its subject, of the thread.
    Event {
        /// The line.
        entry: Entry,
        /// In whose inboxes it lies, and why, as in [`crate::view::InboxItem`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        told: Vec<(Actor, String)>,
    },
    /// The project and its settings.
    Project {
        /// As it is now.
        project: ProjectView,
        /// Settings shown to clients, as in [`crate::view::Snapshot`].
        settings: BTreeMap<String, Value>,
    },
    /// Who is there.
    Actors {
        /// All of them.
        actors: Vec<ActorRow>,
    },
    /// A conflict, open or settled.
    Conflict {
        /// As it is now.
        row: ConflictRow,
    },
    /// How many tasks stand where.
    Counts {
        /// All counts.
        counts: Counts,
    },
    /// Somebody has been handed an entry.
    Delivery {
        /// Which entry.
        event: EventId,
        /// To whom.
        actor: Actor,
        /// When.
        at: Moment,
    },
    /// A kind of a newer version.
    #[serde(other)]
    Unknown,
}

fn is_zero(position: &i64) -> bool {
    *position == 0
}

/// The changes of one command, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Position in the log after it; strictly grows, except for live batches, which repeat it.
    pub seq: i64,
    /// Position of the log its changes were read at, when that is beyond `seq`: they say how things are there. Else 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub read: i64,
    /// Leases, presence, deliveries, standings that flipped by time alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
    /// In order.
    pub changes: Vec<Change>,
}

impl Batch {
    /// Changes that were read at a position of the log.
    pub fn read_at(position: i64, changes: Vec<Change>) -> Batch {
        Batch { seq: position, changes, ..Batch::default() }
    }

    /// The same, told as what comes after another position, which is no later.
    pub fn told_after(self, seq: i64) -> Batch {
        let read = self.read.max(self.seq);
        Batch { seq, read: if read > seq { read } else { 0 }, ..self }
    }

    /// The same, as what needs no event.
    pub fn live(self) -> Batch {
        Batch { live: true, ..self }
    }
}

/// One message to a live page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum Frame {
    /// The first one.
    Hello {
        /// Position what follows starts after.
        seq: i64,
        /// The database's.
        epoch: String,
        /// Build of the server.
        version: String,
        /// The server's clock.
        now: Moment,
        /// False: take a snapshot first.
        resumed: bool,
    },
    /// One command's changes.
    Batch(Batch),
    /// This socket fell behind and gets nothing more: reopen with the last seq.
    Lagged {
        /// Last position sent.
        seq: i64,
    },
    /// Every 15 seconds.
    Beat {
        /// Position of the log.
        seq: i64,
        /// The server's clock.
        now: Moment,
    },
    /// What is narrated about a report, to whoever said that they watch it.
    Narration(NarrationNews),
    /// A frame of a newer version.
    #[serde(other)]
    Unknown,
}

/// What a live page says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum Saying {
    /// That it shows this report, and wants to hear what is narrated about it; of none any more when there is no name.
    Watch {
        /// The report's name.
        report: Option<String>,
    },
    /// What a newer page says.
    #[serde(other)]
    Unknown,
}
