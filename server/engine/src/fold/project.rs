//! The project: the first `project.created` makes it, settings are replaced, views are kept one by one.

use super::{Effect, refold, text};
use crate::event::{Event, Kind};
use crate::settings;
use crate::task::Project;
use contracts::{Actor, EventId};
use serde_json::Value;

/// Applies an event in order.
pub fn apply_project(project: &mut Project, event: &Event) -> Effect {
    let order = event.order();
    if project.last.as_ref().is_some_and(|last| *last == order) {
        return Effect::default();
    }
    let mut effect = match event.kind {
        Kind::ProjectCreated if project.created_by.is_some() => Effect::already(),
        Kind::ProjectCreated => {
            project.created_by = Some(event.actor.clone());
            project.created_at = event.at.moment;
            // A setting that sorts before the creation (a clock set back) stands.
            if project.name.is_empty() {
                project.name = text(event, "name");
            }
            if project.zone.is_empty() {
                project.zone = text(event, "zone");
            }
            Effect::applied()
        }
        Kind::ProjectConfigured => configured(project, event),
        _ => Effect::default(),
    };
    if event.kind == Kind::MessageSent {
        effect.applied = true;
        for actor in super::list::<Actor>(event, "to") {
            effect.tell(event, Some(&actor), "message");
        }
    }
    project.last = Some(project.last.take().map_or(order.clone(), |last| last.max(order)));
    effect.once()
}

fn configured(project: &mut Project, event: &Event) -> Effect {
    let to = event.body.get("to").cloned().unwrap_or(Value::Null);
    match (event.text("key"), to) {
        ("", _) => return Effect::default(),
        ("name", Value::String(name)) => project.name = name,
        ("zone", Value::String(zone)) => project.zone = zone,
        ("name" | "zone", _) => return Effect::default(),
        (key, to) => {
            let from = event.body.get("from").unwrap_or(&Value::Null);
            match settings::merged(project.settings.get(key), key, from, to) {
                Value::Null => drop(project.settings.remove(key)),
                value => drop(project.settings.insert(key.to_owned(), value)),
            }
        }
    }
    Effect::applied()
}

/// Folds all events about the project.
pub fn fold_project(events: &mut Vec<Event>) -> (Project, Vec<(EventId, Effect)>) {
    refold(events, Project::default(), apply_project)
}
