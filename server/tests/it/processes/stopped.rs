//! Processes that hold what others need and do not go on: stopped in a debugger, asleep with their machine's lid.

use crate::cli::stage::Stage;
use crate::routes::wire::call;
use crate::support::server::Server;
use serde_json::json;
use std::fs::File;
use std::time::{Duration, Instant};

/// The five seconds a caller is kept waiting, and what a loaded machine adds.
const PATIENCE: Duration = Duration::from_secs(12);

#[test]
fn who_writes_beside_a_process_that_stands_still_is_told_so_and_ends() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoy", &[]);
    let lock = File::options().write(true).open(stage.board().join("run/write.lock")).unwrap();
    lock.lock().unwrap();
    let began = Instant::now();
    let calls = [vec!["tasks", "add", "Grease the chain"], vec!["next"], vec!["tasks", "comment", &id, "-m", "dry now"]];
    let writers: Vec<_> = calls.iter().map(|args| stage.callboard(args).spawn().unwrap()).collect();
    assert!(stage.ok(&["tasks"]).contains("Paint the buoy"), "reads need no turn");
    for (child, args) in writers.into_iter().zip(calls) {
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(said.contains("(busy)") && said.contains("hint: run the same command again"), "{args:?}: {said}");
        assert_eq!(ended.status.code(), Some(4), "{args:?}");
    }
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    drop(lock);
    stage.ok(&["tasks", "add", "Grease the chain"]);
    assert!(stage.ok(&["log", "verify"]).starts_with("sound"));
}

#[tokio::test]
async fn a_server_beside_it_reads_at_once_and_refuses_a_write_after_one_wait() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let lock = File::options().write(true).open(stage.board().join("run/write.lock")).unwrap();
    lock.lock().unwrap();
    let bearer = format!("Bearer {}", server.local);
    let plan = json!({"command": "plan", "args": {"tasks": [{"title": "Grease the chain"}]}});
    let began = Instant::now();
    let refused = call("POST", "/api/commands").with("authorization", &bearer).json(&plan).send(server.port).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "busy"));
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
    let began = Instant::now();
    assert_eq!(call("GET", "/api/snapshot").with("authorization", &bearer).send(server.port).await.status, 200);
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    drop(lock);
    assert_eq!(call("POST", "/api/commands").with("authorization", &bearer).json(&plan).send(server.port).await.status, 200);
}
