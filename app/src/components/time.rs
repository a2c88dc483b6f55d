//! Times: relative to the page's clock, absolute in the title; clock times while the page is not live.

use crate::store::Store;
use crate::times;
use contracts::Moment;
use leptos::prelude::*;

/// A point in time as people say it.
#[component]
pub fn Ago(at: Moment, #[prop(optional)] class: &'static str) -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let text = Memo::new(move |_| if store.live() { times::ago(store.now.get(), at, offset) } else { times::fixed(store.now.get_untracked(), at, offset) });
    view! {
        <time class=(!class.is_empty()).then_some(class) datetime=times::machine(at, offset) title=times::absolute(at, offset)>
            {move || text.get()}
        </time>
    }
    .into_any()
}

/// How long something has lasted: "2 h 14 min", or "since 09:46" while the page is not live.
#[component]
pub fn Since(at: Moment) -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let text = Memo::new(move |_| {
        if store.live() {
            times::span((store.now.get().seconds_since(at) / 60 * 60).max(60))
        } else {
            format!("since {}", times::fixed(store.now.get_untracked(), at, offset))
        }
    });
    view! {
        <time datetime=times::machine(at, offset) title=times::absolute(at, offset)>
            {move || text.get()}
        </time>
    }
    .into_any()
}

/// The clock time of something in a list that is grouped by day.
#[component]
pub fn Clock(at: Moment, #[prop(optional)] class: &'static str) -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    view! {
        <time class=(!class.is_empty()).then_some(class) datetime=times::machine(at, offset) title=times::absolute(at, offset)>
            {times::clock(at, offset)}
        </time>
    }
    .into_any()
}
