//! A run: one workflow that carries one task. `decide` takes a state, a command and what the world says, and gives events or a refusal;
//! `apply` takes any event and gives the next state. What decide changes, it changes by applying its own events, so a replay comes to the
//! same bytes.

mod ask;
mod decide;
pub mod event;
mod fold;
mod gate;
mod person;
mod stores;
mod walk;
mod world;

pub mod state;

pub use decide::{Caller, Command, Decided, Report, TaskEffect, decide};
pub use event::RunEvent;
pub use fold::{Effect, apply};
pub use gate::{Evaluated, Unmet};
pub use state::{Run, Standing};
pub use stores::Change as StoreChange;
pub use world::{Child, World};

#[cfg(test)]
mod tests;
