//! The rules of the board, pure: events in, state out; a command and the facts it names in, events or a refusal out.
//!
//! Invariant: no async, clock, environment, randomness, file, socket or model. Time, ids and what is stored are arguments.
//! `decide` refuses; `apply` never does: any set of valid events, in any order of arrival, gives the same state.

mod carry;
mod case;
pub mod clock;
pub mod entries;
pub mod event;
pub mod facts;
pub mod files;
pub mod fold;
pub mod graph;
pub mod histogram;
pub mod lifecycle;
pub mod needs;
pub mod next;
mod plan;
pub mod rejection;
pub mod report;
pub mod settings;
pub mod standing;
pub mod task;
pub mod views;
mod words;

pub use clock::tick;
pub use event::{Draft, Event, Kind, Order};
pub use facts::{Authority, Candidate, Context, Counters, Decision, Facts, Holding, Lease, LeaseChange, MilestoneFacts, Minted, Needs, Neighbour, TaskFacts};
pub use files::{overlap, shared, surface};
pub use fold::{Effect, IMPORTED, Notice, apply_milestone, apply_project, apply_task, fold_milestone, fold_project, fold_task, is_additive};
pub use graph::{Edge, Edges, closes_a_loop};
pub use lifecycle::decide;
pub use needs::{IdsWanted, ids_wanted, needs, needs_beyond};
pub use next::{Choice, Digest, NextFacts, SurfaceRow, candidate_passes, choose, collisions, how, raced};
pub use rejection::{Fault, Rejection};
pub use settings::Settings;
pub use standing::{LeaseState, counting, is_evidence, lease_state, rest, standing};
pub use task::{Milestone, Project, Task};
pub use views::{card, conflict_rows, entry, history_row, is_thread, lease_view, milestone_view, view};
pub use words::{branch_of, folded, slug};
