//! Workflows, pure: the language they are written in, what is wrong with a text, what it comes to, and which task it carries.
//!
//! Invariant: no async, clock, environment, randomness, file, socket or model. Time, ids and texts are arguments; builds for `wasm32`.

pub mod check;
pub mod condition;
pub mod document;
pub mod finding;
pub mod outline;
pub mod plan;
pub mod play;
pub mod reference;
pub mod returns;
pub mod routing;
pub mod run;
mod shape;
pub mod source;
pub mod templates;
pub mod version;

pub use check::{Around, Checked, Counts, check, check_source};
pub use document::Document;
pub use finding::{Code, Finding};
pub use version::Version;
