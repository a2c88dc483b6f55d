//! What is stored about a task's end ([`Status`]), what is derived on read ([`Standing`]), and where its card lies ([`Column`]).

use serde::{Deserialize, Serialize};

macro_rules! word_type {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word on the wire and in the database.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// Reads the word; the error lists the legal ones.
            pub fn parse(raw: &str) -> Result<Self, String> {
                match raw {
                    $($word => Ok($name::$variant),)+
                    _ => Err(format!("{raw:?} is not one of {}", [$($word),+].join(", "))),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use word_type;

word_type!(
    /// What is stored.
    Status {
        /// Work is possible or under way.
        Open = "open",
        /// Closed with evidence.
        Done = "done",
        /// Closed without delivery.
        Cancelled = "cancelled",
    }
);

word_type!(
    /// Where a task stands; derived on read, the first that matches.
    Standing {
        /// Closed with evidence.
        Done = "done",
        /// Closed without delivery.
        Cancelled = "cancelled",
        /// A person is needed: an approval, a question, an open conflict.
        NeedsYou = "needs_you",
        /// Submitted and not yet judged.
        InReview = "in_review",
        /// A live or late lease.
        Working = "working",
        /// Its run waits for a machine.
        Waiting = "waiting",
        /// An open dependency or an unresolved blocker.
        Blocked = "blocked",
        /// A person's hold, or a planned task not yet approved.
        Held = "held",
        /// The last verdict was "changes".
        Changes = "changes",
        /// A claim lapsed without release.
        Stalled = "stalled",
        /// An assignee, not started.
        Assigned = "assigned",
        /// Anything else.
        Ready = "ready",
    }
);

word_type!(
    /// The board's five columns.
    Column {
        /// Blocked or held.
        Backlog = "backlog",
        /// Free to be taken.
        Ready = "ready",
        /// Somebody or something is at it.
        Working = "working",
        /// A person is needed.
        NeedsYou = "needs_you",
        /// Closed.
        Done = "done",
    }
);

impl Standing {
    /// The column of this standing.
    pub fn column(self) -> Column {
        match self {
            Standing::Done | Standing::Cancelled => Column::Done,
            Standing::NeedsYou | Standing::InReview => Column::NeedsYou,
            Standing::Working | Standing::Waiting => Column::Working,
            Standing::Blocked | Standing::Held => Column::Backlog,
            Standing::Changes | Standing::Stalled | Standing::Assigned | Standing::Ready => Column::Ready,
        }
    }

    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Standing::NeedsYou => "needs you",
            Standing::InReview => "in review",
            Standing::Changes => "changes wanted",
            other => other.as_str(),
        }
    }
}

impl Column {
    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Column::Backlog => "Backlog",
            Column::Ready => "Ready",
            Column::Working => "Working",
            Column::NeedsYou => "Needs you",
            Column::Done => "Done",
        }
    }
}

word_type!(
    /// How large a task is thought to be.
    Complexity {
        /// Minutes.
        ExtraSmall = "XS",
        /// An hour.
        Small = "S",
        /// Half a day.
        Medium = "M",
        /// A day.
        Large = "L",
        /// More than a day.
        ExtraLarge = "XL",
    }
);

word_type!(
    /// A reviewer's judgement.
    Verdict {
        /// Good.
        Pass = "pass",
        /// To be changed.
        Changes = "changes",
    }
);

word_type!(
    /// Why a task is held.
    HoldKind {
        /// A person holds it.
        Person = "person",
        /// A planned task nobody approved yet.
        Plan = "plan",
    }
);

word_type!(
    /// What made an edge.
    Via {
        /// Planned: "I wait for these".
        After = "after",
        /// Added later with `block`.
        Block = "block",
        /// A parent waits for its children.
        Parent = "parent",
    }
);
