//! The grammar from outside: what it reads, what it says, what it answers, and that no text breaks it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use contracts::standing::{Column, Standing};
use contracts::view::TaskCard;
use contracts::{Actor, Moment, Offsets};
use filter::{Around, Card, FaultKind, Field, Filter, Kind, Leaf, Node, Op, Unit, Value, parse, typed};
use proptest::prelude::*;

fn around() -> Around {
    Around { now: Moment::parse("2026-11-29T12:00:00Z").unwrap(), me: Actor::parse("dev:ana").unwrap(), clock: 60.into() }
}

fn card() -> TaskCard {
    serde_json::from_value(serde_json::json!({
        "id": "tk-4f2a9c", "title": "WAL replay stops ÄÖ", "type": "bug", "priority": 1, "status": "open", "standing": "blocked", "column": "backlog",
        "labels": ["storage", "wal"], "assignee": "dev:ana", "waits": 2, "children": [1, 3], "due_at": "2026-11-28T22:59:59.000Z",
        "created_at": "2026-11-20T12:00:00.000Z", "updated_at": "2026-11-26T11:00:00.000Z", "version": 1,
    }))
    .unwrap()
}

#[track_caller]
fn asks(card: &TaskCard, text: &str) -> bool {
    let filter = parse(text).unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
    filter.matches(&Card { card, milestones: &[] }, &around())
}

#[test]
fn a_task_is_asked_field_by_field() {
    let card = card();
    for (text, yes) in [
        ("id = tk-4f2a9c", true),
        ("type = bug and stale_days >= 3", true),
        ("stale_days > 3", false),
        ("age_days between 9 and 9", true),
        ("children_all_done", false),
        ("children_open = 2 and children_total = 3", true),
        ("labels has any [ui, wal]", true),
        ("labels has all [ui, wal]", false),
        ("labels has none [ui]", true),
        ("labels is null", false),
        ("assignee = me", true),
        ("assignee = ana", true),
        ("assignee in [bo, ana/w1]", false),
        ("holder is null and not claimed", true),
        ("standing in [blocked, held]", true),
        ("column = backlog", true),
        ("priority <= 1 and priority != 0", true),
        ("title contains \"replay STOPS\"", true),
        ("title starts with wal and title ends with äö", true),
        ("title not contains btree", true),
        ("text contains storage and text contains 4f2a and text contains äö", true),
        ("text contains btree", false),
        ("overdue and due_in_days <= 0", true),
        ("due_at < start_of(day)", true),
        ("due_at >= 2026-11-28 and due_at < 2026-11-29", true),
        ("due_at within last 1d", true),
        ("due_at within next 1d", false),
        ("created_at < ago(1w) and updated_at > ago(1w)", true),
        ("created_at >= start_of(month)", true),
        ("closed_at is null", true),
        ("not (type = bug or priority = 0)", false),
    ] {
        assert_eq!(asks(&card, text), yes, "{text}");
    }
}

#[test]
fn a_week_begins_on_monday_in_the_zone_of_the_project() {
    let mut card = card();
    // The 29th is a Sunday; its week began on the 23rd at midnight in Berlin.
    card.created_at = Moment::parse("2026-11-22T23:00:00Z").unwrap();
    assert!(asks(&card, "created_at >= start_of(week)"));
    card.created_at = Moment::parse("2026-11-22T22:59:59Z").unwrap();
    assert!(!asks(&card, "created_at >= start_of(week)"));
}

#[test]
fn what_is_missing_is_unknown_and_unknown_is_no_match_under_not_either() {
    let card = TaskCard { assignee: None, labels: Vec::new(), due_at: None, ..card() };
    for text in [
        "assignee = me",
        "not assignee = me",
        "assignee != me",
        "assignee not in [ana]",
        "labels has any [ui]",
        "not labels has any [ui]",
        "due_in_days > 0",
        "not due_in_days > 0",
        "due_at < ago(1d)",
        "vertical contains x",
        "vertical not contains x",
        "not (assignee = me and type = bug)",
    ] {
        assert!(!asks(&card, text), "{text}");
    }
    for text in ["assignee is null", "assignee != me or assignee is null", "labels has none [ui]", "labels is null", "not (assignee = me and type = task)"] {
        assert!(asks(&card, text), "{text}");
    }
}

#[test]
fn every_fault_is_named_at_once_and_where_it_is() {
    let text = "typ = bug and priority = high and labels = ui and standing = todo or due_at within last soon and";
    let faults = parse(text).unwrap_err();
    let seen: Vec<(usize, FaultKind)> = faults.iter().map(|fault| (fault.at.start, fault.kind)).collect();
    let find = |word: &str| text.find(word).unwrap();
    assert_eq!(
        seen,
        [
            (0, FaultKind::Field),
            (find("high"), FaultKind::Value),
            (find("= ui"), FaultKind::Type),
            (find("todo"), FaultKind::Value),
            (find("soon"), FaultKind::Value),
            (text.len(), FaultKind::Syntax),
        ],
        "{faults:#?}"
    );
    assert_eq!(faults[0].hint, "did you mean type?");
    assert!(faults[2].hint.starts_with("write labels has any [ui, api]"), "{}", faults[2].hint);
    let problem = filter::problem("filter", &faults);
    assert_eq!((problem.code, problem.errors.len(), problem.errors[0].path.as_str()), (contracts::Code::BadRequest, 6, "filter[1..3]"));
    assert_eq!(problem.title, "filter, character 1: there is no field typ");
}

#[test]
fn what_is_out_of_form_is_refused() {
    for (text, fault) in [
        ("", "the filter is empty"),
        ("type = bug priority = 1", "and or or is missing here"),
        ("(type = bug", "a parenthesis is not closed"),
        ("type = bug)", ") closes nothing"),
        ("()", "a comparison is missing here"),
        ("or type = bug", "a comparison is missing before or"),
        ("title", "title is not compared with anything"),
        ("\"wal\"", "\"wal\" does not begin a comparison"),
        ("wal", "there is no field wal"),
        ("title = \"wal", "a quote is not closed"),
        ("type in []", "the list is empty"),
        ("type in [bug", "the list is not closed"),
        ("priority between 1", "between needs two values"),
        ("overdue = maybe", "overdue can't be \"maybe\""),
        ("due_at < yesterday", "due_at can't be \"yesterday\""),
        ("due_at < ago(3)", "ago( ) is no point in time"),
        ("type ! bug", "! stands alone"),
        ("assignee = \"a b\"", "assignee can't be \"a b\""),
    ] {
        let faults = parse(text).unwrap_err();
        assert!(faults.iter().any(|each| each.text == fault), "{text}: {faults:?}");
    }
}

#[test]
fn limits_hold() {
    let many = vec!["overdue"; 65].join(" and ");
    let deep = format!("{}overdue{}", "(".repeat(9), ")".repeat(9));
    let nots = format!("{}overdue", "not ".repeat(400));
    let long = format!("title = {}", "x".repeat(201));
    let list = format!("type in [{}]", vec!["a"; 201].join(", "));
    let huge = "x".repeat(2_001);
    for text in [many, deep, nots, long, list, huge] {
        let faults = parse(&text).unwrap_err();
        assert!(faults.iter().any(|fault| fault.kind == FaultKind::Limit), "{faults:?}");
    }
    assert!(parse(&vec!["overdue"; 64].join(" and ")).is_ok());
}

#[test]
fn a_flag_alone_is_true_and_names_are_normal() {
    for (text, printed) in [
        ("OVERDUE AND not Claimed", "overdue and not claimed"),
        ("overdue = true or claimed = false", "overdue or claimed = false"),
        ("assignee = ana or holder = ana/w1", "assignee = dev:ana or holder = agent:ana/w1"),
        ("(type = bug and (priority = 0))", "type = bug and priority = 0"),
        ("title = \"two words\" and vertical = \"and\"", "title = \"two words\" and vertical = \"and\""),
        ("due_at < ago(48h) and due_at within next 14d", "due_at < ago(2d) and due_at within next 2w"),
    ] {
        assert_eq!(parse(text).unwrap().to_string(), printed);
    }
}

fn value(field: Field, op: Op) -> BoxedStrategy<Value> {
    if matches!(op, Op::WithinLast | Op::WithinNext) {
        return (1i64..1_000_000).prop_map(Value::Length).boxed();
    }
    match field.kind() {
        Kind::Word => prop::sample::select(field.words()).prop_map(|word| Value::Text(word.to_owned())).boxed(),
        Kind::Name if matches!(field, Field::Id | Field::Parent) => "tk-[0-9a-f]{6}".prop_map(Value::Text).boxed(),
        Kind::Name | Kind::Text | Kind::Words | Kind::Set => r#"[a-zäA-Z0-9 "\\()\[\],=<>!:-]{0,8}x"#.prop_map(Value::Text).boxed(),
        Kind::Person => prop_oneof![
            Just(Value::Me),
            "[a-z]{1,6}".prop_map(|name| Value::Person(Actor::parse(&format!("dev:{name}")).unwrap())),
            "[a-z]{1,6}/[a-z]{1,6}".prop_map(|name| Value::Person(Actor::parse(&format!("agent:{name}")).unwrap())),
        ]
        .boxed(),
        Kind::Number => (-999i64..999).prop_map(Value::Number).boxed(),
        Kind::Flag => any::<bool>().prop_map(Value::Flag).boxed(),
        Kind::Time => prop_oneof![
            (0i64..40_000).prop_map(Value::Day),
            (0i64..4_000_000_000_000).prop_map(|at| Value::At(Moment(at))),
            (1i64..1_000_000).prop_map(Value::Ago),
            (1i64..1_000_000).prop_map(Value::FromNow),
            prop::sample::select(vec![Unit::Day, Unit::Week, Unit::Month]).prop_map(Value::StartOf),
        ]
        .boxed(),
    }
}

fn leaf() -> impl Strategy<Value = Node> {
    let place = prop::sample::select(Field::ALL.to_vec()).prop_flat_map(|field| (Just(field), prop::sample::select(field.ops().to_vec())));
    place.prop_flat_map(|(field, op)| {
        let many = match op {
            Op::IsNull | Op::IsNotNull => 0..=0,
            Op::Between => 2..=2,
            Op::In | Op::NotIn | Op::HasAny | Op::HasAll | Op::HasNone => 1..=3,
            _ => 1..=1,
        };
        prop::collection::vec(value(field, op), many).prop_map(move |values| Node::Leaf(Leaf { field, op, values }))
    })
}

/// Any tree the constructors can make, within the limits.
fn tree() -> impl Strategy<Value = Filter> {
    let node = leaf().prop_recursive(3, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Node::all),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Node::any),
            inner.prop_map(|node| Node::Not(Box::new(node))),
        ]
    });
    node.prop_map(|node| Filter::all(vec![node]).unwrap())
}

fn soup() -> impl Strategy<Value = String> {
    let pieces = vec![
        "type", "labels", "due_at", "overdue", "title", "priority", "wal", "=", "!=", "<", ">=", "(", ")", "[", "]", ",", "and", "or", "not", "in", "is",
        "null", "between", "within", "last", "3d", "has", "any", "contains", "\"", "\"a b\"", "\\", "!", "me", "ago", "1", "ä", ":", "type:bug", "\u{0}", " ",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn a_tree_is_what_its_text_is_read_as(filter in tree()) {
        let text = filter.to_string();
        prop_assert_eq!(parse(&text).map_err(|faults| format!("{text}: {faults:?}")), Ok(filter.clone()));
        prop_assert_eq!(typed(&text), Ok(Some(filter.clone())));
        prop_assert_eq!(typed(&filter.as_typed()), Ok(Some(filter)));
    }

    #[test]
    fn no_text_breaks_it_and_faults_lie_within(text in prop_oneof![any::<String>(), soup()]) {
        for read in [parse(&text).map(Some), typed(&text)] {
            match read {
                Ok(Some(filter)) => {
                    prop_assert_eq!(parse(&filter.to_string()), Ok(filter.clone()));
                    let _ = filter.matches(&Card { card: &card(), milestones: &[] }, &around());
                }
                Ok(None) => prop_assert!(text.trim().is_empty()),
                Err(faults) => {
                    prop_assert!(!faults.is_empty());
                    let chars = text.chars().count();
                    prop_assert!(faults.iter().all(|fault| fault.at.start <= fault.at.end && fault.at.end <= chars), "{:?}", faults);
                }
            }
        }
    }

    #[test]
    fn a_filter_and_its_negation_never_both_match(filter in tree()) {
        let card = card();
        let task = Card { card: &card, milestones: &[] };
        let not = Filter::all(vec![Node::Not(Box::new(filter.root().clone()))]).unwrap();
        prop_assert!(!(filter.matches(&task, &around()) && not.matches(&task, &around())));
    }
}

#[test]
fn words_of_the_fixed_lists_are_those_of_the_contracts() {
    assert_eq!(Field::Standing.words().len(), Standing::ALL.len());
    assert_eq!(Field::Column.words().len(), Column::ALL.len());
}

#[test]
fn a_day_begins_at_its_own_midnight_in_summer_and_in_winter() {
    let at = |text: &str| Moment::parse(text).unwrap();
    let clock = Offsets::new(60, &[(at("2026-03-29T01:00:00Z"), 120), (at("2026-10-25T01:00:00Z"), 60)]);
    let around = Around { clock, ..around() };
    let due = |due: &str, text: &str| parse(text).unwrap().matches(&Card { card: &TaskCard { due_at: Some(at(due)), ..card() }, milestones: &[] }, &around);
    // Asked in winter: what is due at the end of the last of June is not due in July.
    assert!(due("2026-06-30T21:59:59Z", "due_at < 2026-07-01"));
    assert!(due("2026-06-30T22:00:00Z", "due_at >= 2026-07-01"));
    assert!(due("2026-11-30T22:59:59Z", "due_at < 2026-12-01"));
}
