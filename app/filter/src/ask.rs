//! Asking a filter of a task. Three answers: yes, no, and unknown where a task has no value to compare; unknown is no match, and stays
//! unknown under `not`. So `assignee != me` leaves out what nobody is assigned to; add `or assignee is null` for those.

use crate::field::Field;
use crate::parse::DAY_MS;
use crate::tree::{Filter, Leaf, Node, Op, Unit, Value};
use contracts::{Actor, Moment, Offsets};

/// What a comparison says; `None` is unknown.
pub type Truth = Option<bool>;

/// Who asks, when and where: what a filter needs beside the task.
#[derive(Clone, Debug)]
pub struct Around {
    /// Now.
    pub now: Moment,
    /// Whoever asks.
    pub me: Actor,
    /// The project's wall clock: in it days begin.
    pub clock: Offsets,
}

/// What a task says of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// Nothing.
    Missing,
    /// A name or text; with several, each is a name of the same thing.
    Names(Vec<String>),
    /// A number.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// A point in time.
    Time(Moment),
    /// A set of names.
    Set(Vec<String>),
}

/// A task that can be asked. The computed fields are made of the others here.
pub trait Facts {
    /// What it says of a field that is kept, not computed.
    fn fact(&self, field: Field) -> Fact;
}

impl Filter {
    /// Whether a task passes.
    pub fn matches(&self, task: &impl Facts, around: &Around) -> bool {
        truth(&self.0, task, around) == Some(true)
    }
}

fn truth(node: &Node, task: &impl Facts, around: &Around) -> Truth {
    match node {
        Node::Leaf(leaf) => asked(leaf, task, around),
        Node::Not(inner) => truth(inner, task, around).map(|yes| !yes),
        Node::All(nodes) => decided(nodes, false, task, around),
        Node::Any(nodes) => decided(nodes, true, task, around),
    }
}

/// One answer of the kind that decides is enough; without one, what is unknown keeps the whole unknown.
fn decided(nodes: &[Node], by: bool, task: &impl Facts, around: &Around) -> Truth {
    let mut whole = Some(!by);
    for node in nodes {
        match truth(node, task, around) {
            Some(answer) if answer == by => return Some(by),
            None => whole = None,
            Some(_) => {}
        }
    }
    whole
}

/// What a task says of a field, the computed ones too.
fn fact(field: Field, task: &impl Facts, around: &Around) -> Fact {
    let days = |from: Fact, sign: i64| match from {
        Fact::Time(at) => Fact::Number(sign * (around.now.0 - at.0) / DAY_MS),
        _ => Fact::Missing,
    };
    match field {
        Field::AgeDays => days(task.fact(Field::CreatedAt), 1),
        Field::StaleDays => days(task.fact(Field::UpdatedAt), 1),
        Field::DueInDays => days(task.fact(Field::DueAt), -1),
        Field::Overdue => {
            let open = task.fact(Field::Status) == Fact::Names(vec!["open".to_owned()]);
            Fact::Flag(open && matches!(task.fact(Field::DueAt), Fact::Time(due) if due < around.now))
        }
        Field::Claimed => Fact::Flag(task.fact(Field::Holder) != Fact::Missing),
        Field::ChildrenAllDone => Fact::Flag(task.fact(Field::ChildrenOpen) == Fact::Number(0)),
        kept => task.fact(kept),
    }
}

fn asked(leaf: &Leaf, task: &impl Facts, around: &Around) -> Truth {
    let fact = fact(leaf.field, task, around);
    match leaf.op {
        Op::IsNull => return Some(is_missing(&fact)),
        Op::IsNotNull => return Some(!is_missing(&fact)),
        Op::HasNone if is_missing(&fact) => return Some(true),
        _ if is_missing(&fact) => return None,
        _ => {}
    }
    Some(match fact {
        Fact::Missing => return None,
        Fact::Names(names) => named(leaf, &names, around),
        Fact::Number(number) => numbered(leaf, number, &numbers(&leaf.values)),
        Fact::Flag(flag) => leaf.values.contains(&Value::Flag(flag)),
        Fact::Time(at) => numbered(leaf, at.0, &leaf.values.iter().map(|value| moment(value, around)).collect::<Vec<_>>()) || within(leaf, at, around),
        Fact::Set(names) => {
            let wanted: Vec<String> = leaf.values.iter().map(|value| text(value, around)).collect();
            match leaf.op {
                Op::HasAll => wanted.iter().all(|name| names.contains(name)),
                Op::HasNone => !wanted.iter().any(|name| names.contains(name)),
                _ => wanted.iter().any(|name| names.contains(name)),
            }
        }
    })
}

fn is_missing(fact: &Fact) -> bool {
    match fact {
        Fact::Missing => true,
        Fact::Names(names) | Fact::Set(names) => names.is_empty(),
        _ => false,
    }
}

/// A value that is compared as text.
fn text(value: &Value, around: &Around) -> String {
    match value {
        Value::Me => around.me.to_string(),
        Value::Person(actor) => actor.to_string(),
        Value::Text(text) => text.clone(),
        _ => String::new(),
    }
}

fn named(leaf: &Leaf, names: &[String], around: &Around) -> bool {
    let mut wanted = leaf.values.iter().map(|value| text(value, around));
    let folded = |name: &String| name.to_lowercase();
    // A milestone's title is said in either case, as its address is.
    let same = |wanted: String| match leaf.field {
        Field::Milestone => names.iter().any(|name| folded(name) == wanted.to_lowercase()),
        _ => names.contains(&wanted),
    };
    let holds = |has: fn(&str, &str) -> bool| names.iter().any(|name| leaf.values.iter().any(|value| has(&folded(name), &text(value, around).to_lowercase())));
    match leaf.op {
        Op::Ne | Op::NotIn => !wanted.any(same),
        Op::Contains => holds(|name, part| name.contains(part)),
        Op::NotContains => !holds(|name, part| name.contains(part)),
        Op::StartsWith => holds(|name, part| name.starts_with(part)),
        Op::EndsWith => holds(|name, part| name.ends_with(part)),
        _ => wanted.any(same),
    }
}

fn numbers(values: &[Value]) -> Vec<i64> {
    values.iter().map(|value| if let Value::Number(number) = value { *number } else { 0 }).collect()
}

fn numbered(leaf: &Leaf, own: i64, values: &[i64]) -> bool {
    let first = values.first().copied().unwrap_or(0);
    match leaf.op {
        Op::Eq | Op::In => values.contains(&own),
        Op::Ne | Op::NotIn => !values.contains(&own),
        Op::Lt => own < first,
        Op::Le => own <= first,
        Op::Gt => own > first,
        Op::Ge => own >= first,
        Op::Between => first <= own && values.get(1).is_some_and(|last| own <= *last),
        _ => false,
    }
}

fn within(leaf: &Leaf, at: Moment, around: &Around) -> bool {
    let Some(Value::Length(seconds)) = leaf.values.first() else { return false };
    match leaf.op {
        Op::WithinLast => around.now.plus_seconds(-seconds) <= at && at <= around.now,
        Op::WithinNext => around.now <= at && at <= around.now.plus_seconds(*seconds),
        _ => false,
    }
}

/// A point in time as milliseconds.
pub(crate) fn moment(value: &Value, around: &Around) -> i64 {
    let local_day = around.clock.day(around.now);
    let start = |day: i64| around.clock.day_begins(day).0;
    match value {
        Value::At(at) => at.0,
        Value::Day(day) => start(*day),
        Value::Ago(seconds) => around.now.plus_seconds(-seconds).0,
        Value::FromNow(seconds) => around.now.plus_seconds(*seconds).0,
        Value::StartOf(Unit::Day) => start(local_day),
        // 1970-01-01 was a Thursday.
        Value::StartOf(Unit::Week) => start(local_day - (local_day + 3).rem_euclid(7)),
        Value::StartOf(Unit::Month) => start(local_day - Moment(local_day.saturating_mul(DAY_MS)).civil().2 + 1),
        _ => around.now.0,
    }
}

impl Around {
    /// The milliseconds a value of a time field stands for.
    pub fn moment(&self, value: &Value) -> i64 {
        moment(value, self)
    }
}
