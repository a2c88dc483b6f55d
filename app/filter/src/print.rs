//! From tree to text: the one way a filter is written.

use crate::field::Kind;
use crate::parse::DAY_MS;
use crate::tree::{Filter, Leaf, Node, Op, Takes, Unit, Value};
use contracts::Moment;
use std::fmt;

/// Units of a length of time, the longest first, with their seconds.
pub(crate) const LENGTHS: [(char, i64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Leaf(one) => f.write_str(&leaf(one)),
            Node::Not(inner) => match &**inner {
                Node::All(_) | Node::Any(_) => write!(f, "not ({inner})"),
                _ => write!(f, "not {inner}"),
            },
            Node::All(nodes) => joined(f, nodes, " and ", |node| matches!(node, Node::Any(_))),
            Node::Any(nodes) => joined(f, nodes, " or ", |_| false),
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, nodes: &[Node], between: &str, wrapped: fn(&Node) -> bool) -> fmt::Result {
    for (place, node) in nodes.iter().enumerate() {
        if place > 0 {
            f.write_str(between)?;
        }
        if wrapped(node) {
            write!(f, "({node})")?;
        } else {
            write!(f, "{node}")?;
        }
    }
    Ok(())
}

/// One comparison as it is written.
fn leaf(leaf: &Leaf) -> String {
    let name = leaf.field.as_str();
    if leaf.op == Op::Eq && leaf.field.kind() == Kind::Flag && leaf.values == [Value::Flag(true)] {
        return name.to_owned();
    }
    let values: Vec<String> = leaf.values.iter().map(value).collect();
    let op = leaf.op.as_str();
    match leaf.op.takes() {
        Takes::Nothing => format!("{name} {op}"),
        Takes::Two => format!("{name} {op} {}", values.join(" and ")),
        Takes::List => format!("{name} {op} [{}]", values.join(", ")),
        Takes::One | Takes::Length => format!("{name} {op} {}", values.concat()),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Text(text) => word(text),
        Value::Person(actor) => word(actor.as_str()),
        Value::Number(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Me => "me".to_owned(),
        Value::At(at) => at.to_string(),
        Value::Day(day) => Moment(day.saturating_mul(DAY_MS)).to_string().chars().take(10).collect(),
        Value::Ago(seconds) => format!("ago({})", length(*seconds)),
        Value::FromNow(seconds) => format!("from_now({})", length(*seconds)),
        Value::StartOf(unit) => format!("start_of({})", unit_word(*unit)),
        Value::Length(seconds) => length(*seconds),
    }
}

fn unit_word(unit: Unit) -> &'static str {
    Unit::WORDS.iter().find(|(own, _)| *own == unit).map_or("day", |(_, word)| word)
}

fn length(seconds: i64) -> String {
    let (unit, size) = LENGTHS.into_iter().find(|(_, size)| seconds % size == 0).unwrap_or(('s', 1));
    format!("{}{unit}", seconds / size)
}

/// A text as a value: bare where that reads back as the same, else quoted.
pub fn word(text: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./:#@+*&'".contains(character);
    let reserved = ["and", "or", "not"].iter().any(|word| word.eq_ignore_ascii_case(text));
    if !text.is_empty() && text.chars().all(plain) && !reserved {
        return text.to_owned();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
