//! `log verify` and `rebuild`: damage is found, named by file and line, and survived.

use super::stage::Stage;
use crate::routes::wire::call;
use crate::support::server::Server;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

fn log_file(stage: &Stage) -> PathBuf {
    let mut files: Vec<PathBuf> = fs::read_dir(stage.board().join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    files.remove(0)
}

#[test]
fn a_sound_log_is_sound() {
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    assert_eq!(stage.said(&["log", "verify"]), "sound  2 lines, 1 file, 2 events\n");
}

#[test]
fn a_changed_byte_a_missing_line_and_a_cut_tail_are_found() {
    type Damage = fn(&str) -> String;
    let damages: [(&str, Damage); 3] = [
        ("a changed byte", |text| text.replace("Second", "Secund")),
        ("a missing line", |text| text.lines().enumerate().filter(|(place, _)| *place != 1).map(|(_, line)| format!("{line}\n")).collect()),
        ("a cut tail", |text| text.lines().take(2).map(|line| format!("{line}\n")).collect()),
    ];
    for (what, damage) in damages {
        let stage = Stage::new();
        for title in ["First", "Second", "Third"] {
            stage.add(title, &[]);
        }
        // Staged, so that this file is never written again and the damage is not made good by appending.
        stage.git(&["add", "-A"]);
        stage.add("Fourth, in another file", &[]);
        let mut files: Vec<PathBuf> = fs::read_dir(stage.board().join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| fs::read_to_string(file).unwrap().contains("First"));
        let text = fs::read_to_string(&files[0]).unwrap();
        fs::write(&files[0], damage(&text)).unwrap();
        let ended = stage.run(&["log", "verify"]);
        assert_eq!(ended.exit, 1, "{what}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("log/"), "{what}: {}", ended.stdout);
        assert_eq!(stage.run(&["log", "verify", "--json"]).json()["sound"], false);
        assert_eq!(stage.run(&["tasks", "--json"]).json()["total"], 4, "{what}: what was read before stays in use");
    }
}

#[test]
fn a_deleted_database_comes_back_from_the_log() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &["--label", "sea"]);
    stage.ok(&["tasks", "comment", &id, "-m", "Red to port."]);
    let before = stage.ok(&["tasks", "show", &id]);
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = fs::remove_file(stage.board().join(name));
    }
    assert_eq!(stage.ok(&["tasks", "show", &id]), before);
    let said = stage.ok(&["rebuild"]);
    assert!(said.starts_with("rebuilt 1 task from 3 events"), "{said}");
    assert_eq!(stage.ok(&["tasks", "show", &id]), before);
}

#[test]
fn a_torn_last_line_is_cut_and_kept_aside() {
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    let path = log_file(&stage);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"actor\":\"dev:a")).unwrap();
    let ended = stage.run(&["tasks", "--json"]);
    assert_eq!((ended.exit, ended.json()["total"].as_i64()), (0, Some(1)), "{}", ended.stderr);
    assert!(ended.stderr.lines().count() >= 1, "what was repaired is said");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert!(stage.ok(&["log", "quarantine"]).contains("torn"));
}

#[tokio::test]
async fn the_page_lists_what_could_not_be_used_without_scripts() {
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    stage.git(&["add", "-A"]);
    stage.add("Sealed by the next", &[]);
    let stranger = stage.board().join("log/00000001.jsonl");
    fs::write(&stranger, "{\"actor\":\"dev:<b>mallory</b>\"}\nnot json\n").unwrap();
    let server = Server::of(&stage);
    let page = call("GET", "/").with("accept", "text/html").send(server.port).await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("lines of the log can't be used"), "{}", page.body);
    assert!(page.body.contains("00000001.jsonl, line 2") && page.body.contains("not_json"), "file, line and reason");
    assert!(page.body.contains("missing_key") && !page.body.contains("<b>mallory"), "what stands there is text, never markup");
    let snapshot = server.get("/api/snapshot").await;
    assert_eq!((&snapshot["quarantine"]["total"], &snapshot["quarantine"]["lines"][1]["line"]), (&json!(2), &json!(2)));
}
