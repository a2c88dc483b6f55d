//! What the open card is tied to: what it waits for, the files it touches, its relations.

use crate::Base;
use crate::components::fields::EditFiles;
use crate::components::form::{CommandForm, Send};
use crate::components::icon::{Glyph, Icon, Shape};
use crate::components::panel::of_open;
use crate::store::Store;
use contracts::view::Relation;
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
                    <EditFiles/>
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
