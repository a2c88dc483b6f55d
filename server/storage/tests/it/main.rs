//! The store against real files: one binary, so that it links once.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests fail as tests do, and one test prints how fast it goes")]

mod board;
mod damage;
mod filter;
mod pace;
mod processes;
mod recovery;
mod replay;
mod smoke;
