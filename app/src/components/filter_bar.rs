//! The filter: a field in the one grammar, what it was read as, menus for the fields people filter by most, and how the board is looked
//! at. All of it is addresses: it works as a form and links, and can be shared and gone back to.

use crate::components::icon::Icon;
use crate::components::problem::Notice;
use crate::facets::{self, FACETS};
use crate::look::{Group, Look, View};
use crate::markup::{Markup, row_of};
use crate::store::Store;
use crate::words::escaped;
use crate::{Base, browser, words};
use contracts::Standing;
use filter::{Fault, Field, Filter};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use std::collections::BTreeSet;
use wasm_bindgen::JsCast;

/// The whole bar.
#[component]
pub fn FilterBar() -> impl IntoView {
    view! {
        <div class="filter" id="filter">
            <Typed/>
            <div class="facets">
                {FACETS.map(|(field, label)| view! { <Facet field=field label=label/> }).collect_view()}
                <Display/>
            </div>
            <Chips/>
        </div>
    }
    .into_any()
}

/// The field. Without scripts it is a form like any other; the rest of the look goes along in it.
#[component]
fn Typed() -> impl IntoView {
    let store = expect_context::<Store>();
    let base = Base::here();
    let action = base.path("/");
    let navigate = use_navigate();
    // What was typed and is on its way to the address, oldest first.
    let typed = StoredValue::new(Vec::<String>::new());
    let on_input = move |event: web_sys::Event| {
        let look = store.look.with_untracked(|look| look.at(event_target_value(&event)));
        if store.look.with_untracked(|now| now.q != look.q) {
            typed.update_value(|typed| typed.push(look.q.clone()));
        }
        navigate(&base.board(&look.query()), NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() });
    };
    // The address may change without the field: a menu, a chip, Back. What comes back from typing is left alone: the field may be further.
    Effect::new(move |before: Option<()>| {
        let q = store.look.with(|look| look.q.clone());
        let own = typed.try_update_value(|typed| typed.iter().position(|typed| *typed == q).map(|place| typed.drain(..=place)).is_some());
        if before.is_some()
            && own != Some(true)
            && let Some(field) = browser::element("q")
            && let Some(field) = field.dyn_ref::<web_sys::HtmlInputElement>()
        {
            field.set_value(&q);
        }
    });
    let kept = move |name: &'static str, read: fn(&Look) -> Option<&'static str>| {
        move || store.look.with(read).map(|value| view! { <input type="hidden" name=name value=value/> })
    };
    let faulty = move || store.faults.with(|faults| !faults.is_empty());
    view! {
        <form role="search" aria-label="Filter the board" method="get" action=action on:submit=move |event| event.prevent_default()>
            <div class="field" data-quiet="">
                <Icon name="filter"/>
                <input
                    type="search"
                    name="q"
                    id="q"
                    aria-label="Filter: words, or comparisons such as type = bug and stale_days >= 3"
                    aria-invalid=move || faulty().then_some("true")
                    aria-describedby="q-faults"
                    placeholder="Words, or type = bug and stale_days >= 3"
                    value=store.look.with_untracked(|look| look.q.clone())
                    autocomplete="off"
                    spellcheck="false"
                    on:input=on_input
                />
                <kbd aria-hidden="true">"f"</kbd>
            </div>
            {kept("view", |look| (look.view != View::default()).then(|| look.view.as_str()))}
            {kept("group", |look| (look.group != Group::default()).then(|| look.group.as_str()))}
            <button class="button only-plain">"Filter"</button>
        </form>
    }
    .into_any()
}

/// What was typed as it was read, part by part, each with the way to take it out; and what is wrong with it, where.
#[component]
fn Chips() -> impl IntoView {
    let store = expect_context::<Store>();
    let (base, markup) = (Base::here(), Markup::here());
    let (faults, wrong) = (markup.clone(), move || store.faults.with(|faults| !faults.is_empty()));
    let chips = move || {
        let to = |q: String| escaped(&base.board(&store.look.with(|look| look.at(q).query())));
        let mut rows = String::new();
        store.filter.with(|filter| {
            let Some(filter) = filter else { return };
            for (at, part) in filter.parts().iter().enumerate() {
                let (about, says) = facets::said(part);
                let (about, says) = (escaped(&about), escaped(&named(store, &says)));
                let href = to(facets::without(filter, at).map(|rest| rest.as_typed()).unwrap_or_default());
                let close = markup.icon("close");
                rows.push_str(&format!(
                    "<li class=\"chip\" data-kind=\"filter\"><span>{about} </span><b dir=\"auto\">{says}</b><a href=\"{href}\" aria-label=\"Take out {about} {says}\">{close}</a></li>"
                ));
            }
        });
        if !rows.is_empty() || wrong() {
            rows.push_str(&format!("<li><a class=\"button\" data-kind=\"quiet\" href=\"{}\">Clear</a></li>", to(String::new())));
        }
        rows
    };
    let faulty = move || {
        let typed: Vec<char> = store.look.with(|look| look.q.chars().collect());
        let part = |from: usize, to: usize| escaped(&typed.get(from.min(typed.len())..to.min(typed.len())).unwrap_or_default().iter().collect::<String>());
        let row = |fault: &Fault| {
            let (before, mut at) = (part(fault.at.start.saturating_sub(16), fault.at.start), part(fault.at.start, fault.at.end));
            if at.is_empty() {
                at = "▁".to_owned();
            }
            let (what, hint) = (escaped(&words::sentence(&fault.text)), escaped(&fault.hint));
            format!("<li>{}<span><code>{before}<mark>{at}</mark></code> <strong>{what}</strong>; {hint}</span></li>", faults.icon("warning"))
        };
        store.faults.with(|faults| faults.iter().take(3).map(row).collect::<String>())
    };
    view! {
        <ul class="chips" aria-label="Filtered by" inner_html=chips on:click=move |_| browser::focus_soon("q".to_owned())></ul>
        <ul class="faults" id="q-faults" aria-live="polite" inner_html=faulty></ul>
    }
    .into_any()
}

/// A milestone's id as its title.
fn named(store: Store, text: &str) -> String {
    store.milestones.with(|all| all.iter().fold(text.to_owned(), |text, each| text.replace(each.id.as_str(), &each.title)))
}

/// What can be ticked in a menu: the value in the filter, and what people read.
fn options(store: Store, field: Field) -> Vec<(String, String)> {
    let same = |value: &str| (value.to_owned(), value.to_owned());
    let mut options: Vec<(String, String)> = match field {
        Field::Milestone => store.milestones.with(|all| {
            let open = all.iter().filter(|each| each.status == contracts::Status::Open);
            open.map(|each| {
                let alone = all.iter().filter(|other| other.title.to_lowercase() == each.title.to_lowercase()).count() == 1;
                (if alone { each.title.clone() } else { each.id.to_string() }, each.title.clone())
            })
            .collect()
        }),
        Field::Assignee => {
            let me = store.me.with(|me| me.actor.clone());
            let people: BTreeSet<contracts::Actor> = store.actors.with(|rows| rows.iter().map(|row| row.actor.clone()).collect());
            let others = people.into_iter().filter(|actor| *actor != me && actor.kind() != contracts::ActorKind::System);
            std::iter::once(("me".to_owned(), "Me".to_owned())).chain(others.map(|actor| (actor.to_string(), actor.short().to_owned()))).collect()
        }
        Field::Labels => store.labels().iter().map(|label| same(label)).collect(),
        Field::Type => store.types.with(|types| types.iter().map(|kind| same(kind)).collect()),
        Field::Standing => Standing::ALL.iter().map(|standing| (standing.as_str().to_owned(), words::sentence(standing.words()))).collect(),
        Field::Priority => (0..4u8).map(|priority| (priority.to_string(), words::sentence(crate::bulk::priority_words(priority)))).collect(),
        _ => Vec::new(),
    };
    // What is ticked can be unticked, known or not.
    for value in store.filter.with(|filter| facets::ticked(filter.as_ref(), field)) {
        if !value.is_empty() && !options.iter().any(|(own, _)| *own == value) {
            options.push(same(&value));
        }
    }
    if matches!(field, Field::Milestone | Field::Assignee | Field::Labels) {
        options.push((String::new(), "None".to_owned()));
    }
    options
}

/// One field's menu.
#[component]
fn Facet(field: Field, label: &'static str) -> impl IntoView {
    let store = expect_context::<Store>();
    let (base, markup) = (Base::here(), Markup::here());
    let ticked = Memo::new(move |_| store.filter.with(|filter| facets::ticked(filter.as_ref(), field)));
    let options = Memo::new(move |_| options(store, field));
    let rows = move || {
        let row = |(at, (value, name)): (usize, &(String, String))| {
            let filter = store.filter.with(|filter| facets::toggled(filter.as_ref(), field, value));
            let href = base.board(&store.look.with(|look| look.at(filter.as_ref().map(Filter::as_typed).unwrap_or_default()).query()));
            let on = ticked.with(|ticked| ticked.contains(value));
            format!("<li>{}</li>", markup.pick(&format!("pick-{}-{at}", field.as_str()), &href, name, on, false))
        };
        options.with(|options| options.iter().enumerate().map(row).collect::<String>())
    };
    let count = move || match ticked.with(Vec::len) {
        0 => String::new(),
        n => n.to_string(),
    };
    view! {
        <details class="menu" data-facet=field.as_str()>
            <summary class="button" data-kind="quiet">{label}<span class="count">{count}</span><Icon name="down" size="sm"/></summary>
            <div class="sheet"><ul class="picks" inner_html=rows on:click=kept_focus></ul></div>
        </details>
    }
    .into_any()
}

/// Rows are written anew when one is pressed; the focus goes back to the same one.
fn kept_focus(event: web_sys::MouseEvent) {
    if let Some(id) = browser::pressed(&event, "id") {
        browser::focus_soon(id);
    }
}

/// Columns, list or graph; what a column is; how dense; the looks that were kept.
#[component]
fn Display() -> impl IntoView {
    let store = expect_context::<Store>();
    let (base, markup) = (Base::here(), Markup::here());
    let views = {
        let base = base.clone();
        move || {
            let look = store.look.get();
            let one = |each: &View| {
                let href = escaped(&base.board(&Look { view: *each, ..look.clone() }.query()));
                let current = if look.view == *each { " aria-current=\"true\"" } else { "" };
                format!("<a class=\"button\" id=\"view-{}\" href=\"{href}\"{current}>{}</a>", each.as_str(), each.words())
            };
            View::ALL.iter().map(one).collect::<String>()
        }
    };
    let groups = move || {
        let look = store.look.get();
        let one = |each: &Group| {
            let href = base.board(&Look { group: *each, ..look.clone() }.query());
            format!("<li>{}</li>", markup.pick(&format!("group-{}", each.as_str()), &href, each.words(), look.group == *each, true))
        };
        Group::ALL.iter().map(one).collect::<String>()
    };
    view! {
        <div class="segmented push" role="group" aria-label="View" inner_html=views on:click=kept_focus></div>
        <details class="menu" data-facet="display">
            <summary class="button" data-kind="quiet">"Display"<Icon name="down" size="sm"/></summary>
            <div class="sheet">
                <h2>"Group by"</h2>
                <ul class="picks" inner_html=groups on:click=kept_focus></ul>
                <Density/>
                <Views/>
            </div>
        </details>
    }
    .into_any()
}

/// Comfortable or compact, as this browser remembers it.
#[component]
fn Density() -> impl IntoView {
    let ui = expect_context::<crate::ui::Ui>();
    let set = move |compact: bool| {
        ui.compact.set(compact);
        browser::keep("callboard-density", if compact { "compact" } else { "" });
    };
    view! {
        <h2 class="only-app">"Density"</h2>
        <div class="segmented only-app" role="group" aria-label="Density">
            <button class="button" type="button" aria-pressed=move || if ui.compact.get() { "false" } else { "true" } on:click=move |_| set(false)>"Comfortable"</button>
            <button class="button" type="button" aria-pressed=move || if ui.compact.get() { "true" } else { "false" } on:click=move |_| set(true)>"Compact"</button>
        </div>
    }
    .into_any()
}

/// The looks that were kept for the project.
#[component]
fn Views() -> impl IntoView {
    let store = expect_context::<Store>();
    let base = Base::here();
    let markup = Markup::here();
    let shown = move || {
        let query = store.query();
        let one = |(at, (name, own)): (usize, &(String, String))| {
            let pick = markup.pick(&format!("kept-{at}"), &base.board(own), name, query == *own, true);
            let (label, close) = (escaped(name), markup.icon("close"));
            let forget = format!(
                "<button class=\"button only-app\" type=\"button\" data-kind=\"quiet\" data-shape=\"square\" data-at=\"{at}\" aria-label=\"Forget the view {label}\">{close}</button>"
            );
            format!("<li>{pick}{forget}</li>")
        };
        store.views.with(|views| views.iter().enumerate().map(one).collect::<String>())
    };
    let pressed = move |event: web_sys::MouseEvent| {
        if let Some((name, _)) = row_of(&event).and_then(|at| store.views.with_untracked(|views| views.get(at).cloned())) {
            store.keep_view(&name, None);
        }
    };
    let keep = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let name = browser::fields(&event).into_iter().find(|(name, _)| name == "name").map(|(_, value)| value.trim().to_owned()).unwrap_or_default();
        if !name.is_empty() {
            store.keep_view(&name, Some(store.query_now()));
            browser::reset(&event);
        }
    };
    view! {
        <h2>"Views"</h2>
        <ul class="picks" inner_html=shown on:click=pressed></ul>
        <p class="quiet t-12">"A view is a filter with its grouping, for everybody in the project."</p>
        <form class="row only-app" on:submit=keep aria-label="Keep this view">
            <label class="labelled"><span class="only-read">"Name"</span><span class="field"><input name="name" maxlength="40" required=true autocomplete="off" placeholder="Keep this view as …"/></span></label>
            <button class="button">"Keep"</button>
        </form>
        <Notice problem=store.view_problem/>
    }
    .into_any()
}
