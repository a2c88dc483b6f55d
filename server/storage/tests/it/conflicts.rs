//! Facts of two boards that do not fit together, and how a person settles them.

use crate::board::{World, fresh, give, plan};
use contracts::{Code, TaskId};
use serde_json::{Value, json};
use storage::Store;

/// A board, and another one that knows the same up to here.
async fn two() -> (tempfile::TempDir, (World, Store), (World, Store), Vec<TaskId>) {
    let (folder, world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "one"}, {"title": "two"}])).await;
    let other = world.beside(&folder.path().join("other"), 5);
    other.pull(&world);
    let (there, _) = other.open().await;
    (folder, (world, store), (other, there), ids)
}

#[tokio::test]
async fn a_kept_command_finds_what_it_is_about() {
    for (command, args, refused) in [
        ("block", json!({"on": "two"}), None),
        ("edit", json!({"parent": "two"}), None),
        ("edit", json!({"milestone": "Beta"}), None),
        ("block", json!({"on": "two"}), Some(Code::Cycle)),
    ] {
        let (_folder, (world, store), (other, there), ids) = two().await;
        let milestone = give(&there, "dev:bo", "milestone_create", json!({"title": "Beta"})).await.unwrap().subject;
        let mut args: Value =
            serde_json::from_str(&args.to_string().replace("\"two\"", &format!("{:?}", ids[1].as_str())).replace("Beta", &milestone)).unwrap();
        if command == "block" {
            args["on"] = json!([args["on"]]);
        }
        args["task"] = json!(ids[0]);
        world.pass(1);
        give(&store, "dev:ana", "close", json!({"task": ids[0], "no_code": true, "note": "not needed"})).await.unwrap();
        world.pass(1);
        give(&there, "dev:bo", command, args.clone()).await.unwrap();
        world.pull_others(&other);
        store.reconcile().await.unwrap();
        let conflict = store.reader().begin().await.unwrap().conflicts().await.unwrap().remove(0).event;
        give(&store, "dev:ana", "reopen", json!({"task": ids[0]})).await.unwrap();
        if refused.is_some() {
            give(&store, "dev:ana", "block", json!({"task": ids[1], "on": [ids[0]]})).await.unwrap();
        }
        let kept = give(&store, "dev:ana", "settle", json!({"event": conflict, "choice": "keep", "note": "bo is right"})).await;
        assert_eq!(kept.as_ref().err().map(|problem| problem.code), refused, "{command} {args}: {kept:?}");
        assert!(refused.is_some() || kept.unwrap().events.len() == 2, "{command} {args}");
    }
}

#[tokio::test]
async fn a_loop_that_two_boards_made_is_listed_with_the_call_that_takes_it_away() {
    let (_folder, (world, store), (other, there), ids) = two().await;
    give(&store, "dev:ana", "block", json!({"task": ids[0], "on": [ids[1]]})).await.unwrap();
    world.pass(1);
    give(&there, "dev:bo", "block", json!({"task": ids[1], "on": [ids[0]]})).await.unwrap();
    world.pull_others(&other);
    store.reconcile().await.unwrap();
    let listed = |rows: Vec<contracts::view::ConflictRow>| {
        rows.into_iter().map(|row| (row.task.clone(), row.actor.to_string(), contracts::Hint::call(row.way_out.unwrap()).for_cli())).collect::<Vec<_>>()
    };
    for rebuilt in [false, true] {
        if rebuilt {
            store.rebuild().await.unwrap();
        }
        let rows = store.reader().begin().await.unwrap().conflicts().await.unwrap();
        let way_out = format!("callboard tasks unblock {} --on {}", ids[1], ids[0]);
        assert_eq!(listed(rows), [(ids[1].clone(), "dev:bo".to_owned(), way_out)], "rebuilt: {rebuilt}");
    }
    give(&store, "dev:ana", "unblock", json!({"task": ids[1], "on": ids[0]})).await.unwrap();
    assert_eq!(store.reader().begin().await.unwrap().conflicts().await.unwrap(), []);
}

#[tokio::test]
async fn a_loop_of_parents_is_left_by_the_child() {
    let (_folder, (world, store), (other, there), ids) = two().await;
    give(&store, "dev:ana", "edit", json!({"task": ids[0], "parent": ids[1]})).await.unwrap();
    world.pass(1);
    give(&there, "dev:bo", "edit", json!({"task": ids[1], "parent": ids[0]})).await.unwrap();
    world.pull_others(&other);
    store.reconcile().await.unwrap();
    let row = store.reader().begin().await.unwrap().conflicts().await.unwrap().remove(0);
    assert_eq!(contracts::Hint::call(row.way_out.unwrap()).for_cli(), format!("callboard tasks edit {} --no-parent", ids[1]));
    give(&store, "dev:ana", "edit", json!({"task": ids[1], "parent": null})).await.unwrap();
    assert_eq!(store.reader().begin().await.unwrap().conflicts().await.unwrap(), []);
}
