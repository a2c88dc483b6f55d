//! Gates, asked of a run and the world: what holds, what does not, and who can supply it. Pure: asking changes nothing.

use super::state::{InstanceState, Key, Run, digits};
use super::world::World;
use crate::condition::{self, Known};
use crate::document::{
    Children, EventWanted, EvidenceWanted, FieldWanted, Gate, Given, Notes, Since, StoreKind, TaskStatus, WantedSha, WantedSource, WantedVerdict, Writable,
};
use crate::plan::{Block, Plan};
use contracts::Moment;
use filter::length;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A key that is not met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unmet {
    /// The key.
    pub key: String,
    /// What clients branch on.
    pub code: String,
    /// Whether whoever reports can supply it.
    pub yours: bool,
    /// In words.
    pub text: String,
}

/// What a gate says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluated {
    /// Keys that hold, each with what was seen.
    pub met: BTreeMap<String, Value>,
    /// Those of them that hold because there is nothing to ask.
    pub vacuous: Vec<String>,
    /// Keys that do not hold.
    pub unmet: Vec<Unmet>,
}

impl Evaluated {
    /// Whether all of it holds.
    pub fn is_met(&self) -> bool {
        self.unmet.is_empty()
    }

    fn say(&mut self, key: &str, holds: Result<Value, (&str, bool, String)>) {
        match holds {
            Ok(seen) => drop(self.met.insert(key.to_owned(), seen)),
            Err((code, yours, text)) => self.unmet.push(Unmet { key: key.to_owned(), code: code.to_owned(), yours, text }),
        }
    }
}

/// What a gate is asked of.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The workflow.
    pub plan: &'a Plan,
    /// The run.
    pub run: &'a Run,
    /// The world.
    pub world: &'a World,
}

type Holds = Result<Value, (&'static str, bool, String)>;

impl Around<'_> {
    /// Asks every predicate but the approval, which comes last.
    pub fn evaluate(&self, gate: &Gate, block: &Block, key: &Key) -> Evaluated {
        let mut said = Evaluated::default();
        if let Some(children) = gate.wait_for_children.as_ref().and_then(|switch| switch.on()) {
            let (holds, none) = self.children(&children);
            if none {
                said.vacuous.push("wait_for_children".to_owned());
            }
            said.say("wait_for_children", holds);
        }
        if let Some(wanted) = &gate.task_status {
            said.say("task_status", self.status(&wanted.0));
        }
        if let Some(notes) = gate.require_context.as_ref().and_then(|switch| switch.on()) {
            said.say("require_context", self.notes(&notes, block, key));
        }
        if let Some(fields) = &gate.require_fields {
            said.say("require_fields", self.fields(fields, block));
        }
        if let Some(evidence) = &gate.require_evidence {
            said.say("require_evidence", self.evidence(evidence, key));
        }
        if let Some(least) = gate.min_children {
            let there = self.world.children.len();
            let enough = u32::try_from(there).unwrap_or(u32::MAX) >= least;
            let missing = ("children_missing", block.step.creates_children, format!("{there} of at least {least} subtasks are there"));
            said.say("min_children", if enough { Ok(json!(there)) } else { Err(missing) });
        }
        match gate.wait_for_tasks.as_ref().map(|tasks| &tasks.0) {
            Some(Given::Word(id)) => said.say("wait_for_tasks", self.tasks(std::slice::from_ref(id))),
            Some(Given::Words(ids)) => said.say("wait_for_tasks", self.tasks(ids)),
            _ => {}
        }
        if let Some(wanted) = &gate.wait_for_event {
            said.say("wait_for_event", self.event(wanted, key));
        }
        if let Some(until) = &gate.wait_until {
            let due = match &until.0 {
                Given::Word(text) => self.time(text, key),
                Given::Map(until) => self.field_time(&until.field, until.offset.as_deref()),
                _ => None,
            };
            let holds = match due {
                Some(due) if self.world.now >= due => Ok(json!(due)),
                Some(due) => Err(("too_early", false, format!("it opens at {due}"))),
                None => Err(("too_early", false, "the time it waits for is not known".to_owned())),
            };
            said.say("wait_until", holds);
        }
        if let Some(text) = &gate.condition {
            said.say("condition", self.condition(text, key));
        }
        said
    }

    fn children(&self, wanted: &Children) -> (Holds, bool) {
        let filter = wanted.filter.as_deref().and_then(|text| condition::read(text).ok());
        let states: Vec<&str> = wanted.states.as_ref().map_or_else(|| vec!["done", "cancelled"], |states| states.iter().map(String::as_str).collect());
        let counts = |child: &&super::world::Child| {
            filter.as_ref().is_none_or(|filter| {
                let values = child.fields.iter().map(|(name, value)| (format!("task.{name}"), value.clone())).collect();
                filter.truth(&Known { values, now: self.world.now }) == Some(true)
            })
        };
        let all: Vec<&super::world::Child> = self.world.children.iter().filter(counts).collect();
        let open: Vec<&str> = all.iter().filter(|child| !states.contains(&child.status())).map(|child| child.id.as_str()).collect();
        let holds = if open.is_empty() {
            Ok(json!(all.iter().map(|child| json!([child.id, child.status()])).collect::<Vec<_>>()))
        } else {
            let more = open.len().saturating_sub(20);
            let listed = open.iter().take(20).copied().collect::<Vec<_>>().join(" ");
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            Err(("children_open", false, format!("{} of {} subtasks are open: {listed}{rest}", open.len(), all.len())))
        };
        (holds, all.is_empty())
    }

    fn status(&self, wanted: &Given<TaskStatus>) -> Holds {
        let own = (self.world.text("status").to_owned(), self.world.text("standing").to_owned());
        let empty = Vec::new();
        let (is_in, not_in, of): (Vec<&String>, &Vec<String>, &str) = match wanted {
            Given::Word(word) => (vec![word], &empty, "self"),
            Given::Words(words) => (words.iter().collect(), &empty, "self"),
            Given::Map(map) => (map.is_in.iter().flatten().collect(), map.not_in.as_ref().unwrap_or(&empty), map.of.as_deref().unwrap_or("self")),
            Given::Flag(_) => (Vec::new(), &empty, "self"),
        };
        let words = match of {
            "self" => Some(&own),
            "parent" => self.world.parent.as_ref(),
            id => self.world.tasks.get(id),
        };
        let Some((status, standing)) = words else { return Err(("task_status", false, format!("{of} is not there"))) };
        let is = |word: &String| word == status || word == standing;
        let holds = if not_in.is_empty() { is_in.into_iter().any(is) } else { !not_in.iter().any(is) };
        if holds { Ok(json!([status, standing])) } else { Err(("task_status", false, format!("the task is {standing}"))) }
    }

    fn notes(&self, wanted: &Notes, block: &Block, key: &Key) -> Holds {
        let bare = |text: &str| text.chars().filter(|character| !character.is_whitespace()).collect::<String>();
        let instructions = bare(block.step.instructions.as_deref().unwrap_or_default());
        let mut seen: Vec<String> = Vec::new();
        let mut counting = Vec::new();
        for note in &self.run.notes {
            let text = bare(&note.text);
            let copied = seen.contains(&text) || (!text.is_empty() && instructions.contains(&text));
            let kind = wanted.kinds.as_ref().is_none_or(|kinds| kinds.contains(&note.kind));
            if note.on == *key && kind && !copied && text.chars().count() >= usize::try_from(wanted.min_length).unwrap_or(usize::MAX) {
                counting.push(note.note.clone());
            }
            seen.push(text);
        }
        if counting.len() >= usize::try_from(wanted.count).unwrap_or(usize::MAX) {
            return Ok(json!(counting));
        }
        let kinds =
            wanted.kinds.as_ref().map(|kinds| kinds.iter().map(|kind| json!(kind).as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>().join(" or "));
        let what = kinds.unwrap_or_else(|| "any kind".to_owned());
        Err((
            "needs_note",
            true,
            format!("{} of {} notes ({what}, {} characters or more, in own words, on this attempt)", counting.len(), wanted.count, wanted.min_length),
        ))
    }

    fn fields(&self, wanted: &[crate::document::WordOr<FieldWanted>], block: &Block) -> Holds {
        let mut seen = serde_json::Map::new();
        for one in wanted {
            let (field, is) = match &one.0 {
                Given::Word(field) => (field.as_str(), None),
                Given::Map(wanted) => (wanted.field.as_str(), wanted.is.as_deref()),
                _ => continue,
            };
            let text = match is {
                None => format!("task.{field} is not null"),
                Some(rest) => format!("task.{field} {rest}"),
            };
            let known = Known { values: self.world.task.iter().map(|(name, value)| (format!("task.{name}"), value.clone())).collect(), now: self.world.now };
            let holds = condition::read(&text).ok().and_then(|condition| condition.truth(&known)) == Some(true);
            if !holds {
                let yours = block.step.writes.iter().copied().map(Writable::as_str).any(|own| own == field);
                return Err(("field_missing", yours, text));
            }
            seen.insert(field.to_owned(), self.world.task.get(field).cloned().unwrap_or_default());
        }
        Ok(Value::Object(seen))
    }

    fn evidence(&self, wanted: &[EvidenceWanted], key: &Key) -> Holds {
        let mut seen = Vec::new();
        for one in wanted {
            let newest = self.run.evidence.iter().rev().find(|own| own.on == *key && own.name == one.name);
            let fits = newest.filter(|own| {
                let verdict = match one.verdict {
                    WantedVerdict::Pass => own.pass,
                    WantedVerdict::Fail => !own.pass,
                    WantedVerdict::Any => true,
                };
                let source = match one.from {
                    WantedSource::Agent => own.source == "agent",
                    WantedSource::Ci => own.source == "ci",
                    WantedSource::Person => own.source == "person",
                    WantedSource::Any => true,
                };
                let young = one.max_age.is_none_or(|age| self.world.now.seconds_since(own.at) <= age.seconds);
                let head = one.sha == WantedSha::Any || (own.sha.is_some() && own.sha == self.world.head);
                verdict && source && young && head
            });
            let Some(fits) = fits else {
                let yours = !matches!(one.from, WantedSource::Ci | WantedSource::Person);
                let verdict = json!(one.verdict).as_str().unwrap_or_default().to_owned();
                let from = if one.from == WantedSource::Any { String::new() } else { format!(" from {}", json!(one.from).as_str().unwrap_or_default()) };
                return Err(("evidence_missing", yours, format!("evidence {}: {verdict}{from}, on this attempt", one.name)));
            };
            seen.push(json!([fits.evidence, fits.name, fits.pass, fits.sha]));
        }
        Ok(json!(seen))
    }

    fn tasks(&self, ids: &[String]) -> Holds {
        let open: Vec<&str> = ids.iter().filter(|id| self.world.tasks.get(*id).is_none_or(|(status, _)| status == "open")).map(String::as_str).collect();
        if open.is_empty() { Ok(json!(ids)) } else { Err(("tasks_open", false, format!("open: {}", open.join(" ")))) }
    }

    fn event(&self, wanted: &EventWanted, key: &Key) -> Holds {
        let name = wanted.name.strip_prefix("signal:").unwrap_or(&wanted.name);
        let since = match wanted.since {
            Since::Run => self.run.started_at,
            Since::Activation => self.run.instances.get(key).map_or(self.run.started_at, |own| own.activated_at),
        };
        let fits = |fields: &serde_json::Map<String, Value>| wanted.matching.iter().flatten().all(|(field, value)| fields.get(field) == Some(value));
        let there = self.run.signals.iter().filter(|signal| signal.name == name && signal.at >= since && fits(&signal.fields)).count();
        let count = wanted.count.unwrap_or(1);
        if u32::try_from(there).unwrap_or(u32::MAX) >= count {
            Ok(json!(there))
        } else {
            Err(("event_missing", false, format!("{there} of {count} times {}", wanted.name)))
        }
    }

    /// A time, or a length after the step was reached.
    fn time(&self, text: &str, key: &Key) -> Option<Moment> {
        match text.strip_prefix('+').and_then(length) {
            Some(seconds) => self.run.instances.get(key).map(|own| own.activated_at.plus_seconds(seconds)),
            None => Moment::parse(text),
        }
    }

    fn field_time(&self, field: &str, offset: Option<&str>) -> Option<Moment> {
        let at = Moment::parse(self.world.text(field))?;
        let Some(offset) = offset else { return Some(at) };
        let seconds = length(offset.get(1..)?)?;
        Some(at.plus_seconds(if offset.starts_with('-') { -seconds } else { seconds }))
    }

    fn condition(&self, text: &str, key: &Key) -> Holds {
        let condition = condition::read(text).map_err(|fault| ("gate_config", false, fault.text))?;
        let known = self.known(condition.names(), key);
        if condition.truth(&known) == Some(true) {
            return Ok(json!(known.values));
        }
        let yours = condition.names().iter().any(|name| name.starts_with("stores.") || name.starts_with("output"));
        Err(("condition_unmet", yours, text.to_owned()))
    }

    /// What these names stand for now, seen from an instance.
    pub fn known<'n>(&self, names: impl IntoIterator<Item = &'n str>, key: &Key) -> Known {
        let values = names.into_iter().map(|name| (name.to_owned(), self.value(name, key).unwrap_or_default())).collect();
        Known { values, now: self.world.now }
    }

    /// What a name stands for.
    pub fn value(&self, name: &str, key: &Key) -> Option<Value> {
        let (root, rest) = name.split_once('.').unwrap_or((name, ""));
        let (first, deeper) = rest.split_once('.').unwrap_or((rest, ""));
        match root {
            "task" => self.world.task.get(first).cloned(),
            "vars" => below(self.run.vars.get(first)?, deeper),
            "run" => match first {
                "id" => Some(json!(self.run.id)),
                "workflow" => Some(json!(self.run.workflow)),
                _ => below(&self.run.input, deeper),
            },
            "steps" | "lanes" => {
                let (_, own) = self.run.of_step(first).filter(|(_, own)| own.state != InstanceState::Superseded)?;
                below(&own.output, deeper.strip_prefix("output").unwrap_or(deeper).trim_start_matches('.'))
            }
            "children" => {
                let open = self.world.children.iter().filter(|child| child.status() == "open").count();
                Some(json!(if first == "open" { open } else { self.world.children.len() }))
            }
            "stores" => self.store(first, deeper),
            "output" => below(&self.run.instances.get(key)?.output, rest),
            "loop" => self.in_loop(first, deeper, key),
            _ => None,
        }
    }

    fn store(&self, name: &str, deeper: &str) -> Option<Value> {
        let value = self.run.stores.get(name).map(|store| &store.value);
        if deeper == "count" {
            let kind = self.plan.document.stores.get(name).map(|store| store.kind).unwrap_or_default();
            return Some(match (value, kind) {
                (Some(Value::Array(items)), _) => json!(items.len()),
                (Some(Value::Object(map)), StoreKind::Dict) => json!(map.len()),
                (None | Some(Value::Null), _) => json!(0),
                _ => json!(1),
            });
        }
        below(value?, deeper)
    }

    /// What the pass around an instance knows: `loop.index`, `loop.item`, `loop.output`.
    fn in_loop(&self, what: &str, deeper: &str, key: &Key) -> Option<Value> {
        let open = key.path.rfind('[')?;
        let (outer, index) = (&key.path[..open], key.path[open + 1..].split(']').next()?.parse::<u32>().ok()?);
        let (_, own) = self.run.newest(outer)?;
        let passes = own.passes.as_ref()?;
        match what {
            "index" => Some(json!(index)),
            "item" => below(passes.list.get(usize::try_from(index).ok()?.checked_sub(1)?)?, deeper),
            "outputs" => Some(json!(passes.outputs)),
            _ => below(passes.outputs.last()?, deeper),
        }
    }

    /// What a yes to an instance is a yes to.
    pub fn digest(&self, key: &Key) -> String {
        let own = self.run.instances.get(key);
        let output = own.map(|own| own.output.to_string()).unwrap_or_default();
        let evidence: Vec<String> =
            self.run.evidence.iter().filter(|row| row.on == *key).map(|row| format!("{} {}", row.evidence, row.sha.as_deref().unwrap_or_default())).collect();
        // A checkpoint has no work of its own: what was done in its list before it is what people look at.
        let list = own.filter(|own| own.reported.is_none()).map(|own| own.parent.path.as_str());
        let counts = |path: &str| list.is_some_and(|list| list.is_empty() || super::fold::is_within(path, list));
        let done = self.run.instances.iter().filter(|(key, own)| own.state == InstanceState::Done && own.reported.is_some() && counts(&key.path));
        let before: Vec<String> = done.map(|(key, own)| format!("{key} {}", own.output)).collect();
        let children: Vec<String> = self.world.children.iter().map(|child| format!("{} {}", child.id, child.status())).collect();
        let parts = [self.run.hash.clone(), key.to_string(), output, evidence.join("\n"), before.join("\n"), children.join("\n")];
        digits(&parts.iter().map(String::as_str).collect::<Vec<_>>(), 64)
    }
}

/// A part of a value: `test_path`, `files.0.name`; all of it without a path.
fn below(value: &Value, path: &str) -> Option<Value> {
    let mut here = value;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        here = match here {
            Value::Object(map) => map.get(part)?,
            Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(here.clone())
}
