//! A person switches branches as they like: git never refuses because of the log, and no log file is ever modified.

use crate::cli::stage::Stage;
use crate::support::log;
use crate::support::server::Server;
use serde_json::json;

fn clean(stage: &Stage) {
    let status = stage.git(&["status", "--porcelain", "--untracked-files=all"]);
    let changed: Vec<&str> = status.lines().filter(|line| !line.starts_with("?? .callboard/log/") && !line.starts_with("A  ")).collect();
    assert!(changed.is_empty(), "{status}");
}

#[test]
fn uncommitted_events_never_stand_in_the_way() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &[]);
    stage.git(&["branch", "bare"]); // a branch without the board's files
    stage.git(&["add", "--all"]);
    stage.git(&["commit", "--quiet", "--message", "Log"]);
    stage.git(&["branch", "south"]);
    stage.git(&["switch", "--quiet", "--create", "north"]);
    let mut said = Vec::new();
    for (step, branch) in ["south", "main", "north", "main", "south", "north"].iter().enumerate() {
        let text = format!("Said in step {step}");
        stage.ok(&["tasks", "comment", &first, "-m", &text]);
        said.push(text);
        clean(&stage);
        match step % 3 {
            // Sometimes it is committed, sometimes only staged, sometimes neither.
            0 => {
                stage.git(&["add", "--all"]);
                stage.git(&["commit", "--quiet", "--message", &format!("Step {step}")]);
            }
            1 => {
                stage.git(&["add", "--all"]);
                stage.ok(&["tasks", "comment", &first, "-m", "While it is staged"]);
            }
            _ => {}
        }
        clean(&stage);
        stage.git(&["switch", "--quiet", branch]);
        clean(&stage);
        let thread = stage.run(&["tasks", "show", &first, "--json"]).json()["thread"].to_string();
        for text in &said {
            assert!(thread.contains(text), "{text} after switching to {branch}: {thread}");
        }
    }
    assert_eq!(
        stage.git(&["status", "--porcelain"]).lines().filter(|line| line.starts_with(" M") || line.starts_with("MM") || line.starts_with("AM")).count(),
        0
    );
}

#[test]
fn a_file_of_another_branch_is_not_written_back() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &[]);
    stage.git(&["add", "--all"]);
    stage.git(&["commit", "--quiet", "--message", "Log"]);
    stage.git(&["switch", "--quiet", "--create", "north"]);
    stage.ok(&["tasks", "comment", &first, "-m", "From the north"]);
    stage.git(&["add", "--all"]);
    stage.git(&["commit", "--quiet", "--message", "North"]);
    let north = log::files(&stage.board());
    stage.git(&["switch", "--quiet", "main"]);
    stage.ok(&["tasks", "comment", &first, "-m", "From main"]);
    stage.ok(&["rebuild"]);
    let here = log::files(&stage.board());
    let only_north: Vec<_> = north.keys().filter(|name| here.contains_key(*name)).collect();
    assert_eq!((only_north.len(), here.len()), (1, 2), "main has its own file and a new one: {here:?}");
    assert!(stage.run(&["tasks", "show", &first, "--json"]).json()["thread"].to_string().contains("From the north"), "the database knows it all the same");
    stage.git(&["switch", "--quiet", "north"]);
    for (name, text) in &north {
        assert_eq!(log::files(&stage.board()).get(name), Some(text), "{name}");
    }
}

#[test]
fn a_branch_without_a_board_keeps_what_is_not_committed() {
    let stage = Stage::bare();
    stage.git(&["branch", "bare"]);
    stage.ok(&["init", "--no-client"]);
    let first = stage.add("Paint the buoys", &[]);
    stage.git(&["add", "--all"]);
    stage.git(&["commit", "--quiet", "--message", "Board"]);
    stage.ok(&["tasks", "comment", &first, "-m", "Not committed"]);
    stage.git(&["switch", "--quiet", "bare"]);
    assert!(stage.ok(&["tasks", "show", &first]).contains("Not committed"));
    stage.git(&["switch", "--quiet", "main"]);
    assert!(stage.ok(&["tasks", "show", &first]).contains("Not committed"));
    assert_eq!(stage.run(&["log", "verify"]).exit, 0);
}

#[test]
fn a_stash_gives_back_what_it_took() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &[]);
    stage.git(&["add", "--all"]);
    stage.git(&["commit", "--quiet", "--message", "Log"]);
    stage.ok(&["tasks", "comment", &first, "-m", "Before the stash"]);
    stage.git(&["stash", "push", "--quiet", "--include-untracked"]);
    stage.ok(&["tasks", "comment", &first, "-m", "While it is away"]);
    stage.git(&["stash", "pop", "--quiet"]);
    stage.ok(&["tasks", "comment", &first, "-m", "And it is back"]);
    let said = log::events(&stage.board()).iter().filter(|event| event["kind"] == "task.commented").count();
    assert_eq!(said, 3);
    assert_eq!(stage.run(&["log", "verify"]).exit, 0);
}

/// A server looks at the log while git takes files away and brings others.
#[tokio::test]
async fn a_running_server_stands_in_nobodys_way() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &[]);
    stage.git(&["add", "--all"]);
    stage.git(&["commit", "--quiet", "--message", "Log"]);
    stage.git(&["branch", "north"]);
    let server = Server::of(&stage);
    let mut said = Vec::new();
    for round in 0..6 {
        for (by, branch) in [("web", "north"), ("cli", "main")] {
            stage.git(&["switch", "--quiet", branch]);
            let text = format!("{by} {round} on {branch}");
            match by {
                "web" => drop(server.does("comment", json!({"task": first, "text": text})).await),
                _ => drop(stage.ok(&["tasks", "comment", &first, "-m", &text])),
            }
            said.push(text);
            if round % 3 != 2 {
                stage.git(&["add", "--all"]);
                stage.git(&["commit", "--quiet", "--message", "Log"]);
            }
            clean(&stage);
        }
    }
    let thread = server.get(&format!("/api/tasks/{first}/thread")).await.to_string();
    assert!(said.iter().all(|text| thread.contains(text)), "{thread}");
    stage.git(&["add", "--all"]);
    stage.git(&["commit", "--quiet", "--message", "Log"]);
    stage.git(&["merge", "--quiet", "--no-edit", "north"]);
    let written = log::files(&stage.board()).into_values().collect::<String>();
    assert!(said.iter().all(|text| written.contains(text)), "{written}");
    assert_eq!(stage.run(&["log", "verify"]).exit, 0);
}
