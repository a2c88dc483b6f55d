//! The web app: pages over the [`Board`](contracts::Board) port, rendered on the server and taken over by the browser.
//!
//! The server needs `shell`, `App` (for the list of routes), `markdown::render`, `forms::read`, and provides, for each request,
//! these contexts before a page is rendered:
//!
//! | Context | Holds | When absent |
//! |---|---|---|
//! | [`Port`] | the caller's own board | the page says that the board does not answer |
//! | [`Theme`] | `Theme::from_cookies(header)` | the system decides |
//! | [`FormKey`] | a fresh random text: every form's idempotency key starts with it | forms carry no key |
//! | [`Here`] | the address the page is of, when its request went to another one | it is the request's |
//! | [`SetStatus`] | sets the HTTP status of the page | it stays 200 |
//! | `leptos::nonce::Nonce` | provided by `leptos_axum` | scripts carry no nonce |
//!
//! Invariant: nothing here reads a clock or makes a random number while rendering; the snapshot's `now` is the only clock.

#![recursion_limit = "512"]

pub mod activity;
pub mod app;
pub mod browser;
pub mod bulk;
#[allow(missing_docs, reason = "the macro makes public structs of props; a component's own comment says what they are")]
pub mod components;
pub mod contexts;
#[cfg(feature = "ssr")]
pub mod diff;
pub mod facets;
pub mod forms;
#[cfg(feature = "ssr")]
pub mod graph;
#[cfg(feature = "ssr")]
pub mod history;
pub mod keys;
pub mod lanes;
pub mod layers;
pub mod live;
pub mod look;
#[cfg(feature = "ssr")]
pub mod markdown;
pub mod markup;
pub mod mentions;
pub mod motion;
pub mod moves;
pub mod narrated;
pub mod order;
#[allow(missing_docs, reason = "as for components")]
pub mod pages;
pub mod palette;
pub mod paste;
pub mod places;
pub mod port;
pub mod shell;
pub mod store;
#[cfg(feature = "ssr")]
pub mod syntax;
pub mod tabs;
pub mod times;
pub mod ui;
pub mod words;

pub use app::App;
pub use contexts::{Assets, Base, FormKey, Here, Icons, SetStatus, Theme};
pub use port::Port;
pub use shell::shell;

/// Takes over the page the server rendered.
#[cfg(feature = "hydrate")]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    browser::settle_here();
    leptos::mount::hydrate_body(App);
}
