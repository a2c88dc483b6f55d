//! Several processes on one database, and processes that die. A child is this test binary again, told by a variable what to do.

use crate::board::{World, begun, fresh, give, next, plan};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use storage::{Options, Place, Store};

const ROLE: &str = "CALLBOARD_TEST_ROLE";
const ROOT: &str = "CALLBOARD_TEST_ROOT";
const NUMBER: &str = "CALLBOARD_TEST_NUMBER";

#[allow(clippy::disallowed_methods, reason = "the child is this test binary")]
fn child(role: &str, root: &Path, number: usize) -> Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["processes::child_process", "--exact", "--nocapture", "--include-ignored"])
        .env(ROLE, role)
        .env(ROOT, root)
        .env(NUMBER, number.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What children say: the lines they began with `!`.
fn said(child: &mut Child) -> Vec<String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    lines.filter_map(|line| line.rsplit_once('!').map(|(_, said)| said.to_owned())).collect()
}

async fn open(root: &Path, number: u64) -> Store {
    let world = World::at(root);
    world.seed.store(number.wrapping_mul(0x1234_5678_9abc) + u64::from(std::process::id()), std::sync::atomic::Ordering::SeqCst);
    Store::open(Place::new(root), world.options()).await.unwrap().0
}

/// Does nothing in an ordinary run.
#[test]
#[ignore = "a child of other tests"]
fn child_process() {
    let (Ok(role), Ok(root), Ok(number)) = (std::env::var(ROLE), std::env::var(ROOT), std::env::var(NUMBER)) else { return };
    let number: u64 = number.parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let root = Path::new(&root);
        let actor = format!("agent:ana/w{number}");
        match role.as_str() {
            "claim" => {
                let store = open(root, number).await;
                let got = next(&store, &actor, json!({})).await;
                println!("!{}", got.task.map_or_else(|| format!("nothing {}", got.why.unwrap().code), |id| format!("task {id}")));
            }
            "write" => {
                let store = open(root, number).await;
                for i in 0..10 {
                    let receipt = give(&store, &actor, "message", json!({"to": ["dev:ana"], "text": format!("{number} {i}")})).await.unwrap();
                    println!("!{}", receipt.events[0]);
                }
            }
            // Until it is killed: opens now and then anew, as commands do.
            _ => loop {
                let store = open(root, number).await;
                for _ in 0..5 {
                    if let Ok(receipt) = give(&store, &actor, "plan", json!({"tasks": [{"title": "one"}, {"title": "two", "after": [0]}]})).await {
                        receipt.events.iter().for_each(|event| println!("!{event}"));
                    }
                    let got = next(&store, &actor, json!({})).await;
                    if let Some(receipt) = got.receipt {
                        receipt.events.iter().for_each(|event| println!("!{event}"));
                    }
                    if let Some(task) = got.task {
                        let closed = give(&store, &actor, "close", json!({"task": task, "note": "closed it, no code", "no_code": true})).await;
                        closed.into_iter().for_each(|receipt| receipt.events.iter().for_each(|event| println!("!{event}")));
                    }
                }
            },
        }
    });
}

async fn sound(world: &World, acknowledged: &BTreeSet<String>) {
    let (store, opened) = world.open().await;
    let report = store.verify().await.unwrap();
    let aside: Vec<_> =
        std::fs::read_dir(&world.root).unwrap().map(|entry| entry.unwrap().file_name()).filter(|name| name.to_string_lossy().contains("broken")).collect();
    assert!(aside.is_empty(), "a database that nobody harmed was moved aside: {aside:?}");
    assert!(report.is_sound(), "{report:?} {opened:?}");
    let lines = world.lines();
    let ids: BTreeSet<String> = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), lines.len(), "an event stands in the log twice");
    let lost: Vec<&String> = acknowledged.difference(&ids).collect();
    assert!(lost.is_empty(), "answered for and not in the log: {lost:?}");
    assert_eq!(report.events, ids.len() as i64);
    let before = world.dump().await;
    store.rebuild().await.unwrap();
    assert_eq!(world.dump().await, before);
}

#[tokio::test]
async fn fifty_callers_and_one_task() {
    let (_folder, world, store) = fresh().await;
    let ids = plan(&store, json!([{"title": "wanted"}])).await;
    store.close().await;
    let children: Vec<Child> = (0..50).map(|number| child("claim", &world.root, number)).collect();
    let answers: Vec<String> = children
        .into_iter()
        .flat_map(|mut child| {
            let said = said(&mut child);
            assert!(child.wait().unwrap().success());
            said
        })
        .collect();
    assert_eq!(answers.len(), 50, "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| **answer == format!("task {}", ids[0])).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|answer| answer.starts_with("task") || answer == "nothing all_running"), "{answers:?}");
    sound(&world, &BTreeSet::new()).await;
}

#[tokio::test]
async fn twenty_processes_write_at_once() {
    let (_folder, world, store) = fresh().await;
    store.close().await;
    let mut children: Vec<Child> = (0..20).map(|number| child("write", &world.root, number)).collect();
    let acknowledged: BTreeSet<String> = children.iter_mut().flat_map(said).collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(acknowledged.len(), 200);
    sound(&world, &acknowledged).await;
}

#[tokio::test]
async fn a_killed_process_loses_nothing_it_answered_for() {
    let rounds = if std::env::var_os("SLOW").is_some() { 200 } else { 20 };
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(&folder.path().join(".callboard"));
    let (store, _) = world.open().await;
    begun(&store).await;
    store.close().await;
    let mut acknowledged = BTreeSet::new();
    for round in 0..rounds {
        let mut children: Vec<Child> = (0..2).map(|number| child("loop", &world.root, round * 2 + number)).collect();
        tokio::time::sleep(Duration::from_millis(40 + (round as u64 * 37) % 160)).await;
        for child in &mut children {
            child.kill().unwrap();
        }
        for mut child in children {
            acknowledged.extend(said(&mut child));
            child.wait().unwrap();
        }
        if round % 5 == 4 || round + 1 == rounds {
            sound(&world, &acknowledged).await;
        }
    }
    assert!(acknowledged.len() > rounds, "the children wrote {} events: too few to say anything", acknowledged.len());
}

#[tokio::test]
async fn two_stores_of_one_board_see_each_other() {
    let (_folder, world, first) = fresh().await;
    let second: Store = world.open_with(Options { readers: 2, ..world.options() }).await.0;
    let ids = plan(&first, json!([{"title": "one"}, {"title": "two"}])).await;
    let mut watch = second.watch().await.unwrap();
    give(&first, "agent:ana/w1", "claim", json!({"task": ids[0]})).await.unwrap();
    let changed = tokio::time::timeout(Duration::from_secs(3), watch.changed()).await.unwrap().unwrap();
    assert!(changed.database);
    let refused = give(&second, "agent:ana/w2", "claim", json!({"task": ids[0]})).await.unwrap_err();
    assert_eq!(refused.code, contracts::Code::LeaseHeld);
    let mut reads = Vec::new();
    for _ in 0..4 {
        reads.push(second.reader());
    }
    for (number, reader) in reads.iter().enumerate() {
        give(if number % 2 == 0 { &first } else { &second }, "dev:ana", "comment", json!({"task": ids[1], "text": "hello"})).await.unwrap();
        let mut read = reader.begin().await.unwrap();
        assert_eq!(read.card_rows(&ids).await.unwrap()[1].task.comments, number as u32 + 1);
    }
    let mut ns = BTreeSet::new();
    for line in world.lines() {
        assert!(ns.insert(serde_json::from_str::<serde_json::Value>(&line).unwrap()["n"].as_i64().unwrap()));
    }
    assert_eq!((ns.first(), ns.last(), ns.len()), (Some(&1), Some(&(ns.len() as i64)), world.lines().len()));
}
