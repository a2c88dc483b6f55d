//! The thread of a card: speech has a face, a fact is one line and a glyph, days are ruled off, delivery is one line below.

use crate::components::avatar::{Avatar, kind};
use crate::components::icon::{Glyph, Icon, Shape};
use crate::components::spec::Prose;
use crate::components::time::Clock;
use crate::store::Store;
use crate::{times, words};
use contracts::view::{CommitView, Entry};
use leptos::prelude::*;

/// One row of the list: a day, or an entry.
#[derive(Clone, PartialEq)]
enum Row {
    Day(i64, String),
    Entry(Box<Entry>),
}

fn rows(entries: &[Entry], now: contracts::Moment, offset: i32) -> Vec<Row> {
    let mut rows = Vec::with_capacity(entries.len() + 4);
    let mut last = None;
    for entry in entries {
        let day = times::day(entry.at, offset);
        if last != Some(day) {
            rows.push(Row::Day(day, times::day_heading(now, entry.at, offset)));
            last = Some(day);
        }
        rows.push(Row::Entry(Box::new(entry.clone())));
    }
    rows
}

/// Thread and commits of the open card.
#[component]
pub fn Thread() -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.project.with_untracked(|project| project.offset_minutes);
    let today = Memo::new(move |_| times::day(store.now.get(), offset));
    let listed = Memo::new(move |_| {
        today.track();
        store.thread.with(|thread| rows(thread, store.now.get_untracked(), offset))
    });
    let more = move || store.thread_next.get().is_some();
    let total = move || store.open.with(|task| task.as_ref().map_or(0, |task| task.thread_total));
    let key = |row: &Row| match row {
        Row::Day(day, heading) => format!("{day} {heading}"),
        Row::Entry(entry) => format!("{} {} {}", entry.event, entry.delivered.len(), entry.html.len()),
    };
    view! {
        <section class="stack" data-part="thread" aria-labelledby="thread-h">
            <h2 id="thread-h">"Thread "<span class="quiet">{move || store.thread.with(Vec::len)}</span></h2>
            <Commits/>
            {move || more().then(|| {
                let left = total() - i64::try_from(store.thread.with(Vec::len)).unwrap_or(0);
                let text = if left > 0 { format!("{} before these", words::count(left, "entry", "entries")) } else { "Earlier entries".to_owned() };
                view! { <p><button class="button" type="button" on:click=move |_| store.older()>{text}</button></p> }
            })}
            <ol class="entries">
                <For each=move || listed.get() key=key children=|row| match row {
                    Row::Day(_, heading) => view! { <li class="ruled">{heading}</li> }.into_any(),
                    Row::Entry(entry) => view! { <One entry=*entry/> }.into_any(),
                }/>
            </ol>
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
    let offset = store.project.with_untracked(|project| project.offset_minutes);
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
    let long = quote.as_ref().is_some_and(|text| text.chars().count() > 160 || text.contains('\n'));
    let html = entry.html.clone();
    view! {
        <li class="entry" data-kind="fact" data-event=entry.event.to_string() data-void=entry.no_effect.then_some("")>
            <Glyph shape=shape/>
            <p>
                <b><bdi>{entry.actor.short().to_owned()}</bdi></b>
                " "
                {entry.words.clone()}
                {entry.no_effect.then(|| view! { <span class="quiet">" (no effect)"</span> })}
                {quote.clone().filter(|_| !long).map(|text| view! { ": “"<bdi>{text}</bdi>"”" })}
                " · "
                <Clock at=entry.at class="quiet"/>
            </p>
            {quote.filter(|_| long).map(|text| view! { <div class="note"><Prose html=html text=text/></div> })}
        </li>
    }
    .into_any()
}

/// The commits bound to the open card.
#[component]
fn Commits() -> impl IntoView {
    let store = expect_context::<Store>();
    let commits = crate::components::panel::of_open(store, |task| task.commits_detail.clone());
    move || {
        commits.get().filter(|commits| !commits.is_empty()).map(|commits| {
            let n = i64::try_from(commits.len()).unwrap_or(i64::MAX);
            view! {
                <details class="fold" data-part="commits">
                    <summary><Icon name="commit" size="sm"/>{words::count(n, "commit", "commits")}</summary>
                    <ul>{commits.into_iter().map(commit).collect_view()}</ul>
                </details>
            }
        })
    }
}

fn commit(commit: CommitView) -> impl IntoView {
    let short = commit.sha.chars().take(10).collect::<String>();
    view! {
        <li>
            <code class="id" title=commit.sha.clone()>{short}</code>
            " "<span dir="auto">{commit.subject.clone()}</span>" "
            <span class="quiet t-12">{words::lines(commit.added, commit.deleted)}{(!commit.counts).then_some(" · does not count")}</span>
        </li>
    }
}
