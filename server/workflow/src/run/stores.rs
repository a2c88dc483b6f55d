//! Data of a run by name: who may write what, and what a change comes to.

use super::decide::Deciding;
use super::event::RunEvent;
use super::state::HandleId;
use crate::document::{Given, Store, StoreKind};
use contracts::{Code, Hint, Problem};
use serde_json::{Map, Value, json};

/// A change of a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Which.
    pub store: String,
    /// `set`, `append`, `add` or `remove`.
    pub op: String,
    /// A key or an index.
    pub at: Option<String>,
    /// The value.
    pub value: Value,
    /// The revision that was read, to write only if nothing came between.
    pub expect: Option<u64>,
}

impl Deciding<'_> {
    pub(super) fn store(&mut self, handle: &HandleId, change: &Change) -> Result<(), Problem> {
        let (key, _) = self.held(handle)?;
        let Some(declared) = self.plan.document.stores.get(&change.store) else {
            let known: Vec<&str> = self.plan.document.stores.keys().map(String::as_str).collect();
            return Err(Problem::bad_request("name", format!("there is no store {}", change.store)).hint(Hint::text(known.join(", "))));
        };
        let step = self.plan.at(&key.path).map(|index| self.plan.block(index).id.as_str()).unwrap_or_default();
        if !may(declared.write.as_ref().map(|write| &write.0), step) {
            return Err(Problem::new(Code::Forbidden, format!("{step} may not write {}", change.store)));
        }
        fits(declared, &change.value, &change.op)?;
        let own = self.working.run.stores.get(&change.store).cloned().unwrap_or_default();
        if change.expect.is_some_and(|expect| expect != own.rev) {
            return Err(Problem::new(Code::Stale, format!("{} is at revision {} and holds {}", change.store, own.rev, own.value)));
        }
        let value = changed(declared.kind, own.value, change)?;
        let size = match &value {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 1,
        };
        if declared.max.and_then(|max| usize::try_from(max).ok()).is_some_and(|max| size > max) {
            return Err(Problem::new(Code::TooLarge, format!("{} holds at most {} entries", change.store, declared.max.unwrap_or(0))));
        }
        let run = self.working.run.id.clone();
        self.write(RunEvent::StoreChanged { run, store: change.store.clone(), value, rev: own.rev + 1 });
        Ok(())
    }
}

/// Whether a step is among those that may.
fn may(list: Option<&Given<crate::document::Never>>, step: &str) -> bool {
    match list {
        None => true,
        Some(Given::Word(word)) => word == "all" || word == step,
        Some(Given::Words(words)) => words.iter().any(|word| word == step),
        Some(_) => false,
    }
}

fn fits(declared: &Store, value: &Value, op: &str) -> Result<(), Problem> {
    let of = declared.of.as_deref().unwrap_or("any");
    let good = match of {
        _ if op == "remove" => true,
        "text" => value.is_string(),
        "number" => value.is_number(),
        "bool" => value.is_boolean(),
        _ => true,
    };
    if good { Ok(()) } else { Err(Problem::bad_request("value", format!("values of this store are of the type {of}"))) }
}

/// The value after a change.
fn changed(kind: StoreKind, own: Value, change: &Change) -> Result<Value, Problem> {
    let at = change.at.as_deref();
    let place = |items: &Vec<Value>| at.and_then(|at| at.parse::<usize>().ok()).filter(|place| *place < items.len());
    let wrong = |right: &str| Err(Problem::bad_request("op", format!("{} does not fit this store", change.op)).hint(Hint::text(right)));
    match kind {
        StoreKind::Scalar => match change.op.as_str() {
            "set" => Ok(change.value.clone()),
            _ => wrong("op: set"),
        },
        StoreKind::List => {
            let mut items = own.as_array().cloned().unwrap_or_default();
            match (change.op.as_str(), place(&items)) {
                ("append", _) => items.push(change.value.clone()),
                ("set", Some(place)) => items[place] = change.value.clone(),
                ("remove", Some(place)) => drop(items.remove(place)),
                ("set" | "remove", None) => return Err(Problem::bad_request("at", format!("the list has {} items, counted from 0", items.len()))),
                _ => return wrong("append; set and remove with at"),
            }
            Ok(json!(items))
        }
        StoreKind::Dict => {
            let mut map = own.as_object().cloned().unwrap_or_else(Map::new);
            match (change.op.as_str(), at) {
                ("set", Some(key)) => drop(map.insert(key.to_owned(), change.value.clone())),
                ("add", _) => {
                    let key = (1..).map(|number: u32| number.to_string()).find(|key| !map.contains_key(key)).unwrap_or_default();
                    map.insert(key, change.value.clone());
                }
                ("remove", Some(key)) if map.contains_key(key) => drop(map.remove(key)),
                ("remove", _) => return Err(Problem::bad_request("at", "there is no such key")),
                _ => return wrong("set and remove with at; add"),
            }
            Ok(Value::Object(map))
        }
    }
}
