//! The tools from outside: a client, a transport, a board that gives fixed answers, and the texts that come back.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod answers;
mod budget;
mod fake;
mod fleet;
mod over_http;
mod over_stdio;
mod updates;
