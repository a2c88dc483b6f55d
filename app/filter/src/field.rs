//! What can be asked about: each field, what its values are, and which comparisons fit them.

use crate::tree::Op;
use contracts::standing::{Column, Complexity, Standing, Status};

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of a fixed list of words.
    Word,
    /// A name: an id, a type.
    Name,
    /// Somebody: `me`, `ana`, `agent:ana/w1`.
    Person,
    /// Text, compared without regard to case where a part of it is looked for.
    Text,
    /// Everything a card says in words; only `contains` makes sense.
    Words,
    /// A whole number.
    Number,
    /// Yes or no.
    Flag,
    /// A point in time.
    Time,
    /// Several names.
    Set,
}

macro_rules! fields {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $kind:ident;)+) => {
        /// A field of a task.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field { $($(#[$doc])* $variant),+ }

        impl Field {
            /// Every field, in the order help lists them.
            pub const ALL: &'static [Field] = &[$(Field::$variant),+];

            /// Its name in a filter.
            pub fn as_str(self) -> &'static str {
                match self { $(Field::$variant => $word),+ }
            }

            /// What its values are.
            pub fn kind(self) -> Kind {
                match self { $(Field::$variant => Kind::$kind),+ }
            }
        }
    };
}

fields! {
    /// `tk-4f2a9c`.
    Id = "id", Name;
    /// Its title.
    Title = "title", Text;
    /// Words in id, title, labels, assignee or holder.
    Text = "text", Words;
    /// What kind of work it is.
    Type = "type", Name;
    /// Open, done or cancelled.
    Status = "status", Word;
    /// Where it stands.
    Standing = "standing", Word;
    /// Which column it lies in.
    Column = "column", Word;
    /// 0 is urgent, 3 is someday.
    Priority = "priority", Number;
    /// Its labels.
    Labels = "labels", Set;
    /// By id or title.
    Milestone = "milestone", Name;
    /// The task it is a part of.
    Parent = "parent", Name;
    /// Who it is meant for.
    Assignee = "assignee", Person;
    /// Who is on it now.
    Holder = "holder", Person;
    /// Whether somebody is on it now.
    Claimed = "claimed", Flag;
    /// Open tasks and other things it waits for.
    Waits = "waits", Number;
    /// Open tasks that wait for it.
    Blocks = "blocks", Number;
    /// Its subtasks.
    ChildrenTotal = "children_total", Number;
    /// Those of them that are open.
    ChildrenOpen = "children_open", Number;
    /// Whether none of them is open; true without any.
    ChildrenAllDone = "children_all_done", Flag;
    /// Comments in its thread.
    Comments = "comments", Number;
    /// Facts that do not fit and wait for a person.
    Conflicts = "conflicts", Number;
    /// How large it is thought to be.
    Complexity = "complexity", Word;
    /// The part of the product.
    Vertical = "vertical", Text;
    /// Its branch.
    Branch = "branch", Text;
    /// When it is due.
    DueAt = "due_at", Time;
    /// Whole days until then; less than nothing when it is past.
    DueInDays = "due_in_days", Number;
    /// Whether it is open and past its due date.
    Overdue = "overdue", Flag;
    /// When it was made.
    CreatedAt = "created_at", Time;
    /// Whole days since then.
    AgeDays = "age_days", Number;
    /// When it last changed.
    UpdatedAt = "updated_at", Time;
    /// Whole days since then.
    StaleDays = "stale_days", Number;
    /// When it was closed.
    ClosedAt = "closed_at", Time;
}

impl Field {
    /// Reads a field's name.
    pub fn named(word: &str) -> Option<Field> {
        Field::ALL.iter().copied().find(|field| field.as_str() == word)
    }

    /// The field somebody probably meant.
    pub fn near(word: &str) -> Option<Field> {
        let word = word.to_lowercase();
        let other = match word.as_str() {
            "label" | "tag" | "tags" => Some(Field::Labels),
            "kind" => Some(Field::Type),
            "state" => Some(Field::Standing),
            "due" => Some(Field::DueAt),
            "created" => Some(Field::CreatedAt),
            "updated" => Some(Field::UpdatedAt),
            "closed" => Some(Field::ClosedAt),
            "owner" | "for" => Some(Field::Assignee),
            "prio" => Some(Field::Priority),
            _ => None,
        };
        other.or_else(|| Field::ALL.iter().copied().filter(|field| word.len() > 2 && near(field.as_str(), &word)).min_by_key(|field| field.as_str().len()))
    }

    /// The legal words, where there is a fixed list.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Field::Status => Status::ALL.iter().map(|word| word.as_str()).collect(),
            Field::Standing => Standing::ALL.iter().map(|word| word.as_str()).collect(),
            Field::Column => Column::ALL.iter().map(|word| word.as_str()).collect(),
            Field::Complexity => Complexity::ALL.iter().map(|word| word.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// The comparisons that fit it, in the order help lists them.
    pub fn ops(self) -> &'static [Op] {
        match self.kind() {
            Kind::Word | Kind::Name | Kind::Person => &[Op::Eq, Op::Ne, Op::In, Op::NotIn, Op::IsNull, Op::IsNotNull],
            Kind::Text => &[Op::Eq, Op::Ne, Op::In, Op::NotIn, Op::Contains, Op::NotContains, Op::StartsWith, Op::EndsWith, Op::IsNull, Op::IsNotNull],
            Kind::Words => &[Op::Contains, Op::NotContains],
            Kind::Number => &[Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::In, Op::NotIn, Op::Between, Op::IsNull, Op::IsNotNull],
            Kind::Flag => &[Op::Eq],
            Kind::Time => &[Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Between, Op::WithinLast, Op::WithinNext, Op::IsNull, Op::IsNotNull],
            Kind::Set => &[Op::HasAny, Op::HasAll, Op::HasNone, Op::IsNull, Op::IsNotNull],
        }
    }
}

/// Whether a letter too many, too few or other makes one word the other, or one begins the other.
fn near(a: &str, b: &str) -> bool {
    if a.starts_with(b) || b.starts_with(a) {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same_before = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let same_after = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    same_before + same_after + 1 >= a.len().max(b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_name_and_guessed_by_a_near_one() {
        assert!(Field::ALL.iter().all(|field| Field::named(field.as_str()) == Some(*field)));
        for (word, meant) in [("label", "labels"), ("priorty", "priority"), ("asignee", "assignee"), ("mile", "milestone"), ("due", "due_at")] {
            assert_eq!(Field::near(word).map(Field::as_str), Some(meant), "{word}");
        }
        assert_eq!(Field::near("weather"), None);
    }
}
