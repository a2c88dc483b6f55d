//! `sync`: a fetch is enough to learn what others did, and what is here is committed by itself.

use super::fleet::Fleet;
use crate::support::server::Server;
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn a_fetch_is_enough_to_learn_what_is_on_branches_of_others() {
    let (fleet, _) = Fleet::knowing(&["pier"], ["Paint the buoys"]);
    let id = fleet.add("pier", "Mend the ladder", &[]);
    fleet.push_log("pier", "side");
    assert!(!fleet.knows("harbour", &id));
    fleet.git("harbour", &["fetch", "--quiet"]);
    let before = fleet.log_files("harbour");
    assert_eq!(fleet.ok("harbour", &["sync"]), "in 1 · out 0 · now ready 1 · conflicts 0 · quarantined 0 · not committed 0 files\n");
    assert!(fleet.knows("harbour", &id));
    assert_eq!(fleet.log_files("harbour"), before, "nothing lies in the way of a merge");
    assert_eq!(fleet.git("harbour", &["status", "--porcelain"]), "");
    let again = fleet.json("harbour", &["sync"]);
    assert_eq!((&again["in"], &again["out"], &again["commit"]), (&json!(0), &json!(0), &json!(null)), "reading twice changes nothing");
    fleet.git("harbour", &["merge", "--quiet", "--no-edit", "origin/side"]);
    assert_eq!(fleet.json("harbour", &["sync"])["in"], 0, "nor does the merge that brings the same file");
    assert!(fleet.ok("harbour", &["log", "verify"]).starts_with("sound"));
}

#[test]
fn what_is_too_long_for_a_line_comes_with_the_branch() {
    let (fleet, _) = Fleet::knowing(&["pier"], []);
    let spec = "A long way to say it. ".repeat(1_200);
    let id = fleet.add("pier", "Mend the ladder", &["--spec", &spec]);
    fleet.push_log("pier", "side");
    fleet.git("harbour", &["fetch", "--quiet"]);
    fleet.ok("harbour", &["sync"]);
    assert_eq!(fleet.json("harbour", &["tasks", "show", &id])["spec"].as_str().map(str::trim_end), Some(spec.trim_end()));
    assert_eq!(fleet.git("harbour", &["status", "--porcelain"]), "");
    fleet.git("harbour", &["merge", "--quiet", "--no-edit", "origin/side"]);
}

#[test]
fn the_log_is_committed_alone_and_without_a_task() {
    let (fleet, [id]) = Fleet::knowing(&[], ["Paint the buoys"]);
    fleet.ok("harbour", &["tasks", "claim", &id]);
    let branch = fleet.json("harbour", &["tasks", "show", &id])["branch"].as_str().unwrap().to_owned();
    fleet.git("harbour", &["switch", "--quiet", "--create", &branch]);
    std::fs::write(fleet.dir("harbour").join("buoys.txt"), "red\n").unwrap();
    fleet.git("harbour", &["add", "buoys.txt"]);
    assert!(fleet.ok("harbour", &["sync"]).ends_with("not committed 1 file\n"));
    let said = fleet.ok("harbour", &["sync", "--commit"]);
    let sha = fleet.git("harbour", &["rev-parse", "HEAD"]);
    assert!(said.ends_with(&format!("not committed 0 files · committed {}\n", &sha[..12])), "{said}");
    let shown = fleet.git("harbour", &["show", "--format=%B", "--name-only"]);
    let lines: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 2, "one file, and a message without a trailer: {shown}");
    assert!(lines[0] == "callboard: log" && lines[1].starts_with(".callboard/log/"), "{shown}");
    assert_eq!(fleet.git("harbour", &["status", "--porcelain"]), "A  buoys.txt\n");
    assert_eq!(fleet.json("harbour", &["tasks", "show", &id])["commits_detail"], json!(null), "it is nobody's evidence");
    assert_eq!(fleet.json("harbour", &["sync", "--commit"])["commit"], json!(null), "nothing is left to commit");
}

#[test]
fn a_forks_branches_are_not_read() {
    let (fleet, _) = Fleet::knowing(&["fork"], []);
    let forged = fleet.add("fork", "Forged", &[]);
    fleet.git("fork", &["switch", "--quiet", "--create", "pr"]);
    fleet.ok("fork", &["sync", "--commit"]);
    fleet.git("harbour", &["remote", "add", "theirs", "../fork"]);
    fleet.git("harbour", &["fetch", "--quiet", "theirs"]);
    assert_eq!(fleet.json("harbour", &["sync"])["in"], 0);
    fleet.git("harbour", &["switch", "--quiet", "--create", "look", "--track", "theirs/pr"]);
    assert!(!fleet.knows("harbour", &forged), "not even while it is checked out");
    let ended = fleet.run("harbour", "dev:ada", &["sync"]);
    assert!(ended.stdout.starts_with("in 0") && ended.stderr.contains("follows another remote"), "{}{}", ended.stdout, ended.stderr);
    let own = fleet.add("harbour", "Written meanwhile", &[]);
    fleet.git("harbour", &["switch", "--quiet", "main"]);
    assert!(!fleet.knows("harbour", &forged) && fleet.knows("harbour", &own));
    fleet.git("harbour", &["merge", "--quiet", "--no-edit", "theirs/pr"]);
    assert!(fleet.knows("harbour", &forged), "merged, it is the repository's own");
}

#[test]
fn a_base_that_follows_nobody_is_told_how_to() {
    let (fleet, _) = Fleet::knowing(&["pier"], []);
    let id = fleet.add("pier", "Mend the ladder", &[]);
    fleet.push_log("pier", "side");
    fleet.git("harbour", &["fetch", "--quiet"]);
    fleet.git("harbour", &["branch", "--quiet", "--unset-upstream", "main"]);
    let ended = fleet.run("harbour", "dev:ada", &["sync"]);
    assert!(ended.exit == 0 && ended.stdout.starts_with("in 0"), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("git branch --set-upstream-to REMOTE/main main"), "{}", ended.stderr);
    fleet.git("harbour", &["branch", "--quiet", "--set-upstream-to", "origin/main", "main"]);
    let ended = fleet.run("harbour", "dev:ada", &["sync"]);
    assert!(ended.stdout.starts_with("in 1") && ended.stderr.is_empty(), "{}{}", ended.stdout, ended.stderr);
    assert!(fleet.knows("harbour", &id));
}

#[test]
fn one_may_read_the_base_alone() {
    let (fleet, _) = Fleet::knowing(&["pier"], []);
    fleet.ok("harbour", &["config", "set", "sync.refs", "base"]);
    let aside = fleet.add("pier", "Aside", &[]);
    fleet.push_log("pier", "side");
    fleet.git("harbour", &["fetch", "--quiet"]);
    fleet.ok("harbour", &["sync"]);
    assert!(!fleet.knows("harbour", &aside));
    let based = fleet.add("pier", "In the base", &[]);
    fleet.ok("pier", &["sync", "--commit"]);
    fleet.git("pier", &["push", "--quiet", "origin", "main"]);
    fleet.git("harbour", &["fetch", "--quiet"]);
    fleet.ok("harbour", &["sync"]);
    assert!(fleet.knows("harbour", &based) && !fleet.knows("harbour", &aside));
    fleet.ok("harbour", &["config", "set", "sync.refs", "remote"]);
    fleet.ok("harbour", &["sync"]);
    assert!(fleet.knows("harbour", &aside));
}

#[test]
fn a_claim_on_anothers_branch_is_working_elsewhere_and_next_skips_it() {
    let (fleet, [id]) = Fleet::knowing(&["pier"], ["Paint the buoys"]);
    assert_eq!(fleet.run("pier", "agent:bo/w1", &["next"]).exit, 0);
    fleet.push_log("pier", "work");
    fleet.git("harbour", &["fetch", "--quiet"]);
    fleet.ok("harbour", &["sync"]);
    let card = fleet.json("harbour", &["tasks", "show", &id]);
    assert_eq!((&card["standing"], &card["lease"]["actor"]), (&json!("working"), &json!("agent:bo/w1")));
    assert!(card["lease"]["elsewhere"].is_string(), "{card}");
    let none = fleet.run("harbour", "agent:ada/w1", &["next", "--json"]).json();
    assert_eq!((&none["task"], &none["why"]["code"]), (&json!(null), &json!("all_running")), "{none}");
    let refused = fleet.run("harbour", "agent:ada/w1", &["tasks", "claim", &id]);
    assert!(refused.exit == 1 && refused.stderr.contains("(lease_held)"), "{}", refused.stderr);
    // Its end travels the same way.
    assert_eq!(fleet.run("pier", "agent:bo/w1", &["tasks", "release", &id, "-m", "The paint has run out."]).exit, 0);
    fleet.git("pier", &["switch", "--quiet", "work"]);
    fleet.ok("pier", &["sync", "--commit"]);
    fleet.git("pier", &["push", "--quiet", "origin", "work"]);
    fleet.git("harbour", &["fetch", "--quiet"]);
    fleet.ok("harbour", &["sync"]);
    assert_eq!(fleet.json("harbour", &["tasks", "show", &id])["standing"], "ready");
}

#[test]
fn a_merge_reads_what_else_the_fetch_before_it_brought() {
    let (fleet, _) = Fleet::knowing(&["pier"], []);
    fleet.ok("harbour", &["init", "--no-client"]);
    let id = fleet.add("pier", "Mend the ladder", &[]);
    fleet.push_log("pier", "side");
    fleet.git("pier", &["commit", "--quiet", "--allow-empty", "--message", "Something else"]);
    fleet.git("pier", &["push", "--quiet", "origin", "main"]);
    fleet.git("harbour", &["pull", "--quiet", "--no-rebase"]);
    assert!(fleet.knows("harbour", &id));
}

#[test]
fn what_waits_in_the_queue_is_written() {
    let (fleet, _) = Fleet::knowing(&["pier"], []);
    let id = fleet.add("pier", "Mend the ladder", &[]);
    fleet.push_log("pier", "side");
    let sha = fleet.git("harbour", &["rev-parse", "HEAD"]).trim().to_owned();
    let request =
        json!({"command": "bind", "args": {"task": id, "sha": sha, "subject": "Board", "how": "trailer", "files": [["README.md", 1, 0]]}, "key": "bind:x"});
    let line = json!({"at": now(), "actor": "dev:ada", "principal": "local:ada", "request": request});
    std::fs::write(fleet.dir("harbour").join(".callboard/pending.jsonl"), format!("{line}\n")).unwrap();
    fleet.ok("harbour", &["tasks"]);
    assert!(fleet.dir("harbour").join(".callboard/pending.jsonl").exists(), "its task is not known yet");
    fleet.git("harbour", &["fetch", "--quiet"]);
    fleet.ok("harbour", &["sync"]);
    assert_eq!(fleet.json("harbour", &["tasks", "show", &id])["commits_detail"][0]["sha"], json!(sha));
    assert!(!fleet.dir("harbour").join(".callboard/pending.jsonl").exists());
}

/// This moment, as the queue writes it.
fn now() -> String {
    callboard::boot::now().to_string()
}

#[tokio::test]
async fn a_running_server_sees_what_is_fetched() {
    let (fleet, _) = Fleet::knowing(&["pier"], []);
    let server = Server::of(&fleet.stage);
    let id = fleet.add("pier", "Mend the ladder", &[]);
    fleet.push_log("pier", "side");
    fleet.git("harbour", &["fetch", "--quiet"]);
    let begun = Instant::now();
    loop {
        let list = server.get("/api/tasks").await;
        if list["items"].as_array().unwrap().iter().any(|card| card["id"] == json!(id)) {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{list}");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}
