//! The board: head, filter, bars, five columns.

use crate::components::bars::{Conflicts, Quarantined};
use crate::components::column::ColumnOf;
use crate::components::empty::{AddButton, AllDone, Filtered, NoTask, Nothing, which};
use crate::components::filter_bar::FilterBar;
use crate::components::form::{CommandForm, Send, TextArea, TextField};
use crate::components::groups::{GraphView, Groups, List, Loading};
use crate::components::icon::Icon;
use crate::components::selection::Selection;
use crate::components::spec::PriorityField;
use crate::look::{Group, View};
use crate::store::Store;
use crate::ui::Ui;
use crate::words::escaped;
use crate::{browser, order, words};
use contracts::standing::Column;
use leptos::prelude::*;

/// The board.
#[component]
pub fn Board() -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    let nothing = Memo::new(move |_| which(store));
    Effect::new(move |shown: Option<()>| {
        if shown.is_none() {
            browser::show_first_column();
        }
    });
    let shape = Memo::new(move |_| store.look.with(|look| (look.view, look.group)));
    let columns = move || {
        let density = move || if ui.compact.get() { "compact" } else { "comfortable" };
        match shape.get() {
            (View::Columns, Group::Standing) => {
                view! { <Strip/><div class="board" data-density=density>{order::COLUMNS.map(|column| view! { <ColumnOf column=column/> }).collect_view()}</div> }.into_any()
            }
            (View::Columns, _) => view! { <Loading/><div class="board" data-density=density data-grouped=""><Groups/></div> }.into_any(),
            (View::List, _) => view! { <Loading/><List/> }.into_any(),
            (View::Graph, _) => view! { <GraphView/> }.into_any(),
        }
    };
    view! {
        <Head/>
        <QuickAdd/>
        <FilterBar/>
        <Conflicts/>
        <Quarantined/>
        {move || match nothing.get() {
            Some(Nothing::NoTask) => view! { <NoTask/> }.into_any(),
            Some(Nothing::Filtered) => view! { <Filtered/> }.into_any(),
            Some(Nothing::AllDone) => view! { <AllDone/>{columns} }.into_any(),
            None => columns.into_any(),
        }}
        <Selection/>
    }
    .into_any()
}

/// What this is, how much of it is shown, what can be done with it.
#[component]
fn Head() -> impl IntoView {
    let store = expect_context::<Store>();
    let scope = move || {
        let all = store.counts.with(|counts| counts.all());
        let shown: i64 = store.columns.iter().map(|column| i64::try_from(column.ids.with(Vec::len)).unwrap_or(0)).sum();
        let hidden: i64 = order::COLUMNS.into_iter().map(|column| store.hidden(column)).sum();
        let older = (store.total(Column::Done) - i64::try_from(store.columns[order::place(Column::Done)].ids.with(Vec::len)).unwrap_or(0)).max(0);
        let mut parts = vec![if shown == all {
            words::count(all, "task", "tasks")
        } else {
            format!("{} of {}", words::grouped(shown), words::count(all, "task", "tasks"))
        }];
        if hidden > 0 {
            parts.push(format!("{} hidden by the filter", words::grouped(hidden)));
        }
        if older > 0 {
            parts.push(format!("{} older in Done", words::grouped(older)));
        }
        parts.join(" · ")
    };
    view! {
        <div class="pagehead">
            <hgroup>
                <h1>"Board"</h1>
                <p>{scope}</p>
            </hgroup>
            <div data-part="acts">
                <a class="button narrow" href="#filter" rel="external"><Icon name="filter" size="sm"/>"Filter"</a>
                <AddButton key_shown=true/>
            </div>
        </div>
    }
    .into_any()
}

/// Quick add: a title, then Enter. Without scripts the address `#add` unfolds it.
#[component]
fn QuickAdd() -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    Effect::new(move |_| {
        if ui.adding.get() {
            browser::focus_soon("add-title".to_owned());
        }
    });
    let pasted = RwSignal::new(String::new());
    let added = Callback::new(move |receipts: Vec<contracts::Receipt>| {
        pasted.set(String::new());
        let n = receipts.first().and_then(|receipt| receipt.data.get("tasks")).and_then(|tasks| tasks.as_array().map(Vec::len)).unwrap_or(1);
        store.say(format!("Added {}.", words::count(i64::try_from(n).unwrap_or(1), "task", "tasks")));
        browser::focus_soon("add-title".to_owned());
    });
    let refused = store.refusal.get_untracked().is_some_and(|refusal| refusal.command == "plan");
    let many = store.refusal.get_untracked().is_some_and(|refusal| refusal.command == "plan" && refusal.fields.contains_key("titles"));
    let shut = move || {
        ui.adding.set(false);
        browser::focus("main");
    };
    view! {
        <section
            class="quickadd"
            id="add"
            aria-label="Add tasks"
            data-open=move || (ui.adding.get() || refused).then_some("")
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    event.stop_propagation();
                    shut();
                }
            }
        >
            <CommandForm command="plan" place="add" class="stack" label="Add a task" only=("title", store.refusal.get_untracked().and_then(|refusal| refusal.fields.get("title").cloned()).unwrap_or_default()) done=added>
                <div class="row">
                    <TextField name="title" label="Title" placeholder="What is to be done? Enter adds it" hidden_label=true required=true id="add-title"/>
                    <Send text="Add"/>
                    <a class="button" data-kind="quiet" data-shape="square" href="#main" rel="external" aria-label="Close" on:click=move |event| { event.prevent_default(); shut(); }><Icon name="close"/></a>
                </div>
                <details class="unfold">
                    <summary class="button" data-kind="quiet">"Details"</summary>
                    <div class="stack">
                        <TextArea name="spec" label="Spec (markdown)" rows=4/>
                        <div class="fieldrow">
                            <PriorityField/>
                            <TextField name="type" label="Type" placeholder="task"/>
                            <TextField name="due_at" label="Due" kind="date"/>
                        </div>
                        <TextField name="labels" label="Labels, with commas between"/>
                        <TextArea name="criteria" label="Criteria, one a line"/>
                        <TextArea name="files" label="Files it will touch, one a line"/>
                    </div>
                </details>
            </CommandForm>
            <details class="unfold" data-once="" open=many>
                <summary class="button" data-kind="quiet">"Paste a list or a plan"</summary>
                <CommandForm command="plan" place="add-list" class="stack" label="Add a list of tasks" only=("titles", store.refusal.get_untracked().and_then(|refusal| refusal.fields.get("titles").cloned()).unwrap_or_default()) done=added>
                    <div on:input=move |event| pasted.set(event_target_value(&event))>
                        <TextArea name="titles" label="One line a task, indented under the task it is part of; or a plan as JSON" rows=5 required=true/>
                    </div>
                    <Preview text=pasted/>
                    <div class="row"><Send text="Add all"/></div>
                </CommandForm>
            </details>
        </section>
    }
    .into_any()
}

/// The tree a pasted text would be.
#[component]
fn Preview(text: RwSignal<String>) -> impl IntoView {
    let rows = move || match text.with(|text| crate::paste::read(text)) {
        Ok(pasted) if pasted.tree.is_empty() => String::new(),
        Ok(pasted) => {
            let count = words::count(i64::try_from(pasted.tree.len()).unwrap_or(i64::MAX), "task", "tasks");
            let row = |(depth, title): &(usize, String)| format!("<li dir=\"auto\" style=\"--depth: {depth}\">{}</li>", escaped(title));
            format!("<p class=\"quiet t-12\">{count} will be added:</p><ul class=\"tree\">{}</ul>", pasted.tree.iter().map(row).collect::<String>())
        }
        Err(problem) => {
            let row = |error: &contracts::FieldError| format!("<li>{}: {}</li>", escaped(&error.path), escaped(&error.text));
            format!("<ul class=\"tree\" data-faulty><li>{}</li>{}</ul>", escaped(&problem.title), problem.errors.iter().map(row).collect::<String>())
        }
    };
    view! { <div role="status" inner_html=rows></div> }.into_any()
}

/// On a phone: the columns by name.
#[component]
fn Strip() -> impl IntoView {
    let store = expect_context::<Store>();
    let links = order::COLUMNS.map(|column| {
        let id = column.as_str();
        view! {
            <a href=format!("#{id}") rel="external" on:click=move |event| {
                event.prevent_default();
                if let Some(section) = browser::element(id) {
                    section.scroll_into_view();
                }
            }>{column.words()}" "<span>{move || words::grouped(store.total(column))}</span></a>
        }
    });
    view! { <nav class="boardstrip" aria-label="Columns">{links.collect_view()}</nav> }.into_any()
}
