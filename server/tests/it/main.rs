//! The one integration binary: every file in this folder is a module of it, which `tidy` checks.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests stop at the first surprise")]

mod cli;
mod clones;
mod fleet;
mod hooks;
mod lines;
mod mcp;
mod processes;
mod reports;
mod routes;
mod support;
mod tidy;
