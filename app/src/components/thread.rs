//! The thread of a card: speech has a face, a fact is one line and a glyph, days are ruled off, delivery is one line below.

use crate::components::avatar::{Avatar, kind};
use crate::components::icon::{Glyph, Shape};
use crate::components::spec::Prose;
use crate::components::time::Clock;
use crate::store::Store;
use crate::{Base, times, words};
use contracts::Actor;
use contracts::view::Entry;
use leptos::prelude::*;

/// One row of the list: a day, or an entry.
#[derive(Clone, PartialEq)]
enum Row {
    Day(i64, String),
    /// What comes after it is new to the reader, who was here last at this time.
    New(String),
    Entry(Box<Entry>),
}

fn rows(entries: &[Entry], now: contracts::Moment, offset: contracts::Offsets, seen: Option<contracts::Moment>, me: &Actor) -> Vec<Row> {
    let mut rows = Vec::with_capacity(entries.len() + 4);
    let mut last = None;
    let new = seen.and_then(|seen| entries.iter().position(|entry| entry.at > seen && entry.actor != *me)).filter(|place| *place > 0);
    for (place, entry) in entries.iter().enumerate() {
        let day = times::day(entry.at, offset);
        if last != Some(day) {
            rows.push(Row::Day(day, times::day_heading(now, entry.at, offset)));
            last = Some(day);
        }
        if let (true, Some(seen)) = (new == Some(place), seen) {
            rows.push(Row::New(format!("New since {}", times::fixed(now, seen, offset))));
        }
        rows.push(Row::Entry(Box::new(entry.clone())));
    }
    rows
}

/// The thread of the open card.
#[component]
pub fn Thread() -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let today = Memo::new(move |_| times::day(store.now.get(), offset));
    let listed = Memo::new(move |_| {
        today.track();
        store.thread.with(|thread| rows(thread, store.now.get_untracked(), offset, store.new_since.get(), &store.me.with_untracked(|me| me.actor.clone())))
    });
    let more = move || store.thread_next.get().is_some();
    let total = move || store.open.with(|task| task.as_ref().map_or(0, |task| task.thread_total));
    let key = |row: &Row| match row {
        Row::Day(day, heading) => format!("{day} {heading}"),
        Row::New(heading) => heading.clone(),
        Row::Entry(entry) => format!("{} {} {}", entry.event, entry.delivered.len(), entry.html.len()),
    };
    view! {
        <section class="stack" data-part="thread" aria-labelledby="thread-h">
            <h2 id="thread-h" class="only-read">"Thread"</h2>
            {move || more().then(|| {
                let left = total() - i64::try_from(store.thread.with(Vec::len)).unwrap_or(0);
                let text = if left > 0 && !store.thread_partial.get() { format!("{} before these", words::count(left, "entry", "entries")) } else { "Earlier entries".to_owned() };
                let href = Base::here().task_before(&store.open_id.get().map(|id| id.to_string()).unwrap_or_default(), &store.thread_next.get().unwrap_or_default());
                let read = move |event: web_sys::MouseEvent| {
                    event.prevent_default();
                    event.stop_propagation();
                    store.older();
                };
                view! { <p><a class="button" href=href rel="nofollow" on:click=read>{text}</a></p> }
            })}
            <ol class="entries">
                <For each=move || listed.get() key=key children=|row| match row {
                    Row::Day(_, heading) => view! { <li class="ruled">{heading}</li> }.into_any(),
                    Row::New(heading) => view! { <li class="ruled" data-new="">{heading}</li> }.into_any(),
                    Row::Entry(entry) => view! { <One entry=*entry/> }.into_any(),
                }/>
            </ol>
            {move || store.thread.with(Vec::is_empty).then(|| view! { <p class="quiet">"Nothing was said and nothing happened to the work yet."</p> })}
            {move || store.thread_partial.get().then(|| {
                let href = format!("{}#tabs", Base::here().task(&store.open_id.get().map(|id| id.to_string()).unwrap_or_default(), ""));
                view! { <p><a class="button" href=href rel="external">"Newer entries"</a></p> }
            })}
        </section>
    }
    .into_any()
}

#[component]
fn One(entry: Entry) -> impl IntoView {
    if entry.is_speech() { speech(entry) } else { fact(entry) }
}

fn speech(entry: Entry) -> AnyView {
    let delivery = delivery(&entry);
    let says = match entry.kind.as_str() {
        "task.asked" => Some("asks"),
        "task.answered" => Some("answers"),
        "message.sent" => Some("message"),
        _ => None,
    };
    view! {
        <li class="entry" data-kind="speech" data-event=entry.event.to_string()>
            <Avatar actor=entry.actor.clone()/>
            <header>
                <b><bdi>{entry.actor.short().to_owned()}</bdi></b>
                <span>{kind(&entry.actor)}</span>
                {says.map(|says| view! { <span>{says}</span> })}
                <Clock at=entry.at/>
            </header>
            <Prose html=entry.html.clone() text=if entry.text.is_empty() { entry.words.clone() } else { entry.text.clone() }/>
            {delivery}
        </li>
    }
    .into_any()
}

/// "delivered to ana/w1 at 16:59", "waits for mei".
fn delivery(entry: &Entry) -> Option<AnyView> {
    if entry.to.is_empty() {
        return None;
    }
    let store = expect_context::<Store>();
    let offset = store.clock();
    let done: Vec<String> = entry.delivered.iter().map(|(actor, at)| format!("{} at {}", actor.short(), times::clock(*at, offset))).collect();
    let waiting: Vec<String> =
        entry.to.iter().filter(|actor| !entry.delivered.iter().any(|(who, _)| who == *actor)).map(|actor| actor.short().to_owned()).collect();
    let mut text = Vec::new();
    if !done.is_empty() {
        text.push(format!("delivered to {}", words::listed(&done)));
    }
    if !waiting.is_empty() {
        text.push(format!("sent, not yet seen by {}", words::listed(&waiting)));
    }
    let shape = if waiting.is_empty() { Shape::DONE } else { Shape::PENDING };
    Some(view! { <footer><Glyph shape=shape/>{text.join(" · ")}</footer> }.into_any())
}

fn fact(entry: Entry) -> AnyView {
    let shape = Shape::of_event(&entry.kind);
    let quote = (!entry.text.trim().is_empty()).then(|| entry.text.clone());
    let line = quote.as_ref().filter(|text| text.chars().count() <= 160).and_then(|text| match entry.html.as_str() {
        "" => (!text.contains('\n')).then(|| words::escaped(text)),
        html => words::one_paragraph(html).map(str::to_owned),
    });
    let long = line.is_none();
    let html = entry.html.clone();
    view! {
        <li class="entry" data-kind="fact" data-event=entry.event.to_string() data-void=entry.no_effect.then_some("")>
            <Glyph shape=shape/>
            <p>
                <b><bdi>{entry.actor.short().to_owned()}</bdi></b>
                " "
                {entry.words.clone()}
                {entry.no_effect.then(|| view! { <span class="quiet">" (no effect)"</span> })}
                {line.map(|line| view! { ": “"<bdi class="oneline" inner_html=line></bdi>"”" })}
                " · "
                <Clock at=entry.at class="quiet"/>
            </p>
            {quote.filter(|_| long).map(|text| view! { <div class="note"><Prose html=html text=text/></div> })}
        </li>
    }
    .into_any()
}
