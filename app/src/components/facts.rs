//! The facts of the open card: what it waits for, files, fields, relations.

use crate::components::form::{CommandForm, Send};
use crate::components::icon::{Glyph, Icon, Shape};
use crate::components::panel::of_open;
use crate::store::Store;
use crate::{Base, times, words};
use contracts::view::{Relation, TaskView};
use leptos::prelude::*;

fn short(actor: &contracts::Actor) -> String {
    actor.short().to_owned()
}

/// What it waits for, outside the board and on it.
#[component]
pub fn Waiting() -> impl IntoView {
    let store = expect_context::<Store>();
    let seen = of_open(store, |task| {
        let may = super::actions::refusal(task, "unblock").is_none();
        (task.card.id.clone(), task.waits_on.clone(), task.blockers.clone(), may)
    });
    move || {
        seen.get().filter(|(_, waits, blockers, _)| !waits.is_empty() || !blockers.is_empty()).map(|(task, waits, blockers, may)| {
            let outside = blockers
                .into_iter()
                .map(|blocker| {
                    let id = blocker.id.to_string();
                    let form = may.then(|| {
                        view! {
                            <CommandForm command="unblock" place=format!("unblock-{id}") task=task.clone() class="inline" only=("blocker", id.clone())>
                                <input type="hidden" name="blocker" value=id.clone()/>
                                <Send text="Resolved" quiet=true/>
                            </CommandForm>
                        }
                    });
                    view! {
                        <li>
                            <Glyph shape=Shape::of(contracts::Standing::Blocked)/>
                            <span><span dir="auto">{blocker.reason.clone()}</span>" "<span class="quiet t-12">{short(&blocker.by)}</span></span>
                            {form}
                        </li>
                    }
                })
                .collect_view();
            view! {
                <section>
                    <h2>"Waits for"</h2>
                    <ul class="relations">{outside}{waits.iter().map(relation).collect_view()}</ul>
                </section>
            }
        })
    }
}

fn relation(relation: &Relation) -> impl IntoView + use<> {
    let href = Base::here().task(relation.id.as_str(), "");
    let title = if relation.title.is_empty() { "not known here yet".to_owned() } else { relation.title.clone() };
    let word = relation.standing.map(|standing| standing.words());
    let shape = relation.standing.map_or(Shape::PENDING, Shape::of);
    view! {
        <li>
            <Glyph shape=shape/>
            <a href=href><code class="id">{relation.id.to_string()}</code>" "<span dir="auto">{title}</span></a>
            <span class="quiet t-12">{word}{relation.holder.as_ref().map(|actor| format!(" · {}", short(actor)))}{relation.inert.then_some(" · would close a loop")}</span>
        </li>
    }
}

/// The files it touches, and who else does.
#[component]
pub fn Files() -> impl IntoView {
    let store = expect_context::<Store>();
    let seen = of_open(store, |task| (task.files.clone(), task.collisions.clone()));
    move || {
        seen.get().filter(|(files, collisions)| !files.is_empty() || !collisions.is_empty()).map(|(files, collisions)| {
            let shared = (!collisions.is_empty()).then(|| view! { <span class="push quiet">{format!("{} shared", collisions.len())}</span> });
            let rows = files.into_iter().map(|file| {
                let icon = if file.ends_with('/') { "folder" } else { "file" };
                view! { <li><Icon name=icon size="sm"/><code>{file}</code></li> }
            }).collect_view();
            let others = collisions.into_iter().map(|collision| {
                let href = Base::here().task(collision.id.as_str(), "");
                let who = collision.actor.as_ref().map_or_else(|| "Another task".to_owned(), short);
                view! {
                    <li>
                        <Icon name="warning" size="sm"/>
                        <span>{format!("{who} has {} too, for ", collision.paths.join(", "))}<a class="id" href=href title=collision.title.clone()>{collision.id.to_string()}</a></span>
                    </li>
                }
            }).collect_view();
            view! {
                <section>
                    <h2>"Files "{shared}</h2>
                    <ul class="files">{rows}{others}</ul>
                </section>
            }
        })
    }
}

fn priority(level: u8) -> (&'static str, Option<&'static str>) {
    match level {
        0 => ("Urgent", Some("p0")),
        1 => ("High", Some("p1")),
        3 => ("Someday", Some("p3")),
        _ => ("Normal", None),
    }
}

/// What the list of fields shows.
#[derive(Clone, PartialEq)]
struct Shown {
    assignee: Option<String>,
    priority: u8,
    kind: String,
    labels: Vec<String>,
    milestone: Option<(String, u32)>,
    due: Option<contracts::Moment>,
    branch: Option<String>,
    worktree: Option<String>,
    children: (u32, u32),
    review: bool,
    created_by: String,
    created_at: contracts::Moment,
    closing_note: String,
}

fn shown(task: &TaskView) -> Shown {
    let card = &task.card;
    let size = card.complexity.map(|size| format!(" · size {}", size.as_str())).unwrap_or_default();
    let area = card.vertical.as_ref().map(|area| format!(" · {area}")).unwrap_or_default();
    Shown {
        assignee: card.assignee.as_ref().map(short),
        priority: card.priority,
        kind: format!("{}{size}{area}", card.kind),
        labels: card.labels.clone(),
        milestone: task.milestone_detail.as_ref().map(|milestone| (milestone.title.clone(), words::hue(milestone.id.as_str()))),
        due: card.due_at,
        branch: card.branch.clone(),
        worktree: task.worktree.clone(),
        children: card.children,
        review: task.review_required,
        created_by: short(&task.created_by),
        created_at: card.created_at,
        closing_note: task.closing_note.clone(),
    }
}

/// Assignee, priority and the rest.
#[component]
pub fn Facts() -> impl IntoView {
    let store = expect_context::<Store>();
    let seen = of_open(store, shown);
    let offset = store.project.with_untracked(|project| project.offset_minutes);
    move || {
        seen.get().map(|shown| {
            let (word, icon) = priority(shown.priority);
            let assignee = shown.assignee.map_or_else(|| view! { <dd class="quiet">"nobody"</dd> }.into_any(), |name| view! { <dd><bdi>{name}</bdi></dd> }.into_any());
            view! {
                <section>
                    <h2 class="only-read">"Facts"</h2>
                    <dl class="facts">
                        {(!shown.closing_note.is_empty()).then(|| view! { <dt>"Closed with"</dt><dd dir="auto">{shown.closing_note.clone()}</dd> })}
                        <dt>"Assignee"</dt>{assignee}
                        <dt>"Priority"</dt><dd>{icon.map(|icon| view! { <Icon name=icon size="sm"/> })}{word}</dd>
                        <dt>"Type"</dt><dd>{shown.kind}</dd>
                        {(!shown.labels.is_empty()).then(|| view! { <dt>"Labels"</dt><dd>{shown.labels.into_iter().map(|label| view! { <span class="chip">{label}</span> }).collect_view()}</dd> })}
                        {shown.milestone.map(|(title, hue)| view! { <dt>"Milestone"</dt><dd><i class="milestone" data-hue=hue.to_string()></i><bdi>{title}</bdi></dd> })}
                        {shown.due.map(|due| view! { <dt>"Due"</dt><dd>{times::absolute(due, offset)}</dd> })}
                        {shown.branch.map(|branch| view! { <dt>"Branch"</dt><dd class="mono cut">{branch}</dd> })}
                        {shown.worktree.map(|place| view! { <dt>"Worktree"</dt><dd class="mono cut">{place}</dd> })}
                        {(shown.children.1 > 0).then(|| view! { <dt>"Subtasks"</dt><dd>{format!("{} of {} closed", shown.children.0, shown.children.1)}</dd> })}
                        {shown.review.then(|| view! { <dt>"Review"</dt><dd>"needed before it closes"</dd> })}
                        <dt>"Created"</dt><dd>{format!("{} by ", times::absolute(shown.created_at, offset))}<bdi>{shown.created_by}</bdi></dd>
                    </dl>
                </section>
            }
        })
    }
}

/// Parent, subtasks, and what waits for it.
#[component]
pub fn Relations() -> impl IntoView {
    let store = expect_context::<Store>();
    let seen = of_open(store, |task| (task.parent_detail.clone(), task.subtasks.clone(), task.blocking.clone()));
    let list = |heading: &'static str, relations: Vec<Relation>| {
        (!relations.is_empty())
            .then(|| view! { <section><h2>{heading}</h2><ul class="relations">{relations.iter().map(relation).collect_view()}</ul></section> })
    };
    move || {
        seen.get().map(|(parent, subtasks, blocking)| {
            view! {
                {list("Part of", parent.into_iter().collect())}
                {list("Subtasks", subtasks)}
                {list("Waits for this", blocking)}
            }
        })
    }
}
