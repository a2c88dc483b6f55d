//! Much at once: a log that is read into a database that is not there.

use crate::board::{fresh, give, plan};
use serde_json::json;
use std::fs;

#[tokio::test]
async fn a_large_log_gives_the_same_board_and_what_stands_twice_counts_once() {
    let (folder, world, store) = fresh().await;
    let spec = "What is to be done, at length. ".repeat(400);
    let tasks = (0..200).map(|at| json!({"title": format!("Part {at}"), "spec": spec, "after": if at % 9 == 0 { vec![] } else { vec![at - 1] }}));
    let ids = plan(&store, tasks.collect()).await;
    for id in ids.iter().step_by(9) {
        give(&store, "dev:ana", "comment", json!({"task": id, "text": "@agent:ana/w1 look at the first of these"})).await.unwrap();
        give(&store, "dev:ana", "close", json!({"task": id, "note": "did the first of these", "no_code": true})).await.unwrap();
    }
    store.close().await;
    let own = &world.log_files()[0];
    assert!(fs::metadata(own).unwrap().len() > 2 << 20, "large enough to be read in bulk");
    let other = world.beside(&folder.path().join("other"), 7);
    other.pull(&world);
    fs::copy(own, other.root.join("log/0000beef.jsonl")).unwrap();
    let (again, opened) = other.open().await;
    assert_eq!(opened.reconciled.lines_in, world.lines().len() as i64);
    assert_eq!(other.dump().await, world.dump().await);
    let indexes = "select count(*) from sqlite_master where type = 'index'";
    assert_eq!(other.number(indexes).await, world.number(indexes).await);
    let more = plan(&again, json!([{"title": "One more"}])).await;
    assert_eq!(more.len(), 1);
}
