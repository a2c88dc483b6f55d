//! Choosing a time in a histogram by pointer: pressed on one step and let go on another. Its twins for the keyboard are the links below
//! the picture and those in its table.

use crate::activity::{at_fraction, with_times};
use crate::browser;
use contracts::Moment;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{HtmlElement, PointerEvent};

/// How far a pointer moves before it chooses, pixels: a press alone chooses nothing.
const MOVES: f64 = 4.0;

/// The plot under the pointer, and where in it.
fn plot_at(event: &PointerEvent) -> Option<(HtmlElement, f64, f64)> {
    let target = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    let plot = target.closest("[data-steps]").ok()??.dyn_into::<HtmlElement>().ok()?;
    let picture = plot.query_selector("svg").ok()??.get_bounding_client_rect();
    Some((plot, f64::from(event.client_x()) - picture.left(), picture.width()))
}

/// Where a step begins that lies at `x` of `width`.
fn step_at(plot: &HtmlElement, x: f64, width: f64) -> Option<(i64, i64)> {
    let number = |name: &str| plot.get_attribute(name)?.parse::<f64>().ok();
    let (from, step_s, steps, left) = (number("data-from")?, number("data-step")?, number("data-steps")?, number("data-left")?);
    Some(at_fraction(x / width.max(1.0), from as i64, step_s as i64, steps as i64, left))
}

/// Hears the pointer over the histogram inside.
#[component]
pub fn Brush(page: String, query: String, children: Children) -> impl IntoView {
    let begun = RwSignal::new(None::<f64>);
    let draw = move |plot: &HtmlElement, from: f64, to: f64| {
        let _ = plot.style().set_property("--from", &format!("{:.0}px", from.min(to)));
        let _ = plot.style().set_property("--wide", &format!("{:.0}px", (from - to).abs()));
    };
    let pressed = move |event: PointerEvent| {
        if event.button() != 0 || event.pointer_type() == "touch" {
            return;
        }
        let Some((plot, x, _)) = plot_at(&event) else { return };
        let _ = plot.set_pointer_capture(event.pointer_id());
        begun.set(Some(x));
    };
    let moved = move |event: PointerEvent| {
        let Some(start) = begun.get_untracked() else { return };
        let Some((plot, x, _)) = plot_at(&event) else { return };
        if (x - start).abs() >= MOVES {
            let _ = plot.set_attribute("data-choosing", "");
        }
        draw(&plot, start, x);
    };
    let done = move |event: &PointerEvent| {
        let start = begun.get_untracked()?;
        begun.set(None);
        let (plot, x, width) = plot_at(event)?;
        let _ = plot.remove_attribute("data-choosing");
        if (x - start).abs() < MOVES {
            return None;
        }
        let ((since, _), (_, until)) = (step_at(&plot, start.min(x), width)?, step_at(&plot, start.max(x), width)?);
        Some((Moment(since), Moment(until)))
    };
    let let_go = move |event: PointerEvent| {
        if let Some((since, until)) = done(&event) {
            browser::load(&format!("{page}{}", with_times(&query, since, until)));
        }
    };
    let cancelled = move |event: PointerEvent| {
        if let Some((plot, ..)) = plot_at(&event) {
            let _ = plot.remove_attribute("data-choosing");
        }
        begun.set(None);
    };
    view! { <div on:pointerdown=pressed on:pointermove=moved on:pointerup=let_go on:pointercancel=cancelled>{children()}</div> }.into_any()
}
