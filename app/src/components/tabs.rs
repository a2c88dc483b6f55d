//! The parts of an open card that take turns: links, so that the address is the state and they work without scripts.

use crate::Base;
use crate::components::commits::Commits;
use crate::components::history::History;
use crate::components::panel::of_open;
use crate::components::problem::Notice;
use crate::components::reply::Reply;
use crate::components::thread::Thread;
use crate::store::Store;
use crate::tabs::{Shown, Tab};
use leptos::prelude::*;

/// The links.
#[component]
pub fn Tabs() -> impl IntoView {
    let store = expect_context::<Store>();
    let counts = of_open(store, |task| (task.thread_total, task.commits_detail.len()));
    let links = Tab::ALL.map(|tab| {
        let base = Base::here();
        let href = move || base.tab(&store.open_id.get().map(|id| id.to_string()).unwrap_or_default(), &store.query(), tab.as_str());
        let count = move || match (tab, counts.get()) {
            (Tab::Thread, Some((entries, _))) if entries > 0 => Some(entries.to_string()),
            (Tab::Commits, Some((_, commits))) if commits > 0 => Some(commits.to_string()),
            _ => None,
        };
        let current = move || store.spot.with(|spot| spot.tab == tab).then_some("page");
        view! { <a href=href aria-current=current>{tab.words()}{move || count().map(|count| view! { " "<span>{count}</span> })}</a> }
    });
    view! { <nav class="tabs" id="tabs" aria-label="Parts of this card">{links.collect_view()}</nav> }.into_any()
}

/// The part that is chosen.
#[component]
pub fn Chosen() -> impl IntoView {
    let store = expect_context::<Store>();
    let tab = Memo::new(move |_| store.spot.with(|spot| spot.tab));
    move || match tab.get() {
        Tab::Thread => view! { <Thread/> }.into_any(),
        Tab::Commits => view! { <Commits/> }.into_any(),
        Tab::Graph => view! { <Graph/> }.into_any(),
        Tab::History => view! { <History/> }.into_any(),
    }
}

/// The reply box belongs to the thread.
#[component]
pub fn ReplyBelow() -> impl IntoView {
    let store = expect_context::<Store>();
    let talks = Memo::new(move |_| store.spot.with(|spot| spot.tab == Tab::Thread));
    move || talks.get().then(|| view! { <Reply/> })
}

/// Why a part could not be read.
#[component]
pub fn Unread() -> impl IntoView {
    let store = expect_context::<Store>();
    let problem = move || store.shown.with(|shown| if let Shown::Failed(problem) = shown { Some(problem.clone()) } else { None });
    view! { <Notice problem=Signal::derive(problem)/> }.into_any()
}

/// What it waits for and what waits for it: drawn on the server, as a picture and as a list.
#[component]
fn Graph() -> impl IntoView {
    let store = expect_context::<Store>();
    let drawn = Memo::new(move |_| store.shown.with(|shown| if let Shown::Graph(graph) = shown { Some(graph.html.clone()) } else { None }));
    let waiting = move || store.shown.with(|shown| *shown == Shown::Nothing);
    view! {
        <section class="stack" data-part="graph" aria-labelledby="graph-h">
            <h2 id="graph-h" class="only-read">"Graph"</h2>
            <Unread/>
            {move || waiting().then(|| view! { <p class="quiet" aria-busy="true">"Reading…"</p> })}
            {move || drawn.get().map(|html| view! { <div class="stack" inner_html=html></div> })}
        </section>
    }
    .into_any()
}
