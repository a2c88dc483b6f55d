//! Boards in clones, brought together by git and nothing else.

mod claims;
mod conflicts;
mod merge;
pub mod pair;
mod staged;
mod switch;
