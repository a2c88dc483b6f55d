//! One grammar to say which tasks: on the board, in lists, on the command line.
//!
//! ```text
//! type = bug and stale_days >= 3 and (assignee = me or assignee is null)
//! ```
//!
//! [`parse`] reads it and names every fault with its place; [`typed`] reads what people type into a field, where bare words are looked
//! for; a [`Filter`] prints back as the text it was read from; [`Filter::matches`] asks it of a task. Storage translates the same tree
//! into its own language, field by field and with every value bound, so there is no way from text into a query but through this tree.
//!
//! It lies under `app` because the browser asks the same filter of what is loaded as the server asks of everything.
//!
//! Invariant: no input or output, no clock, no randomness; builds for `wasm32`; never panics, whatever the text.

mod ask;
mod card;
mod fault;
mod field;
mod lex;
mod parse;
mod print;
mod tree;
mod typed;

pub use ask::{Around, Fact, Facts, Truth};
pub use card::Card;
pub use fault::{Fault, Kind as FaultKind, problem};
pub use field::{Field, Kind};
pub use lex::{Placed, Token, lex};
pub use parse::{length, parse};
pub use print::word;
pub use tree::{Filter, Leaf, Node, Op, Takes, Unit, Value};
pub use typed::typed;
