//! Hooks through real git and the real binary: commits in every form, the guard, evidence, an agent client's events, and what `init`
//! leaves behind when it goes.

mod client;
mod doctor;
mod evidence;
mod forms;
mod guard;
mod install;
mod matrix;
mod queue;
pub mod scene;
