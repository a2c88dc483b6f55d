//! Icons and state glyphs: references into the one sprite. Drawn, never typed.

use crate::Icons;
use contracts::standing::{Column, Standing};
use leptos::prelude::*;

fn reference(name: &str) -> String {
    let Icons(sprite) = use_context().unwrap_or_default();
    format!("<use href=\"{sprite}#{name}\"></use>")
}

/// An icon; without a label it is only decoration.
#[component]
pub fn Icon(name: &'static str, #[prop(optional)] size: &'static str, #[prop(optional)] label: &'static str) -> impl IntoView {
    let named = !label.is_empty();
    view! {
        <svg
            class="icon"
            data-size=(!size.is_empty()).then_some(size)
            role=named.then_some("img")
            aria-label=named.then_some(label)
            aria-hidden=(!named).then_some("true")
            inner_html=reference(name)
        ></svg>
    }
    .into_any()
}

/// A state's glyph, in the state's colour.
#[component]
pub fn Glyph(shape: Shape, #[prop(optional)] label: &'static str) -> impl IntoView {
    let named = !label.is_empty();
    view! {
        <svg
            class="glyph"
            data-state=shape.state
            role=named.then_some("img")
            aria-label=named.then_some(label)
            aria-hidden=(!named).then_some("true")
            inner_html=reference(shape.symbol)
        ></svg>
    }
    .into_any()
}

/// A glyph's symbol and the state whose colour it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// In the sprite.
    pub symbol: &'static str,
    /// As `data-state`.
    pub state: &'static str,
}

impl Shape {
    const fn new(symbol: &'static str, state: &'static str) -> Shape {
        Shape { symbol, state }
    }

    /// Done.
    pub const DONE: Shape = Shape::new("s-done", "done");
    /// Not yet.
    pub const PENDING: Shape = Shape::new("s-pending", "pending");
    /// A person.
    pub const PERSON: Shape = Shape::new("s-person", "person");
    /// A conflict that waits for a person.
    pub const CONFLICT: Shape = Shape::new("s-conflict", "person");
    /// Refused or not met.
    pub const FAILED: Shape = Shape::new("s-failed", "failed");

    /// Of a standing.
    pub fn of(standing: Standing) -> Shape {
        match standing {
            Standing::Done => Shape::DONE,
            Standing::Cancelled => Shape::new("s-cancelled", "cancelled"),
            Standing::NeedsYou | Standing::InReview => Shape::PERSON,
            Standing::Working => Shape::new("s-taken", "taken"),
            Standing::Waiting => Shape::new("s-machine", "machine"),
            Standing::Blocked => Shape::new("s-blocked", "blocked"),
            Standing::Held => Shape::new("s-held", "held"),
            Standing::Changes => Shape::new("s-changes", "open"),
            Standing::Stalled => Shape::new("s-stalled", "held"),
            Standing::Assigned | Standing::Ready => Shape::new("s-open", "open"),
        }
    }

    /// Of a column.
    pub fn of_column(column: Column) -> Shape {
        match column {
            Column::Backlog => Shape::PENDING,
            Column::Ready => Shape::of(Standing::Ready),
            Column::Working => Shape::of(Standing::Working),
            Column::NeedsYou => Shape::PERSON,
            Column::Done => Shape::DONE,
        }
    }

    /// Of a fact in a thread, by its event's kind.
    pub fn of_event(kind: &str) -> Shape {
        match kind {
            "task.closed" => Shape::DONE,
            "task.cancelled" => Shape::of(Standing::Cancelled),
            "task.claimed" | "task.renewed" | "task.branched" => Shape::of(Standing::Working),
            "task.asked" | "task.submitted" | "conflict.settled" => Shape::PERSON,
            "task.answered" => Shape::new("s-done", "person"),
            "task.reviewed" | "task.reopened" => Shape::of(Standing::Changes),
            "task.blocked" => Shape::of(Standing::Blocked),
            "task.held" => Shape::of(Standing::Held),
            "task.released" => Shape::of(Standing::Stalled),
            "commit.bound" | "commit.superseded" => Shape::new("commit", "pending"),
            _ => Shape::PENDING,
        }
    }
}
