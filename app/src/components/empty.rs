//! Kinds of nothing, each with a way on.

use crate::components::icon::{Glyph, Icon, Shape};
use crate::components::time::Ago;
use crate::store::Store;
use crate::ui::Ui;
use crate::{Base, browser, order, words};
use contracts::standing::Column;
use leptos::prelude::*;

/// Which nothing the board shows, if it shows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// There is no task at all.
    NoTask,
    /// Every task is closed.
    AllDone,
    /// The filter hides every task.
    Filtered,
}

/// What the counts and the filter say.
pub fn which(store: Store) -> Option<Nothing> {
    let all = store.counts.with(|counts| counts.all());
    let closed = store.counts.with(|counts| counts.column(Column::Done));
    let shown: usize = store.columns.iter().map(|column| column.ids.with(Vec::len)).sum();
    match (all, shown) {
        (0, _) => Some(Nothing::NoTask),
        (_, 0) if store.filter.with(Option::is_some) => Some(Nothing::Filtered),
        (all, _) if all == closed && store.filter.with(Option::is_none) => Some(Nothing::AllDone),
        _ => None,
    }
}

/// Opens the form to add a task.
#[component]
pub fn AddButton(#[prop(optional)] key_shown: bool) -> impl IntoView {
    let ui = expect_context::<Ui>();
    view! {
        <a
            class="button"
            data-kind="primary"
            href="#add"
            on:click=move |event| {
                event.prevent_default();
                ui.adding.set(true);
            }
        >
            <Icon name="plus" size="sm"/>
            <span>"Add"<span class="wide">" task"</span></span>
            {key_shown.then(|| view! { <kbd class="wide" aria-hidden="true">"C"</kbd> })}
        </a>
    }
    .into_any()
}

/// No task yet: three ways to begin.
#[component]
pub fn NoTask() -> impl IntoView {
    let store = expect_context::<Store>();
    let lines = store.connect.get_untracked().into_iter().map(|(title, text)| view! { <Snippet title=title text=text/> }).collect_view();
    view! {
        <div class="empty">
            <h2>"An empty board"</h2>
            <p>"Three ways to begin. Agents see a task the moment it is here."</p>
            <ol class="ways">
                <li><b>"Write one"</b><span>"A title is enough."</span><AddButton key_shown=true/></li>
                <li><b>"Paste a list"</b><span>"One line a task, in the same form."</span><AddButton/></li>
                <li><b>"Let an agent plan"</b><span>"Connect it, then ask it to plan."</span>{lines}</li>
            </ol>
        </div>
    }
    .into_any()
}

/// Lines to paste, and a button that copies them.
#[component]
pub fn Snippet(title: String, text: String) -> impl IntoView {
    let copied = RwSignal::new(false);
    let value = text.clone();
    view! {
        <div class="snippetline">
            <span>{title}</span>
            <pre tabindex="0"><code>{text}</code></pre>
            <button
                class="button"
                type="button"
                data-kind="quiet"
                data-shape="square"
                aria-label=move || if copied.get() { "Copied" } else { "Copy" }
                on:click=move |_| {
                    browser::copy(&value);
                    copied.set(true);
                }
            >
                {move || if copied.get() { view! { <Glyph shape=Shape::DONE/> }.into_any() } else { view! { <Icon name="copy" size="sm"/> }.into_any() }}
            </button>
        </div>
    }
    .into_any()
}

/// Every task is closed.
#[component]
pub fn AllDone() -> impl IntoView {
    let store = expect_context::<Store>();
    let last = move || {
        let id = store.columns[order::place(Column::Done)].ids.with(|ids| ids.first().cloned())?;
        store.card(&id)?.card.with(|card| card.closed_at)
    };
    view! {
        <div class="empty" data-part="strip">
            <h2>"Nothing is left to do"</h2>
            <p>
                {move || match store.counts.with(|counts| counts.all()) {
                    1 => "The only task is closed".to_owned(),
                    all => format!("All {} are closed", words::count(all, "task", "tasks")),
                }}
                {move || last().map(|at| view! { ", the last one "<Ago at=at/> })}
                "."
            </p>
            <div class="row"><AddButton/></div>
        </div>
    }
    .into_any()
}

/// The filter hides every task.
#[component]
pub fn Filtered() -> impl IntoView {
    let store = expect_context::<Store>();
    let clear = Base::here().path("/");
    view! {
        <div class="empty">
            <Icon name="filter" size="xl"/>
            <h2>"No task matches"</h2>
            <p>
                {move || match store.counts.with(|counts| counts.all()) {
                    1 => "The only task is hidden by ".to_owned(),
                    all => format!("All {} are hidden by ", words::count(all, "task", "tasks")),
                }}
                <span class="chip" data-kind="filter" data-fixed=""><b dir="auto">{move || store.look.with(|look| look.q.clone())}</b></span>
            </p>
            <div class="row"><a class="button" data-kind="primary" href=clear>"Clear the filter"</a></div>
        </div>
    }
    .into_any()
}
