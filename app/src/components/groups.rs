//! The board in another shape than its five columns: groups, a list, a graph.

use crate::components::card::Card;
use crate::components::icon::{Icon, Shape};
use crate::components::selection::Pick;
use crate::lanes;
use crate::look::Sort;
use crate::markup::Markup;
use crate::store::Store;
use crate::ui::Ui;
use crate::words::escaped;
use crate::{Base, browser, layers, order, times, words};
use contracts::TaskId;
use contracts::standing::Column;
use leptos::prelude::*;

/// Cards in groups other than where they stand.
#[component]
pub fn Groups() -> impl IntoView {
    let store = expect_context::<Store>();
    provide_context(SaysStanding);
    let lanes = Memo::new(move |_| {
        let group = store.look.with(|look| look.group);
        store.milestones.with(|milestones| lanes::lanes(group, &store.loaded(), milestones))
    });
    let keys = Memo::new(move |_| lanes.with(|lanes| lanes.iter().map(|lane| (lane.key.clone(), lane.name.clone())).collect::<Vec<_>>()));
    let one = move |(key, name): (String, String)| {
        let ids = Memo::new(move |_| lanes.with(|lanes| lanes.iter().find(|lane| lane.key == key).map(|lane| lane.ids.clone()).unwrap_or_default()));
        view! { <LaneOf name=name ids=ids/> }
    };
    view! { <For each=move || keys.get() key=|key| key.clone() children=one/> }.into_any()
}

/// A card says where it stands when its column does not.
#[derive(Clone, Copy, Debug)]
pub struct SaysStanding;

#[component]
fn LaneOf(name: String, ids: Memo<Vec<TaskId>>) -> impl IntoView {
    let label = name.clone();
    view! {
        <section class="column" aria-label=label>
            <header>
                <h2 dir="auto">{name}</h2>
                <span class="count">{move || words::grouped(i64::try_from(ids.with(Vec::len)).unwrap_or(0))}</span>
            </header>
            <ol><For each=move || ids.get() key=|id| id.clone() children=move |id| view! { <Card id=id/> }/></ol>
        </section>
    }
    .into_any()
}

/// What grouping and lists leave out: columns that are not loaded whole.
#[component]
pub fn Loading() -> impl IntoView {
    let store = expect_context::<Store>();
    move || {
        let left: Vec<(Column, i64)> = order::COLUMNS
            .into_iter()
            .filter(|column| store.columns[order::place(*column)].next.with(Option::is_some))
            .map(|column| (column, store.total(column) - i64::try_from(store.columns[order::place(column)].ids.with(Vec::len)).unwrap_or(0)))
            .filter(|(_, left)| *left > 0)
            .collect();
        (!left.is_empty()).then(|| {
            let parts: Vec<String> = left.iter().map(|(column, left)| format!("{} in {}", words::grouped(*left), column.words())).collect();
            view! {
                <p class="loading">
                    {format!("Not loaded: {}. ", words::listed(&parts))}
                    <button class="button" type="button" data-kind="quiet" on:click=move |_| left.iter().for_each(|(column, _)| store.more(*column))>"Load more"</button>
                </p>
            }
        })
    }
}

/// A table of what is loaded, sorted by a head.
#[component]
pub fn List() -> impl IntoView {
    let store = expect_context::<Store>();
    let (base, markup) = (Base::here(), Markup::here());
    let ids = Memo::new(move |_| store.rows().concat());
    let heads = move || {
        let look = store.look.get();
        let head = |sort: &Sort| {
            let state = match (look.sort == *sort, look.down) {
                (false, _) => "",
                (true, true) => " aria-sort=\"descending\"",
                (true, false) => " aria-sort=\"ascending\"",
            };
            let wide = if NARROW.contains(sort) { "" } else { " class=\"wide\"" };
            let (href, arrow) = (escaped(&base.board(&look.by(*sort).query())), markup.icon("down"));
            format!("<th scope=\"col\"{wide}{state}><a id=\"sort-{}\" href=\"{href}\">{}{arrow}</a></th>", sort.as_str(), sort.words())
        };
        let sorted: String = Sort::ALL.iter().filter(|sort| **sort != Sort::Board).map(head).collect();
        format!("<th scope=\"col\" class=\"only-app\"><span class=\"only-read\">Selected</span></th><th scope=\"col\">Id</th>{sorted}")
    };
    let pressed = move |event: web_sys::MouseEvent| {
        if let Some(id) = browser::pressed(&event, "id") {
            browser::focus_soon(id);
        }
    };
    view! {
        <div class="listview" tabindex="-1">
            <table>
                <caption class="only-read">"Tasks"</caption>
                <thead><tr inner_html=heads on:click=pressed></tr></thead>
                <tbody><For each=move || ids.get() key=|id| id.clone() children=move |id| view! { <Row id=id/> }/></tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The columns of a list that a phone has room for.
const NARROW: [Sort; 3] = [Sort::Title, Sort::Standing, Sort::Assignee];

/// A row: its box, its id and title, and what else there is to say about it, cell by cell.
#[component]
fn Row(id: TaskId) -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    let card = store.card(&id)?.card;
    let (base, markup) = (Base::here(), Markup::here());
    let offset = store.clock();
    let selected = ui.is_selected(&id);
    let name = id.to_string();
    let open = {
        let id = id.clone();
        Memo::new(move |_| store.open_id.with(|open| open.as_ref() == Some(&id)))
    };
    let title = {
        let (card, name) = (card.clone(), name.clone());
        move || format!("<a id=\"card-{name}\" href=\"{}\">{}</a>", escaped(&base.task(&name, &store.query())), card.with(|card| escaped(&card.title)))
    };
    let cells = move || {
        card.with(|card| {
            let (now, standing) = (store.now.get_untracked(), card.standing);
            let who = card.lease.as_ref().map(|lease| &lease.actor).or(card.assignee.as_ref());
            let milestone =
                card.milestone.as_ref().and_then(|id| store.milestones.with(|all| all.iter().find(|each| each.id == *id).map(|each| escaped(&each.title))));
            let priority = if card.priority == 2 { String::new() } else { words::sentence(crate::bulk::priority_words(card.priority)) };
            let changed = format!(
                "<time datetime=\"{}\" title=\"{}\">{}</time>",
                times::machine(card.updated_at, offset),
                times::absolute(card.updated_at, offset),
                times::ago(now, card.updated_at, offset)
            );
            [
                (false, format!("<span class=\"row\">{}{}</span>", markup.glyph(Shape::of(standing)), words::sentence(standing.words()))),
                (true, priority),
                (true, escaped(&card.kind)),
                (true, milestone.unwrap_or_default()),
                (false, who.map(|actor| format!("<bdi>{}</bdi>", escaped(actor.short()))).unwrap_or_default()),
                (true, card.due_at.map(|at| times::due(now, at, offset).0).unwrap_or_default()),
                (true, changed),
            ]
            .map(|(wide, html)| view! { <td class=wide.then_some("wide") dir="auto" inner_html=html></td> })
        })
    };
    Some(view! {
        <tr data-card=name.clone() data-selected=move || open.get().then_some("") data-picked=move || selected.get().then_some("")>
            <td class="only-app"><Pick id=id/></td>
            <td><code class="id">{name.clone()}</code></td>
            <th scope="row" dir="auto" inner_html=title></th>
            {cells}
        </tr>
    })
}

/// Measures of the picture, pixels.
const NODE: (usize, usize) = (212, 44);
const STEP: (usize, usize) = (268, 60);
const EDGE: usize = 16;

/// What waits for what, from left to right; below it the same as a list.
#[component]
pub fn GraphView() -> impl IntoView {
    let store = expect_context::<Store>();
    let (base, markup) = (Base::here(), Markup::here());
    let drawn = Memo::new(move |_| {
        let open: Vec<TaskId> = store.loaded().into_iter().filter(|card| card.column != Column::Done).map(|card| card.id).collect();
        store.edges.with(|edges| layers::laid_out(&open, edges))
    });
    let said = move || drawn.with(said);
    let picture = move || {
        let query = store.query();
        let link = |id: &TaskId| escaped(&base.task(id.as_str(), &query));
        let title = |id: &TaskId| store.card(id).map(|card| card.card.with(|card| escaped(&card.title))).unwrap_or_default();
        let glyph = |id: &TaskId| store.card(id).map(|card| markup.glyph(Shape::of(card.card.with(|card| card.standing)))).unwrap_or_default();
        drawn.with(|graph| pictured(graph, link, title, glyph))
    };
    let list = move || {
        let title = |id: &TaskId| store.card(id).map(|card| card.card.with(|card| escaped(&card.title))).unwrap_or_default();
        let row = |spot: &layers::Spot| {
            let on: Vec<String> = spot.waits_for.iter().map(|on| format!("<code class=\"id\">{on}</code> <bdi>{}</bdi>", title(on))).collect();
            let critical = if spot.critical { " (critical path)" } else { "" };
            format!("<li><code class=\"id\">{}</code> <bdi>{}</bdi> waits for {}{critical}</li>", spot.id, title(&spot.id), words::listed(&on))
        };
        drawn.with(|graph| graph.spots.iter().filter(|spot| !spot.waits_for.is_empty()).map(row).collect::<String>())
    };
    let none = move || drawn.with(|graph| graph.spots.is_empty());
    view! {
        <div class="graphview" tabindex="0" role="region" aria-label="What waits for what">
            <p class="quiet t-12">{said}</p>
            <div class="plane" inner_html=picture></div>
            <details class="fold" hidden=none><summary><Icon name="right" size="sm"/><b>"The same as a list"</b></summary><ul inner_html=list></ul></details>
        </div>
    }
    .into_any()
}

/// What a picture shows and what it leaves out.
fn said(graph: &layers::Graph) -> String {
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    if graph.spots.is_empty() {
        let alone = words::count(count(graph.alone), "open task stands", "open tasks stand");
        return format!("Nothing waits for anything here: {alone} alone. What waits for another task is drawn as soon as it does.");
    }
    let critical = graph.spots.iter().filter(|spot| spot.critical).count();
    let mut parts = vec![format!("{} on the critical path", words::count(count(critical), "task", "tasks"))];
    if graph.alone > 0 {
        parts.push(format!("{} not drawn, because nothing ties them", words::grouped(count(graph.alone))));
    }
    if graph.more > 0 {
        parts.push(format!("{} more than can be drawn", words::grouped(count(graph.more))));
    }
    parts.join(" · ")
}

/// The picture: lines as SVG, tasks as links over it.
fn pictured(graph: &layers::Graph, link: impl Fn(&TaskId) -> String, title: impl Fn(&TaskId) -> String, glyph: impl Fn(&TaskId) -> String) -> String {
    if graph.spots.is_empty() {
        return String::new();
    }
    let at = |spot: &layers::Spot| (EDGE + spot.layer * STEP.0, EDGE + spot.row * STEP.1);
    let find = |id: &TaskId| graph.spots.iter().find(|spot| spot.id == *id);
    let (width, height) = (EDGE * 2 + (graph.layers - 1) * STEP.0 + NODE.0, EDGE * 2 + (graph.rows - 1) * STEP.1 + NODE.1);
    let mut lines: Vec<(bool, String)> = Vec::new();
    let mut nodes = String::new();
    for spot in &graph.spots {
        let (x, y) = at(spot);
        for on in spot.waits_for.iter().filter_map(find) {
            let from = at(on);
            let (x1, y1, y2) = (from.0 + NODE.0, from.1 + NODE.1 / 2, y + NODE.1 / 2);
            let bend = (x - x1) / 2;
            let critical = spot.critical && on.critical && on.layer + 1 == spot.layer;
            lines.push((critical, format!("M{x1} {y1}C{} {y1} {} {y2} {x} {y2}", x1 + bend, x - bend)));
        }
        let (mark, read) = if spot.critical { (" data-critical", "<span class=\"only-read\">, on the critical path</span>") } else { ("", "") };
        let (id, href, title, glyph) = (&spot.id, link(&spot.id), title(&spot.id), glyph(&spot.id));
        nodes.push_str(&format!(
            "<li class=\"node\" style=\"--x: {x}; --y: {y}\" data-card=\"{id}\"{mark}>{glyph}<a id=\"card-{id}\" href=\"{href}\" dir=\"auto\">{title}</a><code class=\"id\">{id}</code>{read}</li>"
        ));
    }
    // The critical path lies over the others.
    lines.sort();
    let path = |(critical, d): &(bool, String)| format!("<path d=\"{d}\"{}></path>", if *critical { " data-critical" } else { "" });
    let paths: String = lines.iter().map(path).collect();
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">{paths}</svg><ul style=\"--w: {width}; --h: {height}\">{nodes}</ul>"
    )
}
