//! Words of other boards made to fit ours: actors, ids, texts, and the clock that keeps their order.

use contracts::{Actor, MilestoneId, Moment, Stamp, TaskId, limits};
use engine::Kind;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use storage::{Fact, Refers};

/// Facts being put together, in order of time.
#[derive(Debug, Default)]
pub struct Facts {
    /// So far.
    pub facts: Vec<Fact>,
    /// What was changed to fit, in sentences.
    pub warnings: Vec<String>,
    /// What is left out, and how often.
    pub skipped: BTreeMap<String, usize>,
    last: Option<Stamp>,
    named: BTreeMap<(String, String), usize>,
}

impl Facts {
    /// Adds one. It is never before the one added last; several of one kind under one name get names of their own.
    pub fn add(&mut self, at: Moment, actor: &Actor, kind: Kind, subject: &str, name: &str, body: Map<String, Value>) -> &mut Fact {
        let wall = Stamp { moment: at, counter: 0 };
        let at = match self.last {
            Some(last) if last >= wall => last.next(),
            _ => wall,
        };
        self.last = Some(at);
        let count = self.named.entry((kind.as_str().to_owned(), name.to_owned())).or_default();
        *count += 1;
        let name = if *count == 1 { name.to_owned() } else { format!("{name}/{count}") };
        self.facts.push(Fact { at, actor: actor.clone(), kind, subject: subject.to_owned(), body, name, refers: None });
        let place = self.facts.len() - 1;
        &mut self.facts[place]
    }

    /// Says what was changed to fit.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    /// Counts what is left out.
    pub fn skip(&mut self, why: &str) {
        *self.skipped.entry(why.to_owned()).or_default() += 1;
    }

    /// A title that fits; what is cut off is said.
    pub fn title(&mut self, raw: &str, of: &str) -> String {
        let line: String = raw.split_whitespace().collect::<Vec<_>>().join(" ").chars().filter(|character| !character.is_control()).collect();
        if line.is_empty() {
            self.warn(format!("{of} has no title; its id stands for it"));
            return of.to_owned();
        }
        let cut: String = line.chars().take(limits::TITLE_CHARS_MAX).collect();
        if cut.len() < line.len() {
            self.warn(format!("the title of {of} was cut to {} characters", limits::TITLE_CHARS_MAX));
        }
        cut
    }

    /// A text of several lines that fits.
    pub fn text(&mut self, raw: &str, bytes_max: usize, of: &str) -> String {
        let plain = |character: &char| !character.is_control() || matches!(character, '\n' | '\t');
        let mut text: String = raw.replace("\r\n", "\n").chars().filter(plain).collect();
        if text.len() > bytes_max {
            let end = (0..=bytes_max).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            self.warn(format!("a text of {of} was cut to {bytes_max} bytes"));
        }
        text
    }

    /// Labels that fit, each once.
    pub fn labels<'a>(&mut self, raw: impl IntoIterator<Item = &'a str>, of: &str) -> Vec<String> {
        let mut labels = Vec::new();
        for raw in raw {
            let label = match contracts::Label::parse(raw) {
                Ok(_) => raw.to_owned(),
                Err(_) => {
                    let derived = contracts::id::derived_name(raw);
                    self.warn(format!("the label {raw:?} of {of} is {derived} here"));
                    derived
                }
            };
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels.sort();
        if labels.len() > limits::LABELS_MAX {
            labels.truncate(limits::LABELS_MAX);
            self.warn(format!("{of} keeps {} of its labels", limits::LABELS_MAX));
        }
        labels
    }

    /// A priority from 0 to 3.
    pub fn priority(&mut self, raw: i64, of: &str) -> i64 {
        let fits = raw.clamp(0, 3);
        if fits != raw {
            self.warn(format!("the priority {raw} of {of} is {fits} here"));
        }
        fits
    }
}

/// Lets a fact's body name the event of another fact.
pub fn refers_to(fact: &mut Fact, key: &'static str, kind: Kind, name: &str) {
    fact.refers = Some(Refers { key, kind, name: name.to_owned() });
}

/// Whoever a name stands for: an actor as it is, or the person of that name.
pub fn actor(raw: &str) -> Actor {
    let raw = raw.trim().trim_start_matches('@');
    if let Ok(actor) = Actor::parse(raw) {
        return actor;
    }
    if raw == "taskops" {
        return Actor::system("taskops");
    }
    let named = raw.strip_prefix("dev:").unwrap_or(raw);
    Actor::dev_named(named.split('@').next().unwrap_or(named))
}

/// An id that is kept, or one made of another tool's name: the same everywhere.
pub fn task_id(raw: &str) -> TaskId {
    TaskId::parse(raw).unwrap_or_else(|_| TaskId::from_bits(bits(raw)))
}

/// The same for a milestone.
pub fn milestone_id(raw: &str) -> MilestoneId {
    MilestoneId::parse(raw).unwrap_or_else(|_| MilestoneId::from_bits(bits(raw)))
}

/// Bits that are the same for the same name.
pub fn bits(name: &str) -> u128 {
    u128::from_str_radix(super::hex(name.as_bytes()).get(..32).unwrap_or_default(), 16).unwrap_or_default()
}

/// An object's members as a map; anything else has none.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !is_nothing(value)).collect(),
        _ => Map::new(),
    }
}

/// What is left out of a body because it is a default.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
