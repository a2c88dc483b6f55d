//! The rules as text: what happened, what is tried, what comes of it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod acceptance;
mod claims;
mod evidence;
mod fleet;
mod month;
mod next;
mod plans;
mod projects;
mod random;
mod refusals;
mod replay;
mod reports;
mod views;
mod world;
