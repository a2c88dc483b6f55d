//! The common way through: plan, claim, close, next; what is written is in the file; a rebuild changes nothing.

use crate::board::{fresh, give, next, plan};
use contracts::Standing;
use contracts::standing::Column;
use contracts::view::{ActivityQuery, InboxQuery, TaskQuery};
use serde_json::json;

#[tokio::test]
async fn a_task_from_plan_to_close() {
    let (_folder, world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "First thing", "labels": ["api"], "files": ["src/a.rs"]}, {"title": "Second thing", "after": [0]}])).await;
    let got = next(&store, "agent:ana/w1", json!({})).await;
    assert_eq!((got.how.as_str(), got.task.as_ref()), ("claimed", Some(&ids[0])), "{got:?}");
    assert_eq!(got.queue.ready, 1);
    let nothing = next(&store, "agent:ana/w2", json!({})).await;
    assert_eq!(nothing.why.unwrap().code, "all_blocked");
    give(&store, "agent:ana/w1", "comment", json!({"task": ids[0], "text": "@dev:ana look at the refresh path"})).await.unwrap();
    let closed = give(&store, "agent:ana/w1", "close", json!({"task": ids[0], "note": "did the first thing", "no_code": true})).await.unwrap();
    assert_eq!(closed.standing, Some(Standing::Done));
    assert_eq!(closed.data["freed"], json!([ids[1]]));

    let mut read = store.reader().begin().await.unwrap();
    let head = read.head().await.unwrap();
    assert_eq!(head.seq, closed.seq);
    let ready = read.column(Column::Ready, "", None, None).await.unwrap();
    assert_eq!(ready.page.rows.len(), 1);
    assert_eq!(ready.page.rows[0].task.id, ids[1]);
    assert_eq!(read.column(Column::Done, "first", None, None).await.unwrap().page.total, 1);
    assert_eq!(read.column(Column::Done, "second", None, None).await.unwrap().hidden, 1);
    assert_eq!(read.counts().await.unwrap().at(Standing::Done), 1);
    assert_eq!(read.cards(&TaskQuery { all: true, ..TaskQuery::default() }).await.unwrap().total, 2);
    let (inbox, unread) = read.inbox(&contracts::Actor::parse("dev:ana").unwrap(), &InboxQuery::default()).await.unwrap();
    assert_eq!((inbox[0].why.as_str(), unread), ("mention", 1));
    let (hits, total, _) = read.search("refresh", None).await.unwrap();
    assert_eq!((hits[0].matched, total), ("thread", 1));
    assert!(hits[0].excerpt.contains("refresh"));
    assert_eq!(read.search(ids[1].as_str(), None).await.unwrap().0[0].matched, "id");
    let activity = read.activity(&ActivityQuery { kind: Some("task.*".to_owned()), ..ActivityQuery::default() }).await.unwrap();
    assert_eq!(activity.rows[0].event.kind.as_str(), "task.closed");
    let thread = read.events_of(ids[0].as_str(), true, None, 50).await.unwrap();
    assert!(thread.rows.iter().any(|row| row.event.kind.as_str() == "task.commented") && thread.next.is_none());
    assert_eq!(read.events_since(0, 100).await.unwrap().len() as i64, head.seq);
    assert_eq!(read.actors().await.unwrap().len(), 2);
    drop(read);

    assert_eq!(world.lines().len() as i64, head.seq);
    let before = world.dump().await;
    let rebuilt = store.rebuild().await.unwrap();
    assert_eq!(rebuilt.events, head.seq);
    assert_eq!(world.dump().await, before);
    assert!(store.verify().await.unwrap().is_sound());
    let mut read = store.reader().begin().await.unwrap();
    assert_ne!(read.head().await.unwrap().epoch, head.epoch);
}
