//! Processes that hold what others need and do not go on: stopped in a debugger, asleep with their machine's lid.

use crate::cli::stage::Stage;
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
