//! Boards in clones, brought together by git and nothing else.

mod claims;
mod conflicts;
mod merge;
mod pair;
mod staged;
mod switch;
