//! Boards in clones, brought together by git and nothing else.

mod claims;
mod conflicts;
mod files;
pub mod fleet;
mod merge;
pub mod pair;
mod random;
mod staged;
mod switch;
mod sync;
