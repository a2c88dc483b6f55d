//! How the board is looked at: filter, view, grouping and order, as the address says, so that a look can be shared and gone back to.

use crate::words::encoded;

/// What stands in the place of the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Cards in columns.
    #[default]
    Columns,
    /// A table.
    List,
    /// What waits for what.
    Graph,
}

/// What a column is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// Where its tasks stand.
    #[default]
    Standing,
    /// The milestone they are in.
    Milestone,
    /// Whom they are for, or who is on them.
    Assignee,
    /// What kind of work they are.
    Type,
    /// The first of their labels.
    Label,
    /// How urgent they are.
    Priority,
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// As in its column.
    #[default]
    Board,
    /// By title.
    Title,
    /// By standing.
    Standing,
    /// By priority.
    Priority,
    /// By type.
    Type,
    /// By milestone.
    Milestone,
    /// By assignee or holder.
    Assignee,
    /// By due date.
    Due,
    /// By the last change.
    Updated,
}

macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal, $said:literal);+ $(;)? }) => {
        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word in the address.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// What people read.
            pub fn words(self) -> &'static str {
                match self { $($name::$variant => $said),+ }
            }

            /// Reads the word; anything else is the default.
            pub fn parse(word: &str) -> $name {
                $name::ALL.iter().copied().find(|each| each.as_str() == word).unwrap_or_default()
            }
        }
    };
}

words!(View { Columns = "columns", "Columns"; List = "list", "List"; Graph = "graph", "Graph" });
words!(Group { Standing = "standing", "Standing"; Milestone = "milestone", "Milestone"; Assignee = "assignee", "Assignee"; Type = "type", "Type"; Label = "label", "Label"; Priority = "priority", "Priority" });
words!(Sort {
    Board = "board", "Order of the board";
    Title = "title", "Title";
    Standing = "standing", "Standing";
    Priority = "priority", "Priority";
    Type = "type", "Type";
    Milestone = "milestone", "Milestone";
    Assignee = "assignee", "For";
    Due = "due", "Due";
    Updated = "updated", "Changed";
});

/// How the board is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// What was typed into the filter.
    pub q: String,
    /// What stands in the place of the columns.
    pub view: View,
    /// What a column is.
    pub group: Group,
    /// What a list is sorted by.
    pub sort: Sort,
    /// Whether the other way round.
    pub down: bool,
}

impl Look {
    /// Reads an address's parameters.
    pub fn read(param: impl Fn(&str) -> String) -> Look {
        Look {
            q: param("q"),
            view: View::parse(&param("view")),
            group: Group::parse(&param("group")),
            sort: Sort::parse(&param("sort")),
            down: param("down") == "1",
        }
    }

    /// The parameters of an address, without what is at its default.
    pub fn query(&self) -> String {
        let mut pairs = Vec::new();
        if !self.q.trim().is_empty() {
            pairs.push(format!("q={}", encoded(self.q.trim())));
        }
        if self.view != View::default() {
            pairs.push(format!("view={}", self.view.as_str()));
        }
        if self.group != Group::default() {
            pairs.push(format!("group={}", self.group.as_str()));
        }
        if self.sort != Sort::default() {
            pairs.push(format!("sort={}", self.sort.as_str()));
        }
        if self.down {
            pairs.push("down=1".to_owned());
        }
        pairs.join("&")
    }

    /// The same look at other tasks.
    pub fn at(&self, q: impl Into<String>) -> Look {
        Look { q: q.into(), ..self.clone() }
    }

    /// Sorted by a column's head: the other way round when it is sorted by it already.
    pub fn by(&self, sort: Sort) -> Look {
        Look { sort, down: self.sort == sort && !self.down, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_what_its_address_is_read_as() {
        let look = Look { q: "type = bug & x".into(), view: View::List, group: Group::Type, sort: Sort::Due, down: true };
        assert_eq!(look.query(), "q=type%20%3D%20bug%20%26%20x&view=list&group=type&sort=due&down=1");
        let pairs = [("q", "type = bug & x"), ("view", "list"), ("group", "type"), ("sort", "due"), ("down", "1")];
        let param = |name: &str| pairs.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned()).unwrap_or_default();
        assert_eq!(Look::read(param), look);
        assert_eq!((Look::read(|_| "nonsense".into()).view, Look::default().query()), (View::Columns, String::new()));
    }

    #[test]
    fn a_second_press_turns_the_order_round() {
        let once = Look::default().by(Sort::Due);
        assert_eq!((once.down, once.by(Sort::Due).down, once.by(Sort::Due).by(Sort::Title).down), (false, true, false));
    }
}
