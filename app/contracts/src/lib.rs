//! The words every part of Callboard shares: ids, limits, commands, views, live changes, problems, and the `Board` port.
//!
//! Invariant: no input or output, no clock, no randomness; builds for `wasm32`. A value of an id or text type is the
//! proof that it has the form of one: what comes from outside gets in by `parse` alone.

pub mod board;
pub mod change;
pub mod command;
pub mod fleet;
pub mod graph;
pub mod hint;
pub mod id;
pub mod json;
pub mod limits;
pub mod moment;
pub mod moves;
pub mod offsets;
pub mod problem;
pub mod report;
pub mod settings;
pub mod standing;
pub mod text;
pub mod view;

pub use board::{Answer, Board, Caller, Surface};
pub use change::{Batch, Change, Frame, Saying};
pub use command::{Command, CommandRequest, Receipt, Warning};
pub use hint::{Call, Hint};
pub use id::{Actor, ActorKind, BlockerId, CommitSha, EventId, Key, MilestoneId, QuestionId, TaskId, Writer};
pub use moment::{Moment, Stamp};
pub use offsets::Offsets;
pub use problem::{Code, FieldError, Problem};
pub use standing::{Column, Standing, Status};
pub use text::{Label, Markdown, Note, Title};
