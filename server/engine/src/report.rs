//! Reports: projections of the log, made by folding the events before a moment. Nobody can flatter them, and nobody has to write them.
//!
//! Invariants: a report of a window that is over depends on the events before its end and on the project's zone, and on nothing else: not on
//! today's rows, the reader's zone or the clock. Every task that exists then, and was not closed before the window, is in exactly one of
//! the seven sections.

pub mod chart;
pub mod dossier;
mod gather;
pub mod part;
mod render;
mod section;
mod text;
pub mod window;

pub use gather::{Gather, sum_of};
pub use render::{Form, board, markdown};
pub use section::{Report, Section};
pub use window::{Window, window, window_of_label};
