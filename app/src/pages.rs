//! One file a page: it loads its data and frames what shows it.

pub mod activity;
pub mod board;
pub mod drag;
pub mod main;
pub mod missing;
pub mod reports;
pub mod settings;
pub mod shortcuts;
