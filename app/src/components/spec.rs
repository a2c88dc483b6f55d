//! What the task is: its title, its spec, its checklist.

use crate::components::form::{CommandForm, Send, TextArea, TextField};
use crate::components::icon::{Glyph, Shape};
use crate::components::panel::of_open;
use crate::store::Store;
use crate::times;
use contracts::view::Criterion;
use leptos::prelude::*;

/// The heading of the open card.
#[component]
pub fn Title() -> impl IntoView {
    let store = expect_context::<Store>();
    let title = of_open(store, |task| task.card.title.clone());
    view! { <h1 id="card-title" dir="auto" tabindex="-1">{move || title.get().unwrap_or_default()}</h1> }.into_any()
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

/// The spec, and the form that changes the task.
#[component]
pub fn Spec() -> impl IntoView {
    let store = expect_context::<Store>();
    let spec = of_open(store, |task| (task.spec_html.clone(), task.spec.clone()));
    view! {
        <section class="stack" data-part="spec" aria-labelledby="spec-h">
            <h2 id="spec-h">"Spec"</h2>
            <Edit/>
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

/// What of a task the edit form holds.
#[derive(Clone, PartialEq)]
struct Fields {
    task: contracts::TaskId,
    title: String,
    spec: String,
    kind: String,
    priority: u8,
    labels: String,
    files: String,
    criteria: String,
    due: String,
    milestone: String,
    version: i64,
    refused: Option<String>,
}

/// Title, spec, priority, labels and the rest, in one form.
#[component]
fn Edit() -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.project.with_untracked(|project| project.offset_minutes);
    let fields = of_open(store, move |task| Fields {
        task: task.card.id.clone(),
        title: task.card.title.clone(),
        spec: task.spec.clone(),
        kind: task.card.kind.clone(),
        priority: task.card.priority,
        labels: task.card.labels.join(", "),
        files: task.files.join("\n"),
        criteria: task.criteria.iter().map(|criterion| criterion.text.clone()).collect::<Vec<_>>().join("\n"),
        due: task.card.due_at.map(|due| times::date(due, offset)).unwrap_or_default(),
        milestone: task.card.milestone.as_ref().map(ToString::to_string).unwrap_or_default(),
        version: task.card.version,
        refused: crate::components::actions::refusal(task, "edit"),
    });
    let refused_here = store.refusal.get_untracked().is_some_and(|refusal| refusal.command == "edit" && !refusal.fields.contains_key("i"));
    move || {
        fields.get().map(|fields| {
            if let Some(text) = fields.refused {
                return view! { <span class="quiet t-12" data-part="edit">{text}</span> }.into_any();
            }
            let milestones = store.milestones.get();
            view! {
                <details class="unfold" data-once="" data-part="edit" open=refused_here>
                    <summary class="button" data-kind="quiet">"Edit"</summary>
                    <CommandForm command="edit" place="edit" task=fields.task class="stack" label="Edit this task">
                        <input type="hidden" name="expect" value=fields.version.to_string()/>
                        <TextField name="title" label="Title" value=fields.title required=true/>
                        <TextArea name="spec" label="Spec (markdown)" value=fields.spec rows=8/>
                        <div class="fieldrow">
                            <PriorityField value=fields.priority/>
                            <TextField name="type" label="Type" value=fields.kind/>
                            <TextField name="due_at" label="Due" value=fields.due kind="date"/>
                        </div>
                        <TextField name="labels" label="Labels, with commas between" value=fields.labels/>
                        <label class="labelled">
                            <span>"Milestone"</span>
                            <span class="field"><select name="milestone">
                                <option value="">"none"</option>
                                {milestones.into_iter().map(|milestone| {
                                    let id = milestone.id.to_string();
                                    let chosen = id == fields.milestone;
                                    view! { <option value=id selected=chosen>{milestone.title}</option> }
                                }).collect_view()}
                            </select></span>
                        </label>
                        <TextArea name="criteria" label="Criteria, one a line" value=fields.criteria rows=3/>
                        <TextArea name="files" label="Files it will touch, one a line" value=fields.files rows=2/>
                        <div class="row"><Send text="Save"/></div>
                    </CommandForm>
                </details>
            }
            .into_any()
        })
    }
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

/// The checklist: each item with its answer, and a way to answer it.
#[component]
pub fn Criteria() -> impl IntoView {
    let store = expect_context::<Store>();
    let criteria = of_open(store, |task| (task.card.id.clone(), task.criteria.clone(), crate::components::actions::refusal(task, "edit").is_none()));
    move || {
        criteria.get().filter(|(_, criteria, _)| !criteria.is_empty()).map(|(task, criteria, may)| {
            let met = criteria.iter().filter(|criterion| criterion.met == Some(true)).count();
            let all = criteria.len();
            let items = criteria.into_iter().enumerate().map(|(place, criterion)| item(&task, place + 1, criterion, may)).collect_view();
            view! {
                <section class="stack" data-part="criteria" aria-labelledby="criteria-h">
                    <h2 id="criteria-h">"Criteria "<span class="quiet">{format!("{met} of {all} met")}</span></h2>
                    <ol class="criteria">{items}</ol>
                </section>
            }
        })
    }
}

fn item(task: &contracts::TaskId, i: usize, criterion: Criterion, may: bool) -> impl IntoView + use<> {
    let (shape, label) = match criterion.met {
        Some(true) => (Shape::DONE, "met"),
        Some(false) => (Shape::FAILED, "not met"),
        None => (Shape::PENDING, "no answer yet"),
    };
    let (to, word) = if criterion.met == Some(true) { ("", "Take back") } else { ("true", "Met") };
    let answer_label = format!("{word}: {}", criterion.text);
    let form = may.then(|| {
        view! {
            <CommandForm command="edit" place=format!("criterion-{i}") task=task.clone() class="inline" only=("i", i.to_string())>
                <input type="hidden" name="i" value=i.to_string()/>
                <input type="hidden" name="met" value=to/>
                <button class="button" data-kind="quiet" aria-label=answer_label>{word}</button>
            </CommandForm>
        }
    });
    view! {
        <li>
            <Glyph shape=shape label=label/>
            <span dir="auto">{criterion.text.clone()}</span>
            {(!criterion.note.is_empty()).then(|| view! { <small dir="auto">{criterion.note.clone()}</small> })}
            {form}
        </li>
    }
}
