//! Everything that needs a real git, with every git on this machine.
//!
//! Each test starts itself again in a hermetic environment, once for each git found: no configuration, no home, fixed names and times.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests stop at the first surprise and drive git themselves")]

mod diff;
mod facts;
mod history;
mod hooks;
mod hooks_elsewhere;
mod remote;
mod support;
mod trailers;
mod worktrees;
