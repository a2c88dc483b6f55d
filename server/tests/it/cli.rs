//! The command line as a process: the real binary in a hermetic home, what it says and how it ends.

mod close;
mod commits;
mod demo;
mod filter;
mod hostile;
mod import;
mod init;
mod json;
mod log;
mod mcp;
mod pipe;
mod plan;
mod refused;
pub mod stage;
mod words;
mod workflow;
