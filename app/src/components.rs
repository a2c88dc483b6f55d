//! Parts of pages. They take values and callbacks and find the store in their context; they load nothing.

pub mod actions;
pub mod avatar;
pub mod bars;
pub mod card;
pub mod column;
pub mod commits;
pub mod dialogs;
pub mod empty;
pub mod facts;
pub mod fields;
pub mod form;
pub mod frame;
pub mod history;
pub mod icon;
pub mod inplace;
pub mod panel;
pub mod problem;
pub mod questions;
pub mod reply;
pub mod spec;
pub mod tabs;
pub mod thread;
pub mod time;
pub mod toasts;
