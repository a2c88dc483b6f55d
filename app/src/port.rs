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

/// The activity that parameters of an address ask for, as the server draws it.
///
/// # Errors
/// What the server refuses; on the server itself nothing calls it.
#[cfg(feature = "hydrate")]
pub async fn activity(base: &str, query: &str) -> Result<crate::activity::Drawn, Problem> {
    http::HttpBoard::new(base).activity_drawn(query).await
}

/// As in the browser, where alone it is read again.
///
/// # Errors
/// Always.
#[cfg(not(feature = "hydrate"))]
pub async fn activity(_: &str, _: &str) -> Result<crate::activity::Drawn, Problem> {
    Err(unreachable())
}

/// Markdown as the server renders it.
///
/// # Errors
/// What the server refuses; on the server itself nothing calls it.
#[cfg(feature = "hydrate")]
pub async fn preview(base: &str, text: String) -> Result<String, Problem> {
    http::HttpBoard::new(base).preview(text).await
}

/// As in the browser, where alone a preview is asked for.
#[cfg(not(feature = "hydrate"))]
pub async fn preview(_: &str, _: String) -> Result<String, Problem> {
    Err(unreachable())
}
