//! One write, one batch, whoever wrote it; nothing for a read; nothing lost and nothing twice for who comes back.

use crate::cli::stage::Stage;
use crate::routes::wire::call;
use crate::support::line::{Said, Socket};
use crate::support::server::Server;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How soon a batch must be there. The promise is 100 ms; a machine busy with tests gets more time.
const SOON: Duration = Duration::from_secs(2);
const QUIET: Duration = Duration::from_millis(600);

fn cards(batch: &Value) -> Vec<&str> {
    batch["changes"].as_array().unwrap().iter().filter(|change| change["k"] == "task").map(|change| change["card"]["title"].as_str().unwrap()).collect()
}

/// Ids of the events a batch tells.
fn events(batch: &Value) -> Vec<String> {
    let changes = batch["changes"].as_array().unwrap().iter();
    changes.filter(|change| change["k"] == "event").map(|change| change["entry"]["event"].as_str().unwrap_or_else(|| panic!("{change}")).to_owned()).collect()
}

#[tokio::test]
async fn one_write_of_another_process_is_one_batch_soon() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &[]);
    let server = Server::of(&stage);
    let mut socket = Socket::open(&server, "").await;
    let hello = socket.frame().await;
    assert_eq!((&hello["t"], &hello["resumed"]), (&json!("hello"), &json!(false)), "{hello}");
    let mut seq = hello["seq"].as_i64().unwrap();
    for (args, title) in [
        (vec!["tasks", "add", "Set them out"], "Set them out"),
        (vec!["tasks", "edit", &first, "--title", "Paint all buoys", "--priority", "0", "--label", "paint"], "Paint all buoys"),
        (vec!["tasks", "claim", &first], "Paint all buoys"),
        (vec!["tasks", "done", &first, "--no-code", "-m", "By hand"], "Paint all buoys"),
    ] {
        stage.ok(&args);
        let written = Instant::now();
        let Some(Said::Frame(batch)) = socket.said_within(SOON).await else { panic!("nothing came for {args:?}") };
        let late = written.elapsed();
        assert_eq!((&batch["t"], batch.get("live")), (&json!("batch"), None), "{args:?}: {batch}");
        assert!(cards(&batch).contains(&title), "{args:?}: {batch}");
        assert!(batch["seq"].as_i64().unwrap() > seq, "{batch}");
        seq = batch["seq"].as_i64().unwrap();
        let more = socket.batches(QUIET).await;
        assert!(more.is_empty(), "one write, one batch; {late:?} after {args:?} came {more:?}");
    }
}

#[tokio::test]
async fn an_agents_write_over_any_surface_is_one_batch() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let mut socket = Socket::open(&server, "").await;
    socket.frame().await;
    let session = crate::support::session::Session::http(&server, "/mcp", Some("agent:ada/w1"), crate::support::session::handshake()).await;
    session.ok("plan", json!({"tasks": [{"title": "Paint the buoys"}, {"title": "Set them out", "after": [0]}]})).await;
    let planned = socket.batch().await;
    assert_eq!(cards(&planned), ["Paint the buoys", "Set them out"], "a command of many events is one batch");
    server
        .api(call("POST", "/api/commands").json(&json!({"batch": [
        {"command": "plan", "args": {"tasks": [{"title": "Count them"}]}},
        {"command": "plan", "args": {"tasks": [{"title": "Log them"}]}}]})))
        .await;
    let both = socket.batch().await;
    assert_eq!(cards(&both), ["Count them", "Log them"], "a batch of commands is one");
    let solid: Vec<Value> = socket.batches(QUIET).await.into_iter().filter(|frame| frame["live"] != true).collect();
    assert!(solid.is_empty(), "{solid:?}");
}

#[tokio::test]
async fn reads_are_no_news() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let server = Server::of(&stage);
    server.get("/api/board").await;
    server.get("/api/snapshot").await; // the first look says that somebody is there
    let mut socket = Socket::open(&server, "").await;
    socket.frame().await;
    socket.batches(QUIET).await;
    for args in [
        vec!["tasks"],
        vec!["tasks", "show", &id],
        vec!["tasks", "log", &id],
        vec!["log", "verify"],
        vec!["actors"],
        vec!["conflicts"],
        vec!["tasks", "search", "buoys"],
    ] {
        stage.ok(&args);
    }
    for path in ["/api/board", "/api/tasks", "/api/snapshot", "/api/meta", "/api/activity", "/api/inbox", "/api/search?q=paint"] {
        server.get(path).await;
    }
    server.get(&format!("/api/tasks/{id}")).await;
    // A refused write is none, and a repeated one neither.
    assert_eq!(stage.run(&["tasks", "reopen", &id]).exit, 1);
    let frames = socket.batches(Duration::from_millis(1_500)).await;
    assert!(frames.is_empty(), "{frames:?}");
}

#[tokio::test]
async fn who_slept_misses_nothing_and_hears_nothing_twice() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &[]);
    let server = Server::of(&stage);
    let hello = Socket::open(&server, "").await.frame().await;
    let (seq, epoch) = (hello["seq"].as_i64().unwrap(), hello["epoch"].as_str().unwrap());
    for number in 0..5 {
        stage.ok(&["tasks", "comment", &first, "-m", &format!("While it slept {number}")]);
        stage.add(&format!("Buoy {number}"), &[]);
    }
    let mut socket = Socket::since(&server, seq, epoch).await;
    let hello = socket.frame().await;
    assert_eq!((&hello["resumed"], &hello["seq"]), (&json!(true), &json!(seq)), "{hello}");
    let mut last = seq;
    let mut heard = Vec::new();
    for _ in 0..10 {
        let batch = socket.batch().await;
        assert!(batch["seq"].as_i64().unwrap() > last, "{batch}");
        last = batch["seq"].as_i64().unwrap();
        heard.push(batch);
    }
    let told = json!(heard).to_string();
    for number in 0..5 {
        assert!(told.contains(&format!("While it slept {number}")) && told.contains(&format!("Buoy {number}")), "{told}");
    }
    let mut rest = socket.batches(QUIET).await;
    assert!(rest.iter().all(|frame| frame["live"] == true), "{rest:?}");
    assert_eq!(rest.len(), 1, "then every lease as it is now, once: {:?}", rest.pop());
    stage.add("One more", &[]);
    assert_eq!(cards(&socket.batch().await), ["One more"]);
    // Who knows another database, or a position that never was, begins anew.
    for (since, epoch) in [(seq, "00000000"), (1_000_000, epoch), (-5, epoch)] {
        assert_eq!(Socket::since(&server, since, epoch).await.frame().await["resumed"], false, "{since} {epoch}");
    }
}

#[tokio::test]
async fn lines_that_come_and_go_under_writes_lose_nothing() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &[]);
    let server = Server::of(&stage);
    let hello = Socket::open(&server, "").await.frame().await;
    let (mut seq, epoch) = (hello["seq"].as_i64().unwrap(), hello["epoch"].as_str().unwrap().to_owned());
    let commands: Vec<std::process::Command> =
        (0..40).map(|number| stage.callboard(&["tasks", "comment", &first, "-m", &format!("Wave {number}"), "--json"])).collect();
    let writer = std::thread::spawn(move || {
        let receipt = |mut command: std::process::Command| -> Value { serde_json::from_slice(&command.output().unwrap().stdout).unwrap() };
        commands
            .into_iter()
            .map(receipt)
            .flat_map(|receipt| receipt["events"].as_array().unwrap().clone())
            .map(|id| id.as_str().unwrap().to_owned())
            .collect::<BTreeSet<_>>()
    });
    let mut heard = BTreeSet::new();
    let mut lines = 0;
    let begun = Instant::now();
    while heard.len() < 40 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} of 40 after {lines} lines", heard.len());
        let mut socket = Socket::since(&server, seq, &epoch).await;
        lines += 1;
        assert_eq!(socket.frame().await["resumed"], true);
        let mut on_this_line = seq;
        for _ in 0..4 {
            let Some(Said::Frame(frame)) = socket.said_within(Duration::from_millis(400)).await else { break };
            let at = frame["seq"].as_i64().unwrap();
            if frame["live"] == true {
                assert!(at <= on_this_line.max(seq), "a live batch is no step: {at} after {on_this_line} on line {lines}");
                continue;
            }
            assert!(at > on_this_line, "seq grows strictly: {at} after {on_this_line} on line {lines}");
            on_this_line = at;
            for event in events(&frame) {
                assert!(heard.insert(event), "told twice: {frame}");
            }
        }
        seq = on_this_line;
    }
    assert_eq!(heard, writer.join().unwrap());
    assert!(lines > 5, "{lines}");
}

#[tokio::test]
async fn a_foreign_page_has_no_line() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let bearer = format!("Bearer {}", server.local);
    let own = format!("http://127.0.0.1:{}", server.port);
    for (headers, status) in [
        (vec![("authorization", &*bearer), ("origin", "https://evil.example")], 403),
        (vec![("authorization", &*bearer), ("origin", "null")], 403),
        (vec![("authorization", &*bearer), ("origin", "http://127.0.0.1:1")], 403),
        (vec![("authorization", &*bearer), ("host", "evil.example")], 403),
        (vec![("origin", &*own)], 401),
        (vec![], 401),
        (vec![("authorization", "Bearer cbl_wrong")], 401),
    ] {
        assert_eq!(Socket::try_open(server.port, "", &headers).await.err(), Some(status), "{headers:?}");
        let here = format!("127.0.0.1:{}", server.port);
        let host = if headers.iter().any(|(name, _)| *name == "host") { None } else { Some(("host", &*here)) };
        let head = headers.iter().chain(&host).fold(call("GET", "/live/sse"), |call, (name, value)| call.with(name, value));
        let reply = head.send(server.port).await;
        assert_eq!(reply.status, status, "{headers:?}: {reply:?}");
    }
    assert!(Socket::try_open(server.port, "", &[("authorization", &bearer), ("origin", &own)]).await.is_ok());
}

#[tokio::test]
async fn who_was_handed_a_message_can_be_asked() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let server = Server::of(&stage);
    stage.ok(&["message", "--to", "agent:ada/w1", "--task", &id, "-m", "Red, please"]);
    let path = format!("/api/tasks/{id}/inbox-state");
    let sent = async || {
        let page = call("GET", &path).with("authorization", &format!("Bearer {}", server.local)).send(server.port).await.json();
        page["items"].as_array().unwrap().iter().find(|item| item["kind"] == "message.sent").unwrap().clone()
    };
    let unread = sent().await;
    assert_eq!((&unread["to"], &unread["delivered"]), (&json!(["agent:ada/w1"]), &json!([])));
    assert_eq!(sent().await, unread, "reading it delivers nothing");
    assert_eq!(stage.run_as("agent:ada/w1", &["inbox"]).exit, 0);
    assert_eq!(sent().await["delivered"][0]["actor"], "agent:ada/w1");
}

#[tokio::test]
async fn a_command_of_many_events_is_one_batch() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let mut socket = Socket::open(&server, "").await;
    socket.frame().await;
    let plan = |tasks: usize| {
        let tasks: Vec<Value> = (0..tasks).map(|at| json!({"title": format!("Part {at}"), "spec": "It is there"})).collect();
        assert!(stage.run_with(&["tasks", "plan", "-"], &json!({"tasks": tasks}).to_string()).exit == 0);
    };
    plan(600);
    let batch = socket.frame().await;
    assert_eq!((events(&batch).len(), cards(&batch).len()), (600, 600));
    assert!(socket.batches(QUIET).await.is_empty(), "and nothing after it");
}

#[tokio::test]
async fn what_a_card_is_parted_from_is_told_too() {
    let stage = Stage::new();
    let milestone = |title: &str| stage.run(&["milestone", "add", title, "--json"]).json()["subject"].as_str().unwrap().to_owned();
    let (alpha, beta) = (milestone("Alpha"), milestone("Beta"));
    let (first, second) = (stage.add("Paint the buoys", &["--milestone", &alpha]), stage.add("Set them out", &["--milestone", &beta]));
    let third = stage.add("Count them", &["--parent", &first, "--after", &second]);
    let server = Server::of(&stage);
    let mut socket = Socket::open(&server, "").await;
    socket.frame().await;
    stage.ok(&["tasks", "edit", &first, "--milestone", &beta]);
    let batch = socket.frame().await;
    let changes = batch["changes"].as_array().unwrap();
    let open: BTreeSet<(&str, i64)> = changes
        .iter()
        .filter(|change| change["k"] == "milestone")
        .map(|change| (change["milestone"]["title"].as_str().unwrap(), change["milestone"]["open"].as_i64().unwrap()))
        .collect();
    assert_eq!(open, BTreeSet::from([("Alpha", 0), ("Beta", 2)]), "{batch}");
    stage.ok(&["tasks", "edit", &third, "--no-parent"]);
    assert!(cards(&socket.frame().await).contains(&"Paint the buoys"), "it waits for no subtask any more");
    stage.ok(&["tasks", "unblock", &third, "--on", &second]);
    assert!(cards(&socket.frame().await).contains(&"Set them out"), "nothing waits for it any more");
}

#[tokio::test]
async fn more_at_once_than_a_page_could_have_missed_sends_it_to_a_snapshot() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let mut socket = Socket::open(&server, "").await;
    let hello = socket.frame().await;
    let issue = |at: usize| {
        json!({"id": format!("bd-{at}"), "title": format!("Part {at}"), "status": "open", "issue_type": "task", "created_at": "2025-01-01T00:00:00Z"})
            .to_string()
    };
    let path = stage.dir().join("issues.jsonl");
    std::fs::write(&path, (0..2_100).map(issue).collect::<Vec<_>>().join("\n")).unwrap();
    stage.ok(&["import", path.to_str().unwrap()]);
    assert!(matches!(socket.said().await, Said::Closed(_) | Said::Gone));
    let mut again = Socket::since(&server, hello["seq"].as_i64().unwrap(), hello["epoch"].as_str().unwrap()).await;
    assert_eq!(again.frame().await["resumed"], false);
}
