//! What others did that concerns the reader, at most four at once; and the one polite live region of the page.

use crate::Base;
use crate::components::avatar::Avatar;
use crate::components::icon::Icon;
use crate::components::selection::UndoToast;
use crate::components::time::Ago;
use crate::store::{Store, Toast};
use contracts::EventId;
use leptos::prelude::*;
use std::time::Duration;

/// How long a toast stays while nobody looks at it closely.
const STAYS: Duration = Duration::from_secs(12);

/// Toasts and live region.
#[component]
pub fn Toasts() -> impl IntoView {
    let store = expect_context::<Store>();
    view! {
        <aside class="toasts" aria-label="What others did that concerns you, and ways back">
            <UndoToast/>
            <ol>
                <For each=move || store.toasts.get() key=|toast| toast.entry.event.clone() children=|toast| view! { <One toast=toast/> }/>
            </ol>
        </aside>
        <p class="only-read" aria-live="polite" role="status">{move || store.said.get()}</p>
    }
    .into_any()
}

#[component]
fn One(toast: Toast) -> impl IntoView {
    let store = expect_context::<Store>();
    let entry = toast.entry;
    let event = entry.event.clone();
    let held = RwSignal::new(false);
    let dismiss = move |event: &EventId| store.toasts.update(|toasts| toasts.retain(|toast| toast.entry.event != *event));
    let expiring = event.clone();
    Effect::new(move |_| wait(store, expiring.clone(), held));
    let is_task = entry.subject.starts_with("tk-");
    let href = if is_task { Base::here().task(&entry.subject, "") } else { Base::here().path("/") };
    let text: String = entry.text.chars().take(140).collect();
    let button = if entry.kind == "task.asked" { "Answer" } else { "Open" };
    let (by_link, by_button) = (event.clone(), event);
    view! {
        <li
            class="toast"
            on:pointerenter=move |_| held.set(true)
            on:pointerleave=move |_| held.set(false)
            on:focusin=move |_| held.set(true)
            on:focusout=move |_| held.set(false)
        >
            <Avatar actor=entry.actor.clone()/>
            <p>
                <b><bdi>{entry.actor.short().to_owned()}</bdi></b>
                {format!(" {} ", entry.words)}
                <code class="id">{entry.subject.clone()}</code>
                {(!text.is_empty()).then(|| view! { ": "<bdi>{text}</bdi> })}
            </p>
            <button class="button" type="button" data-kind="quiet" data-shape="square" aria-label="Dismiss" on:click=move |_| dismiss(&by_button)><Icon name="close"/></button>
            <footer>
                <a class="button" href=href on:click=move |_| dismiss(&by_link)>{button}</a>
                <span class="push"><Ago at=entry.at/></span>
            </footer>
        </li>
    }
    .into_any()
}

/// Takes a toast away after its time; one that is pointed at or focused waits.
fn wait(store: Store, event: EventId, held: RwSignal<bool>) {
    set_timeout(
        move || match held.try_get_untracked() {
            Some(true) => wait(store, event, held),
            Some(false) => store.toasts.update(|toasts| toasts.retain(|toast| toast.entry.event != event)),
            None => {}
        },
        STAYS,
    );
}
