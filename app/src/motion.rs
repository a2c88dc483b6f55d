//! Cards glide to where they now lie, and so do those that make room: where each was is measured before the page changes, where it is once
//! it has. Nothing glides in a tab nobody looks at, nor for who asked for less motion.

use crate::browser;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use std::cell::Cell;
use std::time::Duration;
use web_sys::HtmlElement;

/// Cards that are measured at most; a page that shows more of them at once changes without motion.
const CARDS_MAX: usize = 150;
/// When the marks of a glide are taken off again; the styles say that it lasts 150 ms.
const OVER_AFTER: Duration = Duration::from_millis(200);

thread_local! {
    /// Places were measured and the page was not drawn since: what changes until then is one motion.
    static MEASURED: Cell<bool> = const { Cell::new(false) };
}

/// Where a card lay.
struct Before {
    id: String,
    card: HtmlElement,
    at: (f64, f64),
}

/// To be called before cards change places: those that are seen glide to where the page draws them next.
pub fn glide_from_here() {
    if MEASURED.get() || !browser::visible() || browser::wants_less_motion() {
        return;
    }
    let before = seen();
    if before.is_empty() || before.len() > CARDS_MAX {
        return;
    }
    MEASURED.set(true);
    request_animation_frame(move || {
        MEASURED.set(false);
        // All are measured before any is touched: the page is laid out once.
        let moved: Vec<(HtmlElement, (f64, f64))> = before.into_iter().filter_map(moved).collect();
        for (card, (x, y)) in &moved {
            let _ = card.style().set_property("--from", &format!("{x:.0}px {y:.0}px"));
            let _ = card.set_attribute("data-glides", "");
        }
        set_timeout(
            move || {
                for (card, _) in &moved {
                    let _ = card.remove_attribute("data-glides");
                    let _ = card.style().remove_property("--from");
                }
            },
            OVER_AFTER,
        );
    });
}

/// A card that lies elsewhere now, and how far it came from.
fn moved(before: Before) -> Option<(HtmlElement, (f64, f64))> {
    // A card that went to another column is another element there.
    let card = if before.card.is_connected() { before.card } else { browser::card_of(&before.id)? };
    let now = place(&card)?;
    let (x, y) = (before.at.0 - now.0, before.at.1 - now.1);
    (x.abs() + y.abs() > 1.0).then_some((card, (x, y)))
}

/// The cards that can be seen.
fn seen() -> Vec<Before> {
    let Ok(cards) = document().query_selector_all(".board [data-card]") else { return Vec::new() };
    let one = |place_in_list| {
        let card = cards.item(place_in_list)?.dyn_into::<HtmlElement>().ok()?;
        let at = place(&card)?;
        Some(Before { id: card.get_attribute("data-card")?, card, at })
    };
    (0..cards.length()).filter_map(one).collect()
}

/// Where a card is, if it can be seen.
fn place(card: &HtmlElement) -> Option<(f64, f64)> {
    let place = card.get_bounding_client_rect();
    let seen = place.bottom() > 0.0 && place.top() < window().inner_height().ok()?.as_f64()?;
    seen.then(|| (place.left(), place.top()))
}
