//! The activity: what is asked for is found and nothing else, page by page as whole; who did how much; how it lies over time.

use crate::board::{World, fresh, give, ids, plan};
use contracts::view::ActivityQuery;
use contracts::{Actor, Moment, TaskId};
use serde_json::json;
use std::sync::atomic::Ordering;
use storage::Read;

fn now(world: &World) -> Moment {
    Moment(world.clock.load(Ordering::SeqCst))
}

/// Kinds and subjects of what a query finds, read so many at a time, oldest first.
async fn found(read: &mut Read, query: &ActivityQuery, limit: u32) -> Vec<(String, String)> {
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = read.activity(&ActivityQuery { cursor, limit: Some(limit), ..query.clone() }).await.unwrap();
        found.extend(page.rows.iter().map(|row| (row.event.kind.as_str().to_owned(), row.event.subject.clone())));
        match page.next {
            Some(next) => cursor = Some(next),
            None => {
                assert_eq!(page.total, found.len() as i64, "{query:?}");
                found.reverse();
                return found;
            }
        }
    }
}

#[tokio::test]
async fn each_part_of_a_question_narrows_what_is_found_and_pages_lose_nothing() {
    let (_folder, world, store) = fresh().await;
    let in_it = give(&store, "dev:ana", "plan", json!({"milestone": "Durable", "tasks": [{"title": "Replay a 50% torn page"}]})).await.unwrap();
    let made = [ids(&in_it), plan(&store, json!([{"title": "Paint"}])).await].concat();
    let begun = now(&world);
    world.pass(3_600);
    for (task, text) in [(&made[0], "It tears at the_footer"), (&made[1], "Needs MORE paint"), (&made[1], "Dry")] {
        give(&store, "agent:ana/w1", "comment", json!({"task": task, "text": text})).await.unwrap();
        world.pass(60);
    }
    give(&store, "dev:ana", "close", json!({"task": made[1], "note": "it is painted", "no_code": true})).await.unwrap();
    let mut read = store.reader().begin().await.unwrap();
    let any = ActivityQuery::default();
    let whole = found(&mut read, &any, 200).await;
    for limit in [1, 2, 3] {
        assert_eq!(found(&mut read, &any, limit).await, whole, "by {limit}");
    }
    let milestone = whole.iter().find(|(kind, _)| kind == "milestone.created").map(|(_, id)| contracts::MilestoneId::parse(id).unwrap());
    let text = |text: &str| ActivityQuery { text: text.to_owned(), ..any.clone() };
    let kind = |kind: &str| ActivityQuery { kind: Some(kind.to_owned()), ..any.clone() };
    let id = |id: &TaskId| id.as_str().to_owned();
    for (query, kinds, subject) in [
        (kind("task.commented"), vec!["task.commented"; 3], None),
        (kind("task.closed, milestone.*"), vec!["milestone.created", "task.closed"], None),
        (kind("task.com"), vec![], None),
        (
            ActivityQuery { actor: Some(Actor::agent_named("ana", "w1")), task: Some(made[0].clone()), ..any.clone() },
            vec!["task.commented"],
            Some(id(&made[0])),
        ),
        (ActivityQuery { milestone, ..kind("task.commented,milestone.*") }, vec!["milestone.created", "task.commented"], None),
        (
            ActivityQuery { since: Some(begun.plus_seconds(3_660)), until: Some(begun.plus_seconds(3_720)), ..any.clone() },
            vec!["task.commented"],
            Some(id(&made[1])),
        ),
        (text("more"), vec!["task.commented"], Some(id(&made[1]))),
        (ActivityQuery { text: "50%".to_owned(), ..kind("task.commented") }, vec!["task.commented"], Some(id(&made[0]))),
        (text("the_footer"), vec!["task.commented"], Some(id(&made[0]))),
        (text("the-footer"), vec![], None),
        (text("5_%"), vec![], None),
        (text("' or 1 = 1 --"), vec![], None),
    ] {
        let got = found(&mut read, &query, 2).await;
        assert_eq!(got.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(), kinds, "{query:?}");
        assert!(subject.is_none_or(|subject| got.iter().all(|(_, own)| *own == subject)), "{query:?}: {got:?}");
    }
    // The words of an event's form are not what somebody said.
    assert!(found(&mut read, &text("no_code"), 9).await.is_empty());
}

#[tokio::test]
async fn actors_are_ranked_by_tasks_and_a_commit_that_was_replaced_counts_once() {
    let (_folder, world, store) = fresh().await;
    let made = plan(&store, json!([{"title": "A"}, {"title": "B"}, {"title": "C"}])).await;
    for _ in 0..9 {
        give(&store, "agent:ana/busy", "comment", json!({"task": made[0], "text": "Still here"})).await.unwrap();
    }
    for task in &made {
        give(&store, "agent:ana/wide", "comment", json!({"task": task, "text": "Looked at it"})).await.unwrap();
    }
    let sha = |digit: &str| digit.repeat(40);
    for (digit, added) in [("a", 10), ("b", 12)] {
        let bind = json!({"task": made[0], "sha": sha(digit), "subject": "Mend", "how": "manual", "committed_at": now(&world), "added": added, "deleted": 3, "files": [["a.rs", added, 3]]});
        give(&store, "agent:ana/busy", "bind", bind).await.unwrap();
    }
    give(&store, "agent:ana/busy", "supersede", json!({"task": made[0], "old": sha("a"), "new": sha("b"), "why": "rebase"})).await.unwrap();
    give(&store, "dev:ana", "close", json!({"task": made[1], "note": "not needed after all", "no_code": true})).await.unwrap();
    let mut read = store.reader().begin().await.unwrap();
    let (tallies, all) =
        read.tallies(&ActivityQuery { kind: Some("task.commented,commit.*,task.closed".to_owned()), ..ActivityQuery::default() }, 2).await.unwrap();
    let short = |row: &storage::TallyRow| (row.actor.name().to_owned(), row.tasks, row.events, row.closed, row.commits, row.added, row.deleted);
    assert_eq!(tallies.iter().map(short).collect::<Vec<_>>(), [("wide".to_owned(), 3, 3, 0, 0, 0, 0), ("busy".to_owned(), 1, 12, 0, 1, 12, 3)]);
    assert_eq!(all, 3, "with those beyond the limit");
    let (tallies, _) = read.tallies(&ActivityQuery { actor: Some(Actor::dev_named("ana")), ..ActivityQuery::default() }, 9).await.unwrap();
    assert_eq!((tallies.len(), tallies[0].closed), (1, 1));
}

#[tokio::test]
async fn events_are_counted_in_the_step_of_time_they_lie_in() {
    let (_folder, world, store) = fresh().await;
    let made = plan(&store, json!([{"title": "A"}])).await;
    let from = now(&world);
    for _ in 0..3 {
        world.pass(3_600);
        give(&store, "agent:ana/w1", "comment", json!({"task": made[0], "text": "Going on"})).await.unwrap();
    }
    let mut read = store.reader().begin().await.unwrap();
    let comments = ActivityQuery { kind: Some("task.commented".to_owned()), ..ActivityQuery::default() };
    let (_, first) = read.ever().await.unwrap();
    assert!(first.is_some_and(|first| first <= from));
    let steps = read.kinds_over_time(&comments, from, 7_200, 2).await.unwrap();
    assert_eq!(steps, [(0, "task.commented".to_owned(), 1), (1, "task.commented".to_owned(), 2)]);
    assert!(read.kinds_over_time(&comments, Moment(0), 3_600, 24).await.unwrap().is_empty(), "nothing lies outside");
}
