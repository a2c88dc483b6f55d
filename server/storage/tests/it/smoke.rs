//! The common way through: plan, claim, close, next; what is written is in the file; a rebuild changes nothing.

use crate::board::{NOON, fresh, give, next, one, plan, requests};
use contracts::limits::RECEIPT_DAYS;
use contracts::standing::Column;
use contracts::view::{ActivityQuery, InboxQuery, TaskQuery};
use contracts::{Command, CommandRequest, Key, Moment, Standing};
use serde_json::json;
use storage::sessions;

const DAY: i64 = 86_400;

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
    let ready = read.column(Column::Ready, "", None, None, None).await.unwrap();
    assert_eq!(ready.page.rows.len(), 1);
    assert_eq!(ready.page.rows[0].task.id, ids[1]);
    assert_eq!(read.column(Column::Done, "first", None, None, None).await.unwrap().page.total, 1);
    assert_eq!(read.column(Column::Done, "second", None, None, None).await.unwrap().hidden, 1);
    assert_eq!(read.counts().await.unwrap().at(Standing::Done), 1);
    assert_eq!(read.cards(&TaskQuery { all: true, ..TaskQuery::default() }, None).await.unwrap().total, 2);
    let storage::InboxPage { rows: inbox, total: unread, .. } = read.inbox(&contracts::Actor::parse("dev:ana").unwrap(), &InboxQuery::default()).await.unwrap();
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
    let (indexes, beliefs) = ("select count(*) from sqlite_master where type = 'index'", "select count(*) from sqlite_stat1");
    let counted = (world.number(indexes).await, world.number(beliefs).await);
    store.rebuild().await.unwrap();
    assert_eq!((world.number(indexes).await, world.number(beliefs).await), counted, "a rebuild leaves no index behind");
    assert!(counted.0 > 20 && counted.1 > 20, "{counted:?}");
    assert_eq!(world.dump().await, before);
    assert!(store.verify().await.unwrap().is_sound());
    let mut read = store.reader().begin().await.unwrap();
    assert_ne!(read.head().await.unwrap().epoch, head.epoch);
}

#[tokio::test]
async fn what_is_over_is_taken_away_and_nothing_else() {
    let (_folder, world, store) = fresh().await;
    let keyed = async |key: &str| {
        let command = Command::parse("plan", json!({"tasks": [{"title": format!("The {key} thing")}]})).unwrap();
        let request = CommandRequest { key: Some(Key::parse(key).unwrap()), ..CommandRequest::of(command) };
        one(&store, requests("dev:ana", vec![request])).await.unwrap();
    };
    let left = async || (world.number("select count(*) from receipt").await, world.number("select count(*) from session").await);
    keyed("old").await;
    sessions::put(&store, "a", "{}", Moment(NOON).plus_seconds(DAY)).await.unwrap();
    sessions::put(&store, "b", "{}", Moment(NOON).plus_seconds(30 * DAY)).await.unwrap();
    sessions::expire(&store).await.unwrap();
    assert_eq!(left().await, (1, 2));
    world.pass((RECEIPT_DAYS + 1) * DAY);
    keyed("new").await;
    sessions::expire(&store).await.unwrap();
    assert_eq!(left().await, (1, 1));
    assert!(sessions::get(&store, "b").await.unwrap().is_some());
}

#[tokio::test]
async fn what_lies_in_quarantine_is_listed_even_when_it_cant_be_read() {
    let (_folder, world, store) = fresh().await;
    let folder = world.root.join("quarantine");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.json"), b"{\"file\": \xff").unwrap();
    std::fs::write(folder.join("b.json"), json!({"file": "x.jsonl", "line": 3, "reason": "torn"}).to_string()).unwrap();
    let listed: Vec<_> = store.quarantine().unwrap().into_iter().map(|entry| (entry.file, entry.line, entry.reason.starts_with("unreadable"))).collect();
    assert_eq!(listed, [("a.json".to_owned(), 0, true), ("x.jsonl".to_owned(), 3, false)]);
}

#[tokio::test]
async fn every_card_is_on_one_page_and_in_one_column() {
    let (_folder, world, store) = fresh().await;
    let ids = plan(&store, serde_json::Value::from_iter((0..30).map(|at| json!({"title": format!("card {at}"), "priority": at % 4})))).await;
    for (at, id) in ids.iter().enumerate() {
        let agent = format!("agent:ana/w{at}");
        match at % 5 {
            0 => drop(give(&store, &agent, "claim", json!({"task": id})).await.unwrap()),
            1 => drop(give(&store, "dev:ana", "close", json!({"task": id, "note": "done", "no_code": true})).await.unwrap()),
            2 => drop(give(&store, "dev:ana", "hold", json!({"task": id, "note": "wait"})).await.unwrap()),
            _ => {}
        }
        world.pass(1);
    }
    let mut read = store.reader().begin().await.unwrap();
    let mut seen = Vec::new();
    for (column, wanted) in [(Column::Ready, 12), (Column::Working, 6), (Column::Backlog, 6), (Column::Done, 6), (Column::NeedsYou, 0)] {
        let mut cursor = None;
        let mut found = Vec::new();
        loop {
            let page = read.column(column, "", None, cursor.as_deref(), Some(4)).await.unwrap().page;
            assert_eq!(page.total, wanted, "{column}");
            found.extend(page.rows);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(found.len() as i64, wanted, "{column}");
        if column != Column::Done {
            assert!(found.is_sorted_by_key(|row| (row.task.priority, row.task.created.clone())), "{column}");
        }
        seen.extend(found.into_iter().map(|row| row.task.id));
    }
    seen.sort();
    let mut all = ids;
    all.sort();
    assert_eq!(seen, all);
    for query in [
        TaskQuery { all: true, limit: Some(7), ..TaskQuery::default() },
        TaskQuery { standing: vec![Standing::Working, Standing::Done], all: true, limit: Some(5), ..TaskQuery::default() },
    ] {
        let mut found = std::collections::BTreeSet::new();
        let mut cursor = None;
        let total = loop {
            let page = read.cards(&TaskQuery { cursor, ..query.clone() }, None).await.unwrap();
            for row in page.rows {
                assert!(found.insert(row.task.id), "twice");
            }
            cursor = page.next;
            if cursor.is_none() {
                break page.total;
            }
        };
        assert_eq!(found.len() as i64, total);
        assert_eq!(total, if query.standing.is_empty() { 30 } else { 12 });
    }
    assert_eq!(read.column(Column::Working, "ana/w5", None, None, None).await.unwrap().page.total, 1, "by holder");
}
