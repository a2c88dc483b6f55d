//! Lists: what is asked page by page is what is asked whole, and as many as are said to be there; ids that are taken are minted anew.

use crate::board::{World, begun, fresh, give, next, plan};
use contracts::standing::{Column, Standing};
use contracts::view::TaskQuery;
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
