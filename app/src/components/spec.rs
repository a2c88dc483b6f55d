//! What the task is: its title, its spec, its checklist.

use crate::components::form::{CommandForm, TextArea, TextField};
use crate::components::icon::{Glyph, Icon, Shape};
use crate::components::inplace::{EditForm, Values};
use crate::components::panel::of_open;
use crate::components::problem::Notice;
use crate::store::Store;
use crate::{Base, browser, port};
use contracts::Problem;
use contracts::view::{Criterion, TaskView};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The heading of the open card, and the form that changes its words.
#[component]
pub fn Title() -> impl IntoView {
    let store = expect_context::<Store>();
    let title = of_open(store, |task| task.card.title.clone());
    view! {
        <div class="titlebar">
            <h1 id="card-title" dir="auto" tabindex="-1">{move || title.get().unwrap_or_default()}</h1>
            <EditWords/>
        </div>
    }
    .into_any()
}

/// HTML the server made from markdown, or the text as it is when there is none.
#[component]
pub fn Prose(html: String, text: String) -> impl IntoView {
    if html.is_empty() {
        view! { <div class="prose" data-plain="" dir="auto">{text}</div> }.into_any()
    } else {
        view! { <div class="prose" dir="auto" inner_html=html></div> }.into_any()
    }
}

/// The spec.
#[component]
pub fn Spec() -> impl IntoView {
    let store = expect_context::<Store>();
    let spec = of_open(store, |task| (task.spec_html.clone(), task.spec.clone()));
    view! {
        <section class="stack" data-part="spec" aria-labelledby="spec-h">
            <h2 id="spec-h">"Spec"</h2>
            {move || spec.get().map(|(html, text)| {
                if text.trim().is_empty() && html.is_empty() {
                    view! { <p class="quiet">"No spec: agents work from the title alone."</p> }.into_any()
                } else {
                    view! { <Prose html=html text=text/> }.into_any()
                }
            })}
        </section>
    }
    .into_any()
}

/// The id of what unfolds to change title and spec.
pub const EDIT: &str = "edit";

/// Title and spec, with a look at what the spec will be.
#[component]
fn EditWords() -> impl IntoView {
    let store = expect_context::<Store>();
    let ground = of_open(store, |task| super::actions::refusal(task, "edit").is_none().then(|| task.card.id.clone()));
    let now: fn(&TaskView, contracts::Offsets) -> Values = |task, _| vec![("title", task.card.title.clone()), ("spec", task.spec.clone())];
    move || {
        ground.get().flatten().map(|task| {
            let (title, spec) = store.open.with_untracked(|task| task.as_ref().map(|task| (task.card.title.clone(), task.spec.clone())).unwrap_or_default());
            let summary = view! { <summary class="button" data-kind="quiet" title="Edit (e)"><Icon name="edit" size="sm"/>"Edit"</summary> }.into_any();
            view! {
                <EditForm place=EDIT task=task label="Edit this task" now=now summary=summary>
                    <TextField name="title" label="Title" value=title required=true/>
                    <TextArea name="spec" label="Spec (markdown)" value=spec rows=8/>
                    <Preview/>
                </EditForm>
            }
            .into_any()
        })
    }
}

/// What the spec of the form will look like, as the server renders it.
#[component]
fn Preview() -> impl IntoView {
    let html = RwSignal::new(None::<Result<String, Problem>>);
    let base = Base::here().0;
    let look = move |_| {
        let base = base.clone();
        let text = browser::element(EDIT).and_then(|details| browser::form_in(&details)).and_then(|form| browser::value_of(&form, "spec")).unwrap_or_default();
        spawn_local(async move { html.set(Some(port::preview(&base, text).await)) });
    };
    view! {
        <div class="preview only-app">
            <button class="button" type="button" data-kind="quiet" on:click=look>{move || if html.with(Option::is_some) { "Preview again" } else { "Preview" }}</button>
            {move || html.get().map(|read| match read {
                Ok(html) if html.trim().is_empty() => view! { <p class="quiet">"Nothing to show: the spec is empty."</p> }.into_any(),
                Ok(html) => view! { <div class="prose" dir="auto" inner_html=html></div> }.into_any(),
                Err(problem) => view! { <Notice problem=Signal::derive(move || Some(problem.clone()))/> }.into_any(),
            })}
        </div>
    }
    .into_any()
}

/// Urgent to someday.
#[component]
pub fn PriorityField(#[prop(default = 2)] value: u8) -> impl IntoView {
    let options = ["Urgent", "High", "Normal", "Someday"].into_iter().enumerate().map(|(place, word)| {
        let chosen = place == usize::from(value);
        view! { <option value=place.to_string() selected=chosen>{word}</option> }
    });
    view! {
        <label class="labelled">
            <span>"Priority"</span>
            <span class="field"><select name="priority">{options.collect_view()}</select></span>
        </label>
    }
    .into_any()
}

/// The checklist: each item with its answer, a way to answer it, and the list itself to be changed.
#[component]
pub fn Criteria() -> impl IntoView {
    let store = expect_context::<Store>();
    let criteria = of_open(store, |task| task.criteria.clone());
    let ground = of_open(store, |task| super::actions::refusal(task, "edit").is_none().then(|| task.card.id.clone()));
    let met = move || criteria.get().unwrap_or_default().iter().filter(|criterion| criterion.met == Some(true)).count();
    let all = Memo::new(move |_| criteria.get().unwrap_or_default().len());
    let now: fn(&TaskView, contracts::Offsets) -> Values = |task, _| vec![("criteria", texts(&task.criteria))];
    // An item is made anew only when its own words differ, so that an answer to one leaves what is typed into another alone.
    let items = move || {
        let task = ground.get().flatten();
        (0..all.get()).map(|place| view! { <Item task=task.clone() place=place/> }).collect_view()
    };
    let edit = move || {
        ground.get().flatten().map(|task| {
            let typed = criteria.get_untracked().map(|criteria| texts(&criteria)).unwrap_or_default();
            let summary = view! {
                <summary class="button" data-kind="quiet">{move || if all.get() == 0 { "Add criteria" } else { "Edit the list" }}</summary>
            };
            view! {
                <EditForm place="criteria" task=task label="Criteria" now=now summary=summary.into_any()>
                    <TextArea name="criteria" label="Criteria, one a line" value=typed rows=4/>
                </EditForm>
            }
        })
    };
    let listed = move || (all.get() > 0).then(|| view! { <ol class="criteria">{items}</ol> });
    move || {
        (all.get() > 0 || ground.get().flatten().is_some()).then(|| view! {
            <section class="stack" data-part="criteria" aria-labelledby="criteria-h">
                <h2 id="criteria-h">"Criteria "{move || (all.get() > 0).then(|| view! { <span class="quiet">{format!("{} of {} met", met(), all.get())}</span> })}</h2>
                {listed}
                {edit}
            </section>
        })
    }
}

fn texts(criteria: &[Criterion]) -> String {
    criteria.iter().map(|criterion| criterion.text.clone()).collect::<Vec<_>>().join("\n")
}

/// One item: its glyph is the answer, and a press on it says that it is met or takes that back.
#[component]
fn Item(task: Option<contracts::TaskId>, place: usize) -> impl IntoView {
    let store = expect_context::<Store>();
    let criterion = of_open(store, move |task| task.criteria.get(place).cloned());
    let text = Memo::new(move |_| criterion.get().flatten().map(|criterion| criterion.text));
    let written = Memo::new(move |_| criterion.get().flatten().map(|criterion| criterion.note).unwrap_or_default());
    let i = place + 1;
    let answer = {
        let task = task.clone();
        move || criterion.get().flatten().map(|criterion| answer(task.clone(), i, &criterion))
    };
    let missing = move || {
        let failed = criterion.get().flatten().is_some_and(|criterion| criterion.met == Some(false));
        failed.then(|| view! { <span class="quiet">" · not met"</span> })
    };
    let note = move || Some(written.get()).filter(|note| !note.is_empty()).map(|note| view! { <small dir="auto">{note}</small> });
    let more = move || task.clone().zip(text.get()).map(|(task, text)| view! { <Answering task=task i=i text=text note=written/> });
    view! { <li>{answer}<span dir="auto">{move || text.get()}{missing}</span>{note}{more}</li> }.into_any()
}

fn answer(task: Option<contracts::TaskId>, i: usize, criterion: &Criterion) -> AnyView {
    let (shape, label) = match criterion.met {
        Some(true) => (Shape::DONE, "met"),
        Some(false) => (Shape::FAILED, "not met"),
        None => (Shape::PENDING, "no answer yet"),
    };
    let Some(task) = task else { return view! { <Glyph shape=shape label=label/> }.into_any() };
    let met = criterion.met == Some(true);
    let note = criterion.note.clone();
    let words = format!("{}: {}", if met { "Take back" } else { "Met" }, criterion.text);
    view! {
        <CommandForm command="edit" place=format!("criterion-{i}") task=task class="check" only=("i", i.to_string())>
            <input type="hidden" name="i" value=i.to_string()/>
            <input type="hidden" name="answer_note" value=note/>
            <button name="met" value=if met { "" } else { "true" } aria-label=words title=label><Glyph shape=shape/></button>
        </CommandForm>
    }
    .into_any()
}

/// An answer with its reason: met or not, and where to see it.
#[component]
fn Answering(task: contracts::TaskId, i: usize, text: String, note: Memo<String>) -> impl IntoView {
    let label = format!("Answer with a note: {text}");
    view! {
        <details class="unfold" data-once="">
            <summary class="button" data-kind="quiet" data-shape="square" aria-label=label.clone() title="Answer with a note"><Icon name="comment" size="sm"/></summary>
            <CommandForm command="edit" place=format!("answer-{i}") task=task class="stack" label=label only=("i", i.to_string())>
                <input type="hidden" name="i" value=i.to_string()/>
                <TextField name="answer_note" label="Where to see it, or what is missing" value=note/>
                <div class="row"><button class="button" name="met" value="true">"Met"</button><button class="button" name="met" value="false">"Not met"</button></div>
            </CommandForm>
        </details>
    }
    .into_any()
}
