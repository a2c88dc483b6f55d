//! What the next process finds after a death, a power cut, a damaged or foreign file, a copied directory, a failing disk.

use crate::board::{World, begun, fresh, give, next, one, plan, request};
use contracts::standing::Column;
use contracts::view::InboxQuery;
use contracts::{Actor, Code, CommandRequest, Key, Standing};
use serde_json::json;
use std::fs;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use storage::{Disk, Options, Place, Step, Store, StoreError};

/// Fails the n-th step from now on, once; a negative number never does.
fn failing(countdown: &Arc<AtomicI64>) -> Disk {
    let countdown = Arc::clone(countdown);
    Disk { fault: Some(Arc::new(move |_: Step| if countdown.fetch_sub(1, Ordering::SeqCst) == 0 { Err(io::Error::other("the disk failed")) } else { Ok(()) })) }
}

#[tokio::test]
async fn a_deleted_database_comes_back_and_a_running_claim_still_holds() {
    let (_folder, world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "one"}, {"title": "two"}])).await;
    next(&store, "agent:ana/w1", json!({"task": ids[0]})).await;
    let before = world.dump().await;
    // What belonged to it is left behind.
    let old = fs::read(world.root.join("state.db-wal")).unwrap();
    store.close().await;
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(world.root.join(format!("state.db{suffix}")));
    }
    fs::write(world.root.join("state.db-wal"), old).unwrap();
    let (store, opened) = world.open().await;
    assert!(opened.made_anew);
    assert_eq!(world.dump().await, before);
    let refused = give(&store, "agent:ana/w2", "claim", json!({"task": ids[0]})).await.unwrap_err();
    assert_eq!(refused.code, Code::LeaseHeld);
    let mut read = store.reader().begin().await.unwrap();
    assert_eq!(read.column(Column::Working, "", None, None, None).await.unwrap().page.total, 1);
    drop(read);
    // Its holder takes it back, and events go on under a new writer.
    give(&store, "agent:ana/w1", "close", json!({"task": ids[0], "note": "closed after the loss", "no_code": true})).await.unwrap();
    assert_eq!(world.log_files().len(), 2);
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn a_damaged_database_is_moved_aside() {
    let (_folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "one"}])).await;
    let before = world.dump().await;
    store.close().await;
    fs::write(world.root.join("state.db"), "this is no database, it only lies where one lay before".repeat(100)).unwrap();
    let (_store, opened) = world.open().await;
    assert!(opened.made_anew && opened.repaired.len() == 1, "{opened:?}");
    assert_eq!(world.dump().await, before);
    assert!(fs::read_dir(&world.root).unwrap().any(|entry| entry.unwrap().file_name().to_str().unwrap().starts_with("state.db.broken-")));
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    let (_folder, world, store) = fresh().await;
    store.close().await;
    let path = world.root.join("state.db");
    let mut conn: sqlx::SqliteConnection = sqlx::Connection::connect(path.to_str().unwrap()).await.unwrap();
    sqlx::raw_sql("pragma user_version = 99").execute(&mut conn).await.unwrap();
    sqlx::Connection::close(conn).await.unwrap();
    let refused = Store::open(Place::new(&world.root), world.options()).await.unwrap_err();
    assert!(matches!(refused, StoreError::NewerFormat { found: 99, .. }));
    assert_eq!(refused.problem().code, Code::NewerFormat);
}

#[tokio::test]
async fn events_between_commit_and_append_are_completed() {
    let (_folder, world, store) = fresh().await;
    store.close().await;
    let countdown = Arc::new(AtomicI64::new(-1));
    let (store, _) = world.open_with(Options { disk: failing(&countdown), ..world.options() }).await;
    let lines = world.lines().len();
    countdown.store(0, Ordering::SeqCst);
    let keyed = |text: &str| {
        let command = contracts::Command::parse("message", json!({"to": ["dev:bo"], "text": text})).unwrap();
        crate::board::requests("dev:ana", vec![CommandRequest { key: Some(Key::parse("k1").unwrap()), ..CommandRequest::of(command) }])
    };
    let refused = one(&store, keyed("hello")).await.unwrap_err();
    assert_eq!(refused.code, Code::Internal);
    assert!(refused.title.contains("not yet safe"), "{refused}");
    assert_eq!(world.lines().len(), lines);
    // The same key writes nothing again, appends, and only then hands out the receipt.
    countdown.store(1, Ordering::SeqCst);
    assert!(one(&store, keyed("hello")).await.is_err(), "the sync failed");
    countdown.store(-1, Ordering::SeqCst);
    let receipt = one(&store, keyed("hello")).await.unwrap();
    assert!(receipt.repeated);
    assert_eq!(world.lines().len(), lines + 1);
    assert_eq!(one(&store, keyed("other")).await.unwrap_err().code, Code::KeyReused);
    // Another process completes what one that died left.
    countdown.store(0, Ordering::SeqCst);
    assert!(give(&store, "dev:ana", "message", json!({"to": ["dev:bo"], "text": "lost?"})).await.is_err());
    store.close().await;
    let (store, opened) = world.open().await;
    assert_eq!(opened.reconciled.lines_out, 1);
    assert_eq!(world.lines().len(), lines + 2);
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn whichever_step_of_the_disk_fails_nothing_answered_for_is_lost() {
    for fail_at in 0..8 {
        let folder = tempfile::tempdir().unwrap();
        let world = World::at(&folder.path().join(".callboard"));
        let countdown = Arc::new(AtomicI64::new(-1));
        let (store, _) = world.open_with(Options { disk: failing(&countdown), ..world.options() }).await;
        countdown.store(fail_at, Ordering::SeqCst);
        let mut answered = Vec::new();
        let large = "large ".repeat(5_000);
        let work = [
            ("create_project", json!({"name": "Test", "zone": "UTC"})),
            ("plan", json!({"tasks": [{"title": "large", "spec": large}]})),
            ("plan", json!({"tasks": [{"title": "small"}]})),
        ];
        for (command, args) in work {
            if let Ok(outcomes) = store.write(vec![request("dev:ana", command, args)]).await {
                answered.extend(outcomes.into_iter().filter_map(|outcome| match outcome {
                    storage::Outcome::Receipts(receipts) => Some(receipts),
                    _ => None,
                }));
            }
        }
        store.close().await;
        let (store, _) = world.open().await;
        let text = world.lines().join("\n");
        for event in answered.iter().flatten().flat_map(|receipt| &receipt.events) {
            assert!(text.contains(event.as_str()), "fail at {fail_at}: {event} was answered for");
        }
        assert!(store.verify().await.unwrap().is_sound(), "fail at {fail_at}");
        let before = world.dump().await;
        store.rebuild().await.unwrap();
        assert_eq!(world.dump().await, before, "fail at {fail_at}");
    }
}

#[tokio::test]
async fn a_full_disk_is_busy_and_says_so() {
    let (_folder, world, store) = fresh().await;
    store.close().await;
    let full = Arc::new(AtomicBool::new(true));
    let fault = Arc::clone(&full);
    let disk = Disk { fault: Some(Arc::new(move |_| if fault.load(Ordering::SeqCst) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) })) };
    let (store, _) = world.open_with(Options { disk, ..world.options() }).await;
    let refused = give(&store, "dev:ana", "message", json!({"to": ["dev:bo"], "text": "x"})).await.unwrap_err();
    assert_eq!(refused.code, Code::Busy);
    assert!(refused.title.contains("disk is full"));
    full.store(false, Ordering::SeqCst);
    give(&store, "dev:ana", "message", json!({"to": ["dev:bo"], "text": "y"})).await.unwrap();
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn a_torn_end_is_cut_and_kept_in_quarantine() {
    for torn in [&b"{\"actor\":\"dev:an"[..], b"\0\0\0\0\0\0\0\0", b"{\"whole\":\"but no event\"}\n", b"\xff\xfe\n\xff"] {
        let (_folder, world, store) = fresh().await;
        plan(&store, json!([{"title": "one"}])).await;
        let before = world.dump().await;
        let lines = world.lines();
        store.close().await;
        let file = &world.log_files()[0];
        fs::OpenOptions::new().append(true).open(file).unwrap().write_all(torn).unwrap();
        let (store, opened) = world.open().await;
        assert_eq!((opened.repaired.len(), opened.reconciled.quarantined), (1, 1), "{opened:?}");
        assert_eq!(world.lines(), lines);
        assert_eq!(world.dump().await, before);
        assert_eq!(store.quarantine().unwrap()[0].reason, "torn");
        plan(&store, json!([{"title": "two"}])).await;
        assert!(store.verify().await.unwrap().is_sound());
    }
}

#[tokio::test]
async fn a_power_cut_that_took_the_databases_last_transactions() {
    let (_folder, world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "one"}, {"title": "two"}])).await;
    store.close().await;
    let older = fs::read(world.root.join("state.db")).unwrap();
    let (store, _) = world.open().await;
    next(&store, "agent:ana/w1", json!({"task": ids[0]})).await;
    give(&store, "dev:ana", "edit", json!({"task": ids[1], "priority": 0})).await.unwrap();
    let now = world.dump().await;
    store.close().await;
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(world.root.join(format!("state.db{suffix}")));
    }
    fs::write(world.root.join("state.db"), older).unwrap();
    let (store, opened) = world.open().await;
    assert!(opened.reconciled.lines_in >= 2, "{opened:?}");
    assert_eq!(world.dump().await, now);
    // The claim came back as a published one, and no number is used twice.
    assert_eq!(give(&store, "agent:ana/w2", "claim", json!({"task": ids[0]})).await.unwrap_err().code, Code::LeaseHeld);
    plan(&store, json!([{"title": "three"}])).await;
    assert!(store.verify().await.unwrap().is_sound());
    assert_eq!(world.log_files().len(), 1);
}

#[tokio::test]
async fn a_changed_byte_is_in_quarantine_and_the_rest_in_use() {
    let (folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "first"}, {"title": "second"}, {"title": "third"}])).await;
    let other = world.beside(&folder.path().join("other"), 5);
    other.pull(&world);
    let file = other.log_files()[0].clone();
    let text = fs::read_to_string(&file).unwrap().replace("second", "Second");
    let long = format!("{}\n", "x".repeat(100_000));
    fs::write(&file, format!("{text}not json\n{long}[1]\n{{\"v\":2}}\n")).unwrap();
    let (store, opened) = other.open().await;
    assert_eq!(opened.reconciled.quarantined, 5, "{opened:?}");
    let mut reasons: Vec<String> = store.quarantine().unwrap().into_iter().map(|entry| entry.reason).collect();
    reasons.sort();
    assert_eq!(reasons, ["id_mismatch", "newer_format", "not_json", "not_object", "too_long"]);
    let mut read = store.reader().begin().await.unwrap();
    assert_eq!(read.counts().await.unwrap().all(), 2);
    drop(read);
    let report = store.verify().await.unwrap();
    let codes: Vec<&str> = report.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert!(codes.contains(&"gap") && codes.contains(&"id_mismatch"), "{report:?}");
    // Reading it again finds nothing new.
    assert_eq!(store.reconcile().await.unwrap(), storage::Reconciled::default());
}

#[tokio::test]
async fn a_copied_directory_goes_on_under_a_writer_of_its_own() {
    let (folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "one"}])).await;
    store.close().await;
    let copy = world.beside(&folder.path().join("copy"), 9);
    for folder in ["log", "run", "blobs"] {
        fs::create_dir_all(copy.root.join(folder)).unwrap();
    }
    for name in ["state.db".to_owned(), format!("log/{}", world.log_files()[0].file_name().unwrap().to_str().unwrap())] {
        fs::copy(world.root.join(&name), copy.root.join(&name)).unwrap();
    }
    let (there, _) = copy.open().await;
    plan(&there, json!([{"title": "two"}])).await;
    assert_eq!(copy.log_files().len(), 2);
    let (here, _) = world.open().await;
    plan(&here, json!([{"title": "three"}])).await;
    assert_eq!(world.log_files().len(), 1);
    copy.pull_others(&world);
    world.pull_others(&copy);
    here.reconcile().await.unwrap();
    there.reconcile().await.unwrap();
    assert_eq!(world.dump().await, copy.dump().await);
    // A directory that was only moved keeps its writer.
    here.close().await;
    let moved = world.beside(&folder.path().join("moved"), 11);
    fs::remove_dir(&moved.root).unwrap();
    fs::rename(&world.root, &moved.root).unwrap();
    let (store, _) = moved.open().await;
    plan(&store, json!([{"title": "four"}])).await;
    assert_eq!(moved.log_files().len(), 2);
}

#[tokio::test]
async fn a_file_that_git_has_is_never_written_again() {
    let (folder, world, store) = fresh().await;
    store.close().await;
    let index = folder.path().join("index");
    fs::write(&index, "1").unwrap();
    let (asked, staged) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicBool::new(false)));
    let (count, answer) = (Arc::clone(&asked), Arc::clone(&staged));
    let tracked = Arc::new(move |_: &std::path::Path| {
        count.fetch_add(1, Ordering::SeqCst);
        answer.load(Ordering::SeqCst)
    });
    let (store, _) = world.open_with(Options { tracked, index: Some(index.clone()), ..world.options() }).await;
    plan(&store, json!([{"title": "one"}])).await;
    plan(&store, json!([{"title": "two"}])).await;
    assert_eq!((asked.load(Ordering::SeqCst), world.log_files().len()), (1, 1));
    let first = world.log_files()[0].clone();
    let committed = fs::read(&first).unwrap();
    staged.store(true, Ordering::SeqCst);
    fs::write(&index, "22").unwrap();
    plan(&store, json!([{"title": "three"}])).await;
    assert_eq!((asked.load(Ordering::SeqCst), world.log_files().len()), (2, 2));
    assert_eq!(fs::read(&first).unwrap(), committed);
    // Another branch is checked out: the sealed file is gone, and is not written back.
    fs::remove_file(&first).unwrap();
    store.close().await;
    let (store, _) = world.open().await;
    plan(&store, json!([{"title": "four"}])).await;
    assert_eq!(world.log_files().len(), 1);
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn an_event_waits_for_its_subject_and_a_body_for_its_blob() {
    let (folder, world, store) = fresh().await;
    let large = "large ".repeat(5_000);
    let ids = plan(&store, json!([{"title": "waited for", "spec": large}])).await;
    give(&store, "dev:ana", "comment", json!({"task": ids[0], "text": "early"})).await.unwrap();
    let other = world.beside(&folder.path().join("other"), 5);
    let lines = world.lines();
    fs::create_dir_all(other.root.join("log")).unwrap();
    let comment = lines.iter().find(|line| line.contains("early")).unwrap();
    fs::write(other.root.join("log/0000000a.jsonl"), format!("{comment}\n")).unwrap();
    let (there, _) = other.open().await;
    assert!(there.verify().await.unwrap().findings.iter().any(|finding| finding.code == "waits"));
    fs::write(other.root.join("log/0000000b.jsonl"), lines.join("\n") + "\n").unwrap();
    there.reconcile().await.unwrap();
    let mut read = there.reader().begin().await.unwrap();
    assert!(read.card_rows(&ids).await.unwrap().is_empty(), "its blob is missing");
    drop(read);
    let before = other.dump().await;
    there.rebuild().await.unwrap();
    assert_eq!(other.dump().await, before);
    other.pull_blobs(&world);
    there.reconcile().await.unwrap();
    assert_eq!(other.dump().await, world.dump().await);
    let mut read = there.reader().begin().await.unwrap();
    assert_eq!(read.card_rows(&ids).await.unwrap()[0].task.comments, 1);
    assert_eq!(read.search("large", None).await.unwrap().1, 1);
}

#[tokio::test]
async fn leases_end_by_the_clock_and_old_fences_change_nothing() {
    let (_folder, world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "one"}])).await;
    let first = give(&store, "agent:ana/w1", "claim", json!({"task": ids[0]})).await.unwrap();
    world.pass(950);
    let mut read = store.reader().begin().await.unwrap();
    assert_eq!(read.column(Column::Working, "", None, None, None).await.unwrap().page.total, 1, "late is still working");
    drop(read);
    world.pass(100);
    let mut read = store.reader().begin().await.unwrap();
    assert_eq!(read.counts().await.unwrap().at(Standing::Stalled), 1);
    let noon = contracts::Moment(crate::board::NOON);
    assert_eq!(read.lapsed_between(noon, read.now()).await.unwrap(), ids);
    assert_eq!(read.lapsed().await.unwrap(), 2, "its end and that of its grace are past");
    drop(read);
    let got = next(&store, "agent:bo/w2", json!({})).await;
    assert_eq!(got.how, "taken_over", "{got:?}");
    let command = contracts::Command::parse("close", json!({"task": ids[0], "note": "with an old token", "no_code": true})).unwrap();
    let old = CommandRequest { fence: first.data["fence"].as_i64(), ..CommandRequest::of(command) };
    let seq = world.number("select max(seq) from event").await;
    let refused = one(&store, crate::board::requests("agent:ana/w1", vec![old])).await.unwrap_err();
    assert_eq!(refused.code, Code::StaleFence);
    assert_eq!(world.number("select max(seq) from event").await, seq);
    let told = Actor::parse("agent:ana/w1").unwrap();
    let mut read = store.reader().begin().await.unwrap();
    assert_eq!(read.inbox(&told, &InboxQuery::default()).await.unwrap().rows[0].why, "taken_over");
}

#[tokio::test]
async fn old_items_count_as_delivered_in_a_new_database_and_late_ones_do_not() {
    let (folder, world, store) = fresh().await;
    let bo = Actor::parse("dev:bo").unwrap();
    give(&store, "dev:ana", "message", json!({"to": ["dev:bo"], "text": "last week"})).await.unwrap();
    let other = world.beside(&folder.path().join("other"), 5);
    let (there, _) = other.open().await;
    begun(&there).await;
    give(&there, "dev:ana", "message", json!({"to": ["dev:bo"], "text": "elsewhere, last week"})).await.unwrap();
    world.pass(7 * 86_400);
    give(&store, "dev:ana", "message", json!({"to": ["dev:bo"], "text": "today"})).await.unwrap();
    let third = world.beside(&folder.path().join("third"), 6);
    third.pull(&world);
    let (fresh, _) = third.open().await;
    let mut read = fresh.reader().begin().await.unwrap();
    let storage::InboxPage { rows: items, total: unread, .. } = read.inbox(&bo, &InboxQuery::default()).await.unwrap();
    assert_eq!((items[0].row.event.text("text"), unread), ("today", 1));
    drop(read);
    let work = storage::Work::Deliver { events: vec![items[0].row.event.id.clone()] };
    let deliver = storage::Request { caller: crate::board::caller("dev:bo"), work, base: None, hooks_renew: false };
    fresh.write(vec![deliver]).await.unwrap();
    third.pull_others(&other);
    fresh.reconcile().await.unwrap();
    let mut read = fresh.reader().begin().await.unwrap();
    let storage::InboxPage { rows: items, total: unread, .. } = read.inbox(&bo, &InboxQuery::default()).await.unwrap();
    assert_eq!((items[0].row.event.text("text"), unread), ("elsewhere, last week", 1), "what arrives late is delivered, once");
}

#[tokio::test]
async fn a_batch_is_all_or_nothing_and_costs_its_neighbours_nothing() {
    let (_folder, world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "one"}])).await;
    let command = |name: &str, args| CommandRequest::of(contracts::Command::parse(name, args).unwrap());
    let batch = crate::board::requests(
        "dev:ana",
        vec![command("edit", json!({"task": ids[0], "priority": 0})), command("reopen", json!({"task": ids[0], "note": "not closed"}))],
    );
    let good = request("dev:bo", "comment", json!({"task": ids[0], "text": "fine"}));
    let outcomes = store.write(vec![batch, good.clone(), good]).await.unwrap();
    assert!(matches!(&outcomes[0], storage::Outcome::Refused(problem) if problem.code == Code::IllegalMove), "{outcomes:?}");
    assert!(matches!(&outcomes[1], storage::Outcome::Receipts(_)));
    let mut read = store.reader().begin().await.unwrap();
    let row = read.card_rows(&ids).await.unwrap().remove(0);
    assert_eq!((row.task.priority, row.task.comments), (2, 2));
    drop(read);
    assert!(store.verify().await.unwrap().is_sound());
    let before = world.dump().await;
    store.rebuild().await.unwrap();
    assert_eq!(world.dump().await, before);
}

#[tokio::test]
async fn what_could_not_be_read_back_or_is_too_much_is_refused_for_its_caller_alone() {
    let (_folder, world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "one"}])).await;
    let comment = || request("dev:bo", "comment", json!({"task": ids[0], "text": "fine"}));
    let mut long = comment();
    long.caller.principal = format!("local:bo/{}", "b".repeat(400));
    let mut broken = comment();
    broken.caller.principal = "local:bo\n".to_owned();
    let paths: Vec<_> = (0..300).map(|at| json!([format!("{at}/{}", "日".repeat(1_020)), 1, 1])).collect();
    let bind = json!({"task": ids[0], "sha": "a".repeat(40), "subject": "much\u{1b}", "how": "manual", "files": paths, "branch": "x".repeat(1 << 20)});
    let milestone = json!({"title": "Beta", "rules": vec!["r".repeat(500); 20], "criteria": vec!["c".repeat(500); 40]});
    let outcomes =
        store.write(vec![long, comment(), broken, request("dev:bo", "bind", bind), request("dev:bo", "milestone_create", milestone), comment()]).await.unwrap();
    let refused: Vec<Option<Code>> = outcomes
        .iter()
        .map(|outcome| match outcome {
            storage::Outcome::Refused(problem) => Some(problem.code),
            _ => None,
        })
        .collect();
    assert_eq!(refused, [Some(Code::BadRequest), None, Some(Code::BadRequest), None, None, None], "{outcomes:?}");
    assert!(store.verify().await.unwrap().is_sound());
    let before = world.dump().await;
    store.rebuild().await.unwrap();
    assert_eq!(world.dump().await, before);
}

#[tokio::test]
async fn renewing_what_is_not_due_waits_for_nobody_and_writes_nothing() {
    let (_folder, world, store) = fresh().await;
    plan(&store, json!([{"title": "one"}])).await;
    let claimed = next(&store, "agent:ana/w1", json!({})).await;
    let before = std::fs::metadata(world.root.join("run/wake")).unwrap().modified().unwrap();
    let renewal = || request("agent:ana/w1", "renew", json!({}));
    let taken = std::fs::File::options().create(true).truncate(false).write(true).open(world.root.join("run/write.lock")).unwrap();
    taken.lock().unwrap();
    let receipt = one(&store, renewal()).await.unwrap();
    assert_eq!((receipt.seq, receipt.events.len()), (claimed.receipt.unwrap().seq, 0));
    assert_eq!(one(&store, request("agent:bo/w9", "renew", json!({}))).await.unwrap().subject, "project", "who holds nothing too");
    assert_eq!(std::fs::metadata(world.root.join("run/wake")).unwrap().modified().unwrap(), before);
    taken.unlock().unwrap();
    world.pass(400);
    one(&store, renewal()).await.unwrap();
    assert_ne!(std::fs::metadata(world.root.join("run/wake")).unwrap().modified().unwrap(), before, "what is due is written");
    world.pass(7_200);
    assert_eq!(one(&store, renewal()).await.unwrap().events.len(), 1, "what lapsed is taken back");
}

#[tokio::test]
async fn of_a_full_quarantine_only_what_is_shown_is_read() {
    let (_folder, world, store) = fresh().await;
    let folder = world.root.join("quarantine");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..120 {
        std::fs::write(folder.join(format!("{number:04}.json")), json!({"file": "log/a.jsonl", "line": number, "reason": "torn", "text": ""}).to_string())
            .unwrap();
    }
    // A name that can't be read as a file: to look at it would fail.
    std::fs::create_dir(folder.join("9999.json")).unwrap();
    let (total, shown) = store.quarantined(50).unwrap();
    assert_eq!((total, shown.len(), shown[0].line), (121, 50, 0));
    assert!(store.quarantine().is_err());
}
