//! Boards to measure on, made through the product and kept between runs.

use crate::Outcome;
use crate::process::{Bench, Server, run, run_with};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Most tasks of one plan.
const PLAN: usize = 1_000;
/// Most commands of one batch.
const BATCH: usize = 100;

/// A board of so many tasks, so many of them open; made when it is not there.
pub fn of(bench: &Bench, tasks: usize, open: usize) -> Outcome<PathBuf> {
    let board = bench.work.join("boards").join(format!("{tasks}-{open}"));
    let mark = board.join(".made");
    let made_by = env!("CARGO_PKG_VERSION");
    let fresh = std::env::var_os("BENCH_FRESH").is_some();
    if !fresh && fs::read_to_string(&mark).is_ok_and(|by| by == made_by) && run(&mut bench.callboard(&board, &["tasks", "--limit", "1"])).is_ok() {
        return Ok(board);
    }
    eprintln!("  making a board of {tasks} tasks, {open} open");
    empty(bench, &board)?;
    let mut ids = Vec::with_capacity(tasks);
    for first in (0..tasks).step_by(PLAN) {
        let plan = plan(first, PLAN.min(tasks - first));
        let receipt = run_with(&mut bench.callboard(&board, &["tasks", "plan", "-", "--json"]), plan.to_string().as_bytes())?;
        let receipt: Value = serde_json::from_slice(&receipt)?;
        let planned = receipt["data"]["tasks"].as_array().ok_or("a plan's receipt without its tasks")?;
        ids.extend(planned.iter().filter_map(|task| task["id"].as_str().map(str::to_owned)));
    }
    if open < tasks {
        close(bench, &board, &ids[..tasks - open])?;
    }
    fs::write(mark, made_by)?;
    Ok(board)
}

/// A board without tasks in a repository with one commit.
pub fn empty(bench: &Bench, board: &Path) -> Outcome<()> {
    if board.exists() {
        fs::remove_dir_all(board)?;
    }
    repository(bench, board)?;
    run(&mut bench.callboard(board, &["init", "--no-client"]))?;
    Ok(())
}

/// A repository with one commit.
pub fn repository(bench: &Bench, directory: &Path) -> Outcome<()> {
    fs::create_dir_all(directory)?;
    fs::write(directory.join("main.txt"), "a program\n")?;
    let git = |words: &[&str]| run(bench.command("git", directory).args(words)).map(|_| ());
    git(&["init", "--quiet", "--initial-branch=main"])?;
    git(&["config", "user.email", "bench@example.org"])?;
    git(&["config", "user.name", "Bench"])?;
    git(&["add", "main.txt"])?;
    git(&["commit", "--quiet", "-m", "begin"])
}

/// Tasks like those people write: a sentence, a paragraph, labels, files; one in ten waits for another.
pub fn plan(first: usize, count: usize) -> Value {
    let tasks: Vec<Value> = (0..count).map(|place| task(first + place, place)).collect();
    json!({"milestone": format!("Part {}", first / PLAN % 5 + 1), "tasks": tasks})
}

fn task(number: usize, place: usize) -> Value {
    const VERBS: [&str; 6] = ["Refuse", "Show", "Keep", "Measure", "Rename", "Explain"];
    const THINGS: [&str; 7] = ["expired tokens", "the list of readers", "a late answer", "the first page", "old exports", "empty searches", "rates by hour"];
    const AREAS: [&str; 5] = ["sign-in", "search", "export", "billing", "mail"];
    const KINDS: [&str; 4] = ["task", "feature", "bug", "chore"];
    const PRIORITIES: [u8; 8] = [2, 1, 2, 3, 2, 2, 0, 2];
    let (kind, priority) = (KINDS[number % 4], PRIORITIES[number % 8]);
    let half = if number.is_multiple_of(2) { "backend" } else { "frontend" };
    let (verb, thing, area) = (VERBS[number % 6], THINGS[number % 7], AREAS[number % 5]);
    let spec = format!(
        "{verb} {thing} in **{area}**.\n\nWhat is there now: the case is not looked at, and who meets it gets a blank page.\n\n- name what was wrong\n\
         - say what would work\n- a test for each of the two\n\nSee `src/{area}/part{}.rs`.",
        number % 40
    );
    let mut task = json!({
        "title": format!("{verb} {thing} in {area}, part {number}"),
        "spec": spec,
        "type": kind,
        "priority": priority,
        "labels": [area, half],
        "files": [format!("src/{area}/part{}.rs", number % 40)],
    });
    if place % 10 == 9 {
        task["after"] = json!([place - 9]);
    }
    task
}

fn close(bench: &Bench, board: &Path, ids: &[String]) -> Outcome<()> {
    let server = Server::start(bench, board)?;
    let mut client = server.client()?;
    for batch in ids.chunks(BATCH) {
        // Cancelled, not done: a close asks git for the task's commits, which is not what these boards are for.
        let commands: Vec<Value> = batch.iter().map(|id| json!({"command": "cancel", "args": {"task": id, "note": "settled in a talk"}})).collect();
        client.post("commands", &json!({"batch": commands}))?;
    }
    server.stop()
}

/// Ids of open tasks that can be claimed now.
pub fn ready(bench: &Bench, board: &Path, count: usize) -> Outcome<Vec<String>> {
    let list = run(&mut bench.callboard(board, &["tasks", "--standing", "ready", "--json", "--limit", &count.to_string()]))?;
    let list: Value = serde_json::from_slice(&list)?;
    let items = list["items"].as_array().ok_or("a list without items")?;
    let ids: Vec<String> = items.iter().filter_map(|task| task["id"].as_str().map(str::to_owned)).take(count).collect();
    if ids.is_empty() { Err("no task is ready".into()) } else { Ok(ids) }
}
