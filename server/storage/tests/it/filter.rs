//! A filter in SQL says of every task what the same filter says of its card.

use crate::board::{World, caller, fresh, give, plan};
use contracts::standing::Column;
use contracts::view::{TaskCard, TaskQuery};
use contracts::{Moment, TaskId};
use engine::Settings;
use filter::{Around, Card, Filter, Node, parse};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use storage::{Asking, Store};

/// At least one comparison of every field with every way to compare it that means something of its own.
const LEAVES: &[&str] = &[
    "title contains \"ÄÖ\"",
    "title = \"First thing\"",
    "title starts with first",
    "title ends with THING",
    "title not contains thing",
    "title in [\"First thing\", x]",
    "text contains ui",
    "text contains ana/w1",
    "text not contains thing",
    "type = bug",
    "type != bug",
    "type not in [bug, docs]",
    "status = done",
    "status in [open, cancelled]",
    "standing = working",
    "standing != ready",
    "standing in [blocked, held, done]",
    "standing is null",
    "column = backlog",
    "column not in [done, working]",
    "priority = 0",
    "priority <= 1",
    "priority between 1 and 2",
    "priority not in [2, 3]",
    "priority > 2",
    "labels has any [ui, api]",
    "labels has all [ui, api]",
    "labels has none [ui]",
    "labels is null",
    "labels is not null",
    "milestone = \"THE first release\"",
    "milestone != \"nowhere\"",
    "milestone = nowhere",
    "milestone is null",
    "parent is not null",
    "assignee = me",
    "assignee != ana",
    "assignee in [bo, ana/w1]",
    "assignee is null",
    "holder = ana/w1",
    "holder != ana/w1",
    "holder not in [ana/w1, me]",
    "holder is null",
    "holder is not null",
    "claimed",
    "claimed = false",
    "waits > 0",
    "waits = 0",
    "blocks >= 1",
    "children_total > 0",
    "children_open = 1",
    "children_all_done",
    "children_all_done = false",
    "comments > 0",
    "conflicts = 0",
    "complexity = M",
    "complexity != M",
    "complexity is null",
    "vertical contains STOR",
    "vertical not contains x",
    "branch is null",
    "due_at < start_of(day)",
    "due_at >= 2026-11-28",
    "due_at between ago(3d) and from_now(1d)",
    "due_at within last 2d",
    "due_at within next 90d",
    "due_at is null",
    "due_in_days < 0",
    "due_in_days >= 0",
    "due_in_days in [0, 3]",
    "overdue",
    "overdue = false",
    "created_at > ago(1d)",
    "created_at <= ago(1d)",
    "age_days = 2",
    "age_days != 0",
    "updated_at >= ago(12h)",
    "stale_days >= 1",
    "closed_at is not null",
    "closed_at within last 1w",
];

/// A board on which most comparisons find some and miss some.
async fn board() -> (tempfile::TempDir, World, Store) {
    let (folder, world, store) = fresh().await;
    let made = give(&store, "dev:ana", "milestone_create", json!({"title": "The first release"})).await.unwrap();
    let milestone = made.data["milestone"]["id"].as_str().or_else(|| made.data["id"].as_str()).map(str::to_owned);
    let ids = plan(
        &store,
        json!([
            {"title": "First thing", "labels": ["ui"], "type": "bug", "priority": 0, "due_at": "2026-11-27T23:59:59Z"},
            {"title": "Second äö thing", "labels": ["ui", "api"], "priority": 1, "complexity": "M", "vertical": "storage"},
            {"title": "Third", "after": [0], "priority": 3, "due_at": "2026-12-03T00:00:00Z"},
            {"title": "Parent of two"},
            {"title": "A child", "parent": 3, "type": "docs"},
            {"title": "Another child", "parent": 3, "complexity": "S"},
            {"title": "Held back", "labels": ["api"]},
            {"title": "Cancelled"},
            {"title": "Claimed", "due_at": "2026-11-29T13:00:00Z"},
            {"title": "Claimed and done", "labels": ["ui"]},
        ]),
    )
    .await;
    world.pass(36 * 3_600);
    let act = async |actor: &str, command: &str, args| give(&store, actor, command, args).await.unwrap();
    act("dev:ana", "edit", json!({"task": ids[1], "milestone": milestone.as_deref()})).await;
    act("dev:ana", "assign", json!({"task": ids[0], "to": "dev:ana"})).await;
    act("dev:ana", "assign", json!({"task": ids[5], "to": "agent:ana/w1"})).await;
    act("dev:ana", "close", json!({"task": ids[4], "note": "done", "no_code": true})).await;
    act("dev:ana", "hold", json!({"task": ids[6], "note": "wait"})).await;
    act("dev:ana", "cancel", json!({"task": ids[7], "note": "not needed"})).await;
    act("agent:ana/w1", "claim", json!({"task": ids[8]})).await;
    act("agent:ana/w2", "claim", json!({"task": ids[9]})).await;
    act("agent:ana/w2", "comment", json!({"task": ids[9], "text": "it works"})).await;
    act("agent:ana/w2", "close", json!({"task": ids[9], "note": "did the thing", "no_code": true})).await;
    plan(&store, json!([{"title": "Fresh", "labels": ["ui"], "priority": 2}])).await;
    (folder, world, store)
}

/// Both answers for each filter, and how many tasks it found.
async fn compared(store: &Store, filters: &[Filter]) -> Vec<usize> {
    let mut read = store.reader().begin().await.unwrap();
    let all = read.cards(&TaskQuery { all: true, ..TaskQuery::default() }, None).await.unwrap();
    let project = read.project().await.unwrap().unwrap();
    let (settings, now) = (Settings::of(&project), read.now());
    let cards: Vec<TaskCard> = all.rows.iter().map(|row| engine::views::card(&row.task, &row.counters, row.lease.as_ref(), &settings, now, 0)).collect();
    let milestones: Vec<_> = read.milestones().await.unwrap().iter().map(engine::views::milestone_view).collect();
    let around = Around { now, me: caller("dev:ana").actor, clock: 60.into() };
    let mut found = Vec::new();
    for filter in filters {
        let asking = Asking { filter: filter.clone(), around: around.clone() };
        let page = read.cards(&TaskQuery { all: true, ..TaskQuery::default() }, Some(&asking)).await.unwrap();
        let stored: BTreeSet<TaskId> = page.rows.iter().map(|row| row.task.id.clone()).collect();
        let asked: BTreeSet<TaskId> =
            cards.iter().filter(|card| filter.matches(&Card { card, milestones: &milestones }, &around)).map(|card| card.id.clone()).collect();
        assert_eq!(stored, asked, "{filter}");
        assert_eq!(page.total, i64::try_from(asked.len()).unwrap(), "{filter}");
        found.push(asked.len());
    }
    found
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn sql_says_what_the_card_says() {
    let runtime = runtime();
    let (_folder, _world, store) = runtime.block_on(board());
    let leaves: Vec<Node> = LEAVES.iter().map(|text| parse(text).unwrap_or_else(|faults| panic!("{text}: {faults:?}")).root().clone()).collect();
    let not = |node: &Node| Node::Not(Box::new(node.clone()));
    let plain: Vec<Filter> = leaves.iter().flat_map(|leaf| [leaf.clone(), not(leaf)]).map(|node| Filter::all(vec![node]).unwrap()).collect();
    let found = runtime.block_on(compared(&store, &plain));
    let telling = found.iter().filter(|n| (1..11).contains(*n)).count();
    assert!(telling > LEAVES.len(), "most comparisons tell tasks apart: {telling} of {}", found.len());

    let node = prop::sample::select(leaves).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Node::all),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Node::any),
            inner.prop_map(|node| Node::Not(Box::new(node))),
        ]
    });
    let store = &store;
    proptest!(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() }, |(node in node)| {
        runtime.block_on(compared(store, &[Filter::all(vec![node]).unwrap()]));
    });
}

#[tokio::test]
async fn a_filtered_column_counts_what_it_hides_and_goes_on_where_it_ended() {
    let (_folder, world, store) = fresh().await;
    plan(&store, serde_json::Value::from_iter((0..40).map(|at| json!({"title": format!("card {at}"), "type": if at % 2 == 0 { "bug" } else { "task" }}))))
        .await;
    let mut read = store.reader().begin().await.unwrap();
    let now = Moment(world.clock.load(std::sync::atomic::Ordering::SeqCst));
    let around = Around { now, me: caller("dev:ana").actor, clock: 0.into() };
    let asking = Asking { filter: parse("type = bug").unwrap(), around };
    let first = read.column(Column::Ready, "", Some(&asking), None, Some(15)).await.unwrap();
    assert_eq!((first.page.total, first.hidden, first.page.rows.len()), (20, 20, 15));
    let rest = read.column(Column::Ready, "card", Some(&asking), first.page.next.as_deref(), Some(15)).await.unwrap();
    assert_eq!((rest.page.rows.len(), rest.page.next), (5, None));
    assert!(rest.page.rows.iter().all(|row| row.task.kind == "bug" && !first.page.rows.contains(row)));
}

#[tokio::test]
async fn edges_are_those_among_the_tasks_asked_about() {
    let (_folder, _world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "One"}, {"title": "Two", "after": [0]}, {"title": "Three", "after": [0, 1]}])).await;
    let mut read = store.reader().begin().await.unwrap();
    let mut all = read.edges_among(&ids).await.unwrap();
    all.sort();
    let mut wanted = vec![(ids[1].clone(), ids[0].clone()), (ids[2].clone(), ids[0].clone()), (ids[2].clone(), ids[1].clone())];
    wanted.sort();
    assert_eq!(all, wanted);
    assert_eq!(read.edges_among(&ids[..2]).await.unwrap(), [(ids[1].clone(), ids[0].clone())]);
}
