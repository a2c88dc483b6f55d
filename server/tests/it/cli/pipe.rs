//! Readers that go away, and disks that are full.

use super::stage::Stage;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn a_pipe_that_is_closed_early_ends_it_quietly() {
    let stage = Stage::new();
    let tasks: Vec<String> = (0..900).map(|number| format!("{{\"title\": \"Task {number} {}\"}}", "x".repeat(150))).collect();
    assert_eq!(stage.run_with(&["tasks", "plan", "-"], &format!("{{\"tasks\": [{}]}}", tasks.join(","))).exit, 0);
    for args in [vec!["tasks"], vec!["tasks", "--json"]] {
        let mut child = stage.callboard(&args).spawn().unwrap();
        let mut first = String::new();
        BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert!(!first.is_empty());
        assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn an_answer_that_can_not_be_written_is_said() {
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    let to_full = std::fs::File::options().write(true).open(full).unwrap();
    let ended = stage.callboard(&["tasks"]).stdout(Stdio::from(to_full)).output().unwrap();
    assert_eq!(ended.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&ended.stderr).starts_with("error: the answer can't be written"));
}
