//! Everything that happened to the open card: who, behind whom, when, and what a field was before and after.

use crate::components::avatar::Avatar;
use crate::components::spec::Prose;
use crate::components::tabs::Unread;
use crate::components::time::Clock;
use crate::store::Store;
use crate::tabs::Shown;
use crate::{Base, times, words};
use contracts::view::HistoryRow;
use leptos::prelude::*;

/// One row of the list: a day, or an event.
#[derive(Clone, PartialEq)]
enum Row {
    Day(i64, String),
    Event(Box<HistoryRow>),
}

fn rows(events: &[HistoryRow], now: contracts::Moment, offset: contracts::Offsets) -> Vec<Row> {
    let mut rows = Vec::with_capacity(events.len() + 4);
    let mut last = None;
    for event in events {
        let day = times::day(event.entry.at, offset);
        if last != Some(day) {
            rows.push(Row::Day(day, times::day_heading(now, event.entry.at, offset)));
            last = Some(day);
        }
        rows.push(Row::Event(Box::new(event.clone())));
    }
    rows
}

/// The history of the open card, newest first.
#[component]
pub fn History() -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let page = Memo::new(move |_| store.shown.with(|shown| if let Shown::History(page) = shown { Some(page.clone()) } else { None }));
    let listed = move || page.with(|page| page.as_ref().map(|page| rows(&page.items, store.now.get_untracked(), offset)).unwrap_or_default());
    let key = |row: &Row| match row {
        Row::Day(day, heading) => format!("{day} {heading}"),
        Row::Event(row) => row.entry.event.to_string(),
    };
    let waiting = move || store.shown.with(|shown| *shown == Shown::Nothing);
    view! {
        <section class="stack" data-part="history" aria-labelledby="history-h">
            <h2 id="history-h" class="only-read">"History"</h2>
            <Unread/>
            {move || waiting().then(|| view! { <p class="quiet" aria-busy="true">"Reading…"</p> })}
            <ol class="entries">
                <For each=listed key=key children=|row| match row {
                    Row::Day(_, heading) => view! { <li class="ruled">{heading}</li> }.into_any(),
                    Row::Event(row) => one(*row).into_any(),
                }/>
            </ol>
            <Earlier/>
        </section>
    }
    .into_any()
}

fn one(row: HistoryRow) -> impl IntoView {
    let entry = row.entry;
    let said = (!entry.text.trim().is_empty()).then(|| view! { <div class="note"><Prose html=entry.html.clone() text=entry.text.clone()/></div> });
    let changed = (!row.html.is_empty()).then(|| view! { <div class="changed" inner_html=row.html></div> });
    view! {
        <li class="entry" data-kind="event" data-event=entry.event.to_string() data-void=entry.no_effect.then_some("")>
            <Avatar actor=entry.actor.clone()/>
            <p>
                <b><bdi>{entry.actor.short().to_owned()}</bdi></b>" "{entry.words.clone()}{entry.no_effect.then_some(" (no effect)")}
                <span class="quiet t-12">" · "<Clock at=entry.at/>" · "<bdi title="Who the server knows is behind it">{row.principal}</bdi>" · "<code title=format!("Event {}", entry.event)>{entry.kind.clone()}</code></span>
            </p>
            {changed}
            {said}
        </li>
    }
}

/// The way to the page before, and back to the newest.
#[component]
fn Earlier() -> impl IntoView {
    let store = expect_context::<Store>();
    let base = Base::here();
    let page = Memo::new(move |_| {
        store.shown.with(|shown| if let Shown::History(page) = shown { Some((page.next.clone(), page.total, page.items.len())) } else { None })
    });
    let alone = Memo::new(move |_| store.spot.with(|spot| !spot.before.is_empty()));
    let at = move |before: &str| {
        let address = base.tab(&store.open_id.get().map(|id| id.to_string()).unwrap_or_default(), "", "history");
        if before.is_empty() { format!("{address}#tabs") } else { format!("{address}&before={}#tabs", words::encoded(before)) }
    };
    move || {
        page.get().map(|(next, total, shown)| {
            let left = (total - i64::try_from(shown).unwrap_or(0)).max(1);
            let text = if alone.get() { "Earlier events".to_owned() } else { format!("{} before these", words::count(left, "event", "events")) };
            let more = next.map(|cursor| {
                let read = move |event: web_sys::MouseEvent| {
                    event.prevent_default();
                    event.stop_propagation();
                    store.earlier();
                };
                view! { <a class="button" href=at(&cursor) rel="nofollow" on:click=read>{text}</a> }
            });
            let newest = alone.get().then(|| view! { <a class="button" href=at("") rel="external">"Newest events"</a> });
            view! { <p class="row">{more}{newest}</p> }
        })
    }
}
