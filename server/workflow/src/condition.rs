//! Filters over everything a run knows: `task.complexity = S and stores.plan.count > 0`. The grammar is the board's own; what differs is
//! that names have roots, because a run knows more than its task.
//!
//! Unknown is an answer: what has no value is compared as unknown, and unknown is no match, under `not` too.

mod ask;
mod read;

pub use ask::{Known, Truth};
pub use read::read;

use filter::Op;

/// A filter that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it was written.
    pub text: String,
    /// What it says.
    pub(crate) root: Node,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Leaf(Leaf),
}

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leaf {
    /// With its root: `task.complexity`.
    pub name: String,
    pub op: Op,
    pub values: Vec<Literal>,
}

/// What is compared with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Text(String),
    Number(f64),
    Flag(bool),
    /// Seconds.
    Length(i64),
    /// So many seconds before now.
    Ago(i64),
    /// So many seconds after now.
    FromNow(i64),
}

/// What is wrong with a filter, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whether a comparison does not fit what is compared.
    pub is_type: bool,
    /// What is wrong.
    pub text: String,
    /// What would be right.
    pub hint: String,
}

impl Condition {
    /// The names it asks for, each once, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.leaves(&mut |leaf| {
            if !names.contains(&leaf.name.as_str()) {
                names.push(leaf.name.as_str());
            }
        });
        names
    }

    /// The words of a field it lets through, if it asks nothing else: `complexity in [S, M]`, `complexity is null`.
    pub fn words_of_one_field(&self) -> Option<(&str, Vec<Option<&str>>)> {
        let Node::Leaf(leaf) = &self.root else { return None };
        let words = match leaf.op {
            Op::Eq | Op::In => leaf.values.iter().map(|value| if let Literal::Text(text) = value { Some(Some(text.as_str())) } else { None }).collect(),
            Op::IsNull => Some(vec![None]),
            _ => None,
        };
        words.map(|words: Vec<Option<&str>>| (leaf.name.as_str(), words))
    }

    /// Whether another says the same.
    pub fn says_the_same_as(&self, other: &Condition) -> bool {
        self.root == other.root
    }
}

impl Node {
    fn leaves<'a>(&'a self, see: &mut impl FnMut(&'a Leaf)) {
        match self {
            Node::Leaf(leaf) => see(leaf),
            Node::Not(inner) => inner.leaves(see),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| node.leaves(see)),
        }
    }
}
