//! Answers as text: what a board's views look like to a model.
//!
//! Invariant: everything that somebody wrote passes through [`safe`], and everything that can grow passes through [`fit`].

pub(crate) mod fit;
pub(crate) mod inbox;
pub(crate) mod refusal;
pub(crate) mod relations;
pub(crate) mod safe;
pub(crate) mod task;
pub(crate) mod thread;
pub(crate) mod when;

use contracts::Actor;
use contracts::view::Queue;
use serde_json::Value;

/// A tool call as a model would make it.
pub(crate) fn call(tool: &str, args: Value) -> String {
    format!("{tool} {args}")
}

/// The line every answer ends with; it begins with the actor it was given to.
pub(crate) fn queue_line(actor: &Actor, queue: &Queue) -> String {
    let Queue { ready, yours, working, waiting, blocked, needs_people, held, stalled, open } = queue;
    format!(
        "{actor} · {ready} ready · {yours} yours · {working} working · {waiting} waiting · {blocked} blocked · {needs_people} needs people · {held} held · {stalled} stalled · {open} open"
    )
}

/// `1 commit`, `2 commits`.
pub(crate) fn count(number: impl Into<i64>, noun: &str) -> String {
    contracts::text::count(number.into(), noun)
}

/// Blocks of text with one empty line between them; empty ones are left out.
pub(crate) fn join(blocks: impl IntoIterator<Item = String>) -> String {
    let blocks: Vec<String> = blocks.into_iter().filter(|block| !block.is_empty()).map(|block| block.trim_end().to_owned()).collect();
    blocks.join("\n\n")
}
