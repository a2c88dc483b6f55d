//! The fields people filter by most, as things to tick: what is ticked is read from the filter and written back into it.

use filter::{Field, Filter, Kind, Leaf, Node, Op, Value, parse, word};

/// The fields with a menu of their own, in order, with what people read.
pub const FACETS: [(Field, &str); 6] = [
    (Field::Milestone, "Milestone"),
    (Field::Assignee, "For"),
    (Field::Labels, "Label"),
    (Field::Type, "Type"),
    (Field::Standing, "Standing"),
    (Field::Priority, "Priority"),
];

/// The part of a filter that a facet's menu stands for: what all tasks must have one of.
fn part(node: &Node, field: Field) -> Option<&Leaf> {
    match node {
        Node::Leaf(leaf) if leaf.field == field && matches!(leaf.op, Op::Eq | Op::In | Op::HasAny | Op::IsNull) => Some(leaf),
        _ => None,
    }
}

/// A value as the menu names it.
fn named(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Me => "me".to_owned(),
        Value::Person(actor) => actor.to_string(),
        _ => String::new(),
    }
}

/// What is ticked in a field's menu; an empty text stands for "has none".
pub fn ticked(filter: Option<&Filter>, field: Field) -> Vec<String> {
    let leaf = filter.and_then(|filter| filter.parts().iter().find_map(|node| part(node, field)));
    leaf.map_or_else(Vec::new, |leaf| if leaf.op == Op::IsNull { vec![String::new()] } else { leaf.values.iter().map(named).collect() })
}

/// The filter with a value of a field ticked, or not any more. "Has none" and values exclude each other.
pub fn toggled(filter: Option<&Filter>, field: Field, value: &str) -> Option<Filter> {
    let mut values = ticked(filter, field);
    match values.iter().position(|each| each == value) {
        Some(at) => drop(values.remove(at)),
        None if value.is_empty() => values = vec![String::new()],
        None => {
            values.retain(|each| !each.is_empty());
            values.push(value.to_owned());
        }
    }
    let parts = filter.map(Filter::parts).unwrap_or_default();
    let place = parts.iter().position(|node| part(node, field).is_some());
    let written = written(field, &values);
    let mut kept: Vec<Node> = Vec::with_capacity(parts.len() + 1);
    for (at, node) in parts.iter().enumerate() {
        if Some(at) == place { kept.extend(written.clone()) } else { kept.push(node.clone()) }
    }
    if place.is_none() {
        kept.extend(written);
    }
    Filter::all(kept)
}

/// The comparison that ticked values are.
fn written(field: Field, values: &[String]) -> Option<Node> {
    let name = field.as_str();
    let list = || values.iter().map(|value| word(value)).collect::<Vec<_>>().join(", ");
    let text = match values {
        [] => return None,
        [none] if none.is_empty() => format!("{name} is null"),
        _ if field.kind() == Kind::Set => format!("{name} has any [{}]", list()),
        [one] => format!("{name} = {}", word(one)),
        _ => format!("{name} in [{}]", list()),
    };
    parse(&text).ok().map(|filter| filter.root().clone())
}

/// The filter without one of its parts.
pub fn without(filter: &Filter, part: usize) -> Option<Filter> {
    Filter::all(filter.parts().iter().enumerate().filter(|(at, _)| *at != part).map(|(_, node)| node.clone()).collect())
}

/// A part as a chip says it: what it is about, and what it says of that.
pub fn said(node: &Node) -> (String, String) {
    if let Node::Leaf(leaf) = node {
        let values = leaf.values.iter().map(named).collect::<Vec<_>>().join(", ");
        match (leaf.field, leaf.op) {
            (Field::Text, Op::Contains) => return ("text has".to_owned(), values),
            (Field::Labels, Op::HasAny) => return ("label".to_owned(), values),
            (_, Op::Eq) if leaf.field.kind() != Kind::Flag => return (leaf.field.as_str().to_owned(), people(&values)),
            (_, Op::In) => return (leaf.field.as_str().to_owned(), people(&values)),
            (_, Op::IsNull) => return (leaf.field.as_str().to_owned(), "none".to_owned()),
            _ => {}
        }
    }
    (String::new(), node.to_string())
}

/// Words of a standing or a person as people read them.
fn people(text: &str) -> String {
    text.replace("needs_you", "needs you").replace("in_review", "in review").replace("dev:", "").replace("agent:", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use filter::typed;

    fn of(text: &str) -> Option<Filter> {
        typed(text).unwrap()
    }

    #[track_caller]
    fn after(text: &str, field: Field, value: &str, wanted: &str) {
        assert_eq!(toggled(of(text).as_ref(), field, value).map(|filter| filter.to_string()).unwrap_or_default(), wanted, "{text} + {value}");
    }

    #[test]
    fn ticking_writes_the_filter_and_ticking_again_takes_it_out() {
        after("", Field::Type, "bug", "type = bug");
        after("type = bug", Field::Type, "docs", "type in [bug, docs]");
        after("type in [bug, docs]", Field::Type, "bug", "type = docs");
        after("type = bug", Field::Type, "bug", "");
        after("overdue and labels has any [ui] and wal", Field::Labels, "two words", "overdue and labels has any [ui, \"two words\"] and text contains wal");
        after("wal", Field::Priority, "0", "text contains wal and priority = 0");
        after("", Field::Assignee, "me", "assignee = me");
    }

    #[test]
    fn having_none_stands_alone() {
        after("assignee = me", Field::Assignee, "", "assignee is null");
        after("assignee is null", Field::Assignee, "me", "assignee = me");
        after("assignee is null", Field::Assignee, "", "");
    }

    #[test]
    fn what_a_menu_does_not_stand_for_is_left_alone() {
        after("type != bug or overdue", Field::Type, "bug", "(type != bug or overdue) and type = bug");
        assert_eq!(ticked(of("not type = bug").as_ref(), Field::Type), Vec::<String>::new());
        assert_eq!(without(&of("wal type = bug overdue").unwrap(), 1).unwrap().as_typed(), "wal and overdue");
        assert_eq!(without(&of("wal").unwrap(), 0), None);
    }

    #[test]
    fn a_chip_says_its_part_in_few_words() {
        let said = |text: &str| said(of(text).unwrap().root());
        assert_eq!(said("standing in [needs_you, ready]"), ("standing".into(), "needs you, ready".into()));
        assert_eq!(said("assignee is null"), ("assignee".into(), "none".into()));
        assert_eq!(said("stale_days >= 3"), (String::new(), "stale_days >= 3".into()));
        assert_eq!(said("overdue"), (String::new(), "overdue".into()));
    }
}
