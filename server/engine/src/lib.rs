//! The rules of the board, pure: events in, state out; a command and the facts it names in, events or a refusal out.
//!
//! Invariant: no async, clock, environment, randomness, file, socket or model. Time, ids and what is stored are arguments.
//! `decide` refuses; `apply` never does: any set of valid events, in any order of arrival, gives the same state.

pub mod clock;
pub mod event;
pub mod facts;
pub mod files;
pub mod fold;
pub mod graph;
pub mod settings;
pub mod standing;
pub mod task;
mod words;

pub use clock::tick;
pub use event::{Draft, Event, Kind, Order};
pub use facts::{
    Authority, Candidate, Context, Counters, Decision, Facts, Holding, Lease, LeaseChange, MilestoneFacts, Minted, Needs, Neighbour, TaskFacts,
};
pub use files::{overlap, shared, surface};
pub use fold::{Effect, Notice, apply_milestone, apply_project, apply_task, fold_milestone, fold_project, fold_task, is_additive};
pub use graph::{Edge, Edges, closes_a_loop};
pub use settings::Settings;
pub use standing::{LeaseState, counting, is_evidence, lease_state, rest, standing};
pub use task::{Milestone, Project, Task};
pub use words::{branch_of, folded, slug};
