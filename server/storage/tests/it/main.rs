//! The store against real files: one binary, so that it links once.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests fail as tests do, and one test prints how fast it goes")]

mod activity;
mod board;
mod bulk;
mod conflicts;
mod damage;
mod filter;
mod lists;
mod pace;
mod processes;
mod recovery;
mod replay;
mod smoke;
