//! How fast it goes, printed: run with `cargo test --release -p storage --test it pace -- --ignored --nocapture`. `make bench` holds the
//! promises; this says where time is spent.

use crate::board::{World, begun, fresh, give, next, plan};
use serde_json::{Value, json};
use std::time::Instant;

fn tasks(count: usize) -> Value {
    let task = |at: usize| match at % 4 {
        0 | 1 => json!({"title": format!("task number {at}"), "spec": "A spec of some words about what is to be done.", "labels": ["api"]}),
        2 => json!({"title": format!("task number {at}"), "after": [at - 1], "files": [format!("src/part{at}.rs")]}),
        _ => json!({"title": format!("task number {at}"), "parent": at - 3, "priority": at % 3}),
    };
    Value::from_iter((0..count).map(task))
}

/// A clock beside the wall's: what the processors did for us, so that busy neighbours do not count.
struct Pace(Instant, f64);

fn spent() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) * 10.0
}

impl Pace {
    fn start() -> Pace {
        Pace(Instant::now(), spent())
    }

    fn say(&self, what: &str, times: u32) {
        println!("{what}: {:?}, processors {:.1} ms", self.0.elapsed() / times, (spent() - self.1) / f64::from(times));
    }
}

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[tokio::test]
#[ignore = "prints how fast it goes"]
async fn pace() {
    let (_folder, world, store) = fresh().await;
    let start = Pace::start();
    plan(&store, tasks(1_000)).await;
    start.say("plan of 1,000", 1);
    let chain = Value::from_iter((0..1_000).map(|at| if at == 0 { json!({"title": "first"}) } else { json!({"title": "link", "after": [at - 1]}) }));
    let start = Pace::start();
    plan(&store, chain).await;
    start.say("plan of a chain of 1,000", 1);
    let start = Pace::start();
    for _ in 0..100 {
        plan(&store, json!([{"title": "one more"}])).await;
    }
    start.say("one durable create", 100);
    for size in [1, 10, 100] {
        while world.number("select count(*) from task").await < size * 1_000 {
            plan(&store, tasks(1_000)).await;
        }
        let start = Pace::start();
        for agent in 0..20 {
            let got = next(&store, &format!("agent:ana/{size}x{agent}"), json!({})).await;
            assert!(got.task.is_some());
        }
        start.say(&format!("next at {size},000 tasks"), 20);
        let start = Pace::start();
        for _ in 0..20 {
            let mut read = store.reader().begin().await.unwrap();
            for column in contracts::standing::Column::ALL {
                read.column(*column, "", None, None, None).await.unwrap();
            }
            read.counts().await.unwrap();
        }
        start.say(&format!("board at {size},000 tasks"), 20);
        let start = Pace::start();
        for _ in 0..20 {
            let (again, _) = world.open().await;
            again.reader().begin().await.unwrap().head().await.unwrap();
        }
        start.say(&format!("open and read at {size},000 tasks"), 20);
    }
    println!("events: {}", world.number("select count(*) from event").await);
    let start = Pace::start();
    let hits = store.reader().begin().await.unwrap().search("number", None).await.unwrap().1;
    start.say(&format!("search with {hits} hits"), 1);
    let start = Pace::start();
    let rebuilt = store.rebuild().await.unwrap();
    start.say(&format!("rebuild of {} events, at most {} MiB", rebuilt.events, resident_mib()), 1);
    store.close().await;
}

#[tokio::test]
#[ignore = "prints how fast it goes"]
async fn clone_pace() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(&folder.path().join("a"));
    let (store, _) = world.open().await;
    begun(&store).await;
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.extend(plan(&store, tasks(1_000)).await);
    }
    for id in ids.chunks(50) {
        let comments = id.iter().flat_map(|id| (0..4).map(move |_| json!({"task": id, "text": "a comment of some words"})));
        let commands: Vec<_> = comments.map(|args| contracts::CommandRequest::of(contracts::Command::parse("comment", args).unwrap())).collect();
        for commands in commands.chunks(100) {
            store.write(vec![crate::board::requests("dev:ana", commands.to_vec())]).await.unwrap();
        }
    }
    give(&store, "dev:ana", "comment", json!({"task": ids[0], "text": "last"})).await.unwrap();
    let events = world.number("select count(*) from event").await;
    let start = Pace::start();
    store.rebuild().await.unwrap();
    start.say(&format!("rebuild of {events} events, at most {} MiB", resident_mib()), 1);
    let other = world.beside(&folder.path().join("b"), 5);
    other.pull(&world);
    let start = Pace::start();
    let (there, opened) = other.open().await;
    start.say(&format!("first opening of a clone with {} events", opened.reconciled.lines_in), 1);
    assert_eq!(other.dump().await, world.dump().await);
    let start = Pace::start();
    assert!(there.verify().await.unwrap().is_sound());
    start.say("verify", 1);
}
