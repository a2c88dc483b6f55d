//! What people and other programs do to a board's files: tidied folders, lines moved about, a database of the wrong format.

use crate::board::{fresh, plan, request};
use contracts::Code;
use contracts::view::{ActivityQuery, TaskQuery};
use serde_json::json;
use std::fs;
use storage::{Place, Store, StoreError};

#[tokio::test]
async fn folders_that_somebody_tidied_away_are_made_again() {
    let (_folder, world, store) = fresh().await;
    for tidied in ["blobs", "run", "log"] {
        fs::remove_dir_all(world.root.join(tidied)).unwrap();
        plan(&store, json!([{"title": format!("without {tidied}"), "spec": "x".repeat(20_000)}])).await;
        assert!(store.verify().await.unwrap().is_sound(), "{tidied}");
    }
}

#[tokio::test]
async fn a_board_whose_folder_is_gone_is_not_begun_anew_by_itself() {
    let (_folder, world, store) = fresh().await;
    fs::remove_dir_all(&world.root).unwrap();
    let refused = store.write(vec![request("dev:ana", "plan", json!({"tasks": [{"title": "nowhere"}]}))]).await.unwrap_err();
    assert!(matches!(refused, StoreError::Replaced), "{refused:?}");
    let refused = Store::open(Place::new(&world.root), world.options()).await.unwrap_err().problem();
    assert_eq!((refused.code, refused.hint.for_cli().ends_with("callboard init")), (Code::NotInitialized, true), "{refused:?}");
    assert!(!world.root.exists());
}

#[tokio::test]
async fn tables_of_a_format_it_does_not_claim_are_moved_aside() {
    for claimed in [0, -1, 1] {
        let (_folder, world, store) = fresh().await;
        plan(&store, json!([{"title": "one"}])).await;
        let before = world.dump().await;
        store.close().await;
        let path = world.root.join("state.db");
        let mut conn: sqlx::SqliteConnection = sqlx::Connection::connect(path.to_str().unwrap()).await.unwrap();
        sqlx::raw_sql(&format!("pragma user_version = {claimed}")).execute(&mut conn).await.unwrap();
        sqlx::Connection::close(conn).await.unwrap();
        let (_store, opened) = world.open().await;
        assert!(opened.made_anew && opened.repaired.len() == 1, "{claimed}: {opened:?}");
        assert_eq!(world.dump().await, before);
    }
}

#[tokio::test]
async fn lines_out_of_order_and_lines_that_stand_there_twice_are_told() {
    let (_folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "one"}])).await;
    plan(&store, json!([{"title": "two"}])).await;
    let file = world.log_files().remove(0);
    let whole = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let turned: Vec<&str> = [&lines[..1], &[lines[2], lines[1]]].concat();
    for (edited, line) in [(turned, 3), ([&lines[..], &lines[1..2]].concat(), 4)] {
        fs::write(&file, format!("{}\n", edited.join("\n"))).unwrap();
        let found = store.verify().await.unwrap().findings;
        assert_eq!(found.iter().map(|found| (found.line, found.code.as_str())).collect::<Vec<_>>(), [(line, "order")]);
    }
}

#[tokio::test]
async fn a_body_that_is_missing_is_told_while_the_database_still_has_it() {
    let (_folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "one", "spec": "x".repeat(20_000)}])).await;
    assert!(store.verify().await.unwrap().is_sound());
    fs::remove_dir_all(world.root.join("blobs")).unwrap();
    let found = store.verify().await.unwrap().findings;
    assert_eq!(found.iter().map(|found| found.code.as_str()).collect::<Vec<_>>(), ["blob"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_whose_name_no_database_can_have_is_refused_in_words() {
    let (folder, world, _store) = fresh().await;
    let root = folder.path().join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9"));
    fs::create_dir(&root).unwrap();
    let refused = Store::open(Place::new(&root), world.options()).await.unwrap_err().problem();
    assert!(refused.title.contains("not UTF-8"), "{refused:?}");
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "and nothing is left there");
}

#[tokio::test]
async fn a_cursor_that_no_page_gave_is_refused_and_begins_nothing_again() {
    let (_folder, _world, store) = fresh().await;
    plan(&store, json!([{"title": "one"}])).await;
    for cursor in ["bogus", "-1", "[]", r#"["x"]"#, r#"["a","b","c","d"]"#, r#"["a","b","c","d","e"]"#] {
        let cursor = Some(cursor.to_owned());
        let mut read = store.reader().begin().await.unwrap();
        let tasks = read.cards(&TaskQuery { cursor: cursor.clone(), ..TaskQuery::default() }, None).await.map(drop);
        let hits = read.search("one", cursor.as_deref()).await.map(drop);
        let activity = read.activity(&ActivityQuery { cursor: cursor.clone(), ..ActivityQuery::default() }).await.map(drop);
        for refused in [tasks, hits, activity] {
            assert_eq!(refused.unwrap_err().problem().code, Code::BadRequest, "{cursor:?}");
        }
    }
}
