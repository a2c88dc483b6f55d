//! What people and other programs do to a board's files: tidied folders, lines moved about, a database of the wrong format.

use crate::board::{World, begun, fresh, plan, request};
use contracts::Code;
use contracts::view::{ActivityQuery, TaskQuery};
use serde_json::json;
use sqlx::Row;
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

async fn raw(world: &World) -> sqlx::SqliteConnection {
    sqlx::Connection::connect(world.root.join("state.db").to_str().unwrap()).await.unwrap()
}

#[tokio::test]
async fn a_transaction_that_the_database_gave_up_by_itself_is_never_written_into() {
    let (_folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "before"}])).await;
    // What a full disk does to a statement: the transaction is gone before anybody could end it.
    for (verb, table, name) in [("insert", "event", "one"), ("insert", "task", "two"), ("update", "project_head", "three")] {
        let trigger = format!("create trigger full before {verb} on {table} begin select raise(rollback, 'no room'); end");
        sqlx::raw_sql(&trigger).execute(&mut raw(&world).await).await.unwrap();
        for _ in 0..3 {
            store.write(vec![request("dev:ana", "plan", json!({"tasks": [{"title": "refused"}]}))]).await.unwrap_err();
        }
        sqlx::raw_sql("drop trigger full").execute(&mut raw(&world).await).await.unwrap();
        let after = plan(&store, json!([{"title": name}])).await.remove(0);
        let (other, _) = world.open().await;
        let seen = other.reader().begin().await.unwrap().cards(&TaskQuery::default(), None).await.unwrap();
        assert!(seen.rows.iter().any(|row| row.task.id == after), "{table}: another process sees what was answered for");
        plan(&other, json!([{"title": format!("{name}, from elsewhere")}])).await;
        let own = store.reader().begin().await.unwrap().cards(&TaskQuery::default(), None).await.unwrap();
        assert_eq!(own.rows.len(), seen.rows.len() + 1, "{table}: and sees what others wrote");
        other.close().await;
    }
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn any_page_that_is_damaged_is_told_and_the_board_is_made_anew_from_its_files() {
    let (_folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "one", "spec": "a spec", "labels": ["a"], "files": ["src/"]}, {"title": "two", "after": [0]}])).await;
    let before = world.dump().await;
    store.close().await;
    let path = world.root.join("state.db");
    let whole = fs::read(&path).unwrap();
    let trees = sqlx::query("select rootpage from sqlite_schema where rootpage > 1").fetch_all(&mut raw(&world).await).await.unwrap();
    let size: i64 = sqlx::query("pragma page_size").fetch_one(&mut raw(&world).await).await.unwrap().get(0);
    assert!(trees.len() > 20);
    for tree in trees {
        let page = usize::try_from(tree.get::<i64, _>(0)).unwrap();
        let size = usize::try_from(size).unwrap();
        let mut damaged = whole.clone();
        damaged[(page - 1) * size..page * size].fill(0xa5);
        for beside in ["state.db-wal", "state.db-shm"] {
            let _ = fs::remove_file(world.root.join(beside));
        }
        fs::write(&path, &damaged).unwrap();
        let (store, opened) = world.open().await;
        let told = !opened.repaired.is_empty() || store.verify().await.unwrap().findings.iter().any(|found| found.code == "damaged");
        assert!(told, "page {page}");
        let (anew, opened) = store.anew().await.unwrap();
        assert_eq!((opened.made_anew, opened.repaired.len()), (true, 1), "page {page}");
        assert!(anew.verify().await.unwrap().is_sound(), "page {page}");
        assert_eq!(world.dump().await, before, "page {page}");
        store.close().await;
        anew.close().await;
    }
}

#[tokio::test]
async fn a_database_copied_from_another_board_counts_for_nothing() {
    let (_folder, ours, store) = fresh().await;
    let there = tempfile::tempdir().unwrap();
    let world = ours.beside(there.path(), 7);
    let (theirs, _) = world.open().await;
    begun(&theirs).await;
    plan(&theirs, json!([{"title": "theirs"}])).await;
    theirs.close().await;
    plan(&store, json!([{"title": "ours"}])).await;
    let before = ours.dump().await;
    store.close().await;
    fs::copy(world.root.join("state.db"), ours.root.join("state.db")).unwrap();
    let (store, opened) = ours.open().await;
    assert_eq!((opened.made_anew, opened.repaired.len()), (true, 1), "{opened:?}");
    assert_eq!(ours.dump().await, before);
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn what_was_recorded_is_not_told_as_busy_when_the_log_file_stays_locked() {
    let (_folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "one"}])).await;
    let lock = fs::File::options().write(true).create(true).truncate(false).open(world.root.join("run/append.lock")).unwrap();
    lock.lock().unwrap();
    let outcomes = store.write(vec![request("dev:ana", "plan", json!({"tasks": [{"title": "two"}]}))]).await.unwrap();
    let [storage::Outcome::Refused(problem)] = outcomes.as_slice() else { panic!("{outcomes:?}") };
    assert!(problem.title.starts_with("Recorded here, but not yet safe"), "{problem:?}");
    lock.unlock().unwrap();
    plan(&store, json!([{"title": "three"}])).await;
    assert!(store.verify().await.unwrap().is_sound(), "the next write completes it");
    assert_eq!(world.lines().iter().filter(|line| line.contains("task.created")).count(), 3);
}

#[tokio::test]
async fn a_clock_that_was_ahead_and_was_set_right_leaves_nothing_behind() {
    let (_folder, world, store) = fresh().await;
    for ahead in [3_600, 2 * 365 * 86_400] {
        plan(&store, json!([{"title": "before"}])).await;
        world.pass(ahead);
        plan(&store, json!([{"title": "ahead"}])).await;
        world.pass(-ahead);
        let count = world.lines().len();
        for title in ["one", "two", "three"] {
            plan(&store, json!([{"title": title}])).await;
        }
        let at = |line: &String| serde_json::from_str::<serde_json::Value>(line).unwrap()["at"].as_str().unwrap().to_owned();
        let after: Vec<String> = world.lines()[count..].iter().map(at).collect();
        assert!(after.is_sorted_by(|a, b| a < b), "each after the one before: {after:?}");
        let now = contracts::Stamp { moment: contracts::Moment((world.options().clock)().0 + 1_000), counter: 0 }.to_string();
        assert!(after.iter().all(|at| *at < now), "{ahead}: {after:?} at {now}");
    }
}

#[tokio::test]
async fn a_long_body_outlives_what_takes_its_file_away() {
    // A clean takes log and blobs, a checkout the blob alone, an editor its content.
    for harm in ["clean", "checkout", "edit"] {
        let (_folder, world, store) = fresh().await;
        plan(&store, json!([{"title": "long", "spec": "x".repeat(30_000)}])).await;
        let before = world.dump().await;
        let file = fs::read_dir(world.root.join("blobs")).unwrap().next().unwrap().unwrap().path();
        let bytes = fs::read(&file).unwrap();
        match harm {
            "clean" => ["blobs", "log"].iter().for_each(|folder| fs::remove_dir_all(world.root.join(folder)).unwrap()),
            "checkout" => fs::remove_file(&file).unwrap(),
            _ => fs::write(&file, "").unwrap(),
        }
        let rebuilt = store.rebuild().await.unwrap();
        assert_eq!((rebuilt.tasks, rebuilt.bodiless), (1, 0), "{harm}");
        assert_eq!(world.dump().await, before, "{harm}");
        if harm == "clean" {
            plan(&store, json!([{"title": "after"}])).await;
        } else {
            plan(&store, json!([{"title": "long", "spec": "x".repeat(30_000)}])).await;
        }
        assert_eq!(fs::read(&file).unwrap(), bytes, "{harm}: it is back where git looks");
        for kept in ["blobs", "run/blobs"] {
            fs::remove_dir_all(world.root.join(kept)).unwrap();
        }
        assert!(store.rebuild().await.unwrap().bodiless > 0, "{harm}: what can't be made anew is told");
    }
}
