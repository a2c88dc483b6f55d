//! The rules of the board, pure: events in, state out; a command and the facts it names in, events or a refusal out.
//!
//! Invariant: no async, clock, environment, randomness, file, socket or model. Time, ids and what is stored are arguments.
//! `decide` refuses; `apply` never does: any set of valid events, in any order of arrival, gives the same state.

pub mod event;
pub mod facts;
pub mod task;

pub use event::{Draft, Event, Kind, Order};
pub use facts::{Candidate, Context, Counters, Decision, Facts, Holding, Lease, LeaseChange, MilestoneFacts, Minted, Needs, Neighbour, TaskFacts};
pub use task::{Milestone, Project, Task};
