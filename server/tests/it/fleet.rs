//! Several workers on one repository, with real git: given out, worked on in worktrees, taken back, tidied up.

mod dispatch;
mod recover;
mod run;
mod together;
mod trees;
