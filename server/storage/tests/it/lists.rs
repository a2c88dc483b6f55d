//! Lists: what is asked page by page is what is asked whole, and as many as are said to be there; ids that are taken are minted anew.

use crate::board::{World, begun, fresh, give, next, plan};
use contracts::standing::{Column, Standing};
use contracts::view::{InboxQuery, TaskQuery};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use storage::{Options, Read};

/// Ids of a list, read so many at a time.
async fn ids(read: &mut Read, query: &TaskQuery, limit: u32) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = read.cards(&TaskQuery { cursor, limit: Some(limit), ..query.clone() }, None).await.unwrap();
        found.extend(page.rows.iter().map(|row| row.task.id.as_str().to_owned()));
        match page.next {
            Some(next) => cursor = Some(next),
            None => return if page.total == found.len() as i64 { found } else { vec![format!("{} of {}", found.len(), page.total)] },
        }
    }
}

#[tokio::test]
async fn a_list_read_page_by_page_is_the_list_read_whole() {
    let (_folder, world, store) = fresh().await;
    let tasks = (0..24).map(|at| match at % 6 {
        0 => json!({"title": format!("Part {at}"), "labels": ["api"], "priority": at % 4}),
        1 => json!({"title": format!("Part {at}"), "after": [at - 1]}),
        2 => json!({"title": format!("Part {at}"), "due_at": format!("2026-12-{:02}T12:00:00Z", 28 - at)}),
        3 => json!({"title": format!("Part {at}"), "assignee": "agent:ana/w9"}),
        _ => json!({"title": format!("Part {at}"), "priority": 3, "type": "bug"}),
    });
    let made = plan(&store, tasks.collect()).await;
    for agent in 0..3 {
        assert!(next(&store, &format!("agent:ana/w{agent}"), json!({})).await.task.is_some());
        world.pass(600);
    }
    for (at, id) in made.iter().enumerate().filter(|(at, _)| at % 6 == 4) {
        let (command, args) = match at % 12 {
            4 => ("close", json!({"task": id, "note": "did this part of it", "no_code": true})),
            _ => ("hold", json!({"task": id, "note": "not yet"})),
        };
        give(&store, "dev:ana", command, args).await.unwrap();
        world.pass(1);
    }
    // One lease is late by now, and one has lapsed.
    world.pass(2_100);
    let mut read = store.reader().begin().await.unwrap();
    let closed = TaskQuery { closed: true, ..TaskQuery::default() };
    let mut queries = vec![TaskQuery::default(), TaskQuery { all: true, ..TaskQuery::default() }, closed.clone()];
    queries.push(TaskQuery { q: "part 1".to_owned(), ..TaskQuery::default() });
    queries.push(TaskQuery { label: vec!["api".to_owned()], ..TaskQuery::default() });
    queries.push(TaskQuery { kind: Some("bug".to_owned()), all: true, ..TaskQuery::default() });
    queries.push(TaskQuery { standing: vec![Standing::Ready, Standing::Working, Standing::Stalled], ..TaskQuery::default() });
    queries.extend(Standing::ALL.iter().map(|standing| TaskQuery { standing: vec![*standing], all: true, ..TaskQuery::default() }));
    let mut sizes = Vec::new();
    for query in &queries {
        let whole = ids(&mut read, query, 200).await;
        for limit in [1, 3, 7] {
            assert_eq!(ids(&mut read, query, limit).await, whole, "{query:?} by {limit}");
        }
        sizes.push(whole.len());
    }
    assert_eq!(sizes[..3], [22, 24, 2], "open, all, closed");
    assert_eq!(sizes[7..].iter().sum::<usize>(), 24, "every task stands somewhere, and once");
    assert!(sizes[3] > 5 && sizes[4] == 4 && sizes[5] > 4 && sizes[6] > 5, "{sizes:?}");
    let mut in_columns = 0;
    for column in Column::ALL {
        let page = read.column(*column, "", None, None, None).await.unwrap();
        assert_eq!((page.page.rows.len() as i64, page.hidden), (page.page.total, 0), "{column:?}");
        in_columns += page.page.total;
        let words = read.column(*column, "part 1", None, None, None).await.unwrap();
        assert_eq!((words.page.rows.len() as i64, words.page.total + words.hidden), (words.page.total, page.page.total), "{column:?}");
    }
    assert_eq!(in_columns, 24);
}

#[tokio::test]
async fn ids_that_are_taken_are_minted_anew_and_the_others_kept() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let calls = Arc::new(AtomicU64::new(0));
    // Every third id is one that was there before.
    let bits = move || match calls.fetch_add(1, Ordering::SeqCst) {
        call if call % 3 == 0 => u128::from(call / 300),
        call => u128::from(call + 1_000),
    };
    let options = world.options();
    let (store, _) = world.open_with(Options { bits: Arc::new(bits), ..options }).await;
    begun(&store).await;
    let mut made = std::collections::BTreeSet::new();
    for _ in 0..5 {
        made.extend(plan(&store, (0..100).map(|at| json!({"title": format!("Part {at}")})).collect()).await);
    }
    assert_eq!(made.len(), 500);
}

/// Texts of an inbox page: its messages, oldest first.
fn texts(page: &storage::InboxPage) -> Vec<String> {
    page.rows.iter().map(|row| row.row.event.text("text").to_owned()).collect()
}

#[tokio::test]
async fn every_item_of_an_inbox_stands_on_some_page_and_the_newest_of_a_week_on_the_first() {
    let (_folder, world, store) = fresh().await;
    for number in 0..230 {
        // Three a moment: the order among them is theirs.
        world.pass(i64::from(number % 3 == 0));
        give(&store, "dev:ana", "message", json!({"to": ["dev:bo"], "text": number.to_string()})).await.unwrap();
    }
    let bo = contracts::Actor::parse("dev:bo").unwrap();
    let expected: Vec<String> = (0..230).map(|number| number.to_string()).collect();
    for all in [true, false] {
        let (mut pages, mut cursor) = (Vec::new(), None);
        loop {
            let mut read = store.reader().begin().await.unwrap();
            let query = InboxQuery { all, cursor, limit: Some(100), ..InboxQuery::default() };
            let page = read.inbox(&bo, &query).await.unwrap();
            assert_eq!(page.total, 230);
            pages.push(texts(&page));
            match page.next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        let newest_first = pages.first().unwrap().last().unwrap() == "229";
        assert_eq!((pages.len(), newest_first), (3, all));
        if all {
            pages.reverse();
        }
        assert_eq!(pages.concat(), expected, "all={all}");
    }
    let mut read = store.reader().begin().await.unwrap();
    let astray = InboxQuery { all: true, cursor: Some("elsewhere".to_owned()), ..InboxQuery::default() };
    assert_eq!(read.inbox(&bo, &astray).await.unwrap_err().problem().code, contracts::Code::BadRequest);
}

#[tokio::test]
async fn a_command_is_read_whole_however_few_events_are_asked_for() {
    let (_folder, _world, store) = fresh().await;
    let sizes = [1, 7, 3, 1, 12];
    for size in sizes {
        plan(&store, (0..size).map(|at| json!({"title": format!("Part {at}")})).collect()).await;
    }
    let mut read = store.reader().begin().await.unwrap();
    for limit in 1..=24 {
        let (mut seq, mut seen) = (1, Vec::new());
        loop {
            let rows = read.events_since(seq, limit).await.unwrap();
            let Some(last) = rows.last() else { break };
            seq = last.seq;
            seen.extend(rows.chunk_by(|a, b| a.command == b.command).map(<[storage::EventRow]>::len));
        }
        assert_eq!(seen, sizes, "by {limit}");
    }
}

#[tokio::test]
async fn words_of_a_search_may_stand_anywhere_about_one_task() {
    let (_folder, _world, store) = fresh().await;
    let made = plan(&store, json!([{"title": "Login page", "spec": "A form"}, {"title": "Logout"}, {"title": "flaky"}])).await;
    give(&store, "dev:ana", "comment", json!({"task": made[0], "text": "It is flaky on CI"})).await.unwrap();
    give(&store, "dev:ana", "comment", json!({"task": made[0], "text": "only on Mondays"})).await.unwrap();
    let mut read = store.reader().begin().await.unwrap();
    for (query, expected) in [
        ("login flaky", vec![&made[0]]),
        ("flaky mondays form", vec![&made[0]]),
        ("login logout", vec![]),
        ("log", vec![&made[0], &made[1]]),
        ("flaky", vec![&made[0], &made[2]]),
        (made[1].as_str(), vec![&made[1]]),
        ("login nowhere", vec![]),
    ] {
        let (hits, total, _) = read.search(query, None).await.unwrap();
        let found: std::collections::BTreeSet<_> = hits.iter().map(|hit| hit.row.task.id.clone()).collect();
        assert_eq!((found, total), (expected.iter().map(|id| (*id).clone()).collect(), expected.len() as i64), "{query}");
    }
    let (hits, ..) = read.search("login mondays", None).await.unwrap();
    assert_eq!(hits[0].matched, "title", "the row that says most");
}

#[tokio::test]
async fn a_list_is_of_what_was_asked_for_and_each_task_once() {
    let (_folder, world, store) = fresh().await;
    let made = plan(&store, json!([{"title": "Ready"}, {"title": "Done"}, {"title": "Lapsed"}, {"title": "Held"}])).await;
    give(&store, "dev:ana", "close", json!({"task": made[1], "no_code": true, "note": "not needed"})).await.unwrap();
    assert_eq!(next(&store, "agent:ana/w7", json!({"task": made[2]})).await.task.as_ref(), Some(&made[2]));
    world.pass(3_600);
    assert_eq!(next(&store, "agent:ana/w8", json!({"task": made[3]})).await.task.as_ref(), Some(&made[3]));
    let mut read = store.reader().begin().await.unwrap();
    let many = (0..40).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    for (query, expected) in [
        (TaskQuery { standing: vec![Standing::Ready, Standing::Ready], ..TaskQuery::default() }, vec!["Ready"]),
        (TaskQuery { standing: vec![Standing::Ready; 3], q: "ready".to_owned(), ..TaskQuery::default() }, vec!["Ready"]),
        (TaskQuery { standing: vec![Standing::Done], ..TaskQuery::default() }, vec!["Done"]),
        (TaskQuery { standing: vec![Standing::Done, Standing::Ready], ..TaskQuery::default() }, vec!["Ready", "Done"]),
        (TaskQuery { q: "ana/w7".to_owned(), ..TaskQuery::default() }, vec![]),
        (TaskQuery { q: "ana/w8".to_owned(), ..TaskQuery::default() }, vec!["Held"]),
        (TaskQuery { q: format!("ready {}", ["e"; 30].join(" ")), ..TaskQuery::default() }, vec!["Ready"]),
        (TaskQuery { q: format!("{} nowhere", ["e"; 30].join(" ")), ..TaskQuery::default() }, vec![]),
        (TaskQuery { q: many, ..TaskQuery::default() }, vec![]),
    ] {
        let page = read.cards(&query, None).await.unwrap();
        let titles: Vec<&str> = page.rows.iter().map(|row| row.task.title.as_str()).collect();
        assert_eq!((&titles, page.total), (&expected, expected.len() as i64), "{query:?}");
    }
}

#[tokio::test]
async fn no_id_is_given_twice_whatever_it_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let calls = Arc::new(AtomicU64::new(0));
    // What is minted comes again and again before something new does.
    let bits = move || u128::from(calls.fetch_add(1, Ordering::SeqCst) / 23);
    let options = world.options();
    let (store, _) = world.open_with(Options { bits: Arc::new(bits), ..options }).await;
    begun(&store).await;
    let mut made = std::collections::BTreeSet::new();
    for number in 0..6 {
        let receipt = give(&store, "dev:ana", "plan", json!({"milestone": format!("Part {number}"), "tasks": [{"title": "It"}]})).await.unwrap();
        assert!(made.insert(receipt.data["milestone"].to_string()), "{made:?}");
        let task = receipt.data["tasks"][0]["id"].clone();
        assert!(made.insert(task.to_string()), "{made:?}");
        let blocked = give(&store, "dev:ana", "block", json!({"task": task, "reason": "a key"})).await.unwrap();
        assert!(made.insert(blocked.data["blocker"].to_string()), "{made:?}");
        let asked = give(&store, "dev:ana", "question", json!({"task": task, "text": "Which?"})).await.unwrap();
        assert!(made.insert(asked.data["question"].to_string()), "{made:?}");
    }
}
