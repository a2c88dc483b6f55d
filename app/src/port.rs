//! The board as pages reach it: the engine's own on the server, `fetch` on `<base>/api` in the browser. Pages never know which.

#[cfg(feature = "hydrate")]
pub mod http;

use contracts::{Board, Code, Problem};
use leptos::prelude::*;
use std::sync::Arc;

/// Somebody's board.
#[derive(Clone)]
pub struct Port(pub Arc<dyn Board>);

impl Port {
    /// The one of this page.
    pub fn here() -> Option<Port> {
        use_context()
    }
}

/// What a page says when nothing answers.
pub fn unreachable() -> Problem {
    Problem::new(Code::Unreachable, "The board does not answer").hint(contracts::Hint::text("What you wrote is kept. Try again when it is back."))
}
