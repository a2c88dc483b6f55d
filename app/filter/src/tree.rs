//! The tree a filter is. It is only made by the parser and by the constructors here, which keep it in one form: no list of one, no
//! list of the same kind inside a list, so that a tree and its text are the same thing twice.

use crate::field::Field;
use contracts::{Actor, Moment};

/// A filter: which tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter(pub(crate) Node);

impl Filter {
    /// Its root.
    pub fn root(&self) -> &Node {
        &self.0
    }

    /// Whether what passes may change by time alone, with no task changing: it asks for a task's age, or compares with a moment that moves.
    pub fn asks_the_clock(&self) -> bool {
        self.0.leaves().into_iter().any(|leaf| {
            let by_field = matches!(leaf.field, Field::AgeDays | Field::StaleDays | Field::DueInDays | Field::Overdue);
            let by_op = matches!(leaf.op, Op::WithinLast | Op::WithinNext);
            by_field || by_op || leaf.values.iter().any(|value| matches!(value, Value::Ago(_) | Value::FromNow(_) | Value::StartOf(_)))
        })
    }

    /// A filter that asks one thing.
    pub fn of(leaf: Leaf) -> Filter {
        Filter(Node::Leaf(leaf))
    }

    /// What must all hold, one by one: the chips of a filter bar.
    pub fn parts(&self) -> &[Node] {
        match &self.0 {
            Node::All(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// A filter of parts that must all hold; none without any.
    pub fn all(parts: Vec<Node>) -> Option<Filter> {
        (!parts.is_empty()).then(|| Filter(Node::all(parts)))
    }
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// All of these.
    All(Vec<Node>),
    /// Any of these.
    Any(Vec<Node>),
    /// Not this.
    Not(Box<Node>),
    /// One comparison.
    Leaf(Leaf),
}

impl Node {
    /// All of these, without needless nesting.
    pub fn all(nodes: Vec<Node>) -> Node {
        let mut flat = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Node::All(flat) }
    }

    /// Any of these, without needless nesting.
    pub fn any(nodes: Vec<Node>) -> Node {
        let mut flat = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::Any(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Node::Any(flat) }
    }

    /// How deep it is: a leaf is 1.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Node::Leaf(_) => 1,
            Node::Not(inner) => 1 + inner.depth(),
            Node::All(nodes) | Node::Any(nodes) => 1 + nodes.iter().map(Node::depth).max().unwrap_or(0),
        }
    }

    /// Its leaves, left to right.
    pub fn leaves(&self) -> Vec<&Leaf> {
        match self {
            Node::Leaf(leaf) => vec![leaf],
            Node::Not(inner) => inner.leaves(),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().flat_map(Node::leaves).collect(),
        }
    }
}

/// One comparison: a field, how, and with what. A flag that is asked for alone is `= true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Which field.
    pub field: Field,
    /// How it is compared.
    pub op: Op,
    /// With what: none for `is null`, two for `between`, any number for lists, else one.
    pub values: Vec<Value>,
}

impl Leaf {
    /// Words to look for.
    pub fn text(word: &str) -> Leaf {
        Leaf { field: Field::Text, op: Op::Contains, values: vec![Value::Text(word.to_owned())] }
    }
}

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Is this.
    Eq,
    /// Is another.
    Ne,
    /// Less, or before.
    Lt,
    /// Less or the same.
    Le,
    /// More, or after.
    Gt,
    /// More or the same.
    Ge,
    /// Is one of these.
    In,
    /// Is none of these.
    NotIn,
    /// From the first to the second, both included.
    Between,
    /// Has no value.
    IsNull,
    /// Has a value.
    IsNotNull,
    /// Has this in it, in either case.
    Contains,
    /// Has it not.
    NotContains,
    /// Begins with this, in either case.
    StartsWith,
    /// Ends with this, in either case.
    EndsWith,
    /// Has at least one of these.
    HasAny,
    /// Has each of these.
    HasAll,
    /// Has none of these.
    HasNone,
    /// Lies in the time before now.
    WithinLast,
    /// Lies in the time after now.
    WithinNext,
}

/// What a list of values is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// One value.
    One,
    /// Two, with `and` between them.
    Two,
    /// Any number in `[ ]`.
    List,
    /// A length of time.
    Length,
}

impl Op {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Op::Eq => "=",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::In => "in",
            Op::NotIn => "not in",
            Op::Between => "between",
            Op::IsNull => "is null",
            Op::IsNotNull => "is not null",
            Op::Contains => "contains",
            Op::NotContains => "not contains",
            Op::StartsWith => "starts with",
            Op::EndsWith => "ends with",
            Op::HasAny => "has any",
            Op::HasAll => "has all",
            Op::HasNone => "has none",
            Op::WithinLast => "within last",
            Op::WithinNext => "within next",
        }
    }

    /// What is written behind it.
    pub fn takes(self) -> Takes {
        match self {
            Op::IsNull | Op::IsNotNull => Takes::Nothing,
            Op::Between => Takes::Two,
            Op::In | Op::NotIn | Op::HasAny | Op::HasAll | Op::HasNone => Takes::List,
            Op::WithinLast | Op::WithinNext => Takes::Length,
            _ => Takes::One,
        }
    }
}

/// What a field is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A word, name or text.
    Text(String),
    /// A number.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// Whoever asks.
    Me,
    /// Somebody.
    Person(Actor),
    /// A point in time.
    At(Moment),
    /// The start of a day in the project's zone, as days since 1970-01-01.
    Day(i64),
    /// So many seconds before now.
    Ago(i64),
    /// So many seconds after now.
    FromNow(i64),
    /// The start of this day, week or month in the project's zone.
    StartOf(Unit),
    /// A length of time, seconds.
    Length(i64),
}

/// A stretch of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A day.
    Day,
    /// A week, from Monday.
    Week,
    /// A month.
    Month,
}

impl Unit {
    /// Each with its word.
    pub(crate) const WORDS: [(Unit, &'static str); 3] = [(Unit::Day, "day"), (Unit::Week, "week"), (Unit::Month, "month")];
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_passes_by_time_alone_asks_the_clock() {
        for (text, asks) in [
            ("stale_days >= 3", true),
            ("type = bug and not (age_days < 7)", true),
            ("due_in_days between 0 and 3", true),
            ("overdue", true),
            ("updated_at within last 3d", true),
            ("due_at within next 2h", true),
            ("created_at > ago(3d)", true),
            ("due_at < from_now(2h)", true),
            ("closed_at >= start_of(week)", true),
            ("type = bug", false),
            ("due_at < 2026-12-01", false),
            ("standing = stalled and claimed", false),
        ] {
            let filter = crate::parse(text).unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
            assert_eq!(filter.asks_the_clock(), asks, "{text}");
        }
    }
}
