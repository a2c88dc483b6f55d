//! The activity: what happened, newest first, as the server draws it. Once taken over it moves with the log, unless the reader is further
//! down, has something unfolded or asked it to stand still: then it says how much is new. A pointer chooses a time in the histogram.

use crate::activity::{Drawn, Opening, PATH};
use crate::components::brush::Brush;
use crate::components::icon::Icon;
use crate::components::problem::Notice;
use crate::store::Store;
use crate::{Base, browser, words};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// How long changes are gathered before the events are read again, and how long at least from one reading to the next, milliseconds.
const GATHER_MS: i64 = 300;
const APART_MS: i64 = 2_000;

/// What the page is doing.
#[derive(Clone, Copy)]
struct Moving {
    drawn: RwSignal<Drawn>,
    /// What came while the reader was not to be disturbed.
    waiting: RwSignal<Option<Drawn>>,
    paused: RwSignal<bool>,
    reading: StoredValue<bool>,
    read_at_ms: StoredValue<i64>,
    query: StoredValue<String>,
    base: StoredValue<String>,
}

impl Moving {
    /// Puts what was read in the place of what is shown, or keeps it until the reader asks.
    fn take(self, fresh: Drawn) {
        if self.drawn.with_untracked(|drawn| *drawn == fresh) {
            return;
        }
        if self.paused.get_untracked() || browser::reads_on() {
            self.waiting.set(Some(fresh));
        } else {
            self.show(fresh);
        }
    }

    fn show(self, fresh: Drawn) {
        self.waiting.set(None);
        let open = browser::unfolded();
        self.drawn.set(fresh);
        browser::unfold_again(open);
    }

    /// Reads again soon, once for many changes.
    fn read_soon(self, store: Store) {
        if self.reading.get_value() {
            return;
        }
        self.reading.set_value(true);
        let since_last = browser::now_ms() - self.read_at_ms.get_value();
        let wait = u64::try_from((APART_MS - since_last).clamp(GATHER_MS, APART_MS)).unwrap_or(0);
        set_timeout(
            move || {
                spawn_local(async move {
                    let seq = store.seq.get_untracked();
                    let answer = crate::port::activity(&self.base.get_value(), &self.query.get_value()).await;
                    self.reading.set_value(false);
                    self.read_at_ms.set_value(browser::now_ms());
                    // That nothing answers is said by the line above; the next change reads again.
                    if let Ok(fresh) = answer {
                        self.take(fresh);
                    }
                    if store.seq.get_untracked() != seq {
                        self.read_soon(store);
                    }
                });
            },
            Duration::from_millis(wait),
        );
    }
}

/// The page.
#[component]
pub fn Activity(opening: Opening) -> impl IntoView {
    let store = expect_context::<Store>();
    let Opening { filter, drawn, total, scope, problem, query, audit, audited, older } = opening;
    let drawn = Drawn { total, scope, ..drawn };
    if let Some(problem) = &problem {
        crate::SetStatus::to(problem.code.status());
    }
    let base = Base::here();
    let page = base.path(PATH);
    let moving = Moving {
        drawn: RwSignal::new(drawn),
        waiting: RwSignal::new(None),
        paused: RwSignal::new(false),
        reading: StoredValue::new(false),
        read_at_ms: StoredValue::new(0),
        query: StoredValue::new(query.clone()),
        base: StoredValue::new(base.0.clone()),
    };
    let moves = problem.is_none() && !older;
    Effect::new(move |before: Option<i64>| {
        let seq = store.seq.get();
        if moves && before.is_some_and(|before| before != seq) {
            moving.read_soon(store);
        }
        seq
    });
    let refused = problem.is_some();
    let part = move |of: fn(&Drawn) -> &String| move || moving.drawn.with(|drawn| of(drawn).clone());
    view! {
        <div class="pagehead">
            <hgroup data-keep=""><h1>"Activity"</h1><p>{part(|drawn| &drawn.scope)}</p></hgroup>
            <div data-part="acts">
                <a class="button narrow" href="#filter" rel="external"><Icon name="filter" size="sm"/>"Filter"</a>
                <a class="button" href=format!("{page}{audit}") rel="external" data-on=audited.then_some("")><Icon name="shield" size="sm"/>{if audited { "Hide the audit" } else { "Audit" }}</a>
                <Export query=query.clone()/>
                {moves.then(|| view! { <Pause moving=moving/> })}
            </div>
        </div>
        <div inner_html=filter></div>
        <Notice problem=Signal::stored(problem)/>
        {(!refused).then(|| view! {
            <Brush page=page query=query>
                <figure class="chart" data-part="head" inner_html=part(|drawn| &drawn.histogram)></figure>
            </Brush>
            <div class="split activity">
                <section aria-label="Timeline">
                    <Pill moving=moving/>
                    <div class="stack" inner_html=part(|drawn| &drawn.audit)></div>
                    <div inner_html=part(|drawn| &drawn.timeline)></div>
                </section>
                <aside class="surface" aria-labelledby="by-actor">
                    <h2 class="row" id="by-actor">"By actor"<span class="quiet push t-12">"ranked by tasks touched"</span></h2>
                    <div inner_html=part(|drawn| &drawn.actors)></div>
                </aside>
            </div>
        })}
    }
    .into_any()
}

/// How much is new, while it is not shown.
#[component]
fn Pill(moving: Moving) -> impl IntoView {
    let fresh = Memo::new(move |_| moving.waiting.with(|waiting| waiting.as_ref().map(|fresh| fresh.total - moving.drawn.with(|drawn| drawn.total))));
    let show = move |_| {
        if let Some(fresh) = moving.waiting.get_untracked() {
            browser::to_top();
            moving.show(fresh);
        }
    };
    view! {
        <div class="newpill" role="status">
            {move || fresh.get().map(|new| {
                let text = if new > 0 { format!("{} new", words::grouped(new)) } else { "Show the newest".to_owned() };
                view! { <button class="button" type="button" data-kind="primary" on:click=show><Icon name="up" size="sm"/>{text}</button> }
            })}
        </div>
    }
    .into_any()
}

/// Lets the page stand still.
#[component]
fn Pause(moving: Moving) -> impl IntoView {
    let press = move |_| {
        moving.paused.update(|paused| *paused = !*paused);
        if let Some(fresh) = moving.waiting.get_untracked().filter(|_| !moving.paused.get_untracked()) {
            moving.show(fresh);
        }
    };
    view! {
        <button class="button only-app" type="button" aria-pressed=move || if moving.paused.get() { "true" } else { "false" } on:click=press>
            <Icon name="pause" size="sm"/>"Pause"
        </button>
    }
    .into_any()
}

/// All events that were asked for, as a file.
#[component]
fn Export(query: String) -> impl IntoView {
    let base = Base::here().0;
    let links = [("ndjson", "One JSON object a line"), ("csv", "Table (CSV)")].map(|(format, words)| {
        let and = if query.is_empty() { "?" } else { "&" };
        let href = format!("/api{base}/activity/export{query}{and}format={format}");
        view! { <li><a href=href rel="external" download="">{words}</a></li> }
    });
    view! {
        <details class="menu">
            <summary class="button"><Icon name="download" size="sm"/>"Export"</summary>
            <div class="sheet"><ul class="picks">{links.collect_view()}</ul></div>
        </details>
    }
    .into_any()
}
