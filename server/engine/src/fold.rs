//! Events in, state out. `apply` never refuses and never panics, whatever a body holds: an event that no longer fits has no effect and is
//! listed as a conflict.
//!
//! Invariant: any set of events, in any order of arrival, gives the same state. An event later than `last` is applied to the state; an
//! earlier one folds its subject anew, unless it only adds ([`is_additive`]).

mod milestone;
mod project;
mod task;

pub use milestone::{apply_milestone, fold_milestone};
pub use project::{apply_project, fold_project};
pub use task::{apply_task, fold_task};

use crate::event::{Event, Kind};
use contracts::view::Criterion;
use contracts::{Actor, EventId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;

/// What became of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// It changed the state.
    pub applied: bool,
    /// It said what was so already.
    pub already: bool,
    /// It does not fit, and a person settles it.
    pub conflict: bool,
    /// Its subject does not exist yet.
    pub waits: bool,
    /// Whom to tell.
    pub notices: Vec<Notice>,
}

/// An actor to tell about an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// Whom.
    pub actor: Actor,
    /// Why: the word of `InboxItem::why`, or `conflict`.
    pub why: &'static str,
}

impl Effect {
    fn applied() -> Effect {
        Effect { applied: true, ..Effect::default() }
    }

    fn already() -> Effect {
        Effect { already: true, ..Effect::default() }
    }

    fn waits() -> Effect {
        Effect { waits: true, ..Effect::default() }
    }

    /// Also tells this actor, unless it acted itself.
    fn tell(&mut self, event: &Event, actor: Option<&Actor>, why: &'static str) {
        if let Some(actor) = actor.filter(|actor| **actor != event.actor) {
            self.notices.push(Notice { actor: actor.clone(), why });
        }
    }

    /// One notice an actor: the first reason stands.
    fn once(mut self) -> Effect {
        let mut told = BTreeSet::new();
        self.notices.retain(|notice| told.insert(notice.actor.clone()));
        self
    }
}

/// Whether an event only adds to a count, so that a late one may be applied out of order: comments and messages. (Commits and renewals
/// meet what ended or replaced them, and an imported fact its double, so a late one of those folds its subject anew.)
pub fn is_additive(event: &Event) -> bool {
    matches!(event.kind, Kind::TaskCommented | Kind::MessageSent) && !event.body.contains_key(IMPORTED)
}

/// The key of a body that names the fact of another board it came from. Of two events with equal kind and equal value only the first in
/// total order counts, so that a board may be imported twice, or in two clones.
pub const IMPORTED: &str = "imported";

/// A key of the body, when it is there and of the right type.
fn get<T: DeserializeOwned>(event: &Event, key: &str) -> Option<T> {
    event.body.get(key).and_then(read)
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

/// Writes a value of the right type into its place; whether it was one.
fn set<T: DeserializeOwned>(place: &mut T, value: &Value) -> bool {
    read(value).map(|value| *place = value).is_some()
}

fn text(event: &Event, key: &str) -> String {
    event.text(key).to_owned()
}

fn flag(event: &Event, key: &str) -> bool {
    event.body.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// The members of a list that are of the right type.
fn list<T: DeserializeOwned>(event: &Event, key: &str) -> Vec<T> {
    event.body.get(key).map(read_list).unwrap_or_default()
}

fn read_list<T: DeserializeOwned>(value: &Value) -> Vec<T> {
    value.as_array().into_iter().flatten().filter_map(read).collect()
}

/// A checklist: items are `{text, met?, note?}` or a bare text.
pub(crate) fn read_criteria(value: &Value) -> Vec<Criterion> {
    let item = |value: &Value| match value {
        Value::String(text) => Some(Criterion { text: text.clone(), met: None, note: String::new() }),
        other => read(other),
    };
    value.as_array().into_iter().flatten().filter_map(item).collect()
}

/// Answers `[{i, met?, note?}]` written into a checklist; what names no item is left out.
fn answer_criteria(criteria: &mut [Criterion], answers: &Value) {
    for answer in answers.as_array().into_iter().flatten() {
        let place = answer.get("i").and_then(Value::as_u64).and_then(|i| usize::try_from(i).ok()).and_then(|i| i.checked_sub(1));
        let Some(item) = place.and_then(|place| criteria.get_mut(place)) else { continue };
        item.met = answer.get("met").and_then(Value::as_bool);
        item.note = answer.get("note").and_then(Value::as_str).unwrap_or("").to_owned();
    }
}

/// Sorts events into the total order, each once.
pub(crate) fn in_order(events: &mut Vec<Event>) {
    events.sort_by_cached_key(Event::order);
    events.dedup_by(|later, earlier| later.id == earlier.id);
}

/// Folds from nothing.
fn refold<S>(events: &mut Vec<Event>, mut state: S, apply: impl Fn(&mut S, &Event) -> Effect) -> (S, Vec<(EventId, Effect)>) {
    in_order(events);
    let effects = events.iter().map(|event| (event.id.clone(), apply(&mut state, event))).collect();
    (state, effects)
}
