//! The web's door on a real port, with a fake board behind it. Files mirror the tree of addresses.

mod api;
mod doors;
mod enter;
mod fake;
mod forms;
mod live;
mod markup;
mod mcp;
mod pages;
mod pkg;
pub mod wire;
