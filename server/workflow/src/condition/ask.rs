//! Asking a filter of what is known. Three answers: yes, no, unknown.

use super::{Condition, Leaf, Literal, Node};
use contracts::Moment;
use filter::Op;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a comparison says; `None` is unknown.
pub type Truth = Option<bool>;

/// What is known, by name, read once so that it can be recorded with the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// By name: `task.complexity`. A name that has no value is left out or null.
    pub values: BTreeMap<String, Value>,
    /// Now.
    pub now: Moment,
}

impl Condition {
    /// What it says of what is known.
    pub fn truth(&self, known: &Known) -> Truth {
        truth(&self.root, known)
    }
}

fn truth(node: &Node, known: &Known) -> Truth {
    match node {
        Node::Leaf(leaf) => asked(leaf, known),
        Node::Not(inner) => truth(inner, known).map(|yes| !yes),
        Node::All(nodes) => decided(nodes, false, known),
        Node::Any(nodes) => decided(nodes, true, known),
    }
}

/// One answer of the kind that decides is enough; without one, what is unknown keeps the whole unknown.
fn decided(nodes: &[Node], by: bool, known: &Known) -> Truth {
    let mut whole = Some(!by);
    for node in nodes {
        match truth(node, known) {
            Some(answer) if answer == by => return Some(by),
            None => whole = None,
            Some(_) => {}
        }
    }
    whole
}

fn asked(leaf: &Leaf, known: &Known) -> Truth {
    let value = known.values.get(&leaf.name).unwrap_or(&Value::Null);
    let missing = match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    match leaf.op {
        Op::IsNull => return Some(missing),
        Op::IsNotNull => return Some(!missing),
        Op::HasNone if missing => return Some(true),
        _ if missing => return None,
        _ => {}
    }
    if let Value::Array(items) = value
        && matches!(leaf.op, Op::HasAny | Op::HasAll | Op::HasNone)
    {
        let has = |wanted: &Literal| items.iter().any(|item| order(item, wanted, known) == Some(0));
        return Some(match leaf.op {
            Op::HasAll => leaf.values.iter().all(has),
            Op::HasNone => !leaf.values.iter().any(has),
            _ => leaf.values.iter().any(has),
        });
    }
    let first = leaf.values.first()?;
    match leaf.op {
        Op::Eq | Op::In => any_equal(value, &leaf.values, known),
        Op::Ne | Op::NotIn => any_equal(value, &leaf.values, known).map(|equal| !equal),
        Op::Lt => order(value, first, known).map(|order| order < 0),
        Op::Le => order(value, first, known).map(|order| order <= 0),
        Op::Gt => order(value, first, known).map(|order| order > 0),
        Op::Ge => order(value, first, known).map(|order| order >= 0),
        Op::Between => Some(order(value, first, known)? >= 0 && order(value, leaf.values.get(1)?, known)? <= 0),
        Op::Contains => part(value, first, |text, part| text.contains(part)),
        Op::NotContains => part(value, first, |text, part| !text.contains(part)),
        Op::StartsWith => part(value, first, |text, part| text.starts_with(part)),
        Op::EndsWith => part(value, first, |text, part| text.ends_with(part)),
        Op::WithinLast | Op::WithinNext => within(value, first, leaf.op, known),
        Op::HasAny | Op::HasAll | Op::HasNone | Op::IsNull | Op::IsNotNull => None,
    }
}

fn any_equal(value: &Value, wanted: &[Literal], known: &Known) -> Truth {
    let mut comparable = false;
    for one in wanted {
        match order(value, one, known) {
            Some(0) => return Some(true),
            Some(_) => comparable = true,
            None => {}
        }
    }
    comparable.then_some(false)
}

/// Less than, equal to or greater than zero; unknown where the two are not of one type.
fn order(value: &Value, wanted: &Literal, known: &Known) -> Option<i8> {
    let sign = |ordering: std::cmp::Ordering| ordering as i8;
    match (value, wanted) {
        (Value::Number(own), Literal::Number(wanted)) => own.as_f64().and_then(|own| own.partial_cmp(wanted)).map(sign),
        (Value::Bool(own), Literal::Flag(wanted)) => Some(sign(own.cmp(wanted))),
        (Value::String(own), Literal::Ago(seconds)) => time(own).map(|own| sign(own.cmp(&known.now.plus_seconds(-seconds)))),
        (Value::String(own), Literal::FromNow(seconds)) => time(own).map(|own| sign(own.cmp(&known.now.plus_seconds(*seconds)))),
        (Value::String(own), Literal::Text(wanted)) => match (time(own), time(wanted)) {
            (Some(own), Some(wanted)) => Some(sign(own.cmp(&wanted))),
            _ => Some(sign(own.as_str().cmp(wanted.as_str()))),
        },
        // A text that looks like a number or a flag was written without quotes.
        (Value::String(own), Literal::Number(wanted)) => Some(sign(own.as_str().cmp(wanted.to_string().as_str()))),
        (Value::String(own), Literal::Flag(wanted)) => Some(sign(own.as_str().cmp(if *wanted { "true" } else { "false" }))),
        _ => None,
    }
}

fn part(value: &Value, wanted: &Literal, has: fn(&str, &str) -> bool) -> Truth {
    let wanted = match wanted {
        Literal::Text(text) => text.to_lowercase(),
        Literal::Number(number) => number.to_string(),
        Literal::Flag(flag) => flag.to_string(),
        _ => return None,
    };
    value.as_str().map(|own| has(&own.to_lowercase(), &wanted))
}

fn within(value: &Value, wanted: &Literal, op: Op, known: &Known) -> Truth {
    let Literal::Length(seconds) = wanted else { return None };
    let own = value.as_str().and_then(time)?;
    Some(if op == Op::WithinLast {
        known.now.plus_seconds(-seconds) <= own && own <= known.now
    } else {
        known.now <= own && own <= known.now.plus_seconds(*seconds)
    })
}

/// A time, or the beginning of a day.
pub(crate) fn time(text: &str) -> Option<Moment> {
    if text.len() == 10 { Moment::parse(&format!("{text}T00:00:00Z")) } else { Moment::parse(text) }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use serde_json::json;

    fn known() -> Known {
        let values = json!({"task.complexity": "S", "task.priority": 1, "task.labels": ["ui", "api"], "task.due_at": "2026-11-30T00:00:00.000Z", "task.overdue": false,
            "task.title": "Export Times out", "task.vertical": null, "stores.plan.count": 3, "output.text": "all [done]"});
        let Value::Object(map) = values else { unreachable!("it is a map") };
        Known { values: map.into_iter().collect(), now: Moment::parse("2026-11-29T12:00:00Z").unwrap() }
    }

    #[track_caller]
    fn says(text: &str) -> Truth {
        read(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).truth(&known())
    }

    #[test]
    fn each_comparison_holds_and_fails() {
        for (yes, no) in [
            ("complexity = S", "complexity = M"),
            ("complexity != M", "complexity != S"),
            ("complexity in [S, M]", "complexity not in [S, M]"),
            ("priority < 2", "priority > 1"),
            ("priority <= 1", "priority >= 2"),
            ("priority between 0 and 1", "priority between 2 and 3"),
            ("title contains \"times\"", "title not contains times"),
            ("title starts with export", "title ends with export"),
            ("labels has any [ui]", "labels has none [ui]"),
            ("labels has all [ui, api]", "labels has all [ui, db]"),
            ("due_at within next 1d", "due_at within last 1d"),
            ("due_at > ago(1d)", "due_at < 2026-11-01"),
            ("vertical is null", "vertical is not null"),
            ("not overdue", "overdue"),
            ("stores.plan.count > 2", "stores.plan.count > 3"),
            ("output.text contains \"[done]\"", "output.text contains more"),
        ] {
            assert_eq!((says(yes), says(no)), (Some(true), Some(false)), "{yes} / {no}");
        }
    }

    #[test]
    fn what_has_no_value_is_unknown_and_stays_so_under_not() {
        assert_eq!(says("vertical = web"), None);
        assert_eq!(says("not (vertical = web)"), None);
        assert_eq!(says("vertical = web or complexity = S"), Some(true));
        assert_eq!(says("vertical = web and complexity = M"), Some(false));
        assert_eq!(says("vars.never = 1"), None);
        assert_eq!(says("stores.plan.count = text"), None, "another type is unknown too");
    }
}
